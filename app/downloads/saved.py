"""The queue on the disk, so that it goes on after a restart or a crash."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

from app.downloads.state import Download, DownloadState
from app.model_values import RemoteModel, RemotePart
from app.paths import make_folder, storage_error
from app.small_file import read_small_file, write_small_file
from engine.errors import ErrorKind, ErrorReport

_ENDED = (DownloadState.DONE, DownloadState.CANCELLED)
_KEPT = (DownloadState.PAUSED, DownloadState.FAILED)


def read_downloads(file: Path) -> list[Download]:
    """In their order: those that were paused or failed as they were, those under way as waiting. Damaged entries are
    left out; what came of them is found again when they are added again."""
    try:
        entries = json.loads(read_small_file(file))
    except (OSError, ValueError, RecursionError):
        return []
    downloads = []
    for entry in entries if isinstance(entries, list) else []:
        try:
            downloads.append(_download(entry))
        except (ValueError, TypeError, KeyError, AttributeError):
            continue
    return downloads


def write_downloads(file: Path, downloads: Iterable[Download]) -> None:
    """Whole or not at all. What is done or cancelled is left out. Raises EngineError: FOLDER_UNWRITABLE, DISK_FULL."""
    entries = [_entry(download) for download in downloads if download.state not in _ENDED]
    make_folder(file.parent)
    try:
        write_small_file(file, json.dumps(entries, indent=1))
    except OSError as error:
        raise storage_error(file, error) from error


def _entry(download: Download) -> dict[str, object]:
    model, error = download.model, download.error
    return {
        "id": download.id,
        "title": download.title,
        "repo": model.repo,
        "revision": model.revision,
        "parts": [[part.path, part.size_bytes, part.sha256] for part in model.parts],
        "state": (download.state if download.state in _KEPT else DownloadState.WAITING).value,
        "error": error and {"kind": error.kind.value, "facts": dict(error.facts), "detail": error.detail},
    }


def _download(entry: dict[str, object]) -> Download:
    """Raises where the entry is none."""
    parts = entry["parts"]
    texts = [entry[name] for name in ("id", "title", "repo", "revision")]
    if not all(isinstance(text, str) for text in texts) or not isinstance(parts, list) or not parts:
        raise ValueError(entry)
    model = RemoteModel(str(entry["repo"]), str(entry["revision"]), tuple(_part(part) for part in parts))
    error = entry["error"]
    return Download(
        str(entry["id"]),
        str(entry["title"]),
        model,
        DownloadState(entry["state"]),
        total_bytes=model.size_bytes,
        error=_report(error) if isinstance(error, dict) else None,
    )


def _part(values: list[object]) -> RemotePart:
    path, size, sha256 = values
    if not isinstance(path, str) or not isinstance(size, int | None) or not isinstance(sha256, str | None):
        raise ValueError(values)
    return RemotePart(path, size, sha256)


def _report(values: dict[str, object]) -> ErrorReport:
    facts = values["facts"]
    if not isinstance(facts, dict):
        raise ValueError(values)
    return ErrorReport(ErrorKind(values["kind"]), tuple(facts.items()), str(values["detail"]))
