"""The one worker thread: it blocks on the engine's jobs so that the main thread never does.

Work goes down as a queued call and comes back as signals. Cancelling is a side door, because the worker's
thread is blocked while a job runs: `Ticket.cancel` talks to the job directly, from any thread, and ends by itself
what still waits for the worker's thread.
"""

from __future__ import annotations

import itertools
import logging
import threading
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol

from PySide6.QtCore import QObject, Qt, QThread, Signal, Slot

from app.engine_client import EngineState, Job
from app.fit.forecast import Forecast
from app.fit.loads import Explained, WouldNotFitError
from engine.errors import EngineError, ErrorKind, ErrorReport
from engine.protocol import Event, Failed, Finished
from engine.types import EndReason, EngineInfo, GenerationRequest, LoadedPair, LoadRequest

_logger = logging.getLogger(__name__)


class Client(Protocol):
    """What the window needs of `app.engine_client.EngineClient`."""

    pair: LoadedPair | None
    pid: int | None
    death: ErrorReport | None

    def info(self) -> EngineInfo: ...
    def load(self, request: LoadRequest) -> Job: ...
    def generate(self, request: GenerationRequest) -> Job: ...
    def unload(self) -> None: ...
    def subscribe(self, listener: Callable[[EngineState], None]) -> None: ...
    def close(self) -> None: ...


class Judge(Protocol):
    """What is asked about memory and files around a load, as `app.fit.loads.LoadJudge` answers it."""

    def judge(self, request: LoadRequest, *, anyway: bool = False) -> Forecast | None: ...
    def explain(self, report: ErrorReport, request: LoadRequest) -> Explained: ...


class Ticket:
    """One piece of work. `cancel` may be called from any thread before, while and after it runs."""

    def __init__(self, number: int, end_unbegun: Callable[[], None]) -> None:
        """`end_unbegun` gives the ending of work that is cancelled before it begins, in the thread that cancels."""
        self.number = number
        self._end_unbegun = end_unbegun
        self._lock = threading.Lock()
        self._begun = False
        self._cancelled = False
        self._job: Job | None = None

    @property
    def cancelled(self) -> bool:
        return self._cancelled

    def cancel(self) -> None:
        with self._lock:
            first, self._cancelled = not self._cancelled, True
            begun, job = self._begun, self._job
        if job is not None:
            job.cancel()
        elif first and not begun:
            self._end_unbegun()

    def begin(self) -> bool:
        """Whether the work is still wanted; from now on it gives its ending itself. Worker thread."""
        with self._lock:
            self._begun = not self._cancelled
            return self._begun

    def attach(self, job: Job) -> None:
        """Let `cancel` reach `job`, at once if it was called before. Worker thread."""
        with self._lock:
            self._job = job
            cancelled = self._cancelled
        if cancelled:
            job.cancel()


@dataclass(frozen=True, slots=True)
class FoundPair:
    """An event of the worker's own: what is to be loaded is known and looks well, and its load begins, for which
    the engine gives up what it has.

    Attributes:
        draft_bytes: size of the draft's file, 0 where there is none or it cannot be read.
        forecast: what it is going to take; None where nobody can tell.
    """

    request: LoadRequest
    draft_bytes: int
    forecast: Forecast | None


@dataclass(frozen=True, slots=True)
class Remedy:
    """Another of the worker's own: memory is short, and this would fit. An ending that says so follows."""

    request: LoadRequest


Report = Callable[[Event], None]
FindPair = Callable[[Ticket, Report], LoadRequest]  # may take its time, raise EngineError, and report progress
Work = Callable[[Ticket], None]

# The endings of what was cancelled before it became a job.
_NOT_LOADED = Failed(None, ErrorReport(ErrorKind.LOAD_CANCELLED))
_NOT_WRITTEN = Finished(0, EndReason.CANCELLED, tail="", ttft_s=0.0, decode_s=0.0)


