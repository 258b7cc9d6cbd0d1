"""A download as it is shown."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from pathlib import Path

from app.model_values import RemoteModel
from engine.errors import ErrorReport


class DownloadState(Enum):
    """What a download is at."""

    WAITING = "waiting"  # for its turn
    RUNNING = "running"
    VERIFYING = "verifying"  # reads what is on the disk already
    PAUSED = "paused"  # by the user
    FAILED = "failed"  # `error` says why; what came is kept
    DONE = "done"
    CANCELLED = "cancelled"  # nothing is kept


ENDED = (DownloadState.DONE, DownloadState.FAILED, DownloadState.CANCELLED)


@dataclass(frozen=True, slots=True)
class Download:
    """One model on its way from a hub to the disk.

    Attributes:
        done_bytes: of all parts together, those on the disk that are known to be right so far.
        total_bytes: None while nobody has said it.
        speed: bytes per second over the last seconds, None where nothing is moving.
        source: the host that the bytes come from, "" before the first.
        path: the first part's, when DONE.
    """

    id: str
    title: str
    model: RemoteModel
    state: DownloadState = DownloadState.WAITING
    done_bytes: int = 0
    total_bytes: int | None = None
    speed: float | None = None
    seconds_left: float | None = None
    source: str = ""
    error: ErrorReport | None = None
    path: Path | None = None
