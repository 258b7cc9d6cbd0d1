"""One way to make a pair fit, as a row that can be pressed."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QBoxLayout, QLabel, QSizePolicy

from app.fit.values import Advice, Verdict
from app.fit_words import advice_words
from ui.steady_button import SteadyButton
from ui.style import set_tone

SIDE = 11
GAP = 12


class WayButton(SteadyButton):
    """What to change at the left, what that saves or costs at the right, or below where there is too little room.

    Signals:
        taken(object): the `Advice` that is shown.
    """

    taken = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self.setProperty("role", "way")
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self._advice: Advice | None = None
        self._what, self._effect = QLabel(), QLabel()
        self._effect.setProperty("role", "strong")
        self._row = QBoxLayout(QBoxLayout.Direction.LeftToRight, self)
        self._row.setContentsMargins(SIDE, 7, SIDE, 7)
        self._row.setSpacing(3)
        for label in (self._what, self._effect):
            label.setTextFormat(Qt.TextFormat.PlainText)
            label.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self._row.addWidget(self._what, 1)
        self._row.addWidget(self._effect)
        self.clicked.connect(lambda: self.taken.emit(self._advice))

    @property
    def advice(self) -> Advice | None:
        return self._advice

    def show_advice(self, advice: Advice) -> None:
        self._advice = advice
        self.mean((advice.kind, advice.draft_id, advice.settings))
        what, effect = advice_words(advice)
        self._what.setText(what[:1].upper() + what[1:])
        self._effect.setText(effect)
        suffices = advice.verdict is Verdict.FITS
        set_tone(self._effect, "muted" if not suffices else "good" if advice.speed is None else "caution")
        self.setAccessibleName(f"{what}, {effect}")
        self._arrange()

    def sizeHint(self) -> QSize:
        return self._row.sizeHint()

    def minimumSizeHint(self) -> QSize:
        return QSize(0, self._row.sizeHint().height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._arrange()

    def _arrange(self) -> None:
        """In one line or in two."""
        needed = self._what.sizeHint().width() + self._effect.sizeHint().width() + GAP + 2 * SIDE
        way = QBoxLayout.Direction
        self._row.setDirection(way.LeftToRight if needed <= self.width() else way.TopToBottom)
        self.updateGeometry()
