"""The bytes of a file that have come so far, so kept that they survive a crash.

`NAME.part` holds the bytes; `NAME.part.json` says to which file they belong and how many of them are safe: they were on
the disk before the number was. After a start only those count; they are read once for the running SHA-256 and never
fetched again. What came after them may be anything after a loss of power, and is dropped.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import re
import stat
import sys
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from types import TracebackType
from typing import Self

from app.checksums import write_checksum
from app.downloads.interrupt import Interrupt
from app.downloads.lock import lock
from app.model_values import RemoteModel, RemotePart
from app.paths import make_folder, storage_error
from app.small_file import read_small_file
from engine.errors import EngineError, ErrorKind

PART, RECORD = ".part", ".part.json"
MAGIC = b"GGUF"
STRONG_ETAG = re.compile(r'"[\x21\x23-\x7e]*"')  # what can stand in a request

_READ = 1 << 20
_SEND = 8 << 20
_ROOM = 1 << 16  # given back when the disk is full, so that the record can be written


@dataclass(frozen=True, slots=True)
class Record:
    """What the bytes belong to.

    Attributes:
        size, sha256: of the whole file, where known.
        etag, source: of the server that sent the first bytes; they count where no sha256 is known.
        verified: bytes that are safe on the disk.
    """

    repo: str
    revision: str
    path: str
    size: int | None = None
    sha256: str | None = None
    etag: str | None = None
    source: str = ""
    verified: int = 0

    def belongs_to(self, wanted: Record) -> bool:
        """The bytes are the beginning of the file that is wanted, as far as anybody knows."""
        if None not in (self.size, wanted.size) and self.size != wanted.size:
            return False
        if self.sha256 and wanted.sha256:
            return self.sha256 == wanted.sha256
        return (self.repo, self.revision, self.path) == (wanted.repo, wanted.revision, wanted.path)


class PartFile:
    """Belongs to one thread. Every method that writes raises EngineError: DISK_FULL, FOLDER_UNWRITABLE.

    Attributes:
        record: with what servers have said meanwhile; saved with the next checkpoint.
        length: bytes so far.
    """

    def __init__(self, final: Path, model: RemoteModel, part: RemotePart) -> None:
        """Takes the lock, which ends with the `with` block. Raises EngineError: also DOWNLOAD_ELSEWHERE."""
        self.final = final
        self.path = part_path(final)
        self.length = 0
        self._hash = hashlib.sha256()
        self._head = b""
        self._gone = False
        self._sent_to_disk = 0
        make_folder(final.parent)
        self._file = _open_locked(self.path, part)
        self._wanted = self.record = _wanted(model, part)
        found = _read_record(final)
        if found is not None and found.belongs_to(self._wanted):
            size = found.size if part.size_bytes is None else part.size_bytes
            self.record = replace(found, size=size, sha256=part.sha256 or found.sha256)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Keeps what came, or nothing where nothing came."""
        try:
            if self._gone:
                return
            if self.length == 0 and self.record.verified == 0:
                self.discard()
            elif self.length > self.record.verified:
                self._keep()
        finally:
            os.close(self._file)

    def load(self, interrupt: Interrupt, on_progress: Callable[[int, str], None]) -> None:
        """Read what is safe, drop the rest. `on_progress`: length, no host. Raises EngineError, InterruptedDownload."""
        with self._told():
            verified = min(self.record.verified, os.fstat(self._file).st_size)
            os.lseek(self._file, 0, os.SEEK_SET)
            while self.length < verified:
                interrupt.check()
                data = os.read(self._file, min(_READ, verified - self.length))
                if not data:
                    break
                self._count(data)
                on_progress(self.length, "")
        if self.length and not self.is_gguf:
            self.restart()
        else:
            self._truncate()

    @property
    def is_gguf(self) -> bool:
        """It begins as a GGUF file does."""
        return self._head == MAGIC

    @property
    def sha256(self) -> str:
        """Of the bytes so far."""
        return self._hash.hexdigest()

    def append(self, data: bytes | memoryview) -> None:
        """Write on. Raises EngineError; what was written before the fault counts."""
        view = memoryview(data)
        with self._told():
            while view:
                written = os.write(self._file, view)
                self._count(view[:written])
                view = view[written:]
        if self.length - self._sent_to_disk >= _SEND:
            self._send_to_disk()

    def _send_to_disk(self) -> None:
        """Let the disk begin with what it has to write anyway, so that a checkpoint does not wait for all of it."""
        if sys.platform == "linux":
            amount = self.length - self._sent_to_disk
            os.posix_fadvise(self._file, self._sent_to_disk, amount, os.POSIX_FADV_DONTNEED)
        self._sent_to_disk = self.length

    def checkpoint(self) -> None:
        """All bytes so far are safe when this returns."""
        with self._told():
            os.fsync(self._file)
            self._save(self.length)

    def restart(self) -> None:
        """Forget all bytes, and what their server said of them."""
        self.length, self._sent_to_disk, self._hash, self._head = 0, 0, hashlib.sha256(), b""
        self.record = self._wanted
        self._truncate()
        with self._told():
            self._save(0)

    def finish(self) -> None:
        """Give it its true name: it is right. Nothing more can be done with it."""
        with self._told():
            os.fsync(self._file)
            self._let_go()
            os.replace(self.path, self.final)
            _sync_folder(self.final.parent)
            _record_path(self.final).unlink(missing_ok=True)
        write_checksum(self.final, self.sha256)

    def discard(self) -> None:
        """Delete what came, for good. Nothing more can be done with it."""
        with self._told():
            self._let_go()
            self.path.unlink(missing_ok=True)
            _record_path(self.final).unlink(missing_ok=True)

    def _let_go(self) -> None:
        """Before it is renamed or deleted, which Windows does with no open file."""
        self._gone = True
        if sys.platform == "win32":
            os.close(self._file)
            self._file = os.open(os.devnull, os.O_RDONLY)

    def _keep(self) -> None:
        """Make safe what came. On a full disk a little is given back, so that the rest can be recorded."""
        try:
            self.checkpoint()
        except EngineError:
            with contextlib.suppress(OSError):
                length = max(self.record.verified, self.length - _ROOM)
                os.ftruncate(self._file, length)
                os.fsync(self._file)
                self._save(length)

    def _count(self, data: bytes | memoryview) -> None:
        self._hash.update(data)
        if len(self._head) < len(MAGIC):
            self._head += bytes(data[: len(MAGIC) - len(self._head)])
        self.length += len(data)

    def _truncate(self) -> None:
        with self._told():
            os.ftruncate(self._file, self.length)
            os.lseek(self._file, self.length, os.SEEK_SET)

    def _save(self, verified: int) -> None:
        record = replace(self.record, verified=verified)
        path = _record_path(self.final)
        fresh = path.with_name(path.name + ".new")
        fresh.unlink(missing_ok=True)
        with fresh.open("x", encoding="utf-8") as file:  # never through a link
            json.dump(asdict(record), file)
            file.flush()
            os.fsync(file.fileno())
        os.replace(fresh, path)
        self.record = record

    @contextlib.contextmanager
    def _told(self) -> Iterator[None]:
        """The system's errors as EngineError."""
        try:
            yield
        except OSError as error:
            raise storage_error(self.final.parent, error) from error


