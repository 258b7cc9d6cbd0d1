"""The card of what speculation brought on the user's own texts of the last days."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QGridLayout, QLabel, QVBoxLayout

from app.amounts import count
from app.mix import MixRow
from app.text_kind import kind_name
from app.translate import join_sentences, translate
from ui.fact_list import wrapped
from ui.style import set_tone
from ui.translated import Translated

LEAST_GAIN = 1.05  # from which on a ratio is good news
LEAST_REST = 0.05  # of the tokens, to be told of


class MixCard(Translated, QFrame):
    """A row for each kind of text: how many times as fast it was, and how long guessing rested."""

    def __init__(self) -> None:
        super().__init__()
        self.setProperty("role", "card")
        self._rows: tuple[MixRow, ...] = ()
        self._loaded = False
        self._title, self.empty = QLabel(), wrapped("small")
        self._title.setProperty("role", "section")
        self._grid = QGridLayout()
        self._grid.setVerticalSpacing(7)
        self._grid.setHorizontalSpacing(12)
        self._grid.setColumnStretch(1, 1)
        self._labels: list[tuple[QLabel, QLabel]] = []
        column = QVBoxLayout(self)
        column.setContentsMargins(16, 14, 16, 14)
        column.setSpacing(10)
        column.addWidget(self._title)
        column.addLayout(self._grid)
        column.addWidget(self.empty)
        column.addStretch(1)
        self.retranslate()

    @property
    def texts(self) -> list[tuple[str, str]]:
        return [(name.text(), value.text()) for name, value in self._labels if not name.isHidden()]

    def show_rows(self, rows: Sequence[MixRow]) -> None:
        self._rows = tuple(rows)
        while len(self._labels) < len(rows):
            self._add_row()
        for place, (name, value) in enumerate(self._labels):
            for label in (name, value):
                label.setVisible(place < len(rows))
            if place < len(rows):
                name.setText(_name(rows[place]))
                value.setText(_value(rows[place]))
                value.setToolTip(translate("compare", "from {tokens} tokens").format(tokens=count(rows[place].tokens)))
                set_tone(value, "good" if rows[place].ratio >= LEAST_GAIN else "")
        self.empty.setVisible(not rows)

    def show_loaded(self, loaded: bool) -> None:
        """Whether there is a pair that the rows are of."""
        if loaded != self._loaded:
            self._loaded = loaded
            self.retranslate()

    def retranslate(self) -> None:
        self._title.setText(translate("compare", "YOUR OWN MIX, LAST 7 DAYS"))
        self.setAccessibleName(translate("compare", "Your own mix, last 7 days"))
        begin = (
            translate("compare", "Nothing yet with this pair.")
            if self._loaded
            else translate("compare", "No pair is loaded.")
        )
        explain = translate(
            "compare",
            "What speculation brings on your own chats is added up here, by kind of text; the texts themselves are not "
            "kept.",
        )
        self.empty.setText(join_sentences([begin, explain]))
        self.show_rows(self._rows)

    def _add_row(self) -> None:
        name, value = QLabel(), QLabel()
        name.setProperty("tone", "muted")
        value.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self._grid.addWidget(name, len(self._labels), 0)
        self._grid.addWidget(value, len(self._labels), 1)
        self._labels.append((name, value))


def _name(row: MixRow) -> str:
    kind = kind_name(row.kind)
    return translate("compare", "{kind}, fixed length").format(kind=kind) if row.fixed else kind


def _value(row: MixRow) -> str:
    ratio = f"{row.ratio:.2f}×"
    if row.resting < LEAST_REST:
        return ratio
    words = translate("compare", "{ratio} · auto kept it off {share} % of the time")
    return words.format(ratio=ratio, share=f"{100 * row.resting:.0f}")
