"""The window's few icons, painted so that they need no font and follow the theme."""

from __future__ import annotations

import math

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QIcon, QPainter, QPainterPath, QPen, QPixmap

SIZE = 20


def icon(name: str, colour: str) -> QIcon:
    """`name` is a key of the table at the end."""
    pixels = QPixmap(SIZE * 3, SIZE * 3)
    pixels.setDevicePixelRatio(3)
    pixels.fill(Qt.GlobalColor.transparent)
    painter = QPainter(pixels)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(QPen(QColor(colour), 1.6, Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap))
    painter.drawPath(_PATHS[name]())
    painter.end()
    return QIcon(pixels)


def _chat() -> QPainterPath:
    path = QPainterPath()
    path.addRoundedRect(QRectF(2.5, 3.5, 15, 10.5), 3, 3)
    path.moveTo(6, 14)
    path.lineTo(6, 17.2)
    path.lineTo(9.6, 14)
    _line(path, 6, 7.3, 14, 7.3)
    _line(path, 6, 10.3, 11.5, 10.3)
    return path


def _compare() -> QPainterPath:
    path = QPainterPath()
    _line(path, 3, 7, 17, 7)
    path.moveTo(13.2, 3.4)
    path.lineTo(17, 7)
    path.lineTo(13.2, 10.6)
    _line(path, 17, 13, 3, 13)
    path.moveTo(6.8, 9.4)
    path.lineTo(3, 13)
    path.lineTo(6.8, 16.6)
    return path


def _settings() -> QPainterPath:
    path = QPainterPath()
    path.addEllipse(QPointF(10, 10), 2.6, 2.6)
    path.addEllipse(QPointF(10, 10), 5.6, 5.6)
    for step in range(8):
        x, y = math.cos(step * math.pi / 4), math.sin(step * math.pi / 4)
        _line(path, 10 + 5.6 * x, 10 + 5.6 * y, 10 + 7.8 * x, 10 + 7.8 * y)
    return path


def _panel() -> QPainterPath:
    path = QPainterPath()
    path.addRoundedRect(QRectF(2.5, 3.5, 15, 13), 2.5, 2.5)
    _line(path, 12.5, 3.5, 12.5, 16.5)
    return path


def _new() -> QPainterPath:
    path = QPainterPath()
    _line(path, 10, 4, 10, 16)
    _line(path, 4, 10, 16, 10)
    return path


def _sliders() -> QPainterPath:
    path = QPainterPath()
    for y, x in ((5.5, 12), (10, 7), (14.5, 13)):
        _line(path, 3, y, x - 2, y)
        path.addEllipse(QPointF(x, y), 1.8, 1.8)
        _line(path, x + 2, y, 17, y)
    return path


def _more() -> QPainterPath:
    path = QPainterPath()
    for x in (4.5, 10, 15.5):
        path.addEllipse(QPointF(x, 10), 0.7, 0.7)
    return path


def _models() -> QPainterPath:
    path = QPainterPath()
    path.addRoundedRect(QRectF(3, 3, 14, 14), 2.5, 2.5)
    for y in (7.7, 12.3):
        _line(path, 3, y, 17, y)
    return path


def _pause() -> QPainterPath:
    path = QPainterPath()
    _line(path, 7, 5, 7, 15)
    _line(path, 13, 5, 13, 15)
    return path


def _play() -> QPainterPath:
    path = QPainterPath()
    path.moveTo(7, 5)
    path.lineTo(14.5, 10)
    path.lineTo(7, 15)
    path.closeSubpath()
    return path


def _cross() -> QPainterPath:
    path = QPainterPath()
    _line(path, 6, 6, 14, 14)
    _line(path, 14, 6, 6, 14)
    return path


def _up() -> QPainterPath:
    return _arrow(-1)


def _down() -> QPainterPath:
    return _arrow(1)


def _arrow(way: int) -> QPainterPath:
    path = QPainterPath()
    _line(path, 10, 10 - 5 * way, 10, 10 + 5 * way)
    path.moveTo(6, 10 + way)
    path.lineTo(10, 10 + 5 * way)
    path.lineTo(14, 10 + way)
    return path


def _line(path: QPainterPath, x1: float, y1: float, x2: float, y2: float) -> None:
    path.moveTo(x1, y1)
    path.lineTo(x2, y2)


_PATHS = {
    "chat": _chat,
    "compare": _compare,
    "models": _models,
    "settings": _settings,
    "panel": _panel,
    "new": _new,
    "sliders": _sliders,
    "more": _more,
    "pause": _pause,
    "play": _play,
    "cross": _cross,
    "up": _up,
    "down": _down,
}
