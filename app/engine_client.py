"""The engine as the rest of the program sees it: jobs go down, their events come back.

One thread owns the engine process and all state. Callers leave a request in its mailbox and return, so
nothing here blocks a window. The thread waits for its mailbox, the pipe, the process's end and the next
deadline at once, so there is no state to lock.

An engine that dies costs the jobs in flight and nothing else: each ends with `Failed(ENGINE_DIED)`, the next
job starts a new engine, and the next `generate` first loads again what was loaded.
"""

from __future__ import annotations

import atexit
import itertools
import math
import threading
import time
import traceback
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass, replace
from enum import Enum
from functools import partial
from multiprocessing.connection import Connection, wait
from pathlib import Path

from app.engine_process import EngineProcess, EngineTarget
from app.jobs import Ending, Job, Task
from app.mailbox import Mailbox, Request
from engine.errors import EngineError, ErrorKind, ErrorReport
from engine.launch import run_engine
from engine.protocol import (
    Cancel,
    Event,
    Failed,
    Generate,
    Load,
    Loaded,
    LoadProgress,
    Quantize,
    Ready,
    Shutdown,
)
from engine.types import EngineInfo, GenerationRequest, LoadedPair, LoadRequest

__all__ = ["EngineClient", "EngineState", "Job", "Patience"]


class EngineState(Enum):
    """READY means that a pair is loaded and nothing runs."""

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
    close_s: float = 3.0  # from the request to leave to its end


