"""The line at the bottom: the engine's state and the downloads on the left, the pair's verdict and a hint on the
right."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPen, QResizeEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QSizePolicy, QWidget

from app.translate import translate
from ui.elided_label import ElidedLabel
from ui.theme import theme, theme_notifier
from ui.translated import Translated

ROOM_FOR_HINT = 1_080  # pixels


class Dot(QWidget):
    """A small disc: filled in a colour of the theme, or hollow while nothing runs."""

    def __init__(self, tone: str = "off") -> None:
        super().__init__()
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self._tone = tone
        theme_notifier().changed.connect(self.update)

    @property
    def tone(self) -> str:
        return self._tone

    def show_tone(self, tone: str) -> None:
        """`tone` is "good", "warn", "busy" or "off"."""
        if tone != self._tone:
            self._tone = tone
            self.update()

    def sizeHint(self) -> QSize:
        return QSize(10, 10)

    def paintEvent(self, _: QPaintEvent) -> None:
        t = theme()
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if self._tone == "off":
            painter.setPen(QPen(QColor(t.muted), 1.4))
            painter.drawEllipse(QPointF(5, 5), 3.6, 3.6)
            return
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor({"good": t.good, "warn": t.warn, "busy": t.accent}[self._tone]))
        painter.drawEllipse(QPointF(5, 5), 4.4, 4.4)


class StatusLine(Translated, QFrame):
    def __init__(self) -> None:
        super().__init__()
        self.setProperty("role", "bar")
        self.setFixedHeight(28)
        self._dot = Dot()
        self._state, self._downloads = ElidedLabel(), ElidedLabel()
        self._verdict, self._hint = ElidedLabel(), QLabel()
        row = QHBoxLayout(self)
        row.setContentsMargins(14, 0, 14, 0)
        row.setSpacing(18)
        row.addWidget(self._dot)
        row.addWidget(self._state)
        row.addWidget(self._downloads)
        row.addStretch(1)
        for label in (self._state, self._downloads, self._verdict, self._hint):
            label.setProperty("role", "small")
        row.addWidget(self._verdict)
        row.addWidget(self._hint)
        self.show_downloads("")
        self.retranslate()

    @property
    def state(self) -> str:
        return self._state.text()

    @property
    def downloads(self) -> str:
        return self._downloads.text()

    @property
    def verdict(self) -> str:
        return self._verdict.text()

    def show_state(self, tone: str, words: str) -> None:
        """`tone` as in `Dot.show_tone`."""
        self._dot.show_tone(tone)
        self._state.setText(words)

    def show_downloads(self, words: str, alone: bool = False) -> None:
        """How many run and how fast; "" where none does. `alone`: instead of the engine's state."""
        self._downloads.setText(words)
        self._downloads.setVisible(bool(words))
        self._state.setVisible(not (words and alone))

    def show_verdict(self, words: str) -> None:
        """What is to be said of the pair; "" where there is none, which hides the hint as well."""
        self._verdict.setText(words)
        self._show_hint()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._show_hint()

    def _show_hint(self) -> None:
        self._hint.setVisible(bool(self.verdict) and self.width() >= ROOM_FOR_HINT)

    def retranslate(self) -> None:
        self._hint.setText(translate("status_line", "Ctrl+Shift+S toggles speculation"))
