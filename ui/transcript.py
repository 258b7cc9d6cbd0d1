"""The chat: a strip that explains the tints, the conversation, and the prompt below it.

What the program does with it:

- `show_conversation(conversation)` shows it and follows it: `Conversation` tells of every change, so turns that are
  added, events that are folded in and replies that are taken away appear by themselves, painted at most sixty
  times a second.
- `box` is the `MessageBox`: `set_ready`, `set_note`, `set_text`. Its button shows Stop by itself while the last
  reply of the conversation is running.
- `insert_above_prompt(widget)` puts notices between the conversation and the prompt.
- `set_mode(ViewMode)` switches between tokens and rendered text, as the user does in the strip; `mode_chosen`
  tells of both.

It decides nothing: what the user wants is told by signals.
"""

from __future__ import annotations

from collections.abc import Callable
from time import perf_counter

from PySide6.QtCore import QPoint, QRect, Qt, QTimer, Signal
from PySide6.QtGui import (
    QAccessible,
    QAccessibleAnnouncementEvent,
    QColor,
    QGuiApplication,
    QPainter,
    QPaintEvent,
    QResizeEvent,
)
from PySide6.QtWidgets import QVBoxLayout, QWidget

from app.conversation import Conversation, ReplyTurn, Turn, UserTurn
from ui.hover_card import HoverCard, card_text
from ui.legend import Legend, ViewMode
from ui.message_box import MessageBox
from ui.reply_view import ReplyView
from ui.selection import Selection
from ui.text_view import TextView
from ui.theme import theme, theme_notifier
from ui.translated import Translated
from ui.turn_stack import MARGIN, WIDEST, TurnStack
from ui.turn_view import TurnView, UserView

TICK_MS = 16
HOVER_MS = 150  # before the first card; others follow at once

Pointed = tuple[ReplyView, int, QRect]


