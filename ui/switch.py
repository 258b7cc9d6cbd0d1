"""A painted on/off switch."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QAbstractButton, QSizePolicy, QWidget

from ui.theme import theme, theme_notifier

RING = 3  # room around the track for the ring of the focus


class Switch(QAbstractButton):
    """Checkable; Space toggles it. Screen readers see a checkable button."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setCheckable(True)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        theme_notifier().changed.connect(self.update)

    def sizeHint(self) -> QSize:
        return QSize(44, 28)

    def paintEvent(self, _: QPaintEvent) -> None:
        t = theme()
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        track = QRectF(self.rect()).adjusted(RING, RING, -RING, -RING)
        if self.hasFocus():
            ring = QRectF(self.rect()).adjusted(1, 1, -1, -1)
            painter.setPen(QPen(QColor(t.accent), 2))
            painter.drawRoundedRect(ring, ring.height() / 2, ring.height() / 2)
        on = self.isChecked() and self.isEnabled()
        painter.setPen(QPen(QColor(t.good if on else t.muted), 1))
        painter.setBrush(QColor(t.good if on else t.border))
        painter.drawRoundedRect(track, track.height() / 2, track.height() / 2)
        knob = QRectF(track).adjusted(3, 3, -3, -3)
        knob.setWidth(knob.height())
        if self.isChecked():
            knob.moveRight(track.right() - 3)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor("#ffffff" if self.isEnabled() else t.muted))
        painter.drawEllipse(knob)
