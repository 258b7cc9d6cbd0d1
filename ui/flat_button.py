"""A button without a frame, for the small things beside a text."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFontMetrics, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QAbstractButton, QSizePolicy, QWidget

from ui.fonts import text_font
from ui.theme import theme


class FlatButton(QAbstractButton):
    """Muted text; a background under the mouse and where it is checked; a ring with the focus."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setFont(text_font(12))
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)

    def sizeHint(self) -> QSize:
        metrics = QFontMetrics(text_font(12))
        return QSize(metrics.horizontalAdvance(self.text()) + 16, metrics.height() + 8)

    def paintEvent(self, event: QPaintEvent) -> None:
        t = theme()
        with QPainter(self) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setFont(text_font(12))
            if self.isChecked() or (self.isEnabled() and (self.underMouse() or self.isDown())):
                painter.setBrush(QColor(t.border if self.isDown() else t.raised))
                painter.setPen(QPen(QColor(t.border)) if self.isChecked() else Qt.PenStyle.NoPen)
                painter.drawRoundedRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5), 6, 6)
            if self.hasFocus():
                painter.setBrush(Qt.BrushStyle.NoBrush)
                painter.setPen(QPen(QColor(t.accent), 1))
                painter.drawRoundedRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5), 6, 6)
            strong = self.isChecked() or (self.underMouse() and self.isEnabled())
            painter.setPen(QColor(t.text if strong else t.muted))
            painter.drawText(self.rect(), Qt.AlignmentFlag.AlignCenter, self.text())
