"""Laying out a growing text: appending costs the same at the end of a long text as at its start.

Only the last piece is laid out again when text arrives, and a long line is cut into pieces at visual lines,
so the last piece stays short. Pieces that come in bulk are laid out when somebody looks at them, or in idle
time; until then their height is an estimate.
"""

from __future__ import annotations

from bisect import bisect_right
from time import perf_counter

from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QTextLine

from ui.pieces import BOX_MARGIN, BOX_PADDING, CodeBlock, Piece, estimate, lay_out
from ui.source_lines import index_of_unit
from ui.source_reader import SourceReader
from ui.theme import Theme

PIECE = 512  # code points after which a long line is cut; coloured lines are shorter
BULK = 4_096  # code points; what comes in larger amounts is laid out when somebody looks
KEPT = 400  # pieces whose layouts are kept, more than fit in a window; the others keep their heights
COLOUR_STEP = 60  # code lines coloured at once in idle time


class TextFlow:
    """Attributes:
    pieces: in order; there is always one, and the last one is open.
    laid_lines: visual lines laid out so far, counting each time: the work done.
    """

    def __init__(self, theme: Theme) -> None:
        self.pieces = [Piece(0)]
        self.laid_lines = 0
        self._theme = theme
        self._width = 600.0
        self._tops = [0.0]  # of the first pieces; the others follow from them
        self._done = 0  # pieces before this one have been laid out and coloured
        self._kept: dict[Piece, None] = {}  # laid out, the one used last at the end
        self._reader = SourceReader()
        self._lay(0)

    # Text

    @property
    def length(self) -> int:
        """UTF-16 code units."""
        return self.pieces[-1].end

    def append(self, text: str) -> float:
        """Add text; returns the y from which on the picture may have changed."""
        first = len(self.pieces) - 1
        changed = self._last_line_y()
        for place, part in enumerate(text.split("\n")):
            if place:
                self._end_line()
            self._reader.grow(self.pieces[-1], part)
            self._forget(len(self.pieces) - 1)
        if len(text) <= BULK:
            if self._reader.block is not None:
                self._colour(self._reader.block, COLOUR_STEP)
            index = first
            while index < len(self.pieces):
                self._lay(index)
                index += 1
        return changed

    def slice(self, start: int, end: int) -> str:
        """The source text between two UTF-16 offsets."""
        parts: list[str] = []
        for piece in self.pieces[self.index_at(start) : self.index_at(end) + 1]:
            first = index_of_unit(piece.text, max(0, start - piece.start))
            last = index_of_unit(piece.text, max(0, end - piece.start))
            parts.append(piece.text[first:last])
            if piece.closes and start <= piece.end < end:
                parts.append("\n")
        return "".join(parts)

    # Geometry

    @property
    def width(self) -> float:
        return self._width

    @property
    def height(self) -> float:
        last = self.pieces[-1]
        tail = BOX_MARGIN + BOX_PADDING if last.in_box and not last.below else 0
        return self.top(len(self.pieces) - 1) + last.height + tail

    def set_width(self, width: float) -> None:
        """Break lines anew, when somebody looks."""
        if width == self._width:
            return
        self._width = width
        self._kept.clear()
        self._join_lines()
        for piece in self.pieces:
            piece.forget_layout()
            piece.height = estimate(piece, width)
        self._done = 0
        del self._tops[1:]

    def set_theme(self, theme: Theme) -> None:
        """Colour code anew, when somebody looks."""
        self._theme = theme
        for piece in self.pieces:
            if piece.block is not None:
                piece.forget_layout()
        self._done = 0

    def top(self, index: int) -> float:
        tops = self._tops
        while len(tops) <= index:
            tops.append(tops[-1] + self.pieces[len(tops) - 1].height)
        return tops[index]

    def index_at_y(self, y: float) -> int:
        """The piece at y; the first or the last one where y is outside."""
        self.top(len(self.pieces) - 1)
        return max(0, bisect_right(self._tops, y) - 1)

    def index_at(self, offset: int) -> int:
        """The piece that holds a UTF-16 offset; a line feed belongs to the line it ends."""
        return max(0, bisect_right(self.pieces, offset, key=lambda piece: piece.start) - 1)

    def origin(self, index: int) -> QPointF:
        """Where the layout of a piece has its origin."""
        piece = self.pieces[index]
        return QPointF(piece.left, self.top(index) + piece.above)

    def visible(self, top: float, bottom: float) -> range:
        """The pieces between two heights, all of them laid out."""
        first = index = self.index_at_y(top)
        while index < len(self.pieces) and self.top(index) < bottom:
            self._keep(self._laid(index))
            index += 1
        return range(first, index)

    def work(self, deadline: float) -> bool:
        """Lay out and colour what nobody looked at yet until `perf_counter` passes `deadline`.

        Returns:
            Whether something is left.
        """
        while self._done < len(self.pieces) and perf_counter() < deadline:
            piece = self.pieces[self._done]
            if piece.block is not None and piece.block.colours.behind:
                self._colour(piece.block, COLOUR_STEP)
                continue
            if piece.layout is None:
                self._lay(self._done)
            self._done += 1
        return self._done < len(self.pieces)

    def piece_top(self, offset: int) -> float:
        """The height at which the piece that holds a UTF-16 offset begins, after laying it out."""
        return self.top(self._index_laid(offset))

    def position_at(self, x: float, y: float) -> int:
        """The UTF-16 offset nearest to a point."""
        index = self.index_at_y(y)
        piece, origin = self._laid(index), self.origin(index)
        row = 0
        while row + 1 < piece.layout.lineCount() and y - origin.y() >= piece.layout.lineAt(row + 1).y():
            row += 1
        return piece.start + piece.layout.lineAt(row).xToCursor(x - origin.x())

    def caret(self, offset: int) -> QRectF:
        """Where a caret in front of this UTF-16 offset stands: no width, the line's height."""
        index = self._index_laid(offset)
        piece, origin = self.pieces[index], self.origin(index)
        place = min(offset, piece.end) - piece.start
        line: QTextLine = piece.layout.lineForTextPosition(place)
        x = line.cursorToX(place)[0]
        return QRectF(origin.x() + x, origin.y() + line.y(), 0, line.height())

    # Inside

    def _index_laid(self, offset: int) -> int:
        """The piece that holds an offset, laid out; until it is, it may hold a whole long line."""
        index = self.index_at(offset)
        while self.pieces[index].layout is None:
            self._lay(index)
            index = self.index_at(offset)
        return index

    def _last_line_y(self) -> float:
        """The height down to which nothing changes when text is added."""
        index = len(self.pieces) - 1
        piece = self.pieces[index]
        if piece.block is not None:
            return self.top(index - 1)  # colours may look back one line
        if piece.layout is None:
            return self.top(index)
        return self.top(index) + piece.layout.lineAt(piece.layout.lineCount() - 1).y()

    def _laid(self, index: int) -> Piece:
        if self.pieces[index].layout is None:
            self._lay(index)
        return self.pieces[index]

    def _end_line(self) -> None:
        """The last source line is complete; begin another."""
        last = self.pieces[-1]
        last.closes = True
        self._forget(len(self.pieces) - 1)
        self._reader.end_line(last.end + 1)
        self.pieces.append(Piece(last.end + 1))

    def _colour(self, block: CodeBlock, lines: int) -> None:
        """Colour more lines; those that look different now are laid out again, with the same height."""
        for line in block.colours.advance(lines):
            self.pieces[self.index_at(block.starts[line])].forget_layout()

    def _forget(self, index: int) -> None:
        piece = self.pieces[index]
        piece.forget_layout()
        piece.height = estimate(piece, self._width)
        self._moved(index)

    def _moved(self, index: int) -> None:
        """The height of a piece changed."""
        del self._tops[index + 1 :]
        self._done = min(self._done, index)

    def _lay(self, index: int) -> None:
        """Lay a piece out. A long one is cut two visual lines before its end, and the rest is the next piece."""
        piece = self.pieces[index]
        window = PIECE
        while True:
            layout, height = lay_out(piece, piece.text[:window], self._width, self._theme)
            self.laid_lines += layout.lineCount()
            if layout.lineCount() >= 3 or window >= len(piece.text):
                break
            window *= 2
        if len(piece.text) > PIECE and layout.lineCount() >= 3:
            self._cut(index, layout.lineAt(layout.lineCount() - 2).textStart())
            layout, height = lay_out(piece, piece.text, self._width, self._theme)
            self.laid_lines += layout.lineCount()
        piece.layout = layout
        piece.cache = None
        self._keep(piece)
        height += piece.above + piece.below
        if height != piece.height:
            piece.height = height
            self._moved(index)

    def _keep(self, piece: Piece) -> None:
        """This piece was used just now; forget the layout that was used longest ago."""
        self._kept.pop(piece, None)
        self._kept[piece] = None
        if len(self._kept) > KEPT:
            oldest = next(iter(self._kept))
            del self._kept[oldest]
            oldest.forget_layout()

    def _cut(self, index: int, unit: int) -> None:
        piece = self.pieces[index]
        place = index_of_unit(piece.text, unit)
        rest = Piece(
            start=piece.start + unit,
            text=piece.text[place:],
            kind=piece.kind,
            opens=False,
            closes=piece.closes,
            block=piece.block,
            line=piece.line,
            right_to_left=piece.right_to_left,
        )
        rest.height = estimate(rest, self._width)
        piece.text = piece.text[:place]
        piece.closes = False
        self.pieces.insert(index + 1, rest)
        self._moved(index)

    def _join_lines(self) -> None:
        """Undo all cuts."""
        joined: list[Piece] = []
        texts: list[str] = []
        for piece in self.pieces:
            if piece.opens:
                if joined:
                    joined[-1].text = "".join(texts)
                joined.append(piece)
                texts = [piece.text]
            else:
                texts.append(piece.text)
                joined[-1].closes = piece.closes
        joined[-1].text = "".join(texts)
        self.pieces = joined
