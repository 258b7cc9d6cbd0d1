"""The card around a table of the Models page: its name, its height, and what stands there instead of rows."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtWidgets import QFrame, QLabel, QVBoxLayout

from ui.models_table import ModelsTable
from ui.translated import Translated

BELOW = 9  # free room below the last row, for the card's round corners


class TableCard(Translated, QFrame):
    """A table in a card that is no higher than its rows. Its names follow the language."""

    def __init__(self, table: ModelsTable, name: Callable[[], str], nothing: Callable[[], str] = str) -> None:
        """`name` is what a screen reader says of the table, `nothing` what is seen instead of rows."""
        super().__init__()
        self.setProperty("role", "card")
        self.table = table
        self._name, self._nothing = name, nothing
        self._words = QLabel()
        self._words.setProperty("tone", "muted")
        self._words.setContentsMargins(10, 10, 10, 3)
        self._words.hide()
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, BELOW - 2)  # the border takes two pixels
        column.setSpacing(0)
        column.addWidget(table)
        column.addWidget(self._words)
        table.rows.modelReset.connect(self._fit)
        self._fit()
        self.retranslate()

    def retranslate(self) -> None:
        self.table.setAccessibleName(self._name())
        self.table.rows.refresh()
        self._fit()

    @property
    def nothing(self) -> str:
        """What stands there instead of rows."""
        return self._words.text() if self._words.isVisibleTo(self) else ""

    def show_at_most(self, rows: int) -> None:
        """Take exactly the height of the rows there are, up to so many."""
        seen = min(rows, max(1, self.table.rows.rowCount()))
        self.setFixedHeight(self.table.height_of(seen) + BELOW)

    def _fit(self) -> None:
        words = "" if self.table.rows.rowCount() else self._nothing()
        self._words.setText(words)
        self._words.setVisible(bool(words))
        self.table.updateGeometry()
        if self.minimumHeight() != self.maximumHeight():  # else `show_at_most` says how high
            words_height = self._words.sizeHint().height() if words else 0
            self.setMaximumHeight(self.table.content_height() + words_height + BELOW)
