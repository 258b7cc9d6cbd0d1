"""Gets one model, all its parts, into the models folder."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from app.downloads.fetching import PartFetch, Tools
from app.downloads.on_disk import check_free, is_right, local_paths, remaining_bytes, stamp
from app.downloads.part_file import PartFile
from app.hub.source import Source
from app.model_values import RemoteModel, RemotePart
from app.paths import make_folder, storage_error
from engine.errors import EngineError, ErrorKind

# Asking for the file itself will not help.
_DECIDED = frozenset(
    {
        ErrorKind.REPO_MISSING,
        ErrorKind.REPO_FILE_MISSING,
        ErrorKind.REPO_GATED,
        ErrorKind.TOKEN_REFUSED,
        ErrorKind.SETTING_INVALID,
        ErrorKind.DOWNLOAD_CHANGED,
        ErrorKind.NAME_UNSAFE,
    }
)


@dataclass(frozen=True, slots=True)
class Listener:
    """Told of what happens, on the thread that fetches.

    Attributes:
        resolved: the model with what was missing of it.
        progress: bytes of all parts that are on the disk, and the host that they come from; "" where they are read
            from the disk.
    """

    resolved: Callable[[RemoteModel], None]
    progress: Callable[[int, str], None]


def fetch_model(
    model: RemoteModel,
    folder: Path,
    sources: Callable[[], Sequence[Source]],
    tools: Tools,
    listener: Listener,
    reserved: Callable[[], int],
) -> Path:
    """Get a model into the models folder; gives the path of its first part.

    Args:
        sources: gives them in the order to try. Not called where nothing is missing.
        reserved: bytes that other downloads are still going to write.

    Raises:
        EngineError: DISK_FULL, FOLDER_UNWRITABLE, DOWNLOAD_ELSEWHERE, NAME_UNSAFE, what `sources` raises, or why none
            had it.
        InterruptedDownload: what came is kept.
    """
    # A name that cannot be used, or is taken, is told before anybody is asked.
    check_free(local_paths(folder, model))
    if any(part.size_bytes is None or part.sha256 is None for part in model.parts):
        model = _resolved(model, sources())
        tools.interrupt.check()
        listener.resolved(model)
    paths = local_paths(folder, model)
    check_free(paths)
    _check_space(folder, model, tools.limits.margin_bytes + reserved())
    done = 0
    for path, part in zip(paths, model.parts, strict=True):
        done += _get(path, model, part, sources, tools, listener, done)
    return paths[0]


def _resolved(model: RemoteModel, sources: Sequence[Source]) -> RemoteModel:
    """The model with sizes, hashes and commit; as it is where lists are not to be had, but the files may be."""
    errors: list[EngineError] = []
    for source in sources:
        try:
            return source.resolve(model)
        except EngineError as error:
            errors.append(error)
    if all(error.report.kind in _DECIDED for error in errors):
        raise errors[0]
    return model


def _check_space(folder: Path, model: RemoteModel, margin: int) -> None:
    """Raises EngineError: DISK_FULL, FOLDER_UNWRITABLE."""
    remaining = remaining_bytes(folder, model)
    make_folder(folder)
    try:
        free = shutil.disk_usage(folder).free
    except OSError as error:
        raise storage_error(folder, error) from error
    if remaining and remaining + margin > free:
        raise EngineError(ErrorKind.DISK_FULL, path=str(folder), needed_bytes=remaining + margin, free_bytes=free)


def _get(
    path: Path,
    model: RemoteModel,
    part: RemotePart,
    sources: Callable[[], Sequence[Source]],
    tools: Tools,
    listener: Listener,
    done: int,
) -> int:
    """One part; gives its size. `done`: the bytes of those before it."""

    def on_progress(length: int, host: str) -> None:
        listener.progress(done + length, host)

    found = stamp(path)
    if found is None or not is_right(path, part, tools.interrupt, on_progress):
        with PartFile(path, model, part) as file:
            if stamp(path) != found and is_right(path, part, tools.interrupt, on_progress):
                file.discard()  # another program has just finished it
            else:
                file.load(tools.interrupt, on_progress)
                PartFetch(file, model, part, sources(), tools, on_progress).run()
    return path.stat().st_size
