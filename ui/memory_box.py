"""The top bar's memory: the main device in words and as a bar, everything else where it is pointed at."""

from __future__ import annotations

from PySide6.QtCore import QPoint, QSize, Qt
from PySide6.QtGui import QCursor
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QSizePolicy, QToolTip

from app.memory_words import use_in_short
from ui.bars import SegmentBar
from ui.elided_label import ElidedLabel
from ui.memory_control import Reading
from ui.memory_hover import bar_segments, hover_rows, rows_as_html, rows_as_text
from ui.theme import theme_notifier
from ui.translated import Translated


class MemoryBox(Translated, QPushButton):
    """A click, or Enter, tells the same as pointing at it. Its tool tip goes on with the figures while it is open."""

    def __init__(self) -> None:
        super().__init__()
        self.setProperty("role", "memory")
        self.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        self._reading: Reading | None = None
        self._words, self._bar = ElidedLabel(), SegmentBar()
        self._words.setProperty("role", "small")
        self._bar.setFixedSize(160, 12)
        row = QHBoxLayout(self)
        row.setContentsMargins(6, 6, 6, 6)
        row.setSpacing(14)
        for widget in (self._words, self._bar):
            widget.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
            row.addWidget(widget, 0, Qt.AlignmentFlag.AlignVCenter)
        self.clicked.connect(lambda: self._tell(self.mapToGlobal(QPoint(0, self.height()))))
        theme_notifier().changed.connect(self.retranslate)
        self.retranslate()

    @property
    def words(self) -> str:
        return self._words.text()

    @property
    def bar(self) -> SegmentBar:
        return self._bar

    def show_reading(self, reading: Reading) -> None:
        self._reading = reading
        self.retranslate()

    def sizeHint(self) -> QSize:
        return self.layout().sizeHint()

    def minimumSizeHint(self) -> QSize:
        return self.layout().minimumSize()

    def retranslate(self) -> None:
        if self._reading is None:
            return
        rows, before = hover_rows(self._reading), self.toolTip()
        self._words.setText(use_in_short(self._reading.machine.main))
        self._bar.show_segments(bar_segments(self._reading))
        self._bar.setVisible(self._reading.machine.main.live)
        self.setAccessibleName(self.words)
        self.setAccessibleDescription(rows_as_text(rows))
        self.setToolTip(rows_as_html(rows))
        self.updateGeometry()
        if QToolTip.isVisible() and QToolTip.text() == before != self.toolTip():
            self._tell(QCursor.pos() if self.underMouse() else self.mapToGlobal(QPoint(0, self.height())))

    def _tell(self, place: QPoint) -> None:
        QToolTip.showText(place, self.toolTip(), self)
