"""A text that can be read, selected and copied: what every turn of a conversation is shown in."""

from __future__ import annotations

import math

from PySide6.QtCore import QPoint, QPointF, QRectF, Qt, QTextBoundaryFinder, Signal
from PySide6.QtGui import (
    QColor,
    QContextMenuEvent,
    QFocusEvent,
    QKeyEvent,
    QKeySequence,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
)
from PySide6.QtWidgets import QMenu, QSizePolicy, QWidget

from app.translate import translate
from ui.pieces import BOX_MARGIN, Piece
from ui.source_lines import LineKind
from ui.text_flow import TextFlow
from ui.theme import theme

BOX_RADIUS = 10
REACH = 4  # pixels on each side for tints and the focus frame; the text begins behind them


class TextView(QWidget):
    """Shows a TextFlow. Its owner gives it its width and asks for the height.

    Signals:
        selection_began(): something is selected here from now on, and nothing else should be.
        selection_dragged(QPoint): the mouse was pressed here and is at this place on the screen.
        copy_requested(): of what is selected, here and elsewhere.
    """

    selection_began = Signal()
    selection_dragged = Signal(QPoint)
    copy_requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.flow = TextFlow(theme())
        self._anchor = self._cursor = 0
        self._framed = False
        self._changed = math.inf  # the height from which on the text has to be painted again
        self.setAttribute(Qt.WidgetAttribute.WA_StaticContents)  # what is there stays when the height grows
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setCursor(Qt.CursorShape.IBeamCursor)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)

    # Geometry, for the owner

    def set_width(self, width: int) -> None:
        self.flow.set_width(width - 2 * REACH)
        self.resize(width, self.wanted_height())

    def wanted_height(self) -> int:
        return round(self.flow.height) + 2 * REACH

    def show_between(self, top: int, bottom: int) -> None:
        """Get ready to be seen between two heights; the wanted height may change."""
        self.flow.visible(top - REACH, bottom - REACH)

    def work(self, deadline: float) -> bool:
        """Idle work as in `TextFlow.work`; the wanted height may change."""
        return self.flow.work(deadline)

    def settle(self) -> None:
        """Take the wanted height and paint what is new."""
        self.resize(self.width(), self.wanted_height())
        if self._changed < math.inf:
            self.update(0, int(self._changed) - BOX_RADIUS, self.width(), self.height())
            self._changed = math.inf

    def anchor(self, y: int) -> tuple[int, float]:
        """What stands at a height: an offset in the text and a distance from its line."""
        index = self.flow.index_at_y(y - REACH)
        return self.flow.pieces[index].start, y - self.flow.top(index)

    def anchor_y(self, anchor: tuple[int, float]) -> int:
        """At which height it stands now."""
        return round(self.flow.piece_top(anchor[0]) + anchor[1])

    # Text

    def append(self, text: str) -> None:
        """Add text; it is painted after `settle`."""
        self._changed = min(self._changed, self.flow.append(text))

    def selected_text(self) -> str:
        return self.flow.slice(*self._selection())

    def select(self, start: int, end: int) -> None:
        """Select between two UTF-16 offsets; the caret is at `end`."""
        self._anchor, self._cursor = start, end
        self.update()

    @property
    def anchor_offset(self) -> int:
        """Where the selection began."""
        return self._anchor

    def clear_selection(self) -> None:
        if self._anchor != self._cursor:
            self._anchor = self._cursor
            self.update()

    def select_all(self) -> None:
        self.select(0, self.flow.length)
        self.selection_began.emit()

    def _selection(self) -> tuple[int, int]:
        return min(self._anchor, self._cursor), max(self._anchor, self._cursor)

    # Input

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() is not Qt.MouseButton.LeftButton:
            event.ignore()
            return
        offset = self.offset_at(event.position())
        if event.modifiers() & Qt.KeyboardModifier.ShiftModifier:
            self.select(self._anchor, offset)
        else:
            self.select(offset, offset)
            self.selection_began.emit()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if event.buttons() & Qt.MouseButton.LeftButton:
            self.selection_dragged.emit(event.globalPosition().toPoint())

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        offset = self.offset_at(event.position())
        piece = self.flow.pieces[self.flow.index_at(offset)]
        finder = QTextBoundaryFinder(QTextBoundaryFinder.BoundaryType.Word, piece.text)
        finder.setPosition(offset - piece.start)
        start = finder.position() if finder.isAtBoundary() else finder.toPreviousBoundary()
        finder.setPosition(offset - piece.start)
        end = finder.toNextBoundary()
        if end >= 0:
            self.select(piece.start + max(0, start), piece.start + end)
            self.selection_began.emit()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.matches(QKeySequence.StandardKey.Copy):
            self.copy_requested.emit()
        elif event.matches(QKeySequence.StandardKey.SelectAll):
            self.select_all()
        else:
            super().keyPressEvent(event)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        menu = QMenu(self)
        copy = menu.addAction(translate("transcript", "Copy"), self.copy_requested.emit)
        copy.setShortcut(QKeySequence.StandardKey.Copy)
        copy.setEnabled(self._anchor != self._cursor)
        every = menu.addAction(translate("transcript", "Select all"), self.select_all)
        every.setShortcut(QKeySequence.StandardKey.SelectAll)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.popup(event.globalPos())

    def focusInEvent(self, event: QFocusEvent) -> None:
        keyboard = (Qt.FocusReason.TabFocusReason, Qt.FocusReason.BacktabFocusReason)
        self._framed = event.reason() in keyboard
        self.update()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        self._framed = False
        self.update()

    def offset_at(self, place: QPointF) -> int:
        """The UTF-16 offset nearest to a place in the widget."""
        return self.flow.position_at(place.x() - REACH, place.y() - REACH)

    # Painting

    def recolour(self) -> None:
        """The theme is another one."""
        self.flow.set_theme(theme())
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        clip = QRectF(event.rect()).translated(-REACH, -REACH)
        shown = self.flow.visible(clip.top(), clip.bottom())
        with QPainter(self) as painter:
            painter.translate(REACH, REACH)
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            self._paint_boxes(painter, shown)
            for index in shown:
                self._paint_piece(painter, index, clip)
            if self._framed:
                frame = QRectF(self.rect()).translated(-REACH, -REACH).adjusted(0.5, 0.5, -0.5, -0.5)
                painter.setPen(QPen(QColor(theme().accent), 1))
                painter.setBrush(Qt.BrushStyle.NoBrush)
                painter.drawRoundedRect(frame, 4, 4)

    def _paint_piece(self, painter: QPainter, index: int, clip: QRectF) -> None:
        piece, origin = self.flow.pieces[index], self.flow.origin(index)
        assert piece.layout is not None
        painter.translate(origin)
        clip = clip.translated(-origin)
        self.paint_behind(painter, piece, clip)
        self._paint_selection(painter, piece)
        if piece.kind is not LineKind.FENCE_CLOSE:  # the frame's lower edge says the same
            painter.setPen(QColor(theme().muted if piece.kind is LineKind.FENCE_OPEN else theme().text))
            piece.layout.draw(painter, QPointF(), [], clip)
        painter.translate(-origin)

    def paint_behind(self, painter: QPainter, piece: Piece, clip: QRectF) -> None:
        """What lies behind the text of a piece, in the coordinates of its layout."""

    def _paint_selection(self, painter: QPainter, piece: Piece) -> None:
        first, last = self._selection()
        first, last = max(first - piece.start, 0), min(last, piece.end + piece.closes) - piece.start
        if first >= last:
            return
        colour = QColor(theme().accent)
        colour.setAlpha(90)
        layout = piece.layout
        assert layout is not None
        for row in range(layout.lineCount()):
            line = layout.lineAt(row)
            start, end = line.textStart(), line.textStart() + line.textLength()
            if first > end or last <= start:
                continue
            left = line.cursorToX(max(first, start))[0]
            right = line.cursorToX(min(last, end))[0]
            feed = 5 if last > end and row + 1 == layout.lineCount() else 0
            area = QRectF(min(left, right), line.y() - 1, abs(right - left) + feed, line.height() + 2)
            painter.fillRect(area, colour)

    def _paint_boxes(self, painter: QPainter, shown: range) -> None:
        """The frames of the code blocks among the visible pieces."""
        pieces = self.flow.pieces
        painter.setPen(QColor(theme().border))
        painter.setBrush(QColor(theme().code))
        first: int | None = None
        for index in shown:
            piece = pieces[index]
            if first is None and piece.in_box:
                first = index
            last = index + 1 == shown.stop or not pieces[index + 1].in_box or _opens_box(pieces[index + 1])
            if first is not None and last:
                self._paint_box(painter, first, index)
                first = None

    def _paint_box(self, painter: QPainter, first: int, last: int) -> None:
        """The frame around these pieces, which may be the visible part of a longer block."""
        flow, whole = self.flow, last + 1 == len(self.flow.pieces)
        top, bottom = flow.top(first), flow.height if whole else flow.top(last + 1)
        begin = top + BOX_MARGIN if _opens_box(flow.pieces[first]) else top - BOX_RADIUS
        end = bottom - BOX_MARGIN if whole or flow.pieces[last].below else bottom + BOX_RADIUS
        painter.save()
        painter.setClipRect(QRectF(0, top, flow.width, bottom - top))
        painter.drawRoundedRect(QRectF(0.5, begin + 0.5, flow.width - 1, end - begin - 1), BOX_RADIUS, BOX_RADIUS)
        painter.restore()


def _opens_box(piece: Piece) -> bool:
    return piece.kind is LineKind.FENCE_OPEN and piece.opens
