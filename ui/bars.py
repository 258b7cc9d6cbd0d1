"""Painted bars: a stacked one, and one per draft position."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPainterPath, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from ui.theme import Theme, theme, theme_notifier

Segments = tuple[tuple[str, float], ...]  # colour as #rrggbb, share of the whole in 0 … 1


class SegmentBar(QWidget):
    """Shares side by side in one rounded bar."""

    def __init__(self) -> None:
        super().__init__()
        self.setMinimumHeight(12)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self._segments: Segments = ()
        theme_notifier().changed.connect(self.update)

    def show_segments(self, segments: Segments) -> None:
        if segments != self._segments:
            self._segments = segments
            self.update()

    def sizeHint(self) -> QSize:
        return QSize(160, 12)

    def paintEvent(self, _: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        paint_segments(painter, QRectF(self.rect()), self._segments, theme())


def paint_segments(painter: QPainter, area: QRectF, segments: Segments, t: Theme) -> None:
    """A rounded bar of parts side by side. What is beyond the whole is not seen."""
    rounded = QPainterPath()
    rounded.addRoundedRect(area, area.height() / 2, area.height() / 2)
    painter.save()
    painter.setClipPath(rounded)
    painter.fillRect(area, QColor(t.track))
    left = area.left()
    for colour, share in segments:
        width = max(0.0, share) * area.width()
        painter.fillRect(QRectF(left, area.top(), width, area.height()), QColor(colour))
        left += width
    painter.restore()


class PositionBars(QWidget):
    """One row per draft position: its number, a bar, a percentage. Rows keep their height, the widget grows."""

    ROW = 23

    def __init__(self) -> None:
        super().__init__()
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self._shares: tuple[float, ...] = ()
        theme_notifier().changed.connect(self.update)

    @property
    def shares(self) -> tuple[float, ...]:
        return self._shares

    def show_shares(self, shares: tuple[float, ...]) -> None:
        """Kept tokens by position, each in 0 … 1."""
        if shares == self._shares:
            return
        grown = len(shares) != len(self._shares)
        self._shares = shares
        self.setAccessibleDescription(", ".join(f"{n}: {share:.0%}" for n, share in enumerate(shares, 1)))
        if grown:
            self.updateGeometry()
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(200, self.ROW * len(self._shares))

    def paintEvent(self, _: QPaintEvent) -> None:
        t = theme()
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        for place, share in enumerate(self._shares):
            row = QRectF(0, place * self.ROW, self.width(), self.ROW)
            left = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft
            right = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight
            painter.setPen(QColor(t.muted))
            painter.drawText(row, left, str(place + 1))
            painter.setPen(QColor(t.text))
            painter.drawText(row, right, f"{share:.0%}".replace("%", " %"))
            bar = QRectF(22, row.center().y() - 4, max(20.0, self.width() - 22 - 46), 8)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor(t.track))
            painter.drawRoundedRect(bar, 4, 4)
            bar.setWidth(bar.width() * share)
            painter.setBrush(QColor(t.good))
            painter.drawRoundedRect(bar, min(4.0, bar.width() / 2), 4)
