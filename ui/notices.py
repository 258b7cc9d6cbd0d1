"""The place of the cards above the prompt."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QPushButton, QVBoxLayout, QWidget

from ui.cards import Action, Notice, button_words
from ui.loading_card import LoadingCard
from ui.pair_control import Loading
from ui.state_card import StateCard
from ui.wrapped_label import WrappedLabel


class NoticeArea(QWidget):
    """Shows what it is given and nothing else; a card stays the same widget while nothing but its text changes.

    Attributes:
        loading: the card of a load under way, hidden while there is none.

    Signals:
        acted(object, object): the `Action` of a button and its `Notice`.
    """

    acted = Signal(object, object)

    def __init__(self) -> None:
        super().__init__()
        self.loading = LoadingCard()
        self.loading.hide()
        self._hint = WrappedLabel()
        self._hint.setProperty("tone", "muted")
        self._hint.hide()
        self._cards: list[tuple[Notice, StateCard]] = []
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(10)
        self._column.addWidget(self.loading)
        self._column.addWidget(self._hint)

    @property
    def notices(self) -> list[Notice]:
        return [notice for notice, _ in self._cards]

    @property
    def hint(self) -> str:
        return self._hint.text()

    def show_notices(self, notices: list[Notice]) -> None:
        if [replace(notice, text="") for notice in notices] == [replace(notice, text="") for notice in self.notices]:
            self._cards = [(notice, card) for notice, (_, card) in zip(notices, self._cards, strict=True)]
            for notice, card in self._cards:
                card.set_text(notice.text)
            return
        for _, card in self._cards:
            card.hide()
            card.deleteLater()
        self._cards = [(notice, self._card(notice)) for notice in notices]
        self._show_or_hide()

    def show_loading(self, loading: Loading | None) -> None:
        """The load under way, None for none."""
        if loading is None:
            self.loading.leave()
        else:
            self.loading.show()
            self.loading.show_loading(loading)
        self._show_or_hide()

    def show_hint(self, words: str) -> None:
        """A line that answers something the user just tried; "" takes it away."""
        self._hint.setText(words)
        self._hint.setVisible(bool(words))
        self._show_or_hide()

    def button(self, action: Action) -> QPushButton | None:
        """That of the first card that has it."""
        for notice, card in self._cards:
            if action in notice.actions:
                return card.buttons[notice.actions.index(action)]
        return None

    def press(self, action: Action) -> None:
        """Click that button, if there is one."""
        button = self.button(action)
        if button is not None:
            button.click()

    def _show_or_hide(self) -> None:
        """An empty area takes no room."""
        self.setVisible(bool(self._cards or self.hint) or self.loading.isVisibleTo(self))

    def _card(self, notice: Notice) -> StateCard:
        words = [button_words(notice, action) for action in notice.actions]
        card = StateCard(notice.title, notice.text, words, notice.tone)
        card.clicked.connect(lambda place: self.acted.emit(notice.actions[place], notice))
        self._column.insertWidget(self._column.indexOf(self._hint), card)
        return card