class Transcript(Translated, QWidget):
    """See the module. Main thread.

    Attributes:
        legend, stack, box: the three parts, from top to bottom.
        card: the hover card, visible while a token is explained.

    Signals:
        again_requested(int): write the reply at this place in `turns` again; only the last one offers it.
        copy_requested(str): the source text of a reply; it is on the clipboard already.
        send_requested(str), stop_requested(): from the prompt.
        mode_chosen(ViewMode)
    """

    again_requested = Signal(int)
    copy_requested = Signal(str)
    send_requested = Signal(str)
    stop_requested = Signal()
    mode_chosen = Signal(ViewMode)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.legend, self.stack, self.box = Legend(), TurnStack(), MessageBox()
        self.card = HoverCard(self)
        self._selection = Selection(self.stack)
        self._conversation: Conversation | None = None
        self._unsubscribe: Callable[[], None] | None = None
        self._mode = ViewMode.TOKENS
        self._changed = 0  # turns before this one are shown as they are
        self._refreshed = 0.0  # by perf_counter
        self._tick = QTimer(self, singleShot=True, timerType=Qt.TimerType.PreciseTimer)
        self._tick.timeout.connect(self.refresh)
        self._pointed: Pointed | None = None  # waits for the timer
        self._point = QTimer(self, singleShot=True, interval=HOVER_MS)
        self._point.timeout.connect(self._explain_pointed)

        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.legend)
        column.addWidget(self.stack, 1)
        self._below = QVBoxLayout()
        self._below.setSpacing(10)
        self._below.addWidget(self.box)
        column.addLayout(self._below)

        self.legend.mode_chosen.connect(self.set_mode)
        self.box.send_requested.connect(self._send)
        self.box.stop_requested.connect(self.stop_requested)
        self.stack.verticalScrollBar().valueChanged.connect(self._hide_card)
        theme_notifier().changed.connect(self._recolour)

    # For the program

    def show_conversation(self, conversation: Conversation) -> None:
        """Show this conversation from its end, and follow its changes."""
        self.close_down()
        self._conversation = conversation
        self._unsubscribe = conversation.subscribe(self._on_changed)
        self.stack.truncate(0)
        self._changed = 0
        self.stack.follows = True
        self.refresh()

    def close_down(self) -> None:
        """Stop following the conversation; what is shown stays."""
        if self._unsubscribe is not None:
            self._unsubscribe()
            self._unsubscribe = None
        self._tick.stop()
        self._hide_card()

    @property
    def busy(self) -> bool:
        """Whether something of the conversation is not shown yet, or not laid out."""
        return self._tick.isActive() or self.stack.busy

    def set_mode(self, mode: ViewMode) -> None:
        """Show replies as tokens or as rendered text."""
        if mode is self._mode:
            return
        self._mode = mode
        self.legend.set_mode(mode)
        self._hide_card()
        for view in self.stack.views:
            if isinstance(view, ReplyView):
                view.set_mode(mode)
        self.stack.arrange()
        self.mode_chosen.emit(mode)

    def insert_above_prompt(self, widget: QWidget) -> None:
        self._below.insertWidget(self._below.count() - 1, widget)

    def retranslate(self) -> None:
        """Words below replies may have become longer or shorter."""
        self._on_changed(0)

    # Following the conversation

    def _on_changed(self, index: int) -> None:
        """Events come as fast as the engine writes; the picture follows sixty times a second."""
        self._changed = min(self._changed, index)
        if not self._tick.isActive():
            elapsed_ms = (perf_counter() - self._refreshed) * 1000
            self._tick.start(max(0, round(TICK_MS - elapsed_ms)))

    def refresh(self) -> None:
        """Show what has changed since the last time, now. Changes lead here by themselves."""
        if self._conversation is None:
            return
        self._refreshed = perf_counter()
        turns, views = self._conversation.turns, self.stack.views
        first, self._changed = min(self._changed, len(views)), len(turns)
        for index in range(first, len(views)):
            if index >= len(turns) or views[index].turn is not turns[index]:
                self.stack.truncate(index)
                break
            views[index].refresh()
        for index in range(len(views), len(turns)):
            self.stack.add(self._view(turns[index], index))
        for index in range(max(0, first - 1), len(views)):
            views[index].allow_again(index + 1 == len(turns))
        reply = self._conversation.last_reply
        self.box.set_writing(reply is not None and reply.running)
        self.stack.arrange(first)

    def _view(self, turn: Turn, index: int) -> TurnView:
        if isinstance(turn, UserTurn):
            view: TurnView = UserView(turn, self.stack.canvas)
        else:
            view = self._reply_view(turn, index)
        view.selection_began.connect(self._selection.begin)
        view.text_view.selection_dragged.connect(lambda place: self._on_dragged(view.text_view, place))
        view.text_view.copy_requested.connect(self._copy_selection)
        return view

    def _reply_view(self, turn: ReplyTurn, index: int) -> ReplyView:
        view = ReplyView(turn, self.stack.canvas)
        view.set_mode(self._mode)
        view.pointed.connect(lambda token, area: self._on_pointed(view, token, area))
        view.again_requested.connect(lambda: self.again_requested.emit(index))
        view.copy_requested.connect(self._copy)
        view.outdated.connect(lambda: self._on_changed(index))
        return view

    def _send(self, text: str) -> None:
        self.stack.follows = True
        self.send_requested.emit(text)

    def _copy(self, text: str) -> None:
        QGuiApplication.clipboard().setText(text)
        self.copy_requested.emit(text)

    def _on_dragged(self, origin: TextView, place: QPoint) -> None:
        self.stack.scroll_towards(place)
        self._selection.drag(origin, place)

    def _copy_selection(self) -> None:
        if text := self._selection.text():
            QGuiApplication.clipboard().setText(text)

    # Explaining tokens

    def _on_pointed(self, view: ReplyView, token: int, area: QRect) -> None:
        self._point.stop()
        if token < 0:
            self._hide_card()
        elif view.tokens.pointing:
            self.stack.show_area(view, area.top(), area.bottom())
            self._explain(view, token, area)
            event = QAccessibleAnnouncementEvent(view.tokens, self.card.accessibleName())
            QAccessible.updateAccessibility(event)
        elif self.card.isVisible():
            self._explain(view, token, area)
        else:
            self._pointed = (view, token, area)
            self._point.start()

    def _explain_pointed(self) -> None:
        if self._pointed is not None:
            self._explain(*self._pointed)

    def _explain(self, view: ReplyView, token: int, area: QRect) -> None:
        event = view.turn.fold.tokens[token]
        place = QRect(view.mapTo(self, area.topLeft()), area.size())
        self.card.show_token(card_text(event, view.turn.draft_lengths[event.round]), place)

    def _recolour(self) -> None:
        for view in self.stack.views:
            view.recolour()
        self.update()

    def _hide_card(self) -> None:
        self._point.stop()
        self.card.hide()

    def resizeEvent(self, event: QResizeEvent) -> None:
        side = max(MARGIN, (self.width() - WIDEST) // 2)  # as wide as the text above
        self._below.setContentsMargins(side, 10, side, 16)
        super().resizeEvent(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        with QPainter(self) as painter:
            painter.fillRect(event.rect(), QColor(theme().background))
