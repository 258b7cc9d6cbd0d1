"""The models on this computer, used where they lie."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from itertools import chain
from pathlib import Path
from time import monotonic

from app.hub.names import local_path
from app.library.cache import KnownModel, ModelCache
from app.library.entries import Entry, entries_of
from app.library.ownership import absolute, is_own, place_of, way_to
from app.library.part_names import is_model_name
from app.library.places import Place, find_places, home_folder
from app.library.reading import read_model, shown
from app.library.walking import find_files, is_blob_name, list_folder, look_at_parts
from app.model_settings import ModelSettings
from app.model_values import CataloguePair, LocalModel, PlaceKind, RemoteModel
from app.paths import Paths
from engine.errors import EngineError, ErrorKind

OnFound = Callable[[tuple[LocalModel, ...]], None]

_BATCH = 100
_BATCH_S = 0.1

# What can become another without a change of the file itself.
_PASSING = frozenset({ErrorKind.FILE_UNREADABLE, ErrorKind.SPLIT_INCOMPLETE})


class Library:
    """Thread-safe: one thread may scan while others ask. Nothing outside our own folders is ever written.

    Files that cannot be used are models with a problem; no method raises because of what lies on the disk.
    """

    def __init__(
        self,
        paths: Paths,
        settings: ModelSettings,
        *,
        environment: Mapping[str, str] = os.environ,
        home: Path | None = None,
    ) -> None:
        """Loads the cache, which takes some 10 ms for each 1,000 models. `environment` and `home` tell where other
        programs have their models."""
        self._paths = paths
        self._settings = settings
        self._environment = environment
        self._home = home or home_folder()
        self._cache = ModelCache(paths.state / "library.sqlite3")
        self._scanning = threading.Lock()
        self._changing = threading.Lock()
        self._known = {known.model.path: known for known in self._cache.load()}
        self._sorted: tuple[LocalModel, ...] | None = None

    def known(self) -> tuple[LocalModel, ...]:
        """What was found so far, by name; reads no file. Some of it may be gone or have changed."""
        with self._changing:
            if self._sorted is None:
                models = (known.model for known in self._known.values())
                self._sorted = tuple(sorted(models, key=lambda model: (model.name.casefold(), str(model.path))))
            return self._sorted

    def scan(
        self, on_found: OnFound | None = None, cancelled: Callable[[], bool] = lambda: False
    ) -> tuple[LocalModel, ...]:
        """Look into all places, and read the headers of new and changed files. Blocks on the disk.

        Args:
            on_found: is given each model once, a hundred at a time or what came in a tenth of a second.
            cancelled: asked between two files. What was not looked at by then stays as it was known.

        Returns:
            All models, by name.
        """
        with self._scanning:
            before = set(self._known)
            for batch in _batches(self._find_all(cancelled)):
                self._remember(batch)
                before.difference_update(known.model.path for known in batch)
                if on_found is not None:
                    on_found(tuple(known.model for known in batch))
            if not cancelled():
                self._forget(before)
            return self.known()

    def find(self, model: RemoteModel) -> LocalModel | None:
        """The model of a hub, complete and readable, if it is here: in our folder, where LM Studio or the hub's cache
        would have it, or among the known ones as the same file name with the same size, or, where nobody said what size
        it has, with its repository in the path."""
        return next((here for here in self._candidates(model) if here.problem is None), None)

    def find_any(self, model: RemoteModel) -> LocalModel | None:
        """As `find`; where only such are here as cannot be used, the first of them."""
        damaged = None
        for here in self._candidates(model):
            if here.problem is None:
                return here
            damaged = damaged or here
        return damaged

    def _candidates(self, model: RemoteModel) -> Iterator[LocalModel]:
        names = _names_elsewhere(model)
        known = (
            (known.place, known.path)
            for known in self.known()
            if known.path.name.casefold() in names and _has_the_size(known, model)
        )
        for place, path in chain(self._likely_paths(model), known):
            if (here := self._look_at(path, place)) is not None:
                yield here

    def find_catalogue_pair(self, pair: CataloguePair) -> tuple[LocalModel | None, LocalModel | None]:
        """Target and draft of a pair, each None where it is not here."""
        return self.find(pair.target.model), self.find(pair.draft.model)

    def look_at(self, path: Path) -> LocalModel | None:
        """The model that the file at `path` belongs to; None where there is no such file, where it lies in none of the
        places, or is no model by its name."""
        path, places = absolute(path), self.places()
        place = place_of(path, places) or way_to(path, places)
        if place is None or not (path == place.root or is_model_name(path.name) or is_blob_name(place, path.name)):
            return None
        return self._look_at(path, place.kind)

    def close(self) -> None:
        """What is found from now on is not remembered for the next start."""
        self._cache.close()

    def places(self) -> tuple[Place, ...]:
        """Where is looked, the first one first; reads other programs' settings."""
        return find_places(self._paths, self._settings, self._environment, self._home)

    def _find_all(self, cancelled: Callable[[], bool]) -> Iterator[KnownModel]:
        """Each model once, whatever names and links lead to it."""
        folders: set[Hashable] = set()
        files: set[Hashable] = set()
        links: list[Place] = []
        places = self.places()
        for place in chain(places, links):  # links are followed last, and lead to more of them
            for found in find_files(place, folders, links, cancelled):
                for entry in entries_of(found):
                    if cancelled():
                        return
                    identities = {file.identity for file in entry.files}
                    if identities <= files:
                        continue
                    # What only a link leads to is another program's if it lies there.
                    linked = is_own(place) and (place not in places or entry.path.is_symlink())
                    owner = (place_of(entry.path, places) if linked else None) or place
                    if (known := self._know(entry, owner.kind)) is not None:
                        files |= identities
                        yield known

    def _know(self, entry: Entry, place: PlaceKind) -> KnownModel | None:
        """What the cache says of an entry, or else its headers. None where it has vanished."""
        with self._changing:
            known = self._known.get(entry.path)
        if known is not None and known.stamp == entry.stamp and not _may_pass(known.model):
            name = shown(entry.files[0].name) or known.model.name
            return KnownModel(known.stamp, replace(known.model, place=place, name=name))
        model = read_model(entry, place)
        return None if model is None else KnownModel(entry.stamp, model)

    def _remember(self, models: Iterable[KnownModel]) -> None:
        with self._changing:
            fresh = [known for known in models if self._known.get(known.model.path) != known]
            if not fresh:
                return
            self._known.update((known.model.path, known) for known in fresh)
            self._sorted = None
        self._cache.store(fresh)

    def _forget(self, paths: Iterable[Path]) -> None:
        with self._changing:
            gone = [path for path in paths if self._known.pop(path, None) is not None]
            if not gone:
                return
            self._sorted = None
        self._cache.forget(gone)

    def _look_at(self, path: Path, place: PlaceKind) -> LocalModel | None:
        """The model that the file at `path` belongs to, as it is now."""
        entry = next(iter(entries_of(look_at_parts(path))), None)
        known = None if entry is None else self._know(entry, place)
        if known is None:
            self._forget([path])
            return None
        self._remember([known])
        return known.model

    def _likely_paths(self, model: RemoteModel) -> Iterator[tuple[PlaceKind, Path]]:
        """Where the first part would be, its folders named as the hub names them or in other cases."""
        repo, inside = model.repo.split("/"), model.parts[0].path.split("/")
        for place in self.places():
            match place.kind:
                case PlaceKind.OURS:
                    with suppress(EngineError):  # a name that was not downloaded
                        ours = local_path(place.root, model, model.parts[0])
                        yield place.kind, _descend(place.root, ours.relative_to(place.root).parts)
                case PlaceKind.LM_STUDIO:
                    yield place.kind, _descend(place.root, (*repo, inside[-1]))
                case PlaceKind.HUB_CACHE:
                    snapshots = _child(place.root, "--".join(("models", *repo))) / "snapshots"
                    for revision in list_folder(snapshots):
                        yield place.kind, _descend(snapshots / revision, inside)


