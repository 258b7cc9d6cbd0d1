"""A card that says what happened, why, and what can be done."""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum

from PySide6.QtCore import QRectF, Qt, Signal
from PySide6.QtGui import QColor, QPainter, QPainterPath, QPaintEvent, QPalette, QResizeEvent
from PySide6.QtWidgets import QBoxLayout, QHBoxLayout, QSizePolicy, QVBoxLayout, QWidget

from ui.fonts import text_font
from ui.steady_button import SteadyButton
from ui.theme import theme, theme_notifier
from ui.wrapped_label import WrappedLabel

EDGE = 4
RADIUS = 8
MOST_FOR_BUTTONS = 0.5  # of the width


class Tone(Enum):
    """What the coloured edge says. PLAIN has no edge."""

    PLAIN = "plain"
    NOTE = "note"
    WARNING = "warning"
    GOOD = "good"


class StateCard(QWidget):
    """One state in words.

    The first button is the main one. Titles, texts and buttons come translated and finished.

    Signals:
        clicked(int): a button, by its place in `buttons`.
    """

    clicked = Signal(int)

    def __init__(
        self,
        title: str,
        text: str,
        buttons: Sequence[str] = (),
        tone: Tone = Tone.WARNING,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._tone = tone
        self._title = WrappedLabel(title)
        self._title.setFont(text_font(13, strong=True))
        self._text = WrappedLabel(text)
        self._text.setFont(text_font(13))
        for label in (self._title, self._text):
            label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
            label.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Minimum)

        words = QVBoxLayout()
        words.setSpacing(3)
        words.addWidget(self._title)
        words.addWidget(self._text)
        self._row = QBoxLayout(QBoxLayout.Direction.LeftToRight, self)
        self._row.setContentsMargins(EDGE + 14, 12, 16, 12)
        self._row.setSpacing(12)
        self._row.addLayout(words, 1)
        foot = QHBoxLayout()
        foot.setSpacing(12)
        foot.addStretch(1)
        self.buttons: list[SteadyButton] = []
        for place, label in enumerate(buttons):
            self._add_button(label, place, foot)
        self._row.addLayout(foot)

        self.setAccessibleName(title)
        self.setAccessibleDescription(text)
        theme_notifier().changed.connect(self._colour)
        self._colour()

    def set_text(self, text: str) -> None:
        """Other words under the same title, as when a count goes on."""
        self._text.setText(text)
        self.setAccessibleDescription(text)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Buttons that would take more room than the words go below them."""
        super().resizeEvent(event)
        needed = sum(button.sizeHint().width() + self._row.spacing() for button in self.buttons)
        way = QBoxLayout.Direction
        below = needed > MOST_FOR_BUTTONS * event.size().width()
        self._row.setDirection(way.TopToBottom if below else way.LeftToRight)

    def _add_button(self, label: str, place: int, row: QHBoxLayout) -> None:
        button = SteadyButton(label)  # one card comes where another was
        button.setProperty("role", "" if place else "primary")
        button.clicked.connect(lambda: self.clicked.emit(place))
        row.addWidget(button, 0, Qt.AlignmentFlag.AlignVCenter)
        self.buttons.append(button)

    def _colour(self) -> None:
        for label, colour in ((self._title, theme().text), (self._text, theme().muted)):
            palette = label.palette()
            palette.setColor(QPalette.ColorRole.WindowText, QColor(colour))
            label.setPalette(palette)
        self.update()

    def _edge(self) -> QColor | None:
        t = theme()
        value = {Tone.NOTE: t.accent, Tone.WARNING: t.warn, Tone.GOOD: t.good}.get(self._tone)
        return QColor(value) if value else None

    def paintEvent(self, event: QPaintEvent) -> None:
        box = QPainterPath()
        box.addRoundedRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5), RADIUS, RADIUS)
        with QPainter(self) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.fillPath(box, QColor(theme().surface))
            if (edge := self._edge()) is not None:
                painter.save()
                painter.setClipRect(0, 0, EDGE, self.height())
                painter.fillPath(box, edge)
                painter.restore()
            painter.setPen(QColor(theme().border))
            painter.drawPath(box)
