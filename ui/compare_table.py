"""What a comparison came to: the answer in words, the figures off and on, and where the texts part."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QAbstractButton, QFrame, QGridLayout, QHBoxLayout, QLabel, QPushButton, QVBoxLayout

from app.translate import translate
from ui.fact_list import wrapped
from ui.flat_button import FlatButton
from ui.style import set_tone
from ui.translated import Translated

COLUMNS = 4


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the table. Where `on` is None, `off` takes both columns. `tone` is the ratio's."""

    name: str
    off: str
    on: str | None
    ratio: str
    tone: str = ""
    tip: str = ""


@dataclass(frozen=True, slots=True)
class TableText:
    """All that the card says.

    Attributes:
        verdict: the answer, or where it will come. tone: its colour.
        rows: always as many.
        difference: where the texts part and why, "" where they do not.
        note: how the figures are meant, "" where that is plain.
    """

    verdict: str
    tone: str
    rows: tuple[Row, ...]
    difference: str = ""
    note: str = ""


class CompareTable(Translated, QFrame):
    """Signals:
    difference_wanted(): show where the texts part.
    history_wanted(): the earlier runs.
    """

    difference_wanted = Signal()
    history_wanted = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.setProperty("role", "card")
        self._shown: TableText | None = None
        self._running = False
        self.verdict = wrapped("strong")
        self.difference, self.note = wrapped("small"), wrapped("tiny")
        self.show_difference, self.history = QPushButton(), FlatButton()
        self.show_difference.setProperty("role", "link")
        self._heads = [QLabel() for _ in range(COLUMNS)]
        self._cells: list[list[QLabel]] = []
        self._grid = QGridLayout()
        self._grid.setVerticalSpacing(0)
        self._grid.setHorizontalSpacing(0)
        self._grid.setColumnStretch(0, 5)
        for column in range(1, COLUMNS):
            self._grid.setColumnStretch(column, 3)
        for column, head in enumerate(self._heads):
            head.setProperty("role", "tiny")
            head.setContentsMargins(10, 0, 4, 6)
            self._grid.addWidget(head, 0, column)
        top = QHBoxLayout()
        top.addWidget(self.verdict, 1)
        top.addWidget(self.history, 0, Qt.AlignmentFlag.AlignTop)
        foot = QHBoxLayout()
        foot.setSpacing(12)
        foot.addWidget(self.difference, 1)
        foot.addWidget(self.show_difference, 0, Qt.AlignmentFlag.AlignTop)
        column_ = QVBoxLayout(self)
        column_.setContentsMargins(16, 12, 16, 12)
        column_.setSpacing(8)
        column_.addLayout(top)
        column_.addLayout(self._grid)
        column_.addWidget(self.note)
        column_.addLayout(foot)
        column_.addStretch(1)
        self.show_difference.clicked.connect(self.difference_wanted)
        self.history.clicked.connect(self.history_wanted)
        self.retranslate()

    @property
    def buttons(self) -> tuple[QAbstractButton, ...]:
        return self.history, self.show_difference

    @property
    def shown(self) -> TableText | None:
        return self._shown

    def show_text(self, text: TableText) -> None:
        if text == self._shown:
            return
        self._shown = text
        self.verdict.setText(text.verdict)
        set_tone(self.verdict, text.tone)
        while len(self._cells) < len(text.rows):
            self._add_row(text.rows[len(self._cells)].on is None)
        for cells, row in zip(self._cells, text.rows, strict=True):
            words = [row.name, row.off, row.ratio] if row.on is None else [row.name, row.off, row.on, row.ratio]
            for cell, word in zip(cells, words, strict=True):
                cell.setText(word)
                cell.setToolTip(row.tip)
            set_tone(cells[-1], row.tone)
            cells[-1].setAccessibleName(f"{row.name}: {row.off} {row.on or ''} {row.ratio}")
        self.note.setText(text.note)
        self.note.setVisible(bool(text.note))
        self.difference.setText(text.difference)
        for widget in (self.difference, self.show_difference):
            widget.setVisible(bool(text.difference))

    def show_running(self, running: bool) -> None:
        """While replies are written the texts are not those in which the difference was found, and follow their end."""
        self._running = running
        self.show_difference.setEnabled(not running)
        self.show_difference.setToolTip(
            translate("compare", "The texts are still being written; it can be shown once the comparison has ended")
            if running
            else translate("compare", "Scroll both texts to the first difference")
        )
        self.show_difference.setAccessibleDescription(self.show_difference.toolTip())

    def retranslate(self) -> None:
        self.setAccessibleName(translate("compare", "Result"))
        for head, words in zip(
            self._heads,
            ("", translate("compare", "Off"), translate("compare", "On"), translate("compare", "Ratio")),
            strict=True,
        ):
            head.setText(words)
        self.show_difference.setText(translate("compare", "Show it"))
        self.show_running(self._running)
        self.history.setText(translate("compare", "Earlier runs"))
        self.history.setToolTip(translate("compare", "What was measured with this pair before"))

    def _add_row(self, wide: bool) -> None:
        place = 2 * len(self._cells) + 1
        line = QFrame()
        line.setProperty("role", "line")
        line.setFixedHeight(1)
        self._grid.addWidget(line, place, 0, 1, COLUMNS)
        cells = []
        for column, span in ((0, 1), (1, 2), (3, 1)) if wide else ((0, 1), (1, 1), (2, 1), (3, 1)):
            cell = QLabel()
            cell.setTextFormat(Qt.TextFormat.PlainText)
            cell.setContentsMargins(10, 8, 4, 8)
            if column == 0:
                cell.setProperty("tone", "muted")
            self._grid.addWidget(cell, place + 1, column, 1, span)
            cells.append(cell)
        self._cells.append(cells)
