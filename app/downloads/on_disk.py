"""What of a model is on the disk already. Loads no network."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable
from pathlib import Path

from app.checksums import forget_checksum
from app.downloads.interrupt import Interrupt
from app.downloads.part_file import remove_part, safe_bytes
from app.hub.names import local_path
from app.model_values import RemoteModel, RemotePart
from app.paths import storage_error
from app.translate import translate
from engine.errors import EngineError, ErrorKind
from engine.gguf import read_header

_READ = 1 << 20


def local_paths(folder: Path, model: RemoteModel) -> tuple[Path, ...]:
    """Where the parts come to lie. Raises EngineError: NAME_UNSAFE."""
    return tuple(local_path(folder, model, part) for part in model.parts)


def check_free(paths: Iterable[Path]) -> None:
    """Raises EngineError(FOLDER_UNWRITABLE) where a folder, a pipe or the like lies at one of them."""
    for path in paths:
        if path.exists() and not path.is_file():
            reason = translate("downloads", "something that is no file has this name")
            raise EngineError(ErrorKind.FOLDER_UNWRITABLE, path=str(path), reason=reason)


def remaining_bytes(folder: Path, model: RemoteModel) -> int:
    """What is still to be written, as far as sizes are known. Raises EngineError: NAME_UNSAFE."""
    total = 0
    for path, part in zip(local_paths(folder, model), model.parts, strict=True):
        if part.size_bytes is not None and _size(path) != part.size_bytes:
            total += part.size_bytes - safe_bytes(path, model, part)
    return total


def remove_model(model: RemoteModel, folder: Path) -> None:
    """Delete what came of an unfinished model, the finished parts of a split one too; a whole one stays.

    Raises:
        EngineError: DOWNLOAD_ELSEWHERE, FOLDER_UNWRITABLE, NAME_UNSAFE.
    """
    paths = local_paths(folder, model)
    sizes = {path: part.size_bytes for path, part in zip(paths, model.parts, strict=True)}
    finished = [path for path, size in sizes.items() if size is not None and _size(path) == size]
    if len(finished) < len(paths):
        for path in finished:
            try:
                path.unlink()
            except OSError as error:
                raise storage_error(path, error) from error
            forget_checksum(path)
    for path, part in zip(paths, model.parts, strict=True):
        remove_part(path, model, part)


def is_right(path: Path, part: RemotePart, interrupt: Interrupt, on_progress: Callable[[int, str], None]) -> bool:
    """What lies under the file's name already is the file. `on_progress`: bytes read, no host.

    Raises:
        InterruptedDownload.
    """
    try:
        size = path.stat().st_size
        if part.size_bytes not in (None, size):
            return False
        if part.sha256 is None:
            read_header(path)
            return True
        digest, read = hashlib.sha256(), 0
        with path.open("rb", buffering=0) as file:
            while data := file.read(_READ):
                interrupt.check()
                digest.update(data)
                read += len(data)
                on_progress(read, "")
        return digest.hexdigest() == part.sha256
    except (OSError, EngineError):
        return False


def stamp(path: Path) -> tuple[int, int, int] | None:
    """Tells one file under a name from the next; None where there is none."""
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_ino, status.st_size, status.st_mtime_ns


def _size(path: Path) -> int | None:
    found = stamp(path)
    return None if found is None else found[1]
