"""A few threads for what the Models page asks of disks and hubs; results come back on the main thread."""

from __future__ import annotations

import logging
import sys
import threading
import time
from collections.abc import Callable
from queue import SimpleQueue
from typing import TypeVar

from PySide6.QtCore import QObject, Qt, Signal

from engine.errors import EngineError, ErrorKind, ErrorReport

_logger = logging.getLogger(__name__)

T = TypeVar("T")
THREADS = 4
# Threads that compute in Python hold the interpreter for 5 ms at a time by default, and the main thread asks for it at
# every call of Qt: painting a table would take half a second.
SWITCH_S = 0.0001
PACE_S = 0.1  # between two reports of one piece of work
CLOSE_S = 2.0  # a hub that does not answer must not keep the program from ending

Fail = Callable[[ErrorReport], object]


class Task:
    """One piece of work. After `cancel` nothing of it arrives any more."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool
        self._stop = threading.Event()
        self._reported_s = 0.0

    def cancel(self) -> None:
        self._stop.set()

    @property
    def stopped(self) -> bool:
        return self._stop.is_set()

    def cancelled(self) -> bool:
        """The same as a function, for work that asks now and then."""
        return self._stop.is_set()

    def tell(self, hear: Callable[[T], object], value: T) -> None:
        """Call `hear(value)` on the main thread, unless this was cancelled by then. Any thread."""
        if not self.stopped:
            self._pool.arrived.emit(lambda: None if self.stopped or self._pool.closed else hear(value))

    def report(self, hear: Callable[[T], object], make: Callable[[], T]) -> None:
        """The same for progress, with what `make` gives; what comes sooner than a tenth of a second after the last is
        dropped."""
        now_s = time.monotonic()
        if now_s - self._reported_s >= PACE_S:
            self._reported_s = now_s
            self.tell(hear, make())


class Pool(QObject):
    """Made and closed on the main thread.

    Attributes:
        closed: nothing arrives any more.

    Signals:
        arrived(object): a call without arguments that the main thread makes.
    """

    arrived = Signal(object)

    def __init__(self, threads: int = THREADS) -> None:
        """One thread works in the order in which it is asked."""
        super().__init__()
        self.closed = False
        sys.setswitchinterval(SWITCH_S)
        self._waiting: SimpleQueue[Callable[[], None] | None] = SimpleQueue()
        self._tasks: set[Task] = set()
        self._lock = threading.Lock()
        self.arrived.connect(_call, Qt.ConnectionType.QueuedConnection)
        # Daemons: the interpreter does not wait at its end for one that still waits for a hub.
        self._threads = [
            threading.Thread(target=self._serve, name=f"models {number}", daemon=True) for number in range(threads)
        ]
        for thread in self._threads:
            thread.start()

    def run(
        self, work: Callable[[Task], T], on_done: Callable[[T], object], on_failed: Fail = lambda report: None
    ) -> Task:
        """`work` runs in a thread; its value, or its error, is told on the main thread."""
        task = Task(self)
        with self._lock:
            self._tasks.add(task)
        self._waiting.put(lambda: self._work(task, work, on_done, on_failed))
        return task

    def close(self, *, finish: bool = False) -> None:
        """Cancel everything, or with `finish` do what waits, and wait for the threads, but not long for one that waits
        for a hub. Nothing is told any more."""
        self.closed = True
        with self._lock:
            for task in () if finish else self._tasks:
                task.cancel()
        for _ in self._threads:
            self._waiting.put(None)
        end_s = time.monotonic() + CLOSE_S
        for thread in self._threads:
            thread.join(max(0.0, end_s - time.monotonic()))

    def _serve(self) -> None:
        while (work := self._waiting.get()) is not None:
            work()

    def _work(self, task: Task, work: Callable[[Task], T], on_done: Callable[[T], object], on_failed: Fail) -> None:
        """The net of a thread: whatever happens, the page hears of it."""
        try:
            if not task.stopped:
                task.tell(on_done, work(task))
        except EngineError as error:
            task.tell(on_failed, error.report)
        except Exception as error:
            _logger.exception("work for the models page failed")
            task.tell(on_failed, ErrorReport(ErrorKind.INTERNAL, (("reason", str(error)),)))
        finally:
            with self._lock:
                self._tasks.discard(task)


def _call(call: Callable[[], object]) -> None:
    call()
