"""The cards above the Models page's tables: offline mode, and what failed."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QVBoxLayout, QWidget

from app.messages import message_for
from app.translate import translate
from engine.errors import ErrorKind, ErrorReport
from ui.state_card import StateCard, Tone
from ui.translated import Translated


class ProblemCards(Translated, QWidget):
    """Signals:
    online_wanted(): offline mode shall end.
    details_wanted(object), dismissed(object): the `ErrorReport` of a card.
    """

    online_wanted = Signal()
    details_wanted = Signal(object)
    dismissed = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self.cards: list[StateCard] = []
        self._offline = False
        self._problems: tuple[ErrorReport, ...] = ()
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(10)
        self.retranslate()

    def show_problems(self, problems: Sequence[ErrorReport], *, offline: bool) -> None:
        """Cards stay the same widgets while nothing changes."""
        if (tuple(problems), offline) != (self._problems, self._offline):
            self._problems, self._offline = tuple(problems), offline
            self.retranslate()

    def retranslate(self) -> None:
        for card in self.cards:
            card.hide()
            card.deleteLater()
        self.cards = [self._offline_card()] if self._offline else []
        self.cards += [self._problem_card(report) for report in self._problems]
        for card in self.cards:
            self._column.addWidget(card)
        self.setVisible(bool(self.cards))

    def _offline_card(self) -> StateCard:
        message = message_for(ErrorReport(ErrorKind.OFFLINE))
        text = translate("models", "Nothing is asked of the network. The catalogue and your own models work as ever.")
        card = StateCard(message.title, text, [translate("models", "Go online")], Tone.NOTE)
        card.clicked.connect(self.online_wanted)
        return card

    def _problem_card(self, report: ErrorReport) -> StateCard:
        message = message_for(report)
        card = StateCard(message.title, message.text, [translate("cards", "Dismiss"), translate("cards", "Details")])
        card.clicked.connect(lambda place: (self.details_wanted if place else self.dismissed).emit(report))
        return card
