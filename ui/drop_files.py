"""GGUF files dropped anywhere into the window."""

from __future__ import annotations

import contextlib
from pathlib import Path

from PySide6.QtCore import QEvent, QObject, Signal
from PySide6.QtGui import QDropEvent
from PySide6.QtWidgets import QWidget


class DropFiles(QObject):
    """Takes every file dropped into a window before its text fields would insert the path.

    Signals:
        dropped(object): a list of paths of GGUF files, the largest first.
        refused(): none of the files is one.
    """

    dropped = Signal(object)
    refused = Signal()

    def __init__(self, window: QWidget) -> None:
        """Call when the window is built: it also watches the children that take drops themselves."""
        super().__init__(window)
        window.setAcceptDrops(True)
        for widget in (window, *window.findChildren(QWidget)):
            if widget.acceptDrops():
                widget.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() not in (QEvent.Type.DragEnter, QEvent.Type.DragMove, QEvent.Type.Drop):
            return False
        assert isinstance(event, QDropEvent)
        files = [Path(url.toLocalFile()) for url in event.mimeData().urls() if url.isLocalFile()]
        if not files:
            return False
        event.acceptProposedAction()
        if event.type() is QEvent.Type.Drop:
            found = largest_first(files)
            if found:
                self.dropped.emit(found)
            else:
                self.refused.emit()
        return True


def largest_first(files: list[Path]) -> list[Path]:
    """The GGUF files among them that are there and can be looked at."""
    sized: list[tuple[int, Path]] = []
    for file in files:
        with contextlib.suppress(OSError):  # it may vanish at any time
            if file.suffix.lower() == ".gguf" and file.is_file():
                sized.append((file.stat().st_size, file))
    return [file for _, file in sorted(sized, key=lambda pair: pair[0], reverse=True)]
