"""Asks llama.cpp what a model would need, in a process that may die of the question."""

from __future__ import annotations

import atexit
import contextlib
import os
import shutil
import tempfile
import threading
from collections.abc import Callable, Sequence
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, Final

from app.engine_process import SPAWN, interrupts_blocked, signal_name
from app.logs import tail
from app.paths import make_folder, storage_error
from engine.errors import EngineError, ErrorKind, ErrorReport
from engine.fit import FitSettings, ModelNeed
from engine.launch import run_dry_loads

_PATIENCE_S: Final = 30.0  # the first answer of a process waits for llama.cpp and its GPU to start
_LATER_S: Final = 5.0  # the others take some 20 ms, a fraction of a second where a disk is slow


class DryLoads:
    """Measures, one model after the other. Thread-safe.

    The process is started when it is first needed, serves as long as it is asked again soon, and then ends by itself.
    """

    def __init__(
        self,
        logs: Path,
        *,
        target: Callable[[Connection, str], None] = run_dry_loads,
        patience_s: float = _PATIENCE_S,
        later_s: float = _LATER_S,
    ) -> None:
        """`logs` is the folder for what llama.cpp says; `target` is what the process runs."""
        self._logs = logs
        self._target = target
        self._patience_s, self._later_s = patience_s, later_s
        self._lock = threading.Lock()
        self._probe: _Probe | None = None
        self._asked: _Probe | None = None  # the one that an answer is awaited of
        self._closed = False
        atexit.register(self.close)  # so that no log is left

    def measure(self, files: Path | Sequence[Path], settings: FitSettings) -> ModelNeed:
        """What a load would take. Blocks: some 20 ms, half a second where the process must be started.

        Args:
            files: a model or its header, stripped or not; all parts of a split one.

        Raises:
            EngineError: FIT_UNMEASURABLE where llama.cpp refuses, dies or does not answer, and what is wrong with
                the files; FOLDER_UNWRITABLE, DISK_FULL for the logs.
        """
        paths = (files,) if isinstance(files, Path) else tuple(files)
        with self._lock:
            answer = self._ask(paths, settings)
            if answer is None:  # it had just gone for want of questions
                answer = self._ask(paths, settings)
        if isinstance(answer, ModelNeed):
            return answer
        raise EngineError.of(answer or _unmeasurable(paths, "no answer"))

    def _ask(self, paths: tuple[Path, ...], settings: FitSettings) -> ModelNeed | ErrorReport | None:
        if self._closed:
            return _unmeasurable(paths, "closed")
        patience_s = self._patience_s if self._probe is None else self._later_s
        probe = self._asked = self._probe or _Probe(self._target, self._logs)
        self._probe = None
        try:
            answer: ModelNeed | ErrorReport = probe.ask((paths, settings, probe.folder), patience_s)
        except TimeoutError:
            return _unmeasurable(paths, "no answer", probe.bury()[1])
        except (EOFError, OSError):
            exit_code, said = probe.bury()
            return _unmeasurable(paths, signal_name(exit_code) or f"exit {exit_code}", said) if exit_code else None
        except BaseException:
            probe.bury()
            raise
        finally:
            self._asked = None
        self._probe = probe
        return answer

    def close(self) -> None:
        """End the process, also in the middle of a question; nothing is measured any more."""
        self._closed = True
        asked = self._asked
        if asked is not None:
            asked.kill()
        with self._lock:
            if self._probe is not None:
                self._probe.bury()
                self._probe = None


class _Probe:
    """One process, its log, and a folder for what it writes, which it may not live to remove.

    Attributes:
        folder: goes when the process is buried.
    """

    def __init__(self, target: Callable[[Connection, str], None], logs: Path) -> None:
        make_folder(logs)
        try:
            handle, name = tempfile.mkstemp(prefix="fit-", suffix=".log", dir=logs)
            self.folder = Path(tempfile.mkdtemp(prefix="draftlight-fit-"))
        except OSError as error:
            raise storage_error(logs, error) from error
        os.close(handle)
        self._log = Path(name)
        self._connection, theirs = SPAWN.Pipe()
        self._process = SPAWN.Process(target=target, args=(theirs, name), name="draftlight-fit", daemon=True)
        try:
            with interrupts_blocked():
                self._process.start()
        except OSError as error:
            self._connection.close()
            self._log.unlink(missing_ok=True)
            shutil.rmtree(self.folder, ignore_errors=True)
            raise EngineError(ErrorKind.ENGINE_START_FAILED, reason=str(error)) from error
        finally:
            theirs.close()  # the pipe must end when the child's copy does

    def ask(self, question: object, patience_s: float) -> Any:
        """Raises TimeoutError, and EOFError or OSError where the process has ended."""
        self._connection.send(question)
        if not self._connection.poll(patience_s):
            raise TimeoutError
        return self._connection.recv()

    def kill(self) -> None:
        """From any thread; whoever waits for its answer buries it."""
        with contextlib.suppress(ValueError):  # that has just happened
            self._process.kill()

    def bury(self) -> tuple[int, str]:
        """End it, free what is left, and tell its exit code and last words."""
        self._connection.close()
        self._process.join(1.0)  # it ends by itself when the pipe does
        if self._process.is_alive():
            self._process.kill()
            self._process.join()
        exit_code = self._process.exitcode or 0
        self._process.close()
        said = tail(self._log)
        with contextlib.suppress(OSError):
            self._log.unlink()
        shutil.rmtree(self.folder, ignore_errors=True)
        return exit_code, said


def _unmeasurable(paths: tuple[Path, ...], reason: str, detail: str = "") -> ErrorReport:
    return ErrorReport(ErrorKind.FIT_UNMEASURABLE, (("path", str(paths[0])), ("reason", reason)), detail)
