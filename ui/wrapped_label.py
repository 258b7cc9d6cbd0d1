"""Text over several lines that may hold names and paths, whose words can be longer than any line."""

from __future__ import annotations

import re

from PySide6.QtCore import Qt
from PySide6.QtGui import QContextMenuEvent, QGuiApplication, QKeyEvent, QKeySequence
from PySide6.QtWidgets import QLabel, QMenu

from app.translate import translate

BREAK = "\u200b"  # no width, and a line may end there
_LONG_WORD = re.compile(r"[^\s\u2e80-\uffef]{25,}")  # Chinese breaks anywhere by itself
_PIECE = re.compile(r"[^/\\_.-]{0,15}[/\\_.-]|.{1,16}")


def breakable(text: str) -> str:
    """`text` with places to break its long words, after what divides names first of all."""
    return _LONG_WORD.sub(lambda word: BREAK.join(_PIECE.findall(word[0])), text)


class WrappedLabel(QLabel):
    """Shown as it is, never as markup, and as narrow as it has to be. Who reads or copies its text gets it as it was
    set."""

    def __init__(self, text: str = "") -> None:
        super().__init__()
        self._text = ""
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setWordWrap(True)
        self.setText(text)

    def text(self) -> str:
        return self._text

    def setText(self, text: str) -> None:
        self._text = text
        super().setText(breakable(text))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.matches(QKeySequence.StandardKey.Copy) and self.hasSelectedText():
            self._copy()
        else:
            super().keyPressEvent(event)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """Qt's own menu would copy the places to break, too."""
        if not self.hasSelectedText():
            event.ignore()
            return
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.addAction(translate("transcript", "Copy"), self._copy)
        menu.popup(event.globalPos())

    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(self.selectedText().replace(BREAK, ""))
