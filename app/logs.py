"""The engine's logs: one file per start, the newest ten kept, those of crashes marked by their name."""

from __future__ import annotations

import contextlib
import os
import tempfile
from datetime import datetime
from pathlib import Path

from app.paths import make_folder, storage_error

KEPT = 10
_CRASHED = ".crashed.log"


def new_engine_log(folder: Path) -> Path:
    """An empty log of its own for a starting engine; the oldest logs make room. Raises EngineError."""
    make_folder(folder)
    stamp = datetime.now().strftime("%Y%m%d-%H%M%S")
    try:
        handle, name = tempfile.mkstemp(prefix=f"engine-{stamp}-", suffix=".log", dir=folder)
    except OSError as error:
        raise storage_error(folder, error) from error
    os.close(handle)
    for old in _newest_first(folder)[KEPT:]:
        with contextlib.suppress(OSError):  # another program's engine may be writing to it
            old.unlink()
    return Path(name)


def mark_crashed(log: Path) -> Path:
    """The path of `log` after its name was made to tell of the crash."""
    marked = log.with_name(log.stem + _CRASHED)
    try:
        log.rename(marked)
    except OSError:  # gone, or still held by a virus scanner; the log matters more than its name
        return log
    return marked


def last_crash(folder: Path) -> Path | None:
    """The newest log of an engine that died."""
    return next((log for log in _newest_first(folder) if log.name.endswith(_CRASHED)), None)


def tail(log: Path, lines: int = 40, limit_bytes: int = 32_768) -> str:
    """The last lines of a log, "" if it cannot be read."""
    try:
        with log.open("rb") as file:
            size = file.seek(0, os.SEEK_END)
            file.seek(max(0, size - limit_bytes))
            text = file.read().decode("utf-8", errors="replace")
    except OSError:
        return ""
    return "\n".join(text.splitlines()[-lines:])


def _newest_first(folder: Path) -> list[Path]:
    return sorted(folder.glob("engine-*.log"), key=_age_key, reverse=True)


def _age_key(log: Path) -> tuple[float, str]:
    try:
        return log.stat().st_mtime, log.name
    except OSError:  # removed by another program meanwhile
        return 0.0, log.name
