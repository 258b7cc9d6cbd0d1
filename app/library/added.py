"""The single files that the user added: a list of paths in the data folder."""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Iterable
from pathlib import Path

from app.paths import Paths, make_folder, storage_error

_NAME = "added.json"


def read_added(paths: Paths) -> tuple[Path, ...]:
    """The files, in the order in which they were added; some may be gone. A damaged list is an empty one."""
    try:
        files = json.loads((paths.data / _NAME).read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return ()
    return tuple(Path(file) for file in files if isinstance(file, str)) if isinstance(files, list) else ()


def write_added(paths: Paths, files: Iterable[Path]) -> None:
    """Remember the files, all or none of them. Raises EngineError: FOLDER_UNWRITABLE, DISK_FULL."""
    target = make_folder(paths.data) / _NAME
    fresh = target.with_name(f"{_NAME}.{os.getpid()}.new")
    try:
        # Names that are not UTF-8 have lone surrogates, which only ASCII can hold.
        fresh.write_text(json.dumps([str(file) for file in files], indent=2, ensure_ascii=True), encoding="ascii")
        os.replace(fresh, target)
    except OSError as error:
        with contextlib.suppress(OSError):
            fresh.unlink(missing_ok=True)
        raise storage_error(target, error) from error
