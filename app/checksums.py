"""The SHA-256 of a downloaded file, kept in a file beside it in the form that `sha256sum --check` reads."""

from __future__ import annotations

import contextlib
import re
from pathlib import Path

from app.small_file import write_small_file

_LINE = re.compile(r"([0-9a-f]{64}) [ *]\S")


def checksum_path(file: Path) -> Path:
    return file.with_name(file.name + ".sha256")


def write_checksum(file: Path, sha256: str) -> None:
    """Keep the hash of a file that was just found right. A full disk costs the record, not the file."""
    with contextlib.suppress(OSError):
        line = f"{sha256}  {file.name}\n"
        write_small_file(checksum_path(file), line.encode("utf-8", errors="surrogateescape"))


def read_checksum(file: Path) -> str | None:
    """The hash that was kept; None where there is none, or it is damaged."""
    path = checksum_path(file)
    try:
        if not path.is_file():  # opening a pipe would wait for its other end
            return None
        with path.open("rb") as opened:
            text = opened.read(4096).decode("utf-8", errors="replace")
    except (OSError, ValueError):
        return None
    found = _LINE.match(text)
    return None if found is None else found[1]


def forget_checksum(file: Path) -> None:
    with contextlib.suppress(OSError):
        checksum_path(file).unlink()