class EngineWorker(QObject):
    """Drives the engine client. Its methods are called on the main thread; its signals arrive there.

    Signals:
        event(int, object): ticket number and protocol event, `FoundPair` or `Remedy`; exactly one ending per
            ticket comes last.
        informed(object): the `EngineInfo` asked for, or an `ErrorReport`.
        state_changed(object): the client's `EngineState`. `death` is up to date when it says DIED.
    """

    event = Signal(int, object)
    informed = Signal(object)
    state_changed = Signal(object)
    _asked = Signal(object, object)

    def __init__(self, client: Client, judge: Judge) -> None:
        """`judge` looks at a pair's files and at memory before it is loaded, in the worker's thread."""
        super().__init__()
        self._client = client
        self._judge = judge
        self._loaded: LoadRequest | None = None  # by the worker's thread
        self._numbers = itertools.count(1)
        self._thread = QThread()
        self._thread.setObjectName("engine worker")
        self.moveToThread(self._thread)
        self._asked.connect(self._run, Qt.ConnectionType.QueuedConnection)
        client.subscribe(self.state_changed.emit)
        self._thread.start()

    @property
    def running(self) -> bool:
        """Whether the thread is there."""
        return self._thread.isRunning()

    @property
    def death(self) -> ErrorReport | None:
        """What the engine died of the last time."""
        return self._client.death

    def ask_info(self) -> None:
        """Start the engine if need be; `informed` follows."""
        self._ask(self._inform, _NOT_LOADED)

    def load(self, find: FindPair, *, anyway: bool = False) -> Ticket:
        """Load what `find` returns; it runs in the worker's thread. `anyway`: whether it fits or not."""
        return self._ask(lambda ticket: self._load(ticket, find, anyway), _NOT_LOADED)

    def generate(self, request: GenerationRequest) -> Ticket:
        def follow(ticket: Ticket) -> None:
            self._follow(ticket, self._client.generate(request), self._loaded)

        return self._ask(follow, _NOT_WRITTEN)

    def unload(self) -> None:
        """End the engine process; what runs ends as cancelled. Returns at once."""
        self._client.unload()

    def stop(self) -> None:
        """End the thread after its present work. The client must be closed first, or this may wait for long."""
        self._thread.quit()
        self._thread.wait()

    def _ask(self, work: Work, cancelled: Event) -> Ticket:
        """`cancelled` is the ending if it is cancelled before it begins."""
        number = next(self._numbers)
        ticket = Ticket(number, lambda: self.event.emit(number, cancelled))
        self._asked.emit(ticket, work)
        return ticket

    @Slot(object, object)
    def _run(self, ticket: Ticket, work: Work) -> None:
        """The net of this thread: whatever happens, the ticket gets its ending and the thread lives on."""
        if not ticket.begin():
            return
        try:
            work(ticket)
        except WouldNotFitError as error:
            if ticket.cancelled:
                self.event.emit(ticket.number, _NOT_LOADED)
                return
            if error.remedy is not None:
                self.event.emit(ticket.number, Remedy(error.remedy))
            self.event.emit(ticket.number, Failed(None, error.report))
        except EngineError as error:
            self.event.emit(ticket.number, Failed(None, error.report))
        except Exception as error:
            _logger.exception("engine work failed")
            report = ErrorReport(ErrorKind.INTERNAL, (("reason", str(error)),))
            self.event.emit(ticket.number, Failed(None, report))

    def _inform(self, _: Ticket) -> None:
        try:
            self.informed.emit(self._client.info())
        except EngineError as error:
            self.informed.emit(error.report)

    def _load(self, ticket: Ticket, find: FindPair, anyway: bool) -> None:
        def report(event: Event | FoundPair) -> None:
            self.event.emit(ticket.number, event)

        request = find(ticket, report)
        forecast = self._judge.judge(request, anyway=anyway)
        if ticket.cancelled:
            raise EngineError(ErrorKind.LOAD_CANCELLED)
        report(FoundPair(request, _file_size(request.draft), forecast))
        self._loaded = request if forecast is None else forecast.request
        # What passes cost is shown from the beginning on, and no first reply waits for it.
        self._follow(ticket, self._client.load(replace(self._loaded, measure=True)), self._loaded)

    def _follow(self, ticket: Ticket, job: Job, load: LoadRequest | None) -> None:
        """`load` is what the job loads, or works with."""
        ticket.attach(job)
        for event in job:
            if isinstance(event, Failed) and load is not None:
                event = self._explained(ticket, event, load)
            self.event.emit(ticket.number, event)

    def _explained(self, ticket: Ticket, failed: Failed, load: LoadRequest) -> Failed:
        told = self._judge.explain(failed.report, load)
        if told.remedy is not None:
            self.event.emit(ticket.number, Remedy(told.remedy))
        return replace(failed, report=told.report)


def _file_size(path: str | None) -> int:
    try:
        return Path(path).stat().st_size if path else 0
    except OSError:
        return 0
