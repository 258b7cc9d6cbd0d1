"""What tells a pair's need of memory before it is downloaded: its files, or what is kept of their headers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

from app.devices.device import Machine
from app.dry_load_client import DryLoads
from app.fit.files import figures, rooms, search_files
from app.fit.history import FitHistory
from app.fit.placing import Pair
from app.fit.search import Search
from app.hub.header_cache import HeaderCache
from app.hub.source import Source, sources
from app.hub.token import Token
from app.library.library import Library
from app.model_settings import ModelSettings, read_model_settings
from app.model_values import CataloguePair, Here, LocalModel, RemoteModel
from app.paths import Paths
from engine.errors import EngineError, ErrorKind, ErrorReport
from engine.types import LoadRequest

# Said of every model alike, and each time only after some seconds
_SAME_FOR_ALL: Final = (ErrorKind.HUB_UNREACHABLE, ErrorKind.HUB_BUSY)


@dataclass(frozen=True, slots=True)
class PairFiles:
    """All parts of each half, or what is kept of their headers where `here` says that the half is not on this
    computer. draft is empty for a target on its own."""

    target: tuple[Path, ...]
    draft: tuple[Path, ...]
    here: Here

    @classmethod
    def of(cls, request: LoadRequest) -> PairFiles:
        """Of models that are here; the first parts will do."""
        return cls((Path(request.target),), () if request.draft is None else (Path(request.draft),), Here.READY)

    @property
    def request(self) -> LoadRequest:
        """With default settings. It can be judged; it can only be loaded where all is here."""
        return LoadRequest(str(self.target[0]), str(self.draft[0]) if self.draft else None)


def search_pair(files: PairFiles, machine: Machine, history: FitHistory, dry_loads: DryLoads | None) -> Search:
    """As `search_files`. That both halves share a vocabulary is taken from the catalogue where one is not here: what is
    kept of a header has none."""
    if files.here is Here.READY:
        return search_files(files.request, machine, history, dry_loads)
    pair = Pair(figures(files.target, dry_loads), figures(files.draft, dry_loads))
    return Search(pair, rooms(machine, history))


class PairFinder:
    """Finds the files of pairs of the catalogue, and reads the headers of those that are elsewhere. One thread."""

    def __init__(self, library: Library, headers: HeaderCache, settings: ModelSettings, token: Token) -> None:
        self._library = library
        self._headers = headers
        self._offline = settings.offline
        self._given_up: ErrorReport | None = None
        self._sources: Callable[[], tuple[Source, ...]] = cache(lambda: sources(settings, token))

    def find(self, pair: CataloguePair) -> PairFiles:
        """Blocks on the disk, and on the network for what is nowhere on this computer. A hub that cannot be reached, or
        asks for a pause, is not asked about the next pairs either.

        Raises:
            EngineError: what is wrong with a file that is here, and as `HeaderCache.fetch_from`.
        """
        target, draft = (self._library.find_any(half.model) for half in (pair.target, pair.draft))
        return PairFiles(
            self._parts(target, pair.target.model), self._parts(draft, pair.draft.model), Here.of(target, draft)
        )

    def to_fetch(self, pairs: Iterable[CataloguePair]) -> int:
        """Of how many models `find` would read the header over the network."""
        models = {half.model for pair in pairs for half in (pair.target, pair.draft)} if not self._offline else set()
        return sum(self._headers.find(model) is None and self._library.find_any(model) is None for model in models)

    def _parts(self, here: LocalModel | None, model: RemoteModel) -> tuple[Path, ...]:
        if here is None:
            return self._headers.find(model) or self._fetch(model)
        if here.problem is not None:
            raise EngineError.of(here.problem)
        return here.parts

    def _fetch(self, model: RemoteModel) -> tuple[Path, ...]:
        if self._given_up is not None:
            raise EngineError.of(self._given_up)
        try:
            return self._headers.fetch_from(self._sources, model, lambda: False)
        except EngineError as error:
            if error.report.kind in _SAME_FOR_ALL:
                self._given_up = error.report
            raise


@contextmanager
def pair_finder(paths: Paths) -> Iterator[PairFinder]:
    """With what the user's settings and folders say."""
    settings = read_model_settings(paths)
    with closing(Library(paths, settings)) as library:
        yield PairFinder(library, HeaderCache(paths.state / "headers"), settings, Token(paths))
