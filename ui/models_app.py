"""The parts behind the Models page as they are: catalogue, library, hubs, downloads, drafts."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from app.downloads.state import DownloadState
from app.drafts import DraftJudge, DraftVerdict
from app.engine_client import EngineClient, Job
from app.fit.desk import FitDesk
from app.fit.pair_fits import Files, FitQuestion, PairFits
from app.fit.values import FitReport
from app.hub.header_cache import HeaderCache
from app.hub.listing import HubModel
from app.model_settings import ModelSettings, read_model_settings, write_model_settings
from app.model_values import CataloguePair, LocalModel, Proof, RemoteModel
from app.paths import Paths
from app.self_draft import SelfDraftPlan, make, plan
from engine.errors import EngineError, ErrorKind, ErrorReport
from engine.gguf import GgufHeader, read_header
from ui.models_parts import Cancelled, Halves, Opened

if TYPE_CHECKING:
    from app.catalogue.reading import Catalogue
    from app.downloads.manager import Downloads
    from app.hub.hub import FoundRepo, Hub
    from app.hub.source import Source
    from app.hub.token import Token
    from app.library.library import Library


class AppParts:
    """As `Parts`. What is heavy is imported by `open`, on the thread that calls it."""

    def __init__(self, paths: Paths, client: EngineClient, desk: FitDesk) -> None:
        """`desk` is closed by whoever made it."""
        self._paths = paths
        self._client = client
        self._fits = PairFits(desk)
        self._headers = HeaderCache(paths.state / "headers")
        self._settings = ModelSettings()
        self._catalogue: Catalogue
        self._library: Library | None = None
        self._swap = threading.Lock()  # of the library; once closed there is no other
        self._closed = False
        self._downloads: Downloads | None = None
        self._token: Token

    @property
    def downloads(self) -> Downloads:
        assert self._downloads is not None
        return self._downloads

    def open(self) -> Opened:
        from app.catalogue.reading import read_catalogue
        from app.downloads.manager import Downloads
        from app.hub.token import Token

        self._settings = read_model_settings(self._paths)
        self._token = Token(self._paths)
        self._catalogue = read_catalogue(self._paths)
        self._use_library()
        self._downloads = Downloads(
            self._paths.models, self._paths.state / "downloads.json", self._sources, self._settings.speed_limit
        )
        self._downloads.subscribe(self._go_on)
        self._go_on()
        return Opened(self._settings, self._catalogue, self._shelf.known())

    def has_token(self) -> bool:
        return self._token.load() is not None

    # on this computer

    def scan(self, on_found: Callable[[], None], cancelled: Cancelled) -> tuple[LocalModel, ...]:
        return self._shelf.scan(lambda _models: on_found(), cancelled)

    def known(self) -> tuple[LocalModel, ...]:
        return self._shelf.known()

    def pair_files(self, pairs: Sequence[CataloguePair]) -> dict[str, Halves]:
        return {pair.id: self._shelf.find_catalogue_pair(pair) for pair in pairs}

    def find(self, model: RemoteModel) -> LocalModel | None:
        return self._shelf.find(model)

    def add_files(self, files: Sequence[Path]) -> tuple[ErrorReport, ...]:
        from app.library.changes import add_files

        return tuple(addition.problem for addition in add_files(self._paths, files) if addition.problem is not None)

    def remove(self, model: LocalModel) -> None:
        from app.library.changes import remove

        remove(model, self._paths, self._shelf.places())

    def verify(self, model: LocalModel, on_progress: Callable[[float], None], cancelled: Cancelled) -> Proof | None:
        from app.library.catalogued import CataloguedModels
        from app.library.changes import verify

        published = CataloguedModels(self._catalogue, self._shelf, self._paths).sha256_of(model)
        verified = verify(model, published, lambda done, total: on_progress(done / max(1, total)), cancelled)
        return None if verified is None else verified.proof

    # settings

    def use_settings(self, settings: ModelSettings) -> None:
        write_model_settings(self._paths, settings)
        before, self._settings = self._settings, settings
        self.downloads.set_speed_limit(settings.speed_limit)
        if settings.folders != before.folders:
            self._use_library()
        if settings.offline and not before.offline:
            self._stop()
        self._go_on()

    def use_token(self, text: str) -> None:
        self._token.save(text)

    def forget_token(self) -> None:
        self._token.forget()

    # the hub

    def search(self, text: str) -> tuple[FoundRepo, ...]:
        return self._hub().search(text)

    def models(self, repo: str) -> tuple[HubModel, ...]:
        return self._hub().models(repo)

    # drafts

    def judge(
        self,
        target: LocalModel | RemoteModel,
        drafts: Sequence[LocalModel],
        on_verdict: Callable[[LocalModel, DraftVerdict], None],
        cancelled: Cancelled,
    ) -> None:
        header = read_header(target.path) if isinstance(target, LocalModel) else self._remote_header(target, cancelled)
        judge = DraftJudge(header)
        for draft in drafts:
            if cancelled():
                return
            on_verdict(draft, _verdict(judge, draft))

    def plan_draft(self, target: LocalModel, file_type: str) -> SelfDraftPlan:
        return plan(target, file_type, self._paths)

    def make_draft(
        self, plan: SelfDraftPlan, on_job: Callable[[Job], None], on_progress: Callable[[int, int], None]
    ) -> Path:
        return make(plan, self._client, on_job, on_progress)

    # memory

    def fit(self, question: FitQuestion) -> FitReport:
        return self._fits.report(question)

    def kept_headers(self, models: Sequence[RemoteModel]) -> dict[RemoteModel, Files]:
        found = ((model, self._headers.find(model)) for model in models)
        return {model: files for model, files in found if files is not None}

    def fetch_header(self, model: RemoteModel, cancelled: Cancelled) -> Files:
        return self._headers.fetch_from(self._sources, model, cancelled)

    def close(self) -> None:
        if self._downloads is not None:
            self._downloads.close()
        with self._swap:
            self._closed = True
            if self._library is not None:
                self._library.close()

    @property
    def _shelf(self) -> Library:
        assert self._library is not None
        return self._library

    def _use_library(self) -> None:
        """One that looks into the folders that are set now. Who still asks the one before gets answers."""
        from app.library.library import Library

        with self._swap:
            if self._closed:
                return
            before, self._library = self._library, Library(self._paths, self._settings)
            if before is not None:
                before.close()

    def _stop(self) -> None:
        """Let the downloads under way ask for their sources again, which are refused offline; so they stand as those
        do that begin while offline, over a restart too, and apart from those that the user paused."""
        for download in self.downloads.snapshot():
            if download.state in (DownloadState.RUNNING, DownloadState.VERIFYING):
                self.downloads.pause(download.id)
                self.downloads.resume(download.id)

    def _go_on(self) -> None:
        """Online: what was refused offline begins again."""
        for download in () if self._settings.offline else self.downloads.snapshot():
            if download.error is not None and download.error.kind is ErrorKind.OFFLINE:
                self.downloads.resume(download.id)

    def _sources(self) -> tuple[Source, ...]:
        from app.hub.source import sources

        return sources(self._settings, self._token)

    def _hub(self) -> Hub:
        from app.hub.hub import Hub
        from app.hub.source import checked_endpoint

        return Hub(checked_endpoint(self._settings), self._token)

    def _remote_header(self, model: RemoteModel, cancelled: Cancelled) -> GgufHeader:
        from app.hub.remote_header import read_remote_header

        hub = self._hub()
        return read_remote_header(hub, hub.resolve(model), cancelled)


def _verdict(judge: DraftJudge, draft: LocalModel) -> DraftVerdict:
    """Of a draft that may have vanished or be broken: then that is why it cannot."""
    try:
        return judge.judge(read_header(draft.path))
    except EngineError as error:
        return DraftVerdict(can_draft=False, masked=0, reason=error.report)
