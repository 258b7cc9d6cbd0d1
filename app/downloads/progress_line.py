"""Downloads as one line of a terminal: a bar, how much, how fast, how long."""

from __future__ import annotations

from collections.abc import Iterable

from app.amounts import size
from app.downloads.state import Download, DownloadState

_BAR = 24
_MOVING = (DownloadState.WAITING, DownloadState.RUNNING, DownloadState.VERIFYING)


def progress_line(downloads: Iterable[Download], columns: int) -> str:
    """All of them together, in less than `columns` characters."""
    shown = list(downloads)
    done = sum(download.done_bytes for download in shown)
    totals = [download.total_bytes or 0 for download in shown]
    speed = sum(download.speed or 0.0 for download in shown)
    words = [size(done)]
    if totals and all(totals):
        total = sum(totals)
        filled = _BAR * done // total
        words = ["[" + "#" * filled + "." * (_BAR - filled) + "]", f"{100 * done // total} % of {size(total)}"]
        left = sum(download.total_bytes or 0 for download in shown if download.state in _MOVING)
        left -= sum(download.done_bytes for download in shown if download.state in _MOVING)
        if speed:
            words += [f"{size(speed)}/s", f"{duration(left / speed)} left"]
    elif speed:
        words.append(f"{size(speed)}/s")
    if any(download.state is DownloadState.VERIFYING for download in shown):
        words.append("reading what is here")
    return "  ".join(words)[: max(0, columns - 1)]


def duration(seconds: float) -> str:
    """ "45 s", "3 min", "2 h 05 min": as exact as a guess deserves."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 90 else f"{minutes // 60} h {minutes % 60:02d} min"
