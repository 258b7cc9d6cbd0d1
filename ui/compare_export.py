"""Saves what a comparison came to: as a picture, as figures, or as a table for an issue or a note."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

from PySide6.QtCore import QBuffer, QDir, QIODevice, QObject, Qt, Signal
from PySide6.QtGui import QImage, QImageWriter
from PySide6.QtWidgets import QFileDialog, QWidget

from app.compare.document import document_text
from app.compare.markdown import markdown_text
from app.compare.measured import Measured
from app.translate import translate
from ui.compare_board import CompareBoard
from ui.compare_control import CompareControl
from ui.compare_store import CompareStore

NAME = "draftlight-compare"


class Exporter(QObject):
    """Main thread; the file is written in the store's thread.

    Signals:
        saving(): a file is about to be written.
        saved(str): the file's name.
    """

    saving = Signal()
    saved = Signal(str)

    def __init__(self, parent: QWidget, control: CompareControl, store: CompareStore, board: CompareBoard) -> None:
        super().__init__(parent)
        self._parent, self._control, self._store, self._board = parent, control, store, board

    @property
    def ready(self) -> bool:
        """Whether there is something to save."""
        return self._control.measured is not None and not self._control.running

    def ask(self, kind: str) -> None:
        """Ask where to; `kind` is "png", "json" or "md"."""
        filters = {
            "png": translate("compare", "Picture (*.png)"),
            "json": translate("compare", "JSON (*.json)"),
            "md": translate("compare", "Markdown (*.md)"),
        }
        title = translate("compare", "Export the comparison")
        dialog = QFileDialog(self._parent, title, QDir.homePath(), filters[kind])
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        dialog.setDefaultSuffix(kind)
        dialog.selectFile(f"{NAME}.{kind}")
        dialog.fileSelected.connect(lambda file: self.save(kind, Path(file)))
        dialog.open()

    def save(self, kind: str, file: Path) -> None:
        """Write it; `saved` follows, or the store tells the problem."""
        measured = self._control.measured
        if self.ready and measured is not None:
            self.saving.emit()
            self._store.write(file, self._content(kind, measured), lambda: self.saved.emit(file.name))

    def _content(self, kind: str, measured: Measured) -> Callable[[], bytes]:
        """What goes into the file, to be called in the thread that writes it."""
        match kind:
            case "json":
                return lambda: document_text(measured).encode()
            case "md":
                return lambda: markdown_text(measured).encode()
            case _:
                return partial(_png, self._board.picture().toImage())


def _png(image: QImage) -> bytes:
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    QImageWriter(buffer, b"PNG").write(image)
    return bytes(buffer.data().data())
