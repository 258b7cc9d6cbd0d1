"""The client's one thread: it owns the engine process, and everything that is true of it.

It waits for its mailbox, the pipe, the process's end and the next deadline at once, so there is no state to lock.
"""

from __future__ import annotations

import logging
import math
import time
import traceback
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from dataclasses import dataclass, replace
from enum import Enum
from multiprocessing.connection import Connection, wait
from pathlib import Path

from app.engine_process import EngineProcess, EngineTarget
from app.jobs import Ending, Task
from app.learned import LearnedPairs
from app.mailbox import Mailbox
from engine.errors import EngineError, ErrorKind, ErrorReport
from engine.protocol import (
    Cancel,
    Command,
    CostsSeen,
    Event,
    Failed,
    Generate,
    Learned,
    Load,
    Loaded,
    LoadProgress,
    Measuring,
    Ready,
    Shutdown,
    Weigh,
)
from engine.types import EngineInfo, LoadedPair, LoadRequest

_logger = logging.getLogger(__name__)


class EngineState(Enum):
    """READY means that a pair is loaded and nothing runs, DIED that the engine ended unexpectedly or took a pair along
    that nobody gave up.
    """

    STOPPED = "stopped"
    STARTING = "starting"
    IDLE = "idle"
    LOADING = "loading"
    READY = "ready"
    BUSY = "busy"
    DIED = "died"


Listener = Callable[[EngineState], None]


@dataclass(frozen=True, slots=True)
class Patience:
    """How many seconds pass before the client kills the engine."""

    ready_s: float = 60.0  # from the start until it is ready: a cold disk reads the libraries slowly
    cancel_s: float = 1.5  # from the cancel of a load to its end
    reply_s: float = 5.0  # the same of a reply: it hears between rounds, and one of a large model takes seconds
    close_s: float = 3.0  # from the request to leave to its end


