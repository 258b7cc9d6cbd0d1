"""Where the program keeps its things: the platform's folders, or all of them below one base folder."""

from __future__ import annotations

import errno
import os
import shutil
from pathlib import Path

import platformdirs

from engine.errors import EngineError, ErrorKind

BASE_DIR_VARIABLE = "DRAFTLIGHT_BASE_DIR"


class Paths:
    """The program's folders. Naming one does not make it; `make_folder` does, when it is first needed.

    Attributes:
        data: what the user would miss. models: model files, inside data. logs: engine logs.
        state: window geometry and the like, always deletable.
    """

    def __init__(self, base: Path | None = None) -> None:
        """`base` moves all folders; None looks at DRAFTLIGHT_BASE_DIR, then at the platform's habits."""
        variable = os.environ.get(BASE_DIR_VARIABLE)
        if base is None and variable:
            base = Path(variable)
        if base is not None:
            base = base.expanduser().absolute()
            self.data, self.logs, self.state = base / "data", base / "logs", base / "state"
        else:
            folders = platformdirs.PlatformDirs("Draftlight", appauthor=False)
            self.data, self.logs = folders.user_data_path, folders.user_log_path
            self.state = folders.user_state_path
        self.models = self.data / "models"


def make_folder(folder: Path) -> Path:
    """`folder`, made with its parents if need be. Raises EngineError where that is impossible."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise storage_error(folder, error) from error
    return folder


def free_bytes(folder: Path) -> int:
    """Free on the disk that holds `folder`, which need not exist yet. Raises OSError where that cannot be told."""
    place = next((place for place in (folder, *folder.parents) if place.exists()), folder)
    return shutil.disk_usage(place).free


def storage_error(path: Path, error: OSError) -> EngineError:
    """Why something of the program's own could not be written."""
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return EngineError(ErrorKind.DISK_FULL, path=str(path))
    return EngineError(ErrorKind.FOLDER_UNWRITABLE, path=str(path), reason=error.strerror or str(error))
