"""The engine process's threads: one reads commands, the main one works, and a third sends what it says (`outbox`).

The reader never computes: it queues work, sets cancel flags at once, and ends the process when the pipe does, so that
no engine outlives its window even while llama.cpp is busy.
"""

from __future__ import annotations

import os
import queue
import threading
import traceback
from collections.abc import Callable
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Final, NoReturn, TypeVar

from engine.devices import engine_info
from engine.errors import EngineError, ErrorKind, ErrorReport
from engine.llama import quantize
from engine.loading import load_session
from engine.outbox import Outbox
from engine.protocol import (
    Cancel,
    Command,
    CostsSeen,
    Failed,
    Generate,
    Learned,
    Load,
    Loaded,
    Quantize,
    Quantized,
    Ready,
    Shutdown,
    Weigh,
)
from engine.session import Session
from engine.threads import lent_cores
from engine.waiting import Watch

_C = TypeVar("_C", Load, Generate, Weigh, Quantize)

_PARENT_GONE: Final = 0  # exit status: leaving with the parent is no fault


class EngineHost:
    """Serves one connection until `Shutdown` or its end."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._outbox = Outbox(connection.send, _leave)
        self._work: queue.SimpleQueue[Load | Generate | Weigh | Quantize | Shutdown] = queue.SimpleQueue()
        self._cancelled: set[int] = set()
        self._session: Session | None = None
        self._watch = Watch(os.environ)

    def serve(self) -> None:
        """Runs on the main thread; returns after `Shutdown`."""
        threading.Thread(target=self._read_commands, name="commands", daemon=True).start()
        self._outbox.put(Ready(engine_info()))
        while True:
            match self._work.get():
                case Load() as load:
                    self._guard(load.job, self._load, load)
                case Generate() as generate:
                    self._guard(generate.request.job, self._generate, generate)
                case Weigh() as weigh:
                    self._guard(weigh.job, self._weigh, weigh)
                case Quantize() as job:
                    self._guard(job.job, self._quantize, job)
                case Shutdown():
                    self._unload()
                    self._outbox.close()
                    return

    def _read_commands(self) -> None:
        while True:
            try:
                command: Command = self._connection.recv()
            except (EOFError, OSError):
                _leave()
            if isinstance(command, Cancel):
                self._cancelled.add(command.job)
            else:
                self._work.put(command)

    def _guard(self, job: int, work: Callable[[_C], None], command: _C) -> None:
        """Every job ends with exactly one ending."""
        try:
            with self._watch.working():
                work(command)
        except EngineError as error:
            self._outbox.put(Failed(job, error.report))
        except MemoryError as error:  # Python's own arrays and objects ran out of it
            report = ErrorReport(ErrorKind.OUT_OF_MEMORY, (("stage", "decode"),), str(error))
            self._outbox.put(Failed(job, report))
        except Exception as error:  # noqa: BLE001 – the one net of this thread: a bug costs the job, not the engine
            report = ErrorReport(ErrorKind.INTERNAL, (("reason", str(error)),), traceback.format_exc())
            self._outbox.put(Failed(job, report))
        finally:
            self._cancelled.discard(job)

    def _is_cancelled(self, job: int) -> Callable[[], bool]:
        return lambda: job in self._cancelled

    def _unload(self) -> None:
        if self._session is not None:
            self._session.close()
            self._session = None

    def _load(self, command: Load) -> None:
        self._unload()
        self._watch.expect(command.request.threads or lent_cores().physical)
        self._session = load_session(
            command.job, command.request, command.knowledge, self._outbox.put, self._is_cancelled(command.job)
        )
        if command.request.measure:
            self._measure(command.job, self._session)
        self._outbox.put(Loaded(command.job, self._session.pair))

    def _measure(self, job: int, session: Session) -> None:
        try:
            knowledge = session.measure(self._is_cancelled(job))
        except EngineError:  # the load failed, so nothing is loaded
            self._unload()
            raise
        if knowledge is not None:
            self._outbox.put(CostsSeen(job, knowledge.costs))
            self._outbox.put(Learned(job, knowledge))

    def _generate(self, command: Generate) -> None:
        if self._session is None:
            raise EngineError(ErrorKind.NOT_LOADED)
        job = command.request.job
        for event in self._session.generate(command.request, self._is_cancelled(job)):
            self._outbox.put(event)

    def _weigh(self, command: Weigh) -> None:
        if self._session is None:
            raise EngineError(ErrorKind.NOT_LOADED)
        for event in self._session.weigh(command, self._is_cancelled(command.job)):
            self._outbox.put(event)

    def _quantize(self, command: Quantize) -> None:
        quantize(Path(command.source), Path(command.destination), command.file_type, lent_cores().physical)
        self._outbox.put(Quantized(command.job, command.destination))


def _leave() -> NoReturn:
    """The parent is gone, as the reader of commands or the sender of events sees first."""
    os._exit(_PARENT_GONE)