def part_path(final: Path) -> Path:
    """Where the bytes of `final` gather."""
    return final.with_name(final.name + PART)


def is_held(final: Path) -> bool:
    """Another program is downloading this file just now."""
    flags = os.O_RDWR | getattr(os, "O_BINARY", 0) | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
    try:
        descriptor = os.open(part_path(final), flags)
    except OSError:
        return False
    try:
        return not lock(descriptor)
    finally:
        os.close(descriptor)


def safe_bytes(final: Path, model: RemoteModel, part: RemotePart) -> int:
    """How much of `part` is on the disk already, as its record says."""
    record = _read_record(final)
    if record is None or not record.belongs_to(_wanted(model, part)):
        return 0
    with contextlib.suppress(OSError):
        return min(record.verified, part_path(final).stat().st_size)
    return 0


def remove_part(final: Path, model: RemoteModel, part: RemotePart) -> None:
    """Delete what came so far. Raises EngineError: DOWNLOAD_ELSEWHERE, FOLDER_UNWRITABLE."""
    if part_path(final).exists() or _record_path(final).exists():
        with PartFile(final, model, part) as file:
            file.discard()


def _record_path(final: Path) -> Path:
    return final.with_name(final.name + RECORD)


def _wanted(model: RemoteModel, part: RemotePart) -> Record:
    return Record(model.repo, model.revision, part.path, part.size_bytes, part.sha256)


def _open_locked(path: Path, part: RemotePart) -> int:
    """The part's file, to be read and written by nobody else."""
    flags = os.O_RDWR | os.O_CREAT | getattr(os, "O_BINARY", 0) | getattr(os, "O_NOFOLLOW", 0)
    while True:
        try:
            _remove_foreign(path)
            descriptor = os.open(path, flags, 0o666)
        except OSError as error:
            raise storage_error(path, error) from error
        if not lock(descriptor):
            os.close(descriptor)
            raise EngineError(ErrorKind.DOWNLOAD_ELSEWHERE, file=part.path)
        # Between the opening and the lock the one before may have renamed the file.
        with contextlib.suppress(FileNotFoundError):
            if os.path.samestat(os.fstat(descriptor), os.lstat(path)):
                return descriptor
        os.close(descriptor)


def _remove_foreign(path: Path) -> None:
    """A link or a pipe in the part's place is none of ours, and what it leads to must not be written."""
    with contextlib.suppress(FileNotFoundError):
        if not stat.S_ISREG(path.lstat().st_mode):
            path.unlink()


def _read_record(final: Path) -> Record | None:
    """None where there is none, or none that makes sense: then no byte counts."""
    try:
        values = json.loads(read_small_file(_record_path(final)))
        record = Record(**{field.name: values[field.name] for field in fields(Record)})
    except (OSError, ValueError, TypeError, KeyError, RecursionError):
        return None
    texts = (record.repo, record.revision, record.path, record.source, record.sha256 or "", record.etag or "")
    numbers = (record.verified, 0 if record.size is None else record.size)
    sound = all(isinstance(text, str) for text in texts) and all(type(number) is int for number in numbers)
    if not sound or min(numbers) < 0:
        return None
    return record if STRONG_ETAG.fullmatch(record.etag or "") else replace(record, etag=None)


def _sync_folder(folder: Path) -> None:
    """Make a renaming last. Only where folders can be opened."""
    if sys.platform != "win32":
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
