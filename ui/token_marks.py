"""Where the tokens of a piece stand, and how their source is painted behind the text."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPainterPath, QPen, QTextLayout, QTextLine

from engine.types import Source, TokenEvent
from ui.pieces import Piece
from ui.theme import Theme

RADIUS = 3
AIR = 1.5  # pixels that a tint reaches into the white space beside it
WAVE = 2.0  # half a period in pixels


@dataclass(frozen=True, slots=True)
class Box:
    """One token on one visual line, in the coordinates of the layout.

    Attributes:
        token: its index in the reply.
        area: all of it, for the mouse.
        tint: without white space, None where nothing else is there.
    """

    token: int
    area: QRectF
    tint: QRectF | None


@dataclass(slots=True)
class Marks:
    """What is painted behind a piece."""

    boxes: list[Box] = field(default_factory=list)
    tints: dict[Source, list[QRectF]] = field(default_factory=dict)
    waves: QPainterPath = field(default_factory=QPainterPath)
    bars: list[QRectF] = field(default_factory=list)


def marks_of(piece: Piece, starts: Sequence[int], tokens: Sequence[TokenEvent]) -> Marks:
    """Work out the marks of a piece that is laid out; `starts` are the tokens' UTF-16 offsets."""
    assert piece.layout is not None
    marks = Marks()
    layout, end = piece.layout, piece.end
    edges = _Edges(layout, piece.text)
    token = max(0, bisect_right(starts, piece.start) - 1)
    while token < len(starts) and starts[token] < end:
        first = max(starts[token], piece.start)
        last = min(starts[token + 1], end) if token + 1 < len(starts) else end
        if first < last:
            for area, tint in edges.boxes(first - piece.start, last - piece.start):
                marks.boxes.append(Box(token, area, tint))
                if tint is not None:
                    add_mark(marks, tint, tokens[token].source)
        token += 1
    return marks


def paint_marks(painter: QPainter, marks: Marks, theme: Theme) -> None:
    """Tints and lines, in the coordinates of the layout."""
    painter.setPen(Qt.PenStyle.NoPen)
    for source, tints in marks.tints.items():
        colour = theme.tint(source)
        if colour is None:
            continue
        painter.setBrush(colour)
        for tint in tints:
            painter.drawRoundedRect(tint, RADIUS, RADIUS)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    if bar := theme.line(Source.BONUS):
        for place in marks.bars:
            painter.fillRect(place, bar)
    if not marks.waves.isEmpty():
        painter.strokePath(marks.waves, QPen(QColor(theme.resampled_line), 1.1))


def add_mark(marks: Marks, tint: QRectF, source: Source) -> None:
    """Mark a rectangle as a token of this source."""
    marks.tints.setdefault(source, []).append(tint)
    if source is Source.BONUS:
        marks.bars.append(QRectF(tint.left() + 1, tint.bottom() - 1, tint.width() - 2, 2))
    elif source is Source.RESAMPLED:
        _wave(marks.waves, tint)


def _wave(path: QPainterPath, tint: QRectF) -> None:
    x, y, up = tint.left() + 0.5, tint.bottom() + 0.3, False
    path.moveTo(x, y)
    while (x := x + WAVE) <= tint.right():
        path.lineTo(x, y - 2 if up else y)
        up = not up


class _Edges:
    """Turns offsets in a layout into boxes."""

    def __init__(self, layout: QTextLayout, text: str) -> None:
        self._layout = layout
        self._text = text
        self._narrow = text.isascii()  # every offset is a character's edge
        self._units = b"" if self._narrow else text.encode("utf-16-le", "surrogatepass")
        self._lines = [layout.lineAt(row) for row in range(layout.lineCount())]
        self._row = 0

    def boxes(self, first: int, last: int) -> list[tuple[QRectF, QRectF | None]]:
        """(area, tint) on each visual line between two UTF-16 offsets; calls come in order."""
        found: list[tuple[QRectF, QRectF | None]] = []
        while first < last:
            line = self._lines[self._row]
            line_end = line.textStart() + line.textLength()
            if first >= line_end and self._row + 1 < len(self._lines):
                self._row += 1
                continue
            upto = min(last, line_end) if self._row + 1 < len(self._lines) else last
            found.append(self._box(line, first, upto))
            first = upto
        return found

    def _box(self, line: QTextLine, first: int, last: int) -> tuple[QRectF, QRectF | None]:
        text = self._between(first, last)
        left, right = self._x(line, first), self._x(line, last)
        area = _span(line, left, right)
        core = text.strip()
        if not core:
            return area, None
        lead = len(text) - len(text.lstrip())
        trail = len(text) - len(text.rstrip())
        if lead:
            left = self._x(line, first + lead)
        if trail:
            right = self._x(line, last - trail)
        air_left = AIR if lead or first == line.textStart() or self._between(first - 1, first).isspace() else 0
        after = self._between(last, last + 1)
        air_right = AIR if trail or not after or after.isspace() else 0
        tint = _span(line, left, right).adjusted(0, -0.5, 0, 0.5)
        return area, tint.adjusted(-air_left, 0, air_right, 0) if left <= right else tint

    def _between(self, first: int, last: int) -> str:
        if self._narrow:
            return self._text[first:last]
        return self._units[2 * first : 2 * last].decode("utf-16-le", "replace")

    def _x(self, line: QTextLine, offset: int) -> float:
        """x of an offset; inside a cluster, as in an emoji of several parts, a share of its width."""
        if self._narrow or self._layout.isValidCursorPosition(offset):
            return line.cursorToX(offset)[0]
        before = self._layout.previousCursorPosition(offset)
        after = self._layout.nextCursorPosition(offset)
        left, right = line.cursorToX(before)[0], line.cursorToX(after)[0]
        return left + (right - left) * (offset - before) / max(1, after - before)


def _span(line: QTextLine, left: float, right: float) -> QRectF:
    return QRectF(QPointF(min(left, right), line.y()), QPointF(max(left, right), line.y() + line.height()))