def _batches(models: Iterable[KnownModel]) -> Iterator[list[KnownModel]]:
    batch: list[KnownModel] = []
    begin = monotonic()
    for model in models:
        batch.append(model)
        if len(batch) == _BATCH or monotonic() - begin >= _BATCH_S:
            yield batch
            batch, begin = [], monotonic()
    if batch:
        yield batch


def _may_pass(model: LocalModel) -> bool:
    """Whether the model's problem can be another one although the file is the same."""
    return model.problem is not None and model.problem.kind in _PASSING


def _descend(folder: Path, names: Iterable[str]) -> Path:
    for name in names:
        folder = _child(folder, name)
    return folder


def _child(folder: Path, name: str) -> Path:
    """`name` in `folder`; as it is written there, where that differs in case."""
    child = folder / name
    if os.path.exists(child):  # never an exception
        return child
    return next((folder / other for other in list_folder(folder) if other.casefold() == name.casefold()), child)


def _names_elsewhere(model: RemoteModel) -> frozenset[str]:
    """What its file is called by other programs: by the hub's name, by llama.cpp's cache, by Ollama."""
    name = model.file_name.casefold()
    return frozenset({name, f"{model.repo.replace('/', '_')}_{name}".casefold(), f"sha256-{model.parts[0].sha256}"})


def _has_the_size(known: LocalModel, model: RemoteModel) -> bool:
    """Where nobody said how large the hub's file is, its repository must be in the path."""
    if model.size_bytes is not None:
        return known.size_bytes == model.size_bytes
    repo = tuple(model.repo.casefold().split("/"))
    folders = tuple(folder.casefold() for folder in known.path.parts[-3:-1])
    return folders == repo or known.path.name.casefold().startswith("_".join(repo))
