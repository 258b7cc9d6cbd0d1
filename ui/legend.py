"""The strip above a conversation: what the tints mean, and the switch between tokens and rendered text."""

from __future__ import annotations

from enum import Enum

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFontMetrics, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QButtonGroup, QHBoxLayout, QLabel, QSizePolicy, QWidget

from app.translate import translate
from ui.accessible import announce_as
from ui.flat_button import FlatButton
from ui.fonts import text_font
from ui.provenance import Mark, mark_word
from ui.theme import theme, theme_notifier
from ui.token_marks import Marks, paint_marks
from ui.translated import Translated

ROOM_FOR_MEANINGS = 680  # pixels


class ViewMode(Enum):
    TOKENS = "tokens"
    RENDERED = "rendered"


class MarkChip(QWidget):
    """A mark's name, marked as its tokens are."""

    def __init__(self, mark: Mark, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.mark = mark
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)

    def sizeHint(self) -> QSize:
        metrics = QFontMetrics(text_font(12))
        return QSize(metrics.horizontalAdvance(mark_word(self.mark)) + 10, metrics.height() + 6)

    def paintEvent(self, event: QPaintEvent) -> None:
        tint = QRectF(self.rect()).adjusted(0, 0, 0, -3)
        with QPainter(self) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            paint_marks(painter, Marks(tints={self.mark: [tint]}), theme(), tint)
            painter.setFont(text_font(12))
            painter.setPen(QColor(theme().text))
            painter.drawText(self.rect().adjusted(0, 0, 0, -3), Qt.AlignmentFlag.AlignCenter, mark_word(self.mark))


class Legend(Translated, QWidget):
    """Signals:
    mode_chosen(ViewMode)
    """

    mode_chosen = Signal(ViewMode)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._row = row = QHBoxLayout(self)
        row.setContentsMargins(28, 8, 28, 8)
        row.setSpacing(6)
        self.chips: dict[Mark, MarkChip] = {}
        self._meanings: dict[Mark, QLabel] = {}
        for mark in (Mark.ACCEPTED, Mark.RESAMPLED, Mark.BONUS, Mark.LOOKUP):
            self.chips[mark] = MarkChip(mark)
            self._meanings[mark] = QLabel()
            self._meanings[mark].setFont(text_font(12))
            self._meanings[mark].setWordWrap(True)
            self._meanings[mark].setMinimumWidth(1)
            row.addWidget(self.chips[mark])
            row.addWidget(self._meanings[mark])
            row.addSpacing(4)
        self.tokens, self.rendered = FlatButton(), FlatButton()
        self._group = QButtonGroup(self)
        for button, mode in ((self.tokens, ViewMode.TOKENS), (self.rendered, ViewMode.RENDERED)):
            button.setCheckable(True)
            announce_as(button, "radio")
            button.clicked.connect(lambda _checked=False, mode=mode: self.mode_chosen.emit(mode))
            self._group.addButton(button)
            row.addWidget(button)
        self.tokens.setChecked(True)
        theme_notifier().changed.connect(self._colour)
        self._colour()
        self.retranslate()

    def set_mode(self, mode: ViewMode) -> None:
        (self.tokens if mode is ViewMode.TOKENS else self.rendered).setChecked(True)

    def retranslate(self) -> None:
        self._meanings[Mark.ACCEPTED].setText(translate("transcript", "draft kept by the target"))
        self._meanings[Mark.RESAMPLED].setText(translate("transcript", "target replaced the guess"))
        self._meanings[Mark.BONUS].setText(translate("transcript", "target’s free extra token"))
        self._meanings[Mark.LOOKUP].setText(translate("transcript", "repeated text, no draft model"))
        for label in self._meanings.values():
            # Room by length, so that no meaning wraps before the others do.
            self._row.setStretchFactor(label, label.fontMetrics().horizontalAdvance(label.text()))
        for mark, chip in self.chips.items():
            chip.setAccessibleName(mark_word(mark))
            chip.setToolTip(self._meanings[mark].text())
            chip.updateGeometry()
        self.tokens.setText(translate("transcript", "Tokens"))
        self.tokens.setToolTip(translate("transcript", "Show where each token came from"))
        self.rendered.setText(translate("transcript", "Rendered"))
        self.rendered.setToolTip(translate("transcript", "Show headings, lists and tables as they are meant"))
        self.tokens.updateGeometry()
        self.rendered.updateGeometry()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        for meaning in self._meanings.values():
            meaning.setVisible(self.width() >= ROOM_FOR_MEANINGS)

    def _colour(self) -> None:
        for label in self._meanings.values():
            palette = label.palette()
            palette.setColor(label.foregroundRole(), QColor(theme().muted))
            label.setPalette(palette)
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        with QPainter(self) as painter:
            painter.fillRect(0, self.height() - 1, self.width(), 1, QColor(theme().border))
