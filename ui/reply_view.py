"""A reply: its tokens or its rendered text, and its figures below."""

from __future__ import annotations

from PySide6.QtCore import QRect, Signal
from PySide6.QtGui import QAccessible, QAccessibleAnnouncementEvent
from PySide6.QtWidgets import QWidget

from app.amounts import count
from app.conversation import ReplyTurn
from app.translate import translate
from ui.legend import ViewMode
from ui.rendered_view import RenderedView
from ui.reply_figures import ReplyFigures
from ui.text_view import REACH, TextView
from ui.token_view import TokenView
from ui.turn_view import GAP, HEADING, Anchor, TurnView

FIGURES_GAP = 4
FIGURES_HEIGHT = 26  # before they are made


class ReplyView(TurnView):
    """Attributes:
    tokens: always there; hidden while `rendered` is shown.
    rendered: None while tokens are shown.
    figures: None before the end, and before somebody looks.

    Signals:
        pointed(int, QRect): the token to explain and where it stands in this widget; -1 for none.
        again_requested()
        copy_requested(str): the reply's source text.
        outdated(): time for `refresh`.
    """

    pointed = Signal(int, QRect)
    again_requested = Signal()
    copy_requested = Signal(str)
    outdated = Signal()

    turn: ReplyTurn

    def __init__(self, turn: ReplyTurn, parent: QWidget) -> None:
        super().__init__(turn, parent)
        self.rendered: RenderedView | None = None
        self.figures: ReplyFigures | None = None
        self._mode = ViewMode.TOKENS
        self._again = False
        self._running = turn.running
        self.retranslate()

    def make_text_view(self) -> TextView:
        self.tokens = TokenView(self)
        self.tokens.pointed.connect(self._on_pointed)
        return self.tokens

    def put_text(self) -> None:
        self.tokens.show_tokens(self.turn.fold.tokens)

    def refresh(self) -> None:
        if self.rendered is not None:
            self.rendered.source_changed(complete=not self.turn.running)
        elif self.filled or self.turn.running:
            self.filled = True
            self.put_text()
        self.update(0, 0, self.width(), HEADING)
        if self._running and not self.turn.running:
            self._running = False
            self.tokens.setAccessibleDescription(self.turn.text)
            if self.isVisible():
                event = QAccessibleAnnouncementEvent(self, translate("transcript", "The reply is complete."))
                QAccessible.updateAccessibility(event)

    def set_mode(self, mode: ViewMode) -> None:
        """Show tokens or rendered text. The wanted height changes."""
        self._mode = mode
        self.tokens.setVisible(mode is ViewMode.TOKENS)
        if mode is ViewMode.TOKENS and self.rendered is not None:
            self.rendered.deleteLater()
            self.rendered.hide()
            self.rendered = None
            if self.filled:
                self.put_text()

    def allow_again(self, allowed: bool) -> None:
        self._again = allowed
        if self.figures is not None:
            self.figures.allow_again(allowed)

    def clear_selection(self, but: QWidget) -> None:
        super().clear_selection(but)
        if self.rendered is not None and self.rendered is not but:
            cursor = self.rendered.textCursor()
            cursor.clearSelection()
            self.rendered.setTextCursor(cursor)

    def heading(self) -> tuple[str, str]:
        note = self.turn.model
        if self.turn.prefill is not None:
            done, total = self.turn.prefill
            words = translate("transcript", "reading the prompt: {done} of {total} tokens")
            note = f"{note}    {words.format(done=count(done), total=count(total))}"
        return translate("transcript", "Assistant"), note

    def retranslate(self) -> None:
        name = translate("transcript", "Reply of {model}").format(model=self.turn.model)
        self.tokens.setAccessibleName(name)
        if self.rendered is not None:
            self.rendered.setAccessibleName(name)
        self.update()

    def recolour(self) -> None:
        super().recolour()
        if self.rendered is not None:
            self.rendered.recolour()
        if self.figures is not None:
            self.figures.retranslate()

    # Geometry

    def set_column(self, width: int) -> None:
        super().set_column(width)
        if self.rendered is not None:
            self.rendered.set_width(width)
        if self.figures is not None:
            self.figures.set_width(width)

    def body_bottom(self) -> int:
        if self._mode is ViewMode.TOKENS:
            return super().body_bottom()
        return HEADING + (self.rendered.wanted_height() if self.rendered is not None else self.rough)

    def wanted_height(self) -> int:
        figures = 0
        if not self._running:
            figures = FIGURES_GAP + (self.figures.height() if self.figures is not None else FIGURES_HEIGHT)
        return self.body_bottom() + figures + GAP

    def show_between(self, top: int, bottom: int) -> None:
        if self._mode is ViewMode.TOKENS:
            super().show_between(top, bottom)
        else:
            self.rendered = self.rendered or self._make_rendered()
            self.rendered.bring_up_to_date()
        if not self._running and self.figures is None:
            self._make_figures()

    def work(self, deadline: float) -> bool:
        return self._mode is ViewMode.TOKENS and super().work(deadline)

    def settle(self) -> None:
        super().settle()
        if self.rendered is not None:
            self.rendered.resize(self.column, self.rendered.wanted_height())
        if self.figures is not None:
            self.figures.move(REACH, self.body_bottom() + FIGURES_GAP)

    def anchor(self, y: int) -> Anchor:
        return super().anchor(y) if self._mode is ViewMode.TOKENS else ("top", y)

    # Inside

    def _make_rendered(self) -> RenderedView:
        made = RenderedView(lambda: self.turn.text, self)
        made.move(REACH, HEADING)
        made.selectionChanged.connect(self._on_selection)
        made.outdated.connect(self.outdated)
        made.set_width(self.column)
        made.setAccessibleName(self.tokens.accessibleName())
        made.show()
        return made

    def _make_figures(self) -> None:
        self.figures = ReplyFigures(self.turn, self)
        self.figures.copy_requested.connect(lambda: self.copy_requested.emit(self.turn.text))
        self.figures.again_requested.connect(self.again_requested)
        self.figures.allow_again(self._again)
        self.figures.set_width(self.column)
        self.figures.show()

    def _on_pointed(self, token: int, area: QRect) -> None:
        self.pointed.emit(token, area.translated(self.tokens.pos()))

    def _on_selection(self) -> None:
        if self.rendered is not None and self.rendered.textCursor().hasSelection():
            self.selection_began.emit(self.rendered)