class EngineLoop:
    """Its methods run on the client's thread, through the mailbox; its attributes may be read from any.

    Attributes:
        pair: what is loaded now, by the engine's own word.
        state: as last told to the listeners.
        engine: the process, None while there is none.
        death: what the last engine that DIED died of.
        fault: what ended this thread before the close, None if nothing did.
    """

    def __init__(
        self,
        target: EngineTarget,
        logs: Path,
        learned: LearnedPairs | None,
        patience: Patience,
        mailbox: Mailbox,
        numbers: Iterator[int],
    ) -> None:
        """`numbers` gives each job of the client and each reload of the loop a number of its own."""
        self.pair: LoadedPair | None = None
        self.state = EngineState.STOPPED
        self.engine: EngineProcess | None = None
        self.death: ErrorReport | None = None
        self.fault: ErrorReport | None = None
        self._target = target
        self._logs = logs
        self._learned = learned
        self._patience = patience
        self._mailbox = mailbox
        self._numbers = numbers
        self._listeners: list[Listener] = []
        self._info_waiters: list[Future[EngineInfo]] = []
        self._waiting: deque[Task] = deque()  # not sent yet, so that each can be cancelled at once
        self._sent: Task | None = None  # the one that the engine is at
        self._loaded: LoadRequest | None = None  # what `pair` was made from
        self._lost: LoadRequest | None = None  # what was loaded when the engine died
        self._died = False
        self._close_by: float | None = None

    def serve(self) -> None:
        """The thread's main function; returns when the client is closed and the engine is gone."""
        try:
            while self._close_by is None or self.engine is not None:
                self._turn()
        except Exception as error:
            _logger.exception("the engine client's thread ended")
            self.fault = ErrorReport(ErrorKind.INTERNAL, (("reason", repr(error)),), traceback.format_exc())
            self._listeners.clear()  # one of them may be the cause
        self._close_by = 0.0
        if self.engine is not None:
            self.engine.kill()
            self.engine.bury()
            self.engine = self.pair = None
        self._end_all(self.refusal)
        for request in self._mailbox.close():
            request()

    @property
    def refusal(self) -> ErrorReport:
        """Why nothing more is taken, once that is so."""
        return self.fault or ErrorReport(ErrorKind.ENGINE_START_FAILED, (("reason", "closed"),))

    def refuse(self, task: Task) -> None:
        """End a task that came too late: as cancelled after the close, which whoever asks has asked for."""
        task.cancelled = self.fault is None
        task.job.deliver(task.ending(self.refusal))

    def enqueue(self, task: Task) -> None:
        """Send `task` as soon as the engine can take it, starting one if there is none."""
        if self._close_by is not None:
            self.refuse(task)
            return
        self._waiting.append(task)
        self._start_engine()
        self._send_waiting()

    def ask_info(self, waiter: Future[EngineInfo]) -> None:
        """Answer `waiter` when the engine is ready, or with an EngineError."""
        self._info_waiters.append(waiter)
        if self._close_by is not None:
            self._end_all(self.refusal)
            return
        self._start_engine()
        engine = self.engine
        if engine is not None and engine.info is not None and not engine.killed:
            waiter.set_result(engine.info)
            self._info_waiters.remove(waiter)

    def cancel(self, number: int) -> None:
        """End a job that was not sent; ask the engine to end one that was."""
        unsent = next((task for task in self._waiting if task.number == number), None)
        if unsent is not None:
            self._waiting.remove(unsent)
            unsent.job.deliver(unsent.cancelled_ending())
        if self._sent is not None and self._sent.job.id == number and not self._sent.cancelled:
            self._cancel_sent(self._sent)

    def unload(self) -> None:
        """End the engine and forget the pair; what runs ends as cancelled."""
        self._cancel_all()
        self.pair = self._loaded = self._lost = None
        if self.engine is not None:
            self.engine.kill()  # it holds nothing that a polite end would save

    def begin_closing(self) -> None:
        """Cancel everything, ask the engine to leave, and take nothing more."""
        if self._close_by is not None:
            return
        self._close_by = time.monotonic() + self._patience.close_s
        self._cancel_all()
        if self.engine is not None and self.engine.info is None:
            self.engine.kill()  # it would not hear before it is ready
        elif self.engine is not None:
            self.engine.send(Shutdown())

    def add_listener(self, listener: Listener) -> None:
        """Tell `listener` each new state from now on."""
        self._listeners.append(listener)

    def _turn(self) -> None:
        """Wait for something to happen, and deal with it."""
        engine = self.engine
        sources: list[Connection | int] = [self._mailbox.reader]
        if engine is not None:
            sources += [engine.connection, engine.sentinel]
        ready = wait(sources, self._time_left())
        if self._mailbox.reader in ready:
            for request in self._mailbox.take():
                request()
        if engine is not None and engine.connection in ready:
            self._receive(engine)
        elif engine is not None and engine.sentinel in ready:
            self._bury(engine)
        self._keep_deadlines()
        self._announce()

    def _receive(self, engine: EngineProcess) -> None:
        try:
            message: tuple[Event, ...] = engine.connection.recv()
        except (EOFError, OSError):
            self._bury(engine)
            return
        for event in message:
            self._take(engine, event)

    def _take(self, engine: EngineProcess, event: Event) -> None:
        match event:
            case Ready(info):
                engine.info = info
                for waiter in self._info_waiters:
                    waiter.set_result(info)
                self._info_waiters.clear()
                self._send_waiting()
            case _:
                task = self._sent
                if task is not None and task.number == event.job:  # else it answers late, after its job has ended
                    self._route(task, event)

    def _route(self, task: Task, event: Event) -> None:
        if not isinstance(event, Ending):
            if isinstance(event, LoadProgress | Measuring | CostsSeen):
                event = replace(event, job=task.job.id)  # a reload reports as the reply that waits for it
            if isinstance(event, Learned):
                self._remember(task, event)
            elif not (task.reload and task.cancelled):
                task.job.deliver(event)
            return
        self._sent = None
        if isinstance(event, Loaded) and isinstance(task.command, Load):
            self.pair, self._loaded, self._lost = event.pair, task.command.request, None
        if not task.reload:
            self._announce()
            task.job.deliver(event)
        elif isinstance(event, Failed) and not task.cancelled:
            reply = self._waiting.popleft()  # nothing overtakes the reply that a reload is for
            reply.job.deliver(Failed(reply.number, event.report))
        self._send_waiting()

    def _start_engine(self) -> None:
        if self.engine is not None:
            return
        try:
            self.engine = EngineProcess(self._target, self._logs, self._patience.ready_s)
        except EngineError as error:
            self._end_all(error.report)
        else:
            self._died = False
            self._announce()

    def _send_waiting(self) -> None:
        """Send what waits longest, if the engine can take it now. A killed one takes nothing more."""
        engine = self.engine
        if not self._waiting or self._sent or engine is None or engine.info is None or engine.killed:
            return
        task = self._waiting[0]
        if isinstance(task.command, Generate | Weigh) and self._lost is not None:
            task = Task(Load(next(self._numbers), self._lost), task.job, reload=True)
        else:
            self._waiting.popleft()
            if isinstance(task.command, Load):
                self.pair = self._loaded = self._lost = None  # the engine unloads before it loads
        self._sent = task
        engine.send(self._with_knowledge(task.command, engine.info))

    def _with_knowledge(self, command: Command, info: EngineInfo) -> Command:
        if self._learned is None or not isinstance(command, Load):
            return command
        return replace(command, knowledge=self._learned.read(command.request, info))

    def _remember(self, task: Task, event: Learned) -> None:
        request = task.command.request if isinstance(task.command, Load) else self._loaded
        info = self.engine.info if self.engine is not None else None
        if self._learned is not None and request is not None and info is not None:
            self._learned.write(request, info, event.knowledge)

    def _cancel_sent(self, task: Task) -> None:
        assert self.engine is not None
        task.cancelled = True
        self.engine.send(Cancel(task.number))
        patience_s = self._patience.reply_s if isinstance(task.command, Generate | Weigh) else self._patience.cancel_s
        task.kill_at = time.monotonic() + patience_s

    def _cancel_all(self) -> None:
        for task in self._open_tasks():
            self.cancel(task.job.id)

    def _open_tasks(self) -> list[Task]:
        """What has not ended, in order; a reload is left out, its reply waits."""
        return [task for task in (self._sent, *self._waiting) if task is not None and not task.reload]

    def _time_left(self) -> float | None:
        """Seconds until the next deadline, None if there is none."""
        deadlines = [self._sent.kill_at] if self._sent is not None and self._sent.kill_at is not None else []
        if self._close_by is not None:
            deadlines.append(self._close_by)
        if self.engine is not None and self.engine.info is None:
            deadlines.append(self.engine.ready_by)
        first = min(deadlines, default=math.inf)
        return None if first == math.inf else max(0.0, first - time.monotonic())

    def _keep_deadlines(self) -> None:
        engine, now = self.engine, time.monotonic()
        if engine is None:
            return
        task = self._sent
        late = task is not None and task.kill_at is not None and now >= task.kill_at
        if task is not None and late:
            task.kill_at = None
        if self._close_by is not None and now >= self._close_by:
            self._close_by = math.inf
            engine.kill()
        elif late:
            engine.kill()
        elif engine.info is None and now >= engine.ready_by:
            engine.give_up_waiting()

    def _bury(self, engine: EngineProcess) -> None:
        """The engine is gone: end what it was doing."""
        self.engine = None
        report = engine.bury()
        if self.pair is not None:
            self._lost, self._loaded, self.pair = self._loaded, None, None
        closing = self._close_by is not None
        self._died = not closing and (not engine.killed or self._lost is not None)
        if self._died:
            self.death = report
        if not engine.killed or closing:
            self._end_all(report)
            return
        task, self._sent = self._sent, None
        self._announce()
        if task is not None and not task.reload:
            task.job.deliver(task.ending(report))
        if self._waiting or self._info_waiters:  # for what came after the cancelled job or the unload
            self._start_engine()

    def _end_all(self, report: ErrorReport) -> None:
        """Everything that anybody waits for ends with `report`; cancelled work ends as cancelled."""
        tasks = self._open_tasks()
        self._sent = None
        self._waiting.clear()
        self._announce()
        for task in tasks:
            task.job.deliver(task.ending(report))
        for waiter in self._info_waiters:
            waiter.set_exception(EngineError.of(report))
        self._info_waiters.clear()

    def _announce(self) -> None:
        """Tell the listeners if the state is another one."""
        state = self._current_state()
        if state is not self.state:
            self.state = state
            for listener in self._listeners:
                listener(state)

    def _current_state(self) -> EngineState:
        if self.engine is None:
            return EngineState.DIED if self._died else EngineState.STOPPED
        if self.engine.info is None:
            return EngineState.STARTING
        if self._sent is not None:
            return EngineState.LOADING if isinstance(self._sent.command, Load) else EngineState.BUSY
        return EngineState.READY if self.pair is not None else EngineState.IDLE
