"""A model file that the engine writes from another one: complete under its name, or not there at all."""

from __future__ import annotations

import contextlib
import glob
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil

from app.engine_client import EngineClient, Job
from app.paths import make_folder, storage_error
from engine.errors import EngineError, ErrorKind, ErrorReport
from engine.protocol import Failed

_PART = ".part"

OnJob = Callable[[Job], None]
OnProgress = Callable[[int, int], None]


def requantise(
    source: Path,
    target: Path,
    file_type: str,
    size_bytes: int,
    client: EngineClient,
    on_job: OnJob | None = None,
    on_progress: OnProgress | None = None,
) -> None:
    """Write `source` as `file_type` to `target`. Blocks until it is done.

    Args:
        size_bytes: how large the file will be, for the progress and for the space that must be free first.
        on_job: is given the job that writes, for cancelling.
        on_progress: is told bytes written and bytes in all, some times a second.

    Raises:
        EngineError: DISK_FULL, FOLDER_UNWRITABLE, LOAD_CANCELLED, or what the engine reports.
    """
    folder = make_folder(target.parent)
    _remove_orphans(target)
    free = shutil.disk_usage(folder).free
    if free < size_bytes:
        raise EngineError(ErrorKind.DISK_FULL, path=str(folder), needed_bytes=size_bytes, free_bytes=free)
    with _part_of(target) as part:
        job = client.quantize(source, part, file_type)
        if on_job is not None:
            on_job(job)
        ending = None
        while ending is None:
            ending = job.next_event(timeout_s=0.1)
            if on_progress is not None:
                on_progress(min(part.stat().st_size, size_bytes), size_bytes)
        if isinstance(ending, Failed):
            raise _why(ending.report, part, size_bytes)
        _put_in_place(part, target)


def _why(report: ErrorReport, part: Path, size_bytes: int) -> EngineError:
    """The engine's error, or that the disk ran full, of which llama.cpp says nothing."""
    usage = shutil.disk_usage(part.parent)
    missing = size_bytes - part.stat().st_size
    if report.kind is ErrorKind.QUANTIZE_FAILED and usage.free < missing:
        return EngineError(
            ErrorKind.DISK_FULL, report.detail, path=str(part.parent), needed_bytes=missing, free_bytes=usage.free
        )
    return EngineError.of(report)


@contextmanager
def _part_of(target: Path) -> Iterator[Path]:
    """A file of our own beside `target`, removed at the end if it is still there."""
    try:
        handle, name = tempfile.mkstemp(prefix=f"{target.name}.{os.getpid()}.", suffix=_PART, dir=target.parent)
    except OSError as error:
        raise storage_error(target.parent, error) from error
    os.close(handle)
    part = Path(name)
    try:
        yield part
    finally:
        part.unlink(missing_ok=True)


def _put_in_place(part: Path, target: Path) -> None:
    """Give a complete file its name. Only complete files ever have it: the bytes reach the disk first."""
    try:
        with part.open("rb+") as file:
            os.fsync(file.fileno())
        os.replace(part, target)
    except OSError as error:
        # On Windows a target that another program made meanwhile, and has open, cannot be replaced. It is as good.
        if not target.is_file():
            raise storage_error(target, error) from error


def _remove_orphans(target: Path) -> None:
    """Parts whose program was killed."""
    for part in target.parent.glob(f"{glob.escape(target.name)}.*{_PART}"):
        owner = part.name.removeprefix(target.name + ".").split(".")[0]
        if owner.isdecimal() and not psutil.pid_exists(int(owner)):
            with contextlib.suppress(OSError):  # another program is doing the same
                part.unlink()
