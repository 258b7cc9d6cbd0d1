"""Reading a reply line by line while it grows: which lines are prose, which are code, and UTF-16 offsets.

Qt counts UTF-16 code units and Python counts code points; offsets into a reply are UTF-16 everywhere in `ui`.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from enum import Enum


class LineKind(Enum):
    PROSE = "prose"
    FENCE_OPEN = "fence_open"
    CODE = "code"
    FENCE_CLOSE = "fence_close"


@dataclass(frozen=True, slots=True)
class Fence:
    """An open code fence. language is the first word after it, in lower case."""

    mark: str
    length: int
    language: str


# Models indent fences freely inside lists, so any indentation counts, unlike in CommonMark.
_FENCE = re.compile(r"[ \t]*(?P<mark>`{3,}|~{3,})(?P<info>[^\n]{0,100})\Z")


def kind_of(line: str, fence: Fence | None) -> tuple[LineKind, Fence | None]:
    """What `line` is after `fence`, and the fence that is open behind it. The line may still grow."""
    match = _FENCE.match(line[:160])
    mark = match["mark"] if match else ""
    info = match["info"].strip() if match else ""
    if fence is not None:
        if mark[:1] == fence.mark and len(mark) >= fence.length and not info:
            return LineKind.FENCE_CLOSE, None
        return LineKind.CODE, fence
    if mark and not (mark[0] == "`" and "`" in info) and len(line) <= 160:
        language = re.split(r"[\s{,:]", info.lower(), maxsplit=1)[0]
        return LineKind.FENCE_OPEN, Fence(mark[0], len(mark), language)
    return LineKind.PROSE, None


def units(text: str) -> int:
    """Length in UTF-16 code units."""
    return len(text) if text.isascii() else len(text.encode("utf-16-le", "surrogatepass")) // 2


def index_of_unit(text: str, unit: int) -> int:
    """The Python index of a UTF-16 offset; an offset inside a surrogate pair counts as before it."""
    if unit >= units(text):
        return len(text)
    if text.isascii():
        return unit
    count = 0
    for index, character in enumerate(text):
        count += 2 if character > "\uffff" else 1
        if count > unit:
            return index
    return len(text)


def is_right_to_left(text: str) -> bool:
    """Whether the first character with a direction, if any, is of a right-to-left script."""
    if text.isascii():
        return False
    for character in text:
        direction = unicodedata.bidirectional(character)
        if direction in ("L", "R", "AL"):
            return direction != "L"
    return False
