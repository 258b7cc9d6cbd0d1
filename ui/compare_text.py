"""The text of one side of a comparison: its tokens in a frame that scrolls, the first difference marked."""

from __future__ import annotations

from time import perf_counter

from PySide6.QtCore import QPoint, QRect, QRectF, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QColor, QGuiApplication, QPainter, QPen, QResizeEvent
from PySide6.QtWidgets import QFrame, QScrollArea, QWidget

from engine.stats import ReplyFold
from ui.pieces import Piece
from ui.theme import theme, theme_notifier
from ui.token_view import TokenView

MARGIN = 8  # around the text
NEAR_END = 4  # pixels
IDLE_S = 0.004  # of work between two events
PASSES = 4  # heights settle within two


class MarkedTokens(TokenView):
    """Draws a frame around one token."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.marked: int | None = None

    def mark(self, token: int | None) -> None:
        if token != self.marked:
            self.marked = token
            self.update()

    def paint_behind(self, painter: QPainter, piece: Piece, clip: QRectF) -> None:
        super().paint_behind(painter, piece, clip)
        if self.marked is None:
            return
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(QPen(QColor(theme().warn), 2))
        for box in self._marks(piece).boxes:
            if box.token == self.marked:
                painter.drawRoundedRect(QRectF(box.tint or box.area).adjusted(-1, -1, 1, 1), 3, 3)


class ReplyText(QScrollArea):
    """Shows the tokens of a reply and follows its end, unless the reader scrolled away from it.

    Attributes:
        tokens: the text; another widget for each reply.

    Signals:
        pointed(int, QRect): the token to explain and where it stands in this widget; -1 for none.
    """

    pointed = Signal(int, QRect)

    def __init__(self) -> None:
        super().__init__()
        self.setProperty("role", "reply")
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self._reply: ReplyFold | None = None
        self._name = ""
        self._described = False
        self._follows = True
        self._arranging = False
        self._canvas = QWidget()
        self.setWidget(self._canvas)
        for widget in (self.viewport(), self._canvas):
            widget.setAutoFillBackground(False)
        self.tokens = self._new_tokens()
        self._idle = QTimer(self, singleShot=True, interval=0)
        self._idle.timeout.connect(self._work)
        self.verticalScrollBar().setSingleStep(24)
        self.verticalScrollBar().valueChanged.connect(self._on_scrolled)
        theme_notifier().changed.connect(self._recolour)

    @property
    def reply(self) -> ReplyFold | None:
        return self._reply

    def name(self, name: str) -> None:
        """For screen readers."""
        self._name = name
        self.tokens.setAccessibleName(name)

    def show_reply(self, reply: ReplyFold | None) -> None:
        """What is new of a reply, or another one."""
        if reply is not self._reply:
            self._replace_tokens()
            self._reply = reply
        if reply is not None:
            self.tokens.show_tokens(reply.tokens)
            if reply.end is not None and not self._described:
                self._described = True
                self.tokens.setAccessibleDescription(reply.text)
        self._arrange()

    def show_token(self, token: int) -> None:
        """Scroll to a token, if it is there."""
        if token < len(self.tokens.starts):
            area = self.tokens.token_area(token).translated(self.tokens.pos())
            self.ensureVisible(area.center().x(), area.center().y(), 0, self.viewport().height() // 3)

    def sizeHint(self) -> QSize:
        """Little: it takes what room there is."""
        return QSize(200, 100)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._arrange()

    def _replace_tokens(self) -> None:
        old = self.tokens
        self.tokens = self._new_tokens()
        if old.hasFocus():
            self.tokens.setFocus()
        old.hide()
        old.deleteLater()
        self._described = False
        self._follows = True

    def _new_tokens(self) -> MarkedTokens:
        tokens = MarkedTokens(self._canvas)
        tokens.move(MARGIN, MARGIN)
        tokens.setAccessibleName(self._name)
        tokens.pointed.connect(self._on_pointed)
        tokens.selection_dragged.connect(self._on_dragged)
        tokens.copy_requested.connect(self._copy)
        tokens.show()
        return tokens

    def _arrange(self) -> None:
        """Lay out what is seen; the rest has time."""
        self._arranging = True
        bar, view = self.verticalScrollBar(), self.viewport()
        self.tokens.set_width(max(80, view.width() - 2 * MARGIN))
        for _ in range(PASSES):
            before = self.tokens.wanted_height()
            top = before + 2 * MARGIN - view.height() if self._follows else bar.value()
            self.tokens.show_between(top, top + view.height())
            if self.tokens.wanted_height() == before:
                break
        self.tokens.settle()
        self._canvas.resize(view.width(), max(view.height(), self.tokens.height() + 2 * MARGIN))
        if self._follows:
            bar.setValue(bar.maximum())
        self._arranging = False
        self._idle.start()

    def _work(self) -> None:
        """Lay out a little of what is not seen; heights that were estimates become exact."""
        before = self.tokens.wanted_height()
        unfinished = self.tokens.work(perf_counter() + IDLE_S)
        if self.tokens.wanted_height() != before:
            self._arrange()
        elif unfinished:
            self._idle.start()

    def _recolour(self) -> None:
        self.tokens.recolour()

    def _on_scrolled(self, value: int) -> None:
        if not self._arranging:
            self._follows = value >= self.verticalScrollBar().maximum() - NEAR_END

    def _on_pointed(self, token: int, area: QRect) -> None:
        if token >= 0 and self.tokens.pointing:
            self.show_token(token)
            area = self.tokens.token_area(token)
        self.pointed.emit(token, QRect(self.tokens.mapTo(self, area.topLeft()), area.size()))

    def _on_dragged(self, place: QPoint) -> None:
        tokens = self.tokens
        tokens.select(tokens.anchor_offset, tokens.offset_at(tokens.mapFromGlobal(place).toPointF()))

    def _copy(self) -> None:
        if text := self.tokens.selected_text():
            QGuiApplication.clipboard().setText(text)
