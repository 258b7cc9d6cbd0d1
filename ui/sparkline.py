"""A small painted line of tokens per second over a reply."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QPointF, QSize
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPen, QPolygonF
from PySide6.QtWidgets import QSizePolicy, QWidget

from ui.theme import theme, theme_notifier


class Sparkline(QWidget):
    """Points from left to right, scaled to their own range, 0 at the bottom where the range is narrow."""

    def __init__(self) -> None:
        super().__init__()
        self.setFixedHeight(44)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self._points: tuple[float, ...] = ()
        theme_notifier().changed.connect(self.update)

    @property
    def points(self) -> tuple[float, ...]:
        return self._points

    def show_points(self, points: Sequence[float]) -> None:
        if tuple(points) != self._points:
            self._points = tuple(points)
            self.update()

    def sizeHint(self) -> QSize:
        return QSize(240, 44)

    def paintEvent(self, _: QPaintEvent) -> None:
        if len(self._points) < 2:
            return
        highest = max(self._points)
        lowest = min(*self._points, highest * 0.6)
        scale = (self.height() - 6) / max(highest - lowest, 1e-9)
        step = self.width() / (len(self._points) - 1)
        line = QPolygonF(
            [QPointF(n * step, self.height() - 3 - (value - lowest) * scale) for n, value in enumerate(self._points)]
        )
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(QColor(theme().good), 1.8))
        painter.drawPolyline(line)
