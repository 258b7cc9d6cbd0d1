"""Where the tokens of a piece stand, and how their source is painted behind the text."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen, QPixmap, QTextLine

from engine.types import TokenEvent
from ui.pieces import Piece
from ui.provenance import Mark, mark_of
from ui.source_lines import LineKind
from ui.theme import Theme

RADIUS = 3
AIR = 1.5  # pixels that a tint reaches into the white space beside it
WAVE_LENGTH, WAVE_HEIGHT = 4, 3  # pixels
DOT, DOT_STEP = 2, 4  # pixels


@dataclass(frozen=True, slots=True)
class Box:
    """One token on one visual line, in the coordinates of the layout.

    Attributes:
        token: its index in the reply.
        area: all of it, for the mouse.
        tint: without white space; None where nothing else is there, and on fences.
    """

    token: int
    area: QRectF
    tint: QRectF | None


@dataclass(slots=True)
class Marks:
    """The tokens of a piece, and what is painted behind them."""

    boxes: list[Box] = field(default_factory=list)
    tints: dict[Mark, list[QRectF]] = field(default_factory=dict)


def marks_of(piece: Piece, starts: Sequence[int], tokens: Sequence[TokenEvent]) -> Marks:
    """Work out the marks of a piece that is laid out; `starts` are the tokens' UTF-16 offsets."""
    marks = Marks()
    ruler = _Ruler(piece)
    end = piece.end
    token = max(0, bisect_right(starts, piece.start) - 1)
    while token < len(starts) and starts[token] < end:
        first = max(starts[token], piece.start) - piece.start
        last = (min(starts[token + 1], end) if token + 1 < len(starts) else end) - piece.start
        for area, tint in ruler.measure(first, last):
            marks.boxes.append(Box(token, area, tint))
            if tint is not None:
                marks.tints.setdefault(mark_of(tokens[token]), []).append(tint)
        token += 1
    return marks


def paint_marks(painter: QPainter, marks: Marks, theme: Theme, clip: QRectF) -> None:
    """Tints and lines, in the coordinates of the layout."""
    for mark, every in marks.tints.items():
        colour = theme.tint(mark)
        if colour is None:
            continue
        tints = [tint for tint in every if tint.intersects(clip)]
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(colour)
        for tint in tints:
            painter.drawRoundedRect(tint, RADIUS, RADIUS)
        line = theme.line(mark)
        if line is not None:
            for tint in tints:
                _paint_line(painter, tint, mark, line)


def _paint_line(painter: QPainter, tint: QRectF, mark: Mark, colour: QColor) -> None:
    """The line at the lower edge: solid for bonus tokens, dots for lookup, a wave for resampled ones."""
    if mark is Mark.BONUS:
        painter.fillRect(QRectF(tint.left() + 1, tint.bottom() - 1, tint.width() - 2, 2), colour)
        return
    if mark is Mark.LOOKUP:
        # Whole pixels, so that the dots are all alike.
        for x in range(round(tint.left()) + 1, round(tint.right()) - DOT + 1, DOT_STEP):
            painter.fillRect(x, round(tint.bottom()) - 1, DOT, DOT, colour)
        return
    wave = _wave(colour.name(), painter.device().devicePixelRatioF())
    # Whole pixels, so that the wave is as sharp everywhere.
    y = round(tint.bottom()) - 1
    painter.drawTiledPixmap(QRectF(round(tint.left()), y, round(tint.width()), WAVE_HEIGHT), wave, QPointF())


@cache
def _wave(colour: str, ratio: float) -> QPixmap:
    """One period. A tile costs a hundredth of a stroked path."""
    tile = QPixmap(round(WAVE_LENGTH * ratio), round(WAVE_HEIGHT * ratio))
    tile.setDevicePixelRatio(ratio)
    tile.fill(Qt.GlobalColor.transparent)
    low, high, half = WAVE_HEIGHT - 0.6, 0.6, WAVE_LENGTH / 2
    with QPainter(tile) as painter:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(QColor(colour), 1.1))
        points = [QPointF(-half, high), QPointF(0, low), QPointF(half, high), QPointF(2 * half, low)]
        painter.drawPolyline([*points, QPointF(3 * half, high)])
    return tile


class _Ruler:
    """Turns offsets in a layout into rectangles. Offsets come in order."""

    def __init__(self, piece: Piece) -> None:
        assert piece.layout is not None
        self._layout = piece.layout
        self._text = piece.text
        self._tinted = piece.kind in (LineKind.PROSE, LineKind.CODE)  # fences step back
        self._narrow = piece.text.isascii()  # every offset is a character's edge
        self._units = b"" if self._narrow else piece.text.encode("utf-16-le", "surrogatepass")
        self._row = -1
        self._next_row()

    def measure(self, first: int, last: int) -> Iterator[tuple[QRectF, QRectF | None]]:
        """(area, tint) on each visual line between two UTF-16 offsets."""
        while first < last:
            while first >= self._line_end and self._row + 1 < self._layout.lineCount():
                self._next_row()
            upto = min(last, self._line_end) if self._row + 1 < self._layout.lineCount() else last
            yield self._box(first, upto)
            first = upto

    def _next_row(self) -> None:
        self._row += 1
        self._line: QTextLine = self._layout.lineAt(self._row)
        self._line_start = self._line.textStart()
        self._line_end = self._line_start + self._line.textLength()
        self._y, self._height = self._line.y(), self._line.height()

    def _box(self, first: int, last: int) -> tuple[QRectF, QRectF | None]:
        text = self._between(first, last)
        left, right = self._x(first), self._x(last)
        area = QRectF(min(left, right), self._y, abs(right - left), self._height)
        if not text or text.isspace() or not self._tinted:
            return area, None
        lead = len(text) - len(text.lstrip())  # white space is one unit each
        trail = len(text) - len(text.rstrip())
        if left > right:  # right to left: all of it
            return area, area
        if lead:
            left = self._x(first + lead)
        if trail:
            right = self._x(last - trail)
        if lead or first == self._line_start or self._between(first - 1, first).isspace():
            left -= AIR
        after = self._between(last, last + 1)
        if trail or not after or after.isspace():
            right += AIR
        return area, QRectF(left, self._y - 0.5, right - left, self._height + 1)

    def _between(self, first: int, last: int) -> str:
        if self._narrow:
            return self._text[first:last]
        return self._units[2 * first : 2 * last].decode("utf-16-le", "replace")

    def _x(self, offset: int) -> float:
        """x of an offset; inside a cluster, as in an emoji of several parts, a share of its width."""
        if self._narrow or self._layout.isValidCursorPosition(offset):
            return self._line.cursorToX(offset)[0]
        before = self._layout.previousCursorPosition(offset)
        after = self._layout.nextCursorPosition(offset)
        left, right = self._line.cursorToX(before)[0], self._line.cursorToX(after)[0]
        return left + (right - left) * (offset - before) / max(1, after - before)
