"""The pieces that a text is laid out in, and how one of them is set.

A piece is a source line, or some visual lines of a long one, and owns one QTextLayout: shaping sees whole
words, clusters and ligatures, never single tokens.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import cache

from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QBrush, QColor, QFontMetricsF, QTextCharFormat, QTextLayout, QTextOption

from ui.code_colours import CodeColours, colour_of
from ui.fonts import code_font, text_font
from ui.source_lines import LineKind, units
from ui.theme import Theme

BOX_MARGIN, BOX_PADDING, BOX_INSET = 6, 10, 14  # around a code box; inside it above and below; at its sides
BLANK = 11  # height of an empty prose line
TAB = 4  # characters


@dataclass(frozen=True, slots=True, eq=False)
class CodeBlock:
    """A fenced block: its colours, and the UTF-16 offsets at which its lines start."""

    colours: CodeColours
    starts: list[int] = field(default_factory=list)


@dataclass(slots=True, eq=False)
class Piece:
    """Text that is laid out together. The line feed that ends a source line is counted but not in `text`.

    Attributes:
        start: UTF-16 offset in the whole text.
        opens, closes: whether a source line begins or ends here.
        block, line: for code, the block and the line in it.
        height: with margins; an estimate while `layout` is None.
        cache: what a painter worked out for this layout; None after every change.
    """

    start: int
    text: str = ""
    kind: LineKind = LineKind.PROSE
    opens: bool = True
    closes: bool = False
    block: CodeBlock | None = None
    line: int = 0
    right_to_left: bool = False
    height: float = 0.0
    layout: QTextLayout | None = None
    cache: object = None

    @property
    def end(self) -> int:
        """UTF-16 offset behind the text, before the line feed."""
        return self.start + units(self.text)

    @property
    def in_box(self) -> bool:
        return self.kind is not LineKind.PROSE

    @property
    def left(self) -> int:
        """Pixels between the left edge and the text."""
        return BOX_INSET if self.in_box else 0

    @property
    def above(self) -> int:
        """Pixels between the top and the text."""
        return BOX_MARGIN + BOX_PADDING if self.kind is LineKind.FENCE_OPEN and self.opens else 0

    @property
    def below(self) -> int:
        return BOX_MARGIN + BOX_PADDING if self.kind is LineKind.FENCE_CLOSE and self.closes else 0

    def forget_layout(self) -> None:
        self.layout = self.cache = None


class LineStyle:
    """How lines of a kind are set. pitch is the least distance of two base lines, in pixels."""

    def __init__(self, px: int, pitch: int, *, code: bool) -> None:
        self.font = code_font(px) if code else text_font(px)
        self.pitch = pitch
        metrics = QFontMetricsF(self.font)
        self.character = metrics.averageCharWidth()
        self.options = {False: QTextOption(), True: QTextOption()}
        for right_to_left, option in self.options.items():
            option.setWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
            option.setTabStopDistance(TAB * self.character)
            if right_to_left:
                option.setTextDirection(Qt.LayoutDirection.RightToLeft)
                option.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignAbsolute)


@cache
def style_of(kind: LineKind) -> LineStyle:
    match kind:
        case LineKind.PROSE:
            return LineStyle(15, 23, code=False)
        case LineKind.CODE:
            return LineStyle(13, 20, code=True)
        case LineKind.FENCE_OPEN:
            return LineStyle(11, 16, code=True)
        case LineKind.FENCE_CLOSE:
            return LineStyle(4, 4, code=True)


def estimate(piece: Piece, width: float) -> float:
    """The height that a piece will have, about."""
    if not piece.text and piece.kind is LineKind.PROSE:
        return BLANK
    style = style_of(piece.kind)
    room = max(1.0, width - 2 * piece.left)
    rows = max(1, math.ceil(len(piece.text) * style.character / room))
    return rows * style.pitch + piece.above + piece.below


def lay_out(piece: Piece, text: str, width: float, theme: Theme) -> tuple[QTextLayout, float]:
    """Lay out `text`, which begins the piece; returns the layout and its height without margins."""
    style = style_of(piece.kind)
    layout = QTextLayout(text, style.font)
    layout.setCacheEnabled(True)
    layout.setTextOption(style.options[piece.right_to_left])
    if piece.block is not None:
        layout.setFormats(_formats(piece, text, theme))
    room = max(1.0, width - 2 * piece.left)
    y = 0.0
    layout.beginLayout()
    while (line := layout.createLine()).isValid():
        line.setLineWidth(room)
        pitch = max(style.pitch, math.ceil(line.height()))
        line.setPosition(QPointF(0, y + (pitch - line.height()) // 2))
        y += pitch
    layout.endLayout()
    return layout, BLANK if not text and piece.kind is LineKind.PROSE else y


def _formats(piece: Piece, text: str, theme: Theme) -> list[QTextLayout.FormatRange]:
    assert piece.block is not None
    found: list[QTextLayout.FormatRange] = []
    for start, length, kind in piece.block.colours.spans(piece.line):
        colour = colour_of(theme, kind)
        if colour is not None:
            span = QTextLayout.FormatRange()
            span.start = units(text[:start])
            span.length = units(text[start : start + length])
            span.format = _format(colour.name())
            found.append(span)
    return found


@cache
def _format(colour: str) -> QTextCharFormat:
    made = QTextCharFormat()
    made.setForeground(QBrush(QColor(colour)))
    return made
