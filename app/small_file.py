"""Reads the program's own small files, in whose place anything may lie."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path

_MOST_BYTES = 16 << 20


def read_small_file(path: Path) -> str:
    """Its text. Raises OSError, also where it is no regular file or far too large, and UnicodeDecodeError."""
    return read_small_bytes(path).decode("utf-8")


def read_small_bytes(path: Path) -> bytes:
    """Its content. Raises OSError, also where it is no regular file or far too large."""
    if not stat.S_ISREG(path.stat().st_mode):  # opening a pipe would wait for its writer
        raise OSError(errno.EINVAL, os.strerror(errno.EINVAL), str(path))
    with path.open("rb") as file:
        data = file.read(_MOST_BYTES + 1)
    if len(data) > _MOST_BYTES:
        raise OSError(errno.EFBIG, os.strerror(errno.EFBIG), str(path))
    return data
