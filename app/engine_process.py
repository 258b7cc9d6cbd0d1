"""One engine process, from its start to its end."""

from __future__ import annotations

import contextlib
import math
import multiprocessing
import signal
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from multiprocessing import resource_tracker
from multiprocessing.connection import Connection
from pathlib import Path

from app.logs import mark_crashed, new_engine_log, tail
from engine.errors import EngineError, ErrorKind, ErrorReport
from engine.protocol import Command
from engine.types import EngineInfo

EngineTarget = Callable[[Connection, str], None]  # the pipe's end and the log's path

# Named, since fork is the default of some platforms, and a forked llama.cpp would share its parent's fate.
SPAWN = multiprocessing.get_context("spawn")


@contextlib.contextmanager
def interrupts_blocked() -> Iterator[None]:
    """A process started inside never sees Ctrl-C, not even before it can ignore it; only this thread is affected.

    Raises OSError where there is no room for a process.
    """
    if not hasattr(signal, "pthread_sigmask"):  # Windows starts processes without such a mask
        yield
        return
    # The first start would start multiprocessing's tracker, which ends with SIGINT unblocked, and spawn would take over
    # that mask. By now it runs.
    resource_tracker.ensure_running()
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


class EngineProcess:
    """A started engine. Not thread-safe, but for `kill`.

    Attributes:
        connection: where its events arrive; at its end when the process is gone.
        sentinel: becomes ready when the process ends, for `multiprocessing.connection.wait`.
        info: None until it said that it is ready.
        ready_by: when to give up waiting for that, monotonic seconds.
        fault: why it was given up before it was ready.
        killed: ended by us, on purpose.
    """

    def __init__(self, target: EngineTarget, logs: Path, ready_s: float) -> None:
        """Raises EngineError where there is no place for a log or no room for a process."""
        self.log = new_engine_log(logs)
        self.connection, theirs = SPAWN.Pipe()
        self._process = SPAWN.Process(target=target, args=(theirs, str(self.log)), name="draftlight-engine")
        try:
            with interrupts_blocked():
                self._process.start()
        except OSError as error:
            self.connection.close()
            raise EngineError(ErrorKind.ENGINE_START_FAILED, reason=str(error)) from error
        finally:
            theirs.close()  # the pipe must end when the child's copy does
        self.sentinel = self._process.sentinel
        self.info: EngineInfo | None = None
        self.ready_by = time.monotonic() + ready_s
        self.fault: ErrorReport | None = None
        self.killed = False

    def send(self, command: Command) -> None:
        """A dead engine takes nothing more; its death shows up on `connection`."""
        with contextlib.suppress(OSError):
            self.connection.send(command)

    def kill(self) -> None:
        """End it on purpose. From any thread."""
        self.killed = True
        with contextlib.suppress(ValueError):  # another thread has just buried it
            self._process.kill()

    def give_up_waiting(self) -> None:
        """It did not become ready in time."""
        self.ready_by = math.inf
        self.fault = ErrorReport(ErrorKind.ENGINE_START_FAILED, (("reason", "no answer"),))
        self._process.kill()

    def bury(self) -> ErrorReport:
        """Free what is left of it after its end, and tell what it died of."""
        self._process.join(5.0)
        if self._process.is_alive():  # it closed the pipe and stayed
            self._process.kill()
            self._process.join()
        exit_code = self._process.exitcode or 0
        with contextlib.suppress(ValueError):  # where the interpreter ends, its exit handler has waited for it first
            self._process.close()
        self.connection.close()
        log = self.log if self.killed or exit_code == 0 else mark_crashed(self.log)
        report = self.fault if self.info is None else None
        report = report or ErrorReport(ErrorKind.ENGINE_START_FAILED if self.info is None else ErrorKind.ENGINE_DIED)
        facts: tuple[tuple[str, str | int | float], ...]
        facts = (("exit_code", exit_code), ("signal", signal_name(exit_code)), ("log_path", str(log)))
        if self.killed:
            facts += (("reason", "no answer"),)
        return replace(report, facts=report.facts + facts, detail=report.detail or tail(log))


def signal_name(exit_code: int) -> str:
    """ "SIGKILL" for -9, "" where no signal ended the process."""
    try:
        return signal.Signals(-exit_code).name if exit_code < 0 else ""
    except ValueError:  # a real-time signal
        return f"signal {-exit_code}"
