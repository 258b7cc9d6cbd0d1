"""What is the case with models: the catalogue, those on this computer, the downloads; and what is done to them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from PySide6.QtCore import QObject, Qt, QTimer, Signal

from app.catalogue.reading import Catalogue
from app.downloads.state import Download, DownloadState
from app.model_settings import ModelSettings
from app.model_values import CataloguePair, LocalModel, Proof, RemoteModel
from engine.errors import EngineError, ErrorKind, ErrorReport
from ui.models_drafts import DraftsControl
from ui.models_parts import Halves, Opened, Parts, TokenState
from ui.models_pool import Pool, Task
from ui.models_rows import (
    Check,
    DownloadRow,
    HubRow,
    LocalRow,
    PairRow,
    Progress,
    draft_is_needed,
    pair_row,
    places,
    progress_of,
    same_model,
    same_problem,
)
from ui.models_search import SearchControl

PACE_MS = 100  # between two looks at the downloads
STILL_MS = 1_000  # the same while none of them says that anything comes
MOST_PROBLEMS = 3  # that are told at a time
NOTHING_FOUND: Halves = (None, None)


class ModelsControl(QObject):
    """Main thread. Everything that may block runs in the pool; its answers change the attributes.

    Attributes:
        opened: the catalogue and what was known of this computer are there; nothing is before.
        scanning: folders are being looked through.
        catalogue, settings, local, downloads, token: as they are now.
        settings_problem: why the last settings could not be kept; those before count then.
        search, drafts: the parts that are about one repository and about one target.

    Signals:
        changed(): any attribute but `downloads`. downloads_changed(): those, ten times a second at most.
    """

    changed = Signal()
    downloads_changed = Signal()
    _moved = Signal()

    def __init__(self, parts: Parts) -> None:
        super().__init__()
        self.opened = self.scanning = False
        self.catalogue = Catalogue((), ())
        self.settings = ModelSettings()
        self.local: tuple[LocalModel, ...] = ()
        self.downloads: tuple[Download, ...] = ()
        self.token = TokenState()
        self.settings_problem: ErrorReport | None = None
        self._problems: list[ErrorReport] = []
        self._parts = parts
        self._pool = Pool()
        self._settings_lane, self._token_lane = Pool(threads=1), Pool(threads=1)  # the last choice wins
        self._kept = self.settings
        self._files: dict[str, Halves] = {}
        self._local_rows: list[LocalRow] = []
        self._rows_of: tuple[LocalModel, ...] | None = None  # the models that those are of, None after a check
        self._checks: dict[Path, Check] = {}
        self._check_tasks: dict[Path, Task] = {}
        self._started = self._scan_again = False
        self._pace = QTimer(self)
        self._pace.setSingleShot(True)
        self._pace.setInterval(PACE_MS)
        self._pace.timeout.connect(self._look_at_downloads)
        self._still = QTimer(self)
        self._still.setSingleShot(True)
        self._still.setInterval(STILL_MS)
        self._still.timeout.connect(self._look_at_downloads)
        self._moved.connect(self._on_moved, Qt.ConnectionType.QueuedConnection)
        self.search = SearchControl(parts, self._pool)
        self.drafts = DraftsControl(parts, self._pool)

    def start(self) -> None:
        """Read the catalogue, go on with the downloads and look through the folders. Does nothing a second time."""
        if not self._started:
            self._started = True
            self._pool.run(lambda task: self._parts.open(), self._on_opened, self.show_problem)

    def close(self) -> None:
        """Pause the downloads and end all work. Waits for it, and for what was set to be kept."""
        self._pace.stop()
        self._still.stop()
        self._pool.close()
        for lane in (self._settings_lane, self._token_lane):
            lane.close(finish=True)
        self._parts.close()

    @property
    def pairs_found(self) -> bool:  # whether it is known by now which pairs are here
        return bool(self._files)

    @property
    def has_token(self) -> bool:
        return self.token.there

    @property
    def problems(self) -> list[ErrorReport]:
        """What failed and was not dismissed yet, each once and the newest first; not more than can be read."""
        return self._problems[:MOST_PROBLEMS]

    # rows

    def pair_rows(self) -> list[PairRow]:
        queue = places(self.downloads)
        return [
            pair_row(
                pair,
                self._files.get(pair.id, NOTHING_FOUND),
                self.downloads,
                queue,
                shared=self._draft_is_needed(pair, moving=True),
            )
            for pair in self.catalogue.pairs
        ]

    def local_rows(self) -> list[LocalRow]:
        """Rows that did not change are the same objects as before: there may be thousands."""
        if self._rows_of is self.local:
            return self._local_rows
        before = {id(row.model): row for row in self._local_rows}
        checks = self._checks
        rows = []
        for model in self.local:
            check = checks.get(model.path) if checks else None  # hashing thousands of paths takes its time
            row = before.get(id(model))
            rows.append(row if row is not None and row.check is check else LocalRow(model, check))
        self._local_rows, self._rows_of = rows, self.local
        return rows

    def download_rows(self) -> list[DownloadRow]:
        """Those that have not ended, in the order of the queue."""
        queue = places(self.downloads)
        rows = ((download, progress_of((download,), queue)) for download in self.downloads)
        return [DownloadRow(download, progress) for download, progress in rows if progress is not None]

    def hub_rows(self) -> list[HubRow]:
        """The models of the repository that is looked at."""
        queue, here = places(self.downloads), self.search.here
        return [
            HubRow(
                model,
                here.get(model.model),
                progress_of([one for one in self.downloads if same_model(one.model, model.model)], queue),
            )
            for model in self.search.models
        ]

    # downloads

    def fetch_pair(self, row: PairRow) -> None:
        """Download what is missing of a pair."""
        for half, here in ((row.pair.draft, row.draft), (row.pair.target, row.target)):
            if here is None:
                self.fetch(half.model)

    def fetch(self, model: RemoteModel) -> None:
        title = model.file_name.removesuffix(".gguf")
        self._do(lambda: self._parts.downloads.add(title, model))

    def pause(self, progress: Progress) -> None:
        self._each(progress, self._parts.downloads.pause)

    def resume(self, progress: Progress) -> None:
        self._each(progress, self._parts.downloads.resume)

    def cancel(self, progress: Progress) -> None:
        """Also removes what came so far."""
        self._each(progress, self._parts.downloads.cancel)

    def pause_pair(self, row: PairRow) -> None:
        """But for a draft that comes for another pair too."""
        if row.progress is not None:
            self.pause(self._own(row, row.progress, moving=True))

    def cancel_pair(self, row: PairRow) -> None:
        """But for a draft that another pair needs."""
        if row.progress is not None:
            self.cancel(self._own(row, row.progress, moving=False))

    def move(self, progress: Progress, step: int) -> None:
        """Sooner (-1) or later (1) in the queue: past the next one that waits there."""
        order = [download.id for download in self.downloads]
        waiting = [number for number in order if number in places(self.downloads)]
        ids = [number for number in waiting if number in progress.ids]
        others = [place for place, number in enumerate(waiting) if number not in ids]
        before = [place for place in others if place < waiting.index(ids[0])] if ids else []
        after = [place for place in others if place > waiting.index(ids[-1])] if ids else []
        if step < 0 and before:
            for offset, number in enumerate(ids):
                self._parts.downloads.move(number, order.index(waiting[before[-1]]) + offset)
        elif step > 0 and after:
            for number in ids:
                self._parts.downloads.move(number, order.index(waiting[after[0]]))

    # on this computer

    def rescan(self) -> None:
        """Look through the folders, once more afterwards if that is going on already."""
        if not self.opened:
            return
        if self.scanning:
            self._scan_again = True
            return
        self.scanning = True
        self._pool.run(self._scan, self._on_scanned, self._on_scan_failed)
        self.changed.emit()

    def add_files(self, files: Sequence[Path]) -> None:
        """Use files where they lie."""
        self._pool.run(lambda task: self._parts.add_files(files), self._on_added, self.show_problem)

    def remove(self, model: LocalModel) -> None:
        """To the trash, with all parts."""
        self._pool.run(lambda task: self._parts.remove(model), lambda _: self.rescan(), self.show_problem)

    def verify(self, model: LocalModel) -> None:
        """Read every byte of it."""
        path = model.path
        self.stop_verifying(model)

        def work(task: Task) -> Proof | None:
            return self._parts.verify(model, lambda share: task.report(tell, lambda: share), task.cancelled)

        def tell(share: float) -> None:
            self._show_check(path, Check(share))

        self._show_check(path, Check(0.0))
        self._check_tasks[path] = self._pool.run(
            work,
            lambda proof: self._show_check(path, Check(proof=proof)),
            lambda report: self._show_check(path, Check(error=report)),
        )

    def stop_verifying(self, model: LocalModel) -> None:
        task = self._check_tasks.pop(model.path, None)
        if task is not None:
            task.cancel()
        self._checks.pop(model.path, None)
        self._rows_of = None
        self.changed.emit()

    # settings

    def use_settings(self, settings: ModelSettings) -> None:
        """They count at once and are remembered."""
        if settings == self.settings:
            return
        self.settings, self.settings_problem = settings, None
        self._settings_lane.run(
            lambda task: self._parts.use_settings(settings),
            lambda _: self._on_settings(settings),
            lambda report: self._on_settings_refused(settings, report),
        )
        self.changed.emit()

    def add_folder(self, folder: Path) -> None:
        """Look through that folder too, from now on."""
        if not folder.is_dir():
            self.show_problem(ErrorReport(ErrorKind.FILE_MISSING, (("path", str(folder)),)))
        elif folder not in self.settings.folders:
            self.use_settings(replace(self.settings, folders=(*self.settings.folders, folder)))

    def go_online(self) -> None:
        self.use_settings(replace(self.settings, offline=False))

    def use_token(self, text: str) -> None:
        """Keep the hub token, and try again what was refused for want of one."""
        self._show_token(TokenState(self.has_token, keeping=True))
        self._token_lane.run(
            lambda task: self._parts.use_token(text), lambda _: self._on_token(), self._on_token_refused
        )

    def forget_token(self) -> None:
        self._show_token(TokenState(self.has_token, keeping=True))

        def forget(task: Task) -> bool:
            self._parts.forget_token()
            return self._parts.has_token()  # one of the environment still counts

        self._token_lane.run(forget, lambda there: self._show_token(TokenState(there)), self._on_token_refused)

    def show_problem(self, report: ErrorReport) -> None:
        """Something failed; it is told until it is dismissed."""
        self._tell(report)
        self.changed.emit()

    def dismiss(self, report: ErrorReport) -> None:
        self._problems = [problem for problem in self._problems if not same_problem(problem, report)]
        self.changed.emit()

    # how answers arrive

    def _on_opened(self, opened: Opened) -> None:
        self.opened = True
        self.settings = self._kept = opened.settings
        self.catalogue, self.local = opened.catalogue, opened.local
        for report in reversed(opened.catalogue.problems):
            self._tell(report)
        self._token_lane.run(
            lambda task: self._parts.has_token(), lambda there: self._show_token(TokenState(there)), self.show_problem
        )
        self._find_pairs()
        self._parts.downloads.subscribe(self._moved.emit)
        self._look_at_downloads()
        self.rescan()

    def _find_pairs(self) -> None:
        """Which pairs of the catalogue are here."""
        pairs = self.catalogue.pairs
        self._pool.run(lambda task: self._parts.pair_files(pairs), self._on_pairs, self.show_problem)

    def _on_pairs(self, files: dict[str, Halves]) -> None:
        self._files = files
        self.changed.emit()

    def _scan(self, task: Task) -> tuple[LocalModel, ...]:
        return self._parts.scan(lambda: task.report(self._on_found, self._parts.known), task.cancelled)

    def _on_found(self, local: tuple[LocalModel, ...]) -> None:
        if local is not self.local:
            self.local = local
            self.changed.emit()

    def _on_added(self, refused: tuple[ErrorReport, ...]) -> None:
        for report in reversed(refused):
            self._tell(report)
        self.rescan()

    def _on_scanned(self, local: tuple[LocalModel, ...]) -> None:
        self.local = local
        self._find_pairs()
        self.search.look_again()
        self._end_scan()
        here = {model.path for model in local}
        for download in self.downloads:
            if download.state is DownloadState.DONE and download.path in here:
                self._parts.downloads.forget(download.id)

    def _on_scan_failed(self, report: ErrorReport) -> None:
        self._tell(report)
        self._end_scan()

    def _end_scan(self) -> None:
        self.scanning = False
        self.changed.emit()
        if self._scan_again:
            self._scan_again = False
            self.rescan()

    def _on_settings(self, settings: ModelSettings) -> None:
        self._kept = settings
        self.rescan()

    def _on_settings_refused(self, settings: ModelSettings, report: ErrorReport) -> None:
        """Those before count, unless others were chosen by now."""
        self.settings_problem = report
        if self.settings == settings:
            self.settings = self._kept
        self.changed.emit()

    def _show_token(self, token: TokenState) -> None:
        self.token = token
        self.changed.emit()

    def _on_token(self) -> None:
        self._show_token(TokenState(True, given=True))
        for download in self.downloads:
            if download.error is not None and download.error.kind is ErrorKind.REPO_GATED:
                self._do(lambda number=download.id: self._parts.downloads.resume(number))
        self.search.look_again()

    def _on_token_refused(self, report: ErrorReport) -> None:
        self._show_token(TokenState(self.has_token, error=report))

    def _on_moved(self) -> None:
        if not self._pace.isActive():
            self._pace.start()

    def _look_at_downloads(self) -> None:
        before = {download.id for download in self.downloads if download.state is DownloadState.DONE}
        self.downloads = self._parts.downloads.snapshot()
        if any(one.state is DownloadState.RUNNING for one in self.downloads):
            self._still.start()
        self.downloads_changed.emit()
        if any(one.state is DownloadState.DONE and one.id not in before for one in self.downloads):
            self.rescan()

    def _show_check(self, path: Path, check: Check) -> None:
        self._checks[path] = check
        self._rows_of = None
        self.changed.emit()

    def _tell(self, report: ErrorReport) -> None:
        self._problems = [report, *(problem for problem in self._problems if not same_problem(problem, report))]

    def _draft_is_needed(self, pair: CataloguePair, *, moving: bool) -> bool:
        here = {number for number, (target, _draft) in self._files.items() if target is not None}
        return draft_is_needed(pair, self.catalogue.pairs, self.downloads, here, moving=moving)

    def _own(self, row: PairRow, progress: Progress, *, moving: bool) -> Progress:
        """What comes for that pair alone."""
        if not self._draft_is_needed(row.pair, moving=moving):
            return progress
        draft = [one.id for one in self.downloads if same_model(one.model, row.pair.draft.model)]
        return replace(progress, ids=tuple(number for number in progress.ids if number not in draft))

    def _each(self, progress: Progress, act: Callable[[str], object]) -> None:
        for number in progress.ids:
            self._do(lambda number=number: act(number))

    def _do(self, act: Callable[[], object]) -> None:
        """What returns at once but may refuse."""
        try:
            act()
        except EngineError as error:
            self.show_problem(error.report)
