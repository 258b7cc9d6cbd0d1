"""What the app names when it starts the engine process. Imports llama.cpp late, inside that process."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
from io import TextIOWrapper
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Final

_MOST_MEMORY: Final = 8 << 30  # bytes; of all known models, the state of recurrent layers takes less than one


def run_engine(connection: Connection, log_path: str) -> None:
    """Entry point of the engine process (start method *spawn*).

    Standard output and error, Python's and llama.cpp's, go to `log_path`: llama.cpp writes to both at will, so
    neither can carry messages, and their tail is what explains a crash.
    """
    _prepare(log_path)
    from engine.host import EngineHost

    EngineHost(connection).serve()


def run_dry_loads(connection: Connection, log_path: str) -> None:
    """Entry point of the process that measures what models would need; as `run_engine`.

    For each (files, settings, folder) that arrives, answers with a ModelNeed or an ErrorReport; ends with the pipe.
    """
    _prepare(log_path)
    _stay_small()
    from engine.dry_load_host import serve

    serve(connection)


def _stay_small() -> None:
    """What a bad header asks for must not bring other programs down. As far as the system can hold it."""
    with contextlib.suppress(OSError):  # on Linux: the first to go where memory ends
        Path("/proc/self/oom_score_adj").write_text("1000")
    with contextlib.suppress(ImportError, OSError, ValueError):
        import resource

        _, most = resource.getrlimit(resource.RLIMIT_DATA)
        limit = _MOST_MEMORY if most == resource.RLIM_INFINITY else min(_MOST_MEMORY, most)
        resource.setrlimit(resource.RLIMIT_DATA, (limit, most))


def _prepare(log_path: str) -> None:
    log = os.open(log_path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    for number in (1, 2):
        os.dup2(log, number)
    os.close(log)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):  # None in a windowed program
            stream.reconfigure(encoding="utf-8", errors="backslashreplace", line_buffering=True)
    # On a failed assertion ggml would fork a debugger for a backtrace, which may hang for minutes.
    os.environ["GGML_NO_BACKTRACE"] = "1"
    # Ctrl-C in a terminal reaches the whole group; the app decides what it means and cancels through the pipe.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
