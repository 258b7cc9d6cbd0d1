"""GGUF files dropped anywhere into the window."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QEvent, QObject, Signal
from PySide6.QtGui import QDropEvent
from PySide6.QtWidgets import QWidget


class DropFiles(QObject):
    """Takes the drops of a window before its text fields would insert the path.

    Signals:
        dropped(object): a list of paths, the largest file first.
    """

    dropped = Signal(object)

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
        files = gguf_files(event)
        if not files:
            return False
        event.acceptProposedAction()
        if event.type() is QEvent.Type.Drop:
            self.dropped.emit(sorted(files, key=lambda file: file.stat().st_size, reverse=True))
        return True


def gguf_files(event: QDropEvent) -> list[Path]:
    """The local GGUF files among what is dragged."""
    paths = [Path(url.toLocalFile()) for url in event.mimeData().urls() if url.isLocalFile()]
    return [path for path in paths if path.suffix.lower() == ".gguf" and path.is_file()]
