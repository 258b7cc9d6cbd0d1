"""A line of text that comes from elsewhere: a name, a path, a device."""

from __future__ import annotations

from html import escape

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QLabel, QSizePolicy

NARROWEST = 60  # pixels


class ElidedLabel(QLabel):
    """Shown as it is, never as markup. Where it does not fit its middle gives way, and the tool tip has all of it."""

    def __init__(self) -> None:
        super().__init__()
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Preferred)

    @property
    def shown(self) -> str:
        """What is painted now."""
        room = self.contentsRect().width()
        return self.fontMetrics().elidedText(self.text(), Qt.TextElideMode.ElideMiddle, room)

    def setText(self, text: str) -> None:
        if text != self.text():
            super().setText(text)
            self._tell_all()

    def minimumSizeHint(self) -> QSize:
        natural = self.sizeHint()
        return QSize(min(NARROWEST, natural.width()), natural.height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._tell_all()

    def paintEvent(self, event: QPaintEvent) -> None:
        with QPainter(self) as painter:
            colours, role = self.palette(), self.foregroundRole()
            area, edge = self.contentsRect(), self.alignment().value
            self.style().drawItemText(painter, area, edge, colours, self.isEnabled(), self.shown, role)

    def _tell_all(self) -> None:
        self.setToolTip("" if self.shown == self.text() else plain_tip(self.text()))


def plain_tip(text: str) -> str:
    """A tool tip that shows `text` as it is; Qt would take what looks like markup for markup."""
    lines = "<br>".join(map(escape, text.split("\n")))
    return f"<span>{lines}</span>" if text else ""
