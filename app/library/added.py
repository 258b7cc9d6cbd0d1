"""The single files that the user added: a list of paths in the data folder."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from app.downloads.lock import lock
from app.library.small_file import read_text
from app.paths import Paths, make_folder, storage_error
from app.small_file import write_small_file
from app.translate import translate
from engine.errors import EngineError, ErrorKind

_NAME = "added.json"
_PATIENCE_S, _PAUSE_S = 10.0, 0.01  # for other programs that change the list


def read_added(paths: Paths) -> tuple[Path, ...]:
    """The files, in the order in which they were added; some may be gone. A damaged list is an empty one."""
    try:
        files = json.loads(read_text(paths.data / _NAME))
    except (ValueError, RecursionError):
        return ()
    return tuple(Path(file) for file in files if isinstance(file, str)) if isinstance(files, list) else ()


def remember_added(paths: Paths, files: Iterable[Path]) -> None:
    """Put files at the end of the list. Raises EngineError: FOLDER_UNWRITABLE, DISK_FULL."""
    _change(paths, lambda before: tuple(dict.fromkeys((*before, *files))))


def forget_added(paths: Paths, files: Iterable[Path]) -> None:
    """Take files off the list. Raises EngineError: FOLDER_UNWRITABLE, DISK_FULL."""
    gone = set(files)
    if not gone.isdisjoint(read_added(paths)):
        _change(paths, lambda before: tuple(file for file in before if file not in gone))


def _change(paths: Paths, change: Callable[[tuple[Path, ...]], tuple[Path, ...]]) -> None:
    """Replace the list, all or nothing, by what `change` makes of it; one program after the other."""
    target = make_folder(paths.data) / _NAME
    with _alone(target):
        after = change(read_added(paths))
        try:
            # Names that are not UTF-8 have lone surrogates, which only ASCII can hold.
            write_small_file(target, json.dumps([str(file) for file in after], indent=2, ensure_ascii=True))
        except OSError as error:
            raise storage_error(target, error) from error


@contextmanager
def _alone(target: Path) -> Iterator[None]:
    """While no other program changes the list. The lock has a file of its own, since the list's is replaced."""
    try:
        descriptor = os.open(target.with_name(f"{_NAME}.lock"), os.O_RDWR | os.O_CREAT, 0o666)
    except OSError as error:
        raise storage_error(target, error) from error
    try:
        give_up = time.monotonic() + _PATIENCE_S
        while not lock(descriptor):
            if time.monotonic() > give_up:
                reason = translate("models", "another program is changing it and does not end")
                raise EngineError(ErrorKind.FOLDER_UNWRITABLE, path=str(target), reason=reason)
            time.sleep(_PAUSE_S)
        yield
    finally:
        os.close(descriptor)
