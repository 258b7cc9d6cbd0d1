"""A reply as tokens: each with the tint and the line of its source, each with a card that explains it."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QPointF, QRect, QRectF, Qt, Signal
from PySide6.QtGui import QColor, QFocusEvent, QKeyEvent, QMouseEvent, QPainter, QPen
from PySide6.QtWidgets import QWidget

from engine.types import TokenEvent
from ui.pieces import Piece
from ui.source_lines import units
from ui.text_view import REACH, TextView
from ui.theme import theme
from ui.token_marks import Box, Marks, marks_of, paint_marks


class TokenView(TextView):
    """Left and Right move a token cursor; the mouse points at tokens, too.

    Attributes:
        starts: the UTF-16 offset of each token. One without text starts where the next does.

        pointing: whether the token cursor is shown, and explained.

    Signals:
        pointed(int, QRect): the token to explain and where it stands in this widget; -1 for none.
    """

    pointed = Signal(int, QRect)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.starts: list[int] = []
        self._tokens: list[TokenEvent] = []
        self._shown = 0  # UTF-16 units of the last token that are in the flow
        self._token = -1  # where the token cursor stands
        self.pointing = False
        self._hovered = -1
        self.setMouseTracking(True)

    def show_tokens(self, tokens: list[TokenEvent]) -> None:
        """Show what is new in `tokens`, which has only grown since the last call; its last token may have, too."""
        text = ""
        if self.starts:
            text = _behind(tokens[len(self.starts) - 1].text, self._shown)
            self._shown += units(text)
        offset = self.flow.length + units(text)
        parts = [text]
        for token in tokens[len(self.starts) :]:
            self.starts.append(offset)
            self._shown = units(token.text)
            offset += self._shown
            parts.append(token.text)
        self._tokens = tokens
        if text := "".join(parts):
            self.append(text)

    def boxes(self, index: int) -> list[Box]:
        """The boxes of the tokens in a piece, laid out if need be."""
        return self._marks(self.flow.pieces[index]).boxes

    def token_at(self, place: QPointF) -> int:
        """The token at a place in the widget, -1 where there is none."""
        flow, y = self.flow, place.y() - REACH
        if not 0 <= y < flow.height:
            return -1
        index = flow.index_at_y(y)
        flow.visible(flow.top(index), flow.top(index) + 1)
        point = QPointF(place.x() - REACH, y) - flow.origin(index)
        return next((box.token for box in self.boxes(index) if box.area.contains(point)), -1)

    def token_area(self, token: int) -> QRect:
        """Where a token stands in the widget: its first visual line."""
        flow, start = self.flow, self.starts[token]
        caret = flow.caret(start)
        index = flow.index_at(start)
        found = next((box for box in self.boxes(index) if box.token == token), None)
        area = (found.tint or found.area).translated(flow.origin(index)) if found else caret
        return area.translated(REACH, REACH).toAlignedRect()

    # Pointing

    def point_at(self, token: int) -> None:
        """Show the token cursor on a token; hide it with -1."""
        self.pointing = token >= 0
        self._token = token if self.pointing else self._token
        self.update()
        self.pointed.emit(token, self.token_area(token) if token >= 0 else QRect())

    def keyPressEvent(self, event: QKeyEvent) -> None:
        step = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1}.get(Qt.Key(event.key()))
        if event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier:
            super().keyPressEvent(event)
        elif step is not None and self.starts:
            self.point_at(min(max(0, self._token + step), len(self.starts) - 1))
        elif event.key() == Qt.Key.Key_Escape and self.pointing:
            self.point_at(-1)
        else:
            super().keyPressEvent(event)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        super().mousePressEvent(event)
        if event.button() is Qt.MouseButton.LeftButton:
            self._hover(-1)
            self.point_at(-1)
            self._token = self.token_at(event.position())

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        super().mouseMoveEvent(event)
        if not event.buttons():
            self._hover(self.token_at(event.position()))

    def leaveEvent(self, event: QEvent) -> None:
        self._hover(-1)
        super().leaveEvent(event)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        if self.pointing and event.reason() is not Qt.FocusReason.PopupFocusReason:
            self.point_at(-1)

    def _hover(self, token: int) -> None:
        if token != self._hovered:
            self._hovered = token
            self.pointed.emit(token, self.token_area(token) if token >= 0 else QRect())

    # Painting

    def paint_behind(self, painter: QPainter, piece: Piece, clip: QRectF) -> None:
        marks = self._marks(piece)
        paint_marks(painter, marks, theme(), clip)
        if self.pointing:
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(QPen(QColor(theme().accent), 1.5))
            for box in marks.boxes:
                if box.token == self._token:
                    painter.drawRoundedRect(QRectF(box.tint or box.area).adjusted(-1, -1, 1, 1), 3, 3)

    def _marks(self, piece: Piece) -> Marks:
        if not isinstance(piece.cache, Marks):
            piece.cache = marks_of(piece, self.starts, self._tokens)
        return piece.cache


def _behind(text: str, unit: int) -> str:
    """What follows the first `unit` UTF-16 units."""
    return text.encode("utf-16-le")[2 * unit :].decode("utf-16-le")
