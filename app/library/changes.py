"""What the user does with the models on this computer: add, verify, remove."""

from __future__ import annotations

import errno
import hashlib
import os
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from importlib import import_module
from itertools import zip_longest
from pathlib import Path

from app.checksums import forget_checksum, read_checksum
from app.hub.names import printable
from app.library.added import forget_added, read_added, remember_added
from app.library.entries import Entry, entries_of
from app.library.ownership import absolute, is_own, place_of, real_path, way_to
from app.library.places import Place, owner_of
from app.library.reading import read_model
from app.library.walking import find_files
from app.model_values import LocalModel, PlaceKind, Proof
from app.paths import Paths
from app.translate import translate
from engine.errors import EngineError, ErrorKind, ErrorReport
from engine.gguf import check_length, check_loadable, read_header, read_parts

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
    """A model that is whole. `proof` is what shows it, the weakest where its parts have several."""

    model: LocalModel
    proof: Proof


def add_files(paths: Paths, files: Iterable[Path]) -> tuple[Addition, ...]:
    """Use files from now on where they lie. Of a split model any part will do; of a folder all models in it are meant.
    What cannot be used is refused.

    Raises:
        EngineError: FOLDER_UNWRITABLE, DISK_FULL: the list of added files cannot be written.
    """
    known = set(read_added(paths))
    additions = []
    for file in map(absolute, files):
        entries = _entries(file)
        if not entries:
            additions.append(Addition(file, None, False, _nothing(file)))
        for entry in entries:
            addition = _addition(entry, known)
            if addition.model is not None:
                known.add(addition.model.path)
            additions.append(addition)
    if fresh := [addition.model.path for addition in additions if addition.is_new and addition.model is not None]:
        remember_added(paths, fresh)
    return tuple(additions)


def _entries(path: Path) -> list[Entry]:
    """The model that a file belongs to, or those in a folder; links in it are not followed."""
    found = find_files(Place(PlaceKind.ADDED, path), set(), [], lambda: False)
    return [entry for files in found for entry in entries_of(files)]


def _addition(entry: Entry, known: set[Path]) -> Addition:
    model = read_model(entry, PlaceKind.ADDED)
    if model is None:
        return Addition(entry.path, None, False, _nothing(entry.path))
    if model.problem is not None:
        return Addition(entry.path, None, False, model.problem)
    return Addition(entry.path, model, model.path not in known, None)


def _nothing(path: Path) -> ErrorReport:
    if (report := trouble_with(path)) is not None:
        return report
    is_folder = os.path.isdir(path)
    reason = translate("models", "there are no models in this folder") if is_folder else "not a regular file"
    return ErrorReport(ErrorKind.FILE_UNREADABLE, (("path", str(path)), ("reason", reason), ("wanted", "file")))


def verify(
    model: LocalModel,
    expected_sha256: Sequence[str | None] = (),
    on_progress: OnProgress | None = None,
    cancelled: Callable[[], bool] = lambda: False,
) -> Verified | None:
    """Read all bytes of the parts whose hash is known, and the headers and sizes of the others. Blocks on the disk.

    Args:
        expected_sha256: of each part in order, as it was published; None where nobody said. Downloads have theirs
            beside them, and what lies in Ollama's folder or in the hub's cache is named by it.
        on_progress: is told after each megabyte how many bytes were hashed, and how many are to be.
        cancelled: asked as often.

    Returns:
        None where it was cancelled.

    Raises:
        EngineError: MODEL_CHANGED, or why the model cannot be used.
    """
    if model.problem is not None:
        raise EngineError.of(model.problem)
    header = read_header(model.path)
    check_loadable(header)
    hashes = [
        (part, *_expected(part, model.place, published))
        for part, published in zip_longest(model.parts, expected_sha256[: len(model.parts)])
    ]
    unhashed = {part for part, sha256, _ in hashes if sha256 is None}
    for part_header in read_parts(header):
        if part_header.path in unhashed:
            check_length(part_header)
    known = [(part, sha256) for part, sha256, _ in hashes if sha256 is not None]
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
    proofs = {proof for _, _, proof in hashes}
    return Verified(model, next(proof for proof in reversed(Proof) if proof in proofs))


def _expected(part: Path, place: PlaceKind, published: str | None) -> tuple[str | None, Proof]:
    """The hash that a part should have, and who says so."""
    if published is not None:
        return published, Proof.PUBLISHED
    kept = _kept_hash(part, place)
    return kept, Proof.SIZE if kept is None else Proof.DOWNLOADED


def _kept_hash(part: Path, place: PlaceKind) -> str | None:
    """What the file's place says: a hash kept at its download, or one that is the file's name."""
    if place is PlaceKind.OURS:
        return read_checksum(part)
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


def trouble_with(path: Path) -> ErrorReport | None:
    """Why there is nothing to be read at `path`; None where there is something."""
    try:
        os.stat(path)
    except OSError as error:
        return _unreadable(path, error).report
    return None


def remove(model: LocalModel, paths: Paths, places: Sequence[Place]) -> tuple[Path, ...]:
    """Move all parts of a model to the trash, take it off the list of added files, and give what was moved.

    Args:
        places: as the library has them. Whose the files are is told by where they really lie.

    Raises:
        EngineError: MODEL_NOT_REMOVABLE for another program's, MODEL_UNKNOWN, TRASH_FAILED; FOLDER_UNWRITABLE and
            DISK_FULL where the list cannot be written. The first part goes last: what is left after a failure can
            still be found and removed.
    """
    for part in model.parts:
        _check_removable(part, places)
    send_to_trash = import_module("send2trash").send2trash  # has no types
    moved = []
    for part in reversed(model.parts):
        if not os.path.lexists(part):
            continue
        try:
            send_to_trash(str(part))
        except OSError as error:
            raise EngineError(ErrorKind.TRASH_FAILED, path=str(part), reason=_trash_reason(part, error)) from error
        forget_checksum(part)
        moved.append(part)
    forget_added(paths, moved)
    return tuple(reversed(moved))


def _check_removable(part: Path, places: Sequence[Place]) -> None:
    place = place_of(part, places)
    if place is not None and not is_own(place):
        raise EngineError(ErrorKind.MODEL_NOT_REMOVABLE, path=str(part), owner=owner_of(place.kind))
    if place is not None:
        return
    if way_to(part, places) is None:
        raise EngineError(ErrorKind.MODEL_UNKNOWN, path=str(part))
    reason = translate("models", "only a link leads to it here, and it lies at {path}")
    raise EngineError(
        ErrorKind.TRASH_FAILED, path=str(part), reason=reason.format(path=printable(str(real_path(part))))
    )


def _trash_reason(part: Path, error: OSError) -> str:
    if error.errno == errno.ENAMETOOLONG:
        return translate("models", "its name is too long for the trash")
    if error.errno == errno.ENOENT and os.path.exists(part):
        return translate("models", "this system has no trash for it")
    return os.strerror(error.errno) if error.errno else str(error)  # the trash adds the path, which is told anyway
