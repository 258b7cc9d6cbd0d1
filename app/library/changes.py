"""What the user does with the models on this computer: add, verify, remove."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from importlib import import_module
from itertools import zip_longest
from pathlib import Path

from app.library.added import read_added, write_added
from app.library.entries import entries_of
from app.library.places import owner_of
from app.library.reading import read_model
from app.library.walking import look_at_parts
from app.model_values import LocalModel, PlaceKind
from app.paths import Paths
from engine.errors import EngineError, ErrorKind, ErrorReport
from engine.gguf import read_header, read_parts

_CHUNK = 1 << 20
_NAMED_BY_HASH = re.compile(r"(?:sha256-)?([0-9a-f]{64})")  # files of Ollama and of the hub's cache

OnProgress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class Addition:
    """What became of a file that was to be added.

    Attributes:
        model: None where it is refused, and then `problem` says why.
        is_new: it was not in the list before.
    """

    path: Path
    model: LocalModel | None
    is_new: bool
    problem: ErrorReport | None


@dataclass(frozen=True, slots=True)
class Verified:
    """A model that is whole.

    Attributes:
        hashed_parts: how many of its parts have the SHA-256 that was published. Of the others the header was read and
            the size is right.
    """

    model: LocalModel
    hashed_parts: int

    @property
    def by_hash(self) -> bool:
        return self.hashed_parts == len(self.model.parts)


def add_files(paths: Paths, files: Iterable[Path]) -> tuple[Addition, ...]:
    """Use files from now on where they lie. Of a split model any part will do. What cannot be used is refused.

    Raises:
        EngineError: FOLDER_UNWRITABLE, DISK_FULL: the list of added files cannot be written.
    """
    before = read_added(paths)
    known = set(before)
    additions = []
    for file in files:
        addition = _addition(Path(os.path.abspath(file)), known)
        if addition.model is not None:
            known.add(addition.model.path)
        additions.append(addition)
    if fresh := [addition.model.path for addition in additions if addition.is_new and addition.model is not None]:
        write_added(paths, (*before, *fresh))
    return tuple(additions)


def _addition(file: Path, known: set[Path]) -> Addition:
    entry = next(iter(entries_of(look_at_parts(file))), None)
    model = None if entry is None else read_model(entry, PlaceKind.ADDED)
    if model is None:
        return Addition(file, None, False, _missing(file))
    if model.problem is not None:
        return Addition(file, None, False, model.problem)
    return Addition(file, model, model.path not in known, None)


def _missing(file: Path) -> ErrorReport:
    if file.exists():
        return ErrorReport(ErrorKind.FILE_UNREADABLE, (("path", str(file)), ("reason", "not a regular file")))
    return ErrorReport(ErrorKind.FILE_MISSING, (("path", str(file)),))


def verify(
    model: LocalModel,
    expected_sha256: Sequence[str | None] = (),
    on_progress: OnProgress | None = None,
    cancelled: Callable[[], bool] = lambda: False,
) -> Verified | None:
    """Read all bytes of the parts whose hash is known, and the headers and sizes of the others. Blocks on the disk.

    Args:
        expected_sha256: of each part in order, as it was published; None where nobody said. What lies in Ollama's
            folder or in the hub's cache is named by its hash and needs none.
        on_progress: is told after each megabyte how many bytes were hashed, and how many are to be.
        cancelled: asked as often.

    Returns:
        None where it was cancelled.

    Raises:
        EngineError: MODEL_CHANGED, or why a header or a part's size is wrong.
    """
    for _ in read_parts(read_header(model.path)):
        pass
    hashes = [
        (part, expected or _hash_in_name(part, model.place))
        for part, expected in zip_longest(model.parts, expected_sha256[: len(model.parts)])
    ]
    known = [(part, sha256) for part, sha256 in hashes if sha256 is not None]
    total, done = sum(_size(part) for part, _ in known), 0
    for part, sha256 in known:
        digest = hashlib.sha256()
        try:
            with part.open("rb", buffering=0) as file:
                while chunk := file.read(_CHUNK):
                    if cancelled():
                        return None
                    digest.update(chunk)
                    done += len(chunk)
                    if on_progress is not None:
                        on_progress(done, total)
        except OSError as error:
            raise _unreadable(part, error) from error
        if digest.hexdigest() != sha256.lower():
            raise EngineError(
                ErrorKind.MODEL_CHANGED, path=str(part), sha256=digest.hexdigest(), expected_sha256=sha256.lower()
            )
    return Verified(model, len(known))


def _hash_in_name(part: Path, place: PlaceKind) -> str | None:
    if place not in (PlaceKind.OLLAMA, PlaceKind.HUB_CACHE):
        return None
    name = _NAMED_BY_HASH.fullmatch(Path(os.path.realpath(part)).name)
    return None if name is None else name[1]


def _size(part: Path) -> int:
    try:
        return part.stat().st_size
    except OSError as error:
        raise _unreadable(part, error) from error


def _unreadable(path: Path, error: OSError) -> EngineError:
    if isinstance(error, FileNotFoundError):
        return EngineError(ErrorKind.FILE_MISSING, path=str(path))
    return EngineError(ErrorKind.FILE_UNREADABLE, path=str(path), reason=error.strerror or str(error))


def remove(model: LocalModel) -> tuple[Path, ...]:
    """Move all parts of a model to the trash, and give what was moved.

    Raises:
        EngineError: MODEL_NOT_REMOVABLE for another program's, TRASH_FAILED. The first part goes last: what is left
            after a failure can still be found and removed.
    """
    if not model.removable:
        raise EngineError(ErrorKind.MODEL_NOT_REMOVABLE, path=str(model.path), owner=owner_of(model.place))
    send_to_trash = import_module("send2trash").send2trash  # has no types
    moved = []
    for part in reversed(model.parts):
        if not os.path.lexists(part):
            continue
        try:
            send_to_trash(str(part))
        except OSError as error:
            reason = error.strerror or str(error)
            raise EngineError(ErrorKind.TRASH_FAILED, path=str(part), reason=reason) from error
        moved.append(part)
    return tuple(reversed(moved))
