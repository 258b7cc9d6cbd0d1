"""What the names of model files tell: which files are models, and which are parts of one."""

from __future__ import annotations

import re
from dataclasses import dataclass

_SPLIT = re.compile(r"(?P<stem>.+)-(?P<number>\d{5})-of-(?P<count>\d{5})\.gguf")
# Pieces that were cut anywhere and only make a file when they are joined, as was the habit before GGUF's own parts.
_PIECE = re.compile(
    r"(?P<stem>.+\.gguf)(\.part(?P<number>\d{1,5})of(?P<count>\d{1,5})|-split-(?P<letter>[a-z]))", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Part:
    """A file's place among the files of one model.

    Attributes:
        group: the same for all of them in one folder.
        number: from 1 on.
        piece: the files must be joined before they can be used.
    """

    group: str
    number: int
    piece: bool


def is_model_name(name: str) -> bool:
    """Whether a file of this name is shown. Hidden files are not, nor what is still being downloaded."""
    return not name.startswith(".") and (name.lower().endswith(".gguf") or _PIECE.fullmatch(name) is not None)


def part_of(name: str) -> Part | None:
    """None for a file that is a model on its own."""
    if match := _SPLIT.fullmatch(name):
        return Part(f"{match['stem']} of {match['count']}", int(match["number"]), piece=False)
    if match := _PIECE.fullmatch(name):
        number = int(match["number"]) if match["number"] else ord(match["letter"].lower()) - ord("a") + 1
        return Part(match["stem"], number, piece=True)
    return None


def is_part_of(name: str, part: Part) -> bool:
    """Whether a file of this name belongs to the same model as `part`, beside which it lies."""
    other = part_of(name)
    return other is not None and (other.group, other.piece) == (part.group, part.piece)


def first_part_name(name: str) -> str:
    """The name of the first part of the split model that has a part called `name`."""
    return _SPLIT.sub(r"\g<stem>-00001-of-\g<count>.gguf", name)


def joined_name(name: str) -> str:
    """What the file is called that a piece of this name belongs to; other names stay as they are."""
    piece = _PIECE.fullmatch(name)
    return name if piece is None else piece["stem"]


def stem_of(name: str) -> str:
    """A file's name without endings and part."""
    name = joined_name(name)
    split = _SPLIT.fullmatch(name)
    return name.rpartition(".")[0] or name if split is None else split["stem"]
