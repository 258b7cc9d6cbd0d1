"""Reads and writes the program's own small files, in whose place anything may lie."""

from __future__ import annotations

import contextlib
import errno
import os
import secrets
import shutil
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


def write_small_file(path: Path, content: str | bytes, *, private: bool = False) -> None:
    """Put `content`, text as UTF-8, in the place of what a file has: whole or not at all, whoever reads or writes it
    meanwhile. Its folder must be there, and nothing else in it is touched.

    Args:
        private: nobody but the user may read it; else a file that is there keeps its permissions.

    Raises:
        OSError: it could not be written.
        UnicodeEncodeError: text that is no Unicode.
    """
    data = content.encode("utf-8") if isinstance(content, str) else content
    fresh = path.with_name(f".draftlight-{secrets.token_hex(8)}.new")  # nobody else's, and never too long a name
    try:
        fresh.touch(0o600 if private else 0o666, exist_ok=False)
        fresh.write_bytes(data)
        if not private and path.exists():
            shutil.copymode(path, fresh)
        os.replace(fresh, path)
    finally:
        with contextlib.suppress(OSError):
            fresh.unlink(missing_ok=True)


def file_stamp(path: str | Path) -> tuple[int, int]:
    """Size in bytes and time of the last change in ns, by which a file that is another one now is known. Raises
    OSError."""
    status = os.stat(path)
    return status.st_size, status.st_mtime_ns