class EngineClient:
    """Starts the engine when it is first needed, and again after a death. Thread-safe.

    Attributes:
        pair: what is loaded now, by the engine's own word.
        state: as last told to the listeners.
    """

    def __init__(self, logs: Path, *, target: EngineTarget = run_engine, patience: Patience | None = None) -> None:
        """`logs` is the folder of the engine's logs, `target` what the spawned process runs."""
        self.pair: LoadedPair | None = None
        self.state = EngineState.STOPPED
        self._logs = logs
        self._target = target
        self._patience = patience or Patience()
        self._numbers = itertools.count(1)
        self._mailbox = Mailbox()
        self._thread: threading.Thread | None = None
        self._thread_lock = threading.RLock()
        # What follows belongs to the client's thread.
        self._listeners: list[Listener] = []
        self._info_waiters: list[Future[EngineInfo]] = []
        self._engine: EngineProcess | None = None
        self._waiting: deque[Task] = deque()  # not sent yet
        self._sent: dict[int, Task] = {}  # by their numbers
        self._loaded: LoadRequest | None = None  # what `pair` was made from
        self._lost: LoadRequest | None = None  # what was loaded when the engine died
        self._died = False
        self._close_by: float | None = None
        # Runs before multiprocessing's own exit handler, which would wait for the engine for ever.
        atexit.register(self.close)

    # ------------------------------------------------------------------ called from any thread

    @property
    def pid(self) -> int | None:
        """The engine's process id, None while no engine is ready."""
        engine = self._engine
        return engine.info.pid if engine and engine.info else None

    def info(self) -> EngineInfo:
        """What the engine is; starts it if need be and blocks until it is ready. Raises EngineError."""
        waiter: Future[EngineInfo] = Future()
        if not self._post(partial(self._ask_info, waiter)):
            raise EngineError(ErrorKind.ENGINE_START_FAILED, reason="closed")
        return waiter.result()

    def load(self, request: LoadRequest) -> Job:
        """Unload what is loaded and load this pair. Ends with Loaded or Failed."""
        job = self._new_job()
        return self._submit(Task(Load(job.id, request), job))

    def generate(self, request: GenerationRequest) -> Job:
        """Write one reply; `request.job` is replaced. Ends with Finished or Failed.

        Where the engine died since the load, the pair's LoadProgress events come first.
        """
        job = self._new_job()
        return self._submit(Task(Generate(replace(request, job=job.id)), job))

    def quantize(self, source: Path, destination: Path, file_type: str) -> Job:
        """Write `source` again as `file_type`. Ends with Quantized or Failed."""
        job = self._new_job()
        return self._submit(Task(Quantize(job.id, str(source), str(destination), file_type), job))

    def unload(self) -> None:
        """End the engine, which gives all its memory back; what runs ends as cancelled. Returns at once.

        The next job starts another engine.
        """
        self._post(self._unload)

    def subscribe(self, listener: Listener) -> None:
        """Call `listener` with each new state, on the client's thread; it must return at once."""
        self._post(partial(self._listeners.append, listener))

    def close(self) -> None:
        """End what runs as cancelled, then the engine, by force after 3 s. Blocks until it is gone.

        Idempotent, and called at the interpreter's exit in any case.
        """
        atexit.unregister(self.close)
        if self._post(self._begin_closing) and self._thread is not None:
            self._thread.join(self._patience.close_s + 1.0)
            engine = self._engine
            if engine is not None:  # the thread hangs in a write that a stopped engine does not read
                engine.kill()
        if self._thread is not None:
            self._thread.join()

    def _new_job(self) -> Job:
        return Job(next(self._numbers), lambda number: self._ask_cancel(number))

    def _ask_cancel(self, number: int) -> None:
        self._post(partial(self._cancel, number))

    def _submit(self, task: Task) -> Job:
        if not self._post(partial(self._enqueue, task)):
            task.job.deliver(task.cancelled_ending())
        return task.job

    def _post(self, request: Request) -> bool:
        """Leave `request` to the client's thread; False after the close."""
        with self._thread_lock:
            if self._thread is None:
                # A daemon: the interpreter joins all others before it runs the exit handlers.
                self._thread = threading.Thread(target=self._serve, name="engine-client", daemon=True)
                self._thread.start()
        return self._mailbox.post(request)

    # ------------------------------------------------------------------ the client's thread

    def _serve(self) -> None:
        try:
            while self._close_by is None or self._engine is not None:
                self._turn()
        except BaseException as error:
            report = ErrorReport(ErrorKind.INTERNAL, (("reason", repr(error)),), traceback.format_exc())
            self._end_all(report)
            raise
        finally:
            self._close_by = 0.0
            if self._engine is not None:
                self._engine.kill()
                self._engine.bury()
            for request in self._mailbox.close():
                request()

    def _turn(self) -> None:
        """Wait for something to happen, and deal with it."""
        engine = self._engine
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
            event: Event = engine.connection.recv()
        except (EOFError, OSError):
            self._bury(engine)
            return
        match event:
            case Ready(info):
                engine.info = info
                for waiter in self._info_waiters:
                    waiter.set_result(info)
                self._info_waiters.clear()
                self._send_waiting()
            case Failed(job=None, report=report):
                engine.fault = report
            case _:
                assert event.job is not None
                task = self._sent.get(event.job)
                if task is not None:  # else it answers late, after its job was ended here
                    self._route(task, event)

    def _route(self, task: Task, event: Event) -> None:
        if not isinstance(event, Ending):
            if isinstance(event, LoadProgress):
                event = replace(event, job=task.job.id)  # a reload reports as the reply that waits for it
            if not (task.reload and task.cancelled):
                task.job.deliver(event)
            return
        del self._sent[task.number]
        if isinstance(event, Loaded) and isinstance(task.command, Load):
            self.pair, self._loaded, self._lost = event.pair, task.command.request, None
        if not task.reload:
            self._announce()
            task.job.deliver(event)
        elif isinstance(event, Failed) and not task.cancelled:
            reply = self._waiting.popleft()  # nothing overtakes the reply that a reload is for
            reply.job.deliver(Failed(reply.number, event.report))
        self._send_waiting()

    def _enqueue(self, task: Task) -> None:
        if self._close_by is not None:
            task.job.deliver(task.cancelled_ending())
            return
        self._waiting.append(task)
        self._start_engine()
        self._send_waiting()

    def _ask_info(self, waiter: Future[EngineInfo]) -> None:
        self._info_waiters.append(waiter)
        if self._close_by is not None:
            self._end_all(ErrorReport(ErrorKind.ENGINE_START_FAILED, (("reason", "closed"),)))
            return
        self._start_engine()
        engine = self._engine
        if engine is not None and engine.info is not None and not engine.killed:
            waiter.set_result(engine.info)
            self._info_waiters.remove(waiter)

    def _start_engine(self) -> None:
        if self._engine is not None:
            return
        try:
            self._engine = EngineProcess(self._target, self._logs, self._patience.ready_s)
        except EngineError as error:
            self._end_all(error.report)
        else:
            self._died = False
            self._announce()

    def _send_waiting(self) -> None:
        """Send what waits, in order, as far as the engine can take it now. A killed one takes nothing more."""
        while self._waiting and self._can_send():
            task = self._waiting[0]
            if isinstance(task.command, Generate) and self._lost is not None:
                self._send(Task(Load(next(self._numbers), self._lost), task.job, reload=True))
                return
            if isinstance(task.command, Load):
                self.pair = self._loaded = self._lost = None  # the engine unloads before it loads
            self._waiting.popleft()
            self._send(task)

    def _send(self, task: Task) -> None:
        assert self._engine is not None
        self._sent[task.number] = task
        self._engine.send(task.command)

    def _can_send(self) -> bool:
        engine = self._engine
        reloading = any(task.reload for task in self._sent.values())
        return engine is not None and engine.info is not None and not engine.killed and not reloading

    def _cancel(self, number: int) -> None:
        unsent = next((task for task in self._waiting if task.number == number), None)
        if unsent is not None:
            self._waiting.remove(unsent)
            unsent.job.deliver(unsent.cancelled_ending())
        for task in self._sent.values():
            if task.job.id == number and not task.cancelled:
                self._cancel_sent(task)

    def _cancel_sent(self, task: Task) -> None:
        assert self._engine is not None
        task.cancelled = True
        self._engine.send(Cancel(task.number))
        if not isinstance(task.command, Generate):
            task.kill_at = time.monotonic() + self._patience.cancel_s

    def _unload(self) -> None:
        self._cancel_all()
        self.pair = self._loaded = self._lost = None
        if self._engine is not None:
            self._engine.kill()  # it holds nothing that a polite end would save

    def _cancel_all(self) -> None:
        for number in [task.number for task in (*self._waiting, *self._sent.values())]:
            self._cancel(number)

    def _begin_closing(self) -> None:
        if self._close_by is not None:
            return
        self._close_by = time.monotonic() + self._patience.close_s
        self._cancel_all()
        if self._engine is not None:
            self._engine.send(Shutdown())

    def _time_left(self) -> float | None:
        """Seconds until the next deadline, None if there is none."""
        deadlines = [task.kill_at for task in self._sent.values() if task.kill_at is not None]
        if self._close_by is not None:
            deadlines.append(self._close_by)
        if self._engine is not None and self._engine.info is None:
            deadlines.append(self._engine.ready_by)
        first = min(deadlines, default=math.inf)
        return None if first == math.inf else max(0.0, first - time.monotonic())

    def _keep_deadlines(self) -> None:
        engine, now = self._engine, time.monotonic()
        if engine is None:
            return
        late = [task for task in self._sent.values() if task.kill_at is not None and now >= task.kill_at]
        for task in late:
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
        self._engine = None
        report = engine.bury()
        if self.pair is not None:
            self._lost, self._loaded, self.pair = self._loaded, None, None
        closing = self._close_by is not None
        self._died = not (engine.killed or closing)
        if not engine.killed or closing:
            self._end_all(report)
            return
        sent = [task for task in self._sent.values() if not task.reload]
        self._sent.clear()
        self._announce()
        for task in sent:
            task.job.deliver(task.ending(report))
        if self._waiting or self._info_waiters:  # for what came after the cancelled load or the unload
            self._start_engine()

    def _end_all(self, report: ErrorReport) -> None:
        """Everything that anybody waits for ends with `report`; cancelled work ends as cancelled."""
        tasks = [task for task in (*self._sent.values(), *self._waiting) if not task.reload]
        self._sent.clear()
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
        if self._engine is None:
            return EngineState.DIED if self._died else EngineState.STOPPED
        if self._engine.info is None:
            return EngineState.STARTING
        commands = [task.command for task in self._sent.values()]
        if any(isinstance(command, Load) for command in commands):
            return EngineState.LOADING
        if commands:
            return EngineState.BUSY
        return EngineState.READY if self.pair is not None else EngineState.IDLE
