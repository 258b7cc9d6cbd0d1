"""Tables for the terminal, where a Chinese letter takes two columns."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence


def columns(text: str) -> int:
    """How many columns of a terminal a text takes."""
    return sum(map(_columns, text))


def left(text: str, width: int) -> str:
    """`text` with blanks behind it."""
    return text + " " * (width - columns(text))


def right(text: str, width: int) -> str:
    """`text` with blanks before it."""
    return " " * (width - columns(text)) + text


def table(rows: Sequence[Sequence[str]], *, numbers: Sequence[int] = ()) -> str:
    """Rows of as many cells each, in columns two blanks apart; those of `numbers` end at the same place."""
    widths = [max(map(columns, column)) for column in zip(*rows, strict=True)]
    lines = (
        "  ".join(
            (right if number in numbers else left)(cell, width)
            for number, (cell, width) in enumerate(zip(row, widths, strict=True))
        )
        for row in rows
    )
    return "".join(line.rstrip() + "\n" for line in lines)


def _columns(char: str) -> int:
    if unicodedata.category(char) in ("Mn", "Me", "Cf"):  # drawn over the letter before, or not at all
        return 0
    return 2 if unicodedata.east_asian_width(char) in "WF" else 1
