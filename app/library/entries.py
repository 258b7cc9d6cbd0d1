"""From the files of a folder to its models: the parts of a split one belong together."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from app.library.part_names import first_part_name, part_of
from app.library.walking import FoundFile


@dataclass(frozen=True, slots=True)
class Entry:
    """One model as the disk shows it.

    Attributes:
        files: in the order of the parts; the first is the one to load, unless it is missing.
        first_missing: where the first part should be, if it is not there.
        pieces: the files must be joined before they can be used.
    """

    files: tuple[FoundFile, ...]
    first_missing: Path | None = None
    pieces: bool = False

    @property
    def path(self) -> Path:
        return self.files[0].path

    @property
    def stamp(self) -> str:
        """Another one wherever a file was changed, added or removed; ASCII."""
        return ascii([(file.path.name, file.size_bytes, file.mtime_ns) for file in self.files])


def entries_of(files: Iterable[FoundFile]) -> list[Entry]:
    """The models among the files of one folder, in the order of their first files."""
    entries: list[list[FoundFile]] = []
    parts: dict[tuple[str, bool], list[FoundFile]] = {}
    for file in files:
        part = part_of(file.path.name)
        if part is None:
            entries.append([file])
        elif (group := parts.get((part.group, part.piece))) is not None:
            group.append(file)
        else:
            entries.append(parts.setdefault((part.group, part.piece), [file]))
    return [_entry(entry) for entry in entries]


def _entry(files: list[FoundFile]) -> Entry:
    first = min(files, key=_number)
    part = part_of(first.path.name)
    missing = None
    if part is not None and not part.piece and part.number != 1:
        missing = first.path.with_name(first_part_name(first.path.name))
    return Entry(tuple(sorted(files, key=_number)), missing, pieces=part is not None and part.piece)


def _number(file: FoundFile) -> int:
    part = part_of(file.path.name)
    return 0 if part is None else part.number
