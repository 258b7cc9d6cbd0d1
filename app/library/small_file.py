"""Small text files that anybody may have written."""

from __future__ import annotations

from pathlib import Path

_LONGEST = 1 << 24  # characters, of which such files have some hundreds, and a long list some millions


def read_text(file: Path) -> str:
    """ "" where it cannot be read."""
    try:
        if not file.is_file():  # opening a pipe would wait for its other end
            return ""
        with file.open(encoding="utf-8") as opened:
            return opened.read(_LONGEST)
    except (OSError, ValueError):
        return ""
