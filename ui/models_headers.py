"""The headers of models that are not on this computer: those that are kept, and those that are fetched."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QObject, QTimer, Signal

from app.fit.pair_fits import Files
from app.model_values import RemoteModel
from engine.errors import ErrorKind, ErrorReport
from ui.models_parts import Parts
from ui.models_pool import Pool, Task

AT_A_TIME = 2
CONNECTION = (ErrorKind.HUB_UNREACHABLE, ErrorKind.HUB_BUSY)  # what fails for one fails for all
# What may pass: an odd answer, a page to sign in on a foreign network
PASSING = (*CONNECTION, ErrorKind.HUB_REFUSED, ErrorKind.DOWNLOAD_STALLED, ErrorKind.DOWNLOAD_NOT_GGUF)
FIRST_PAUSE_MS, LONGEST_PAUSE_MS = 5_000, 300_000


class HeadersControl(QObject):
    """Main thread. Each is fetched once, while somebody looks and the hub may be asked. A fault that may pass is tried
    again after a pause that grows; what was refused is not asked for again before `try_again`.

    Signals:
        changed(): a header came, or will not come.
    """

    changed = Signal()

    def __init__(self, parts: Parts) -> None:
        super().__init__()
        self._parts = parts
        self._shelf, self._lane = Pool(threads=1), Pool(threads=AT_A_TIME)
        self._kept: dict[RemoteModel, Files] = {}
        self._looked: set[RemoteModel] = set()  # kept or not: the shelf was asked
        self._asked: set[RemoteModel] = set()
        self._refused: dict[RemoteModel, ErrorReport] = {}
        self._cut: ErrorReport | None = None  # the connection's fault
        self._tasks: dict[RemoteModel, Task] = {}
        self._wanted: tuple[RemoteModel, ...] = ()
        self._shown = self._offline = False
        self._pause = QTimer(self)
        self._pause.setSingleShot(True)
        self._pause_ms = FIRST_PAUSE_MS
        self._pause.timeout.connect(self._go_on)

    def files(self, model: RemoteModel) -> Files | None:
        """What is kept of its header."""
        return self._kept.get(model)

    def problem(self, model: RemoteModel) -> ErrorReport | None:
        """Why its header will not come now."""
        if model in self._kept or model not in self._looked:
            return None
        if self._offline:
            return ErrorReport(ErrorKind.OFFLINE, (("file", model.file_name),))
        return self._refused.get(model) or self._cut

    def want(self, models: Sequence[RemoteModel]) -> None:
        """The models of which a header is wanted, the most wanted first."""
        self._wanted = tuple(models)
        fresh = [model for model in self._wanted if model not in self._asked]
        if fresh:
            self._asked.update(fresh)
            self._shelf.run(
                lambda task: self._parts.kept_headers(fresh),
                lambda found: self._on_looked(fresh, found),
                lambda report: self._on_looked(fresh, {}),
            )
        self._fetch()

    def show(self, shown: bool) -> None:
        """Whether somebody looks. What is under way ends otherwise."""
        if shown == self._shown:
            return
        self._shown = shown
        if not shown:
            self._pause.stop()
            self._stop()
            return
        self._pause_ms = FIRST_PAUSE_MS
        self._go_on()

    def use_offline(self, offline: bool) -> None:
        if offline != self._offline:
            self._offline = offline
            if offline:
                self._stop()
            self.try_again()

    def try_again(self) -> None:
        """Something changed by which what was refused may come."""
        self._refused.clear()
        self._pause_ms = FIRST_PAUSE_MS
        self._go_on()
        self.changed.emit()

    def _go_on(self) -> None:
        """Ask again for what may come now."""
        self._pause.stop()
        self._cut = None
        self._refused = {model: why for model, why in self._refused.items() if why.kind not in PASSING}
        self._fetch()

    def close(self) -> None:
        for pool in (self._shelf, self._lane):
            pool.close()

    def _stop(self) -> None:
        for task in self._tasks.values():
            task.cancel()
        self._tasks.clear()

    def _fetch(self) -> None:
        if not self._shown or self._offline or self._cut is not None:
            return
        for model in self._wanted:
            if len(self._tasks) >= AT_A_TIME:
                return
            if model in self._looked and not any(model in known for known in (self._kept, self._refused, self._tasks)):
                self._begin(model)

    def _begin(self, model: RemoteModel) -> None:
        self._tasks[model] = self._lane.run(
            lambda task: self._parts.fetch_header(model, task.cancelled),
            lambda files: self._on_fetched(model, files),
            lambda report: self._on_refused(model, report),
        )

    def _on_looked(self, models: Sequence[RemoteModel], found: dict[RemoteModel, Files]) -> None:
        self._looked.update(models)
        self._kept.update(found)
        self._fetch()
        self.changed.emit()

    def _on_fetched(self, model: RemoteModel, files: Files) -> None:
        del self._tasks[model]
        self._kept[model] = files
        self._fetch()
        self.changed.emit()

    def _on_refused(self, model: RemoteModel, report: ErrorReport) -> None:
        del self._tasks[model]
        if report.kind in PASSING and not self._pause.isActive():
            self._pause.start(self._pause_ms)
            self._pause_ms = min(2 * self._pause_ms, LONGEST_PAUSE_MS)
        if report.kind in CONNECTION:
            self._cut = report
        else:
            self._refused[model] = report
        self._fetch()
        self.changed.emit()
