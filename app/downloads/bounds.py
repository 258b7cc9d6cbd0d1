"""What holds a download back that nobody has told the end of, or that more than itself is writing to the disk."""

from __future__ import annotations

import shutil

from app.downloads.limits import MIB
from app.downloads.part_file import PartFile
from app.paths import storage_error
from engine.errors import EngineError, ErrorKind
from engine.gguf import grow_header

PADDING_BYTES = MIB  # a whole file may have so much more than its header asks for
_EVERY = 8 * MIB  # bytes between two looks at the disk
_ENDLESS = 1 << 62


class Bounds:
    """For one answer, whose bytes are appended to `file`."""

    def __init__(self, file: PartFile, margin_bytes: int) -> None:
        """`margin_bytes`: what stays free on the disk."""
        self._file = file
        self._margin = margin_bytes
        self._look_at = file.length  # for room
        self._read_at = file.length  # for the header
        self._expected: int | None = None

    def room(self) -> None:
        """Raises EngineError: DISK_FULL where the disk has no more than the margin."""
        if self._file.length < self._look_at:
            return
        self._look_at = self._file.length + _EVERY
        folder = self._file.final.parent
        try:
            free = shutil.disk_usage(folder).free
        except OSError as error:
            raise storage_error(folder, error) from error
        if free < self._margin:
            raise EngineError(ErrorKind.DISK_FULL, path=str(folder), needed_bytes=self._margin, free_bytes=free)

    def excess(self) -> int | None:
        """How many bytes the header asks for, where far more have come; None while all is well, or nobody can know."""
        if self._expected is None and self._file.length >= self._read_at:
            self._expected = self._told_by_header()
            self._read_at = 2 * self._file.length  # a header that is not whole yet is not read again and again
        if self._expected is None or self._file.length <= self._expected + PADDING_BYTES:
            return None
        return self._expected

    def _told_by_header(self) -> int | None:
        try:
            with self._file.path.open("rb") as file:

                def first_bytes(length: int) -> bytes:
                    file.seek(0)
                    return file.read(length)

                return grow_header(self._file.path, _ENDLESS, first_bytes).expected_bytes
        except (OSError, EngineError):
            return None
