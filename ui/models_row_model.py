"""Rows of values for a table: columns that say how they are shown, a filter, an order."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from operator import is_
from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, Qt

from ui.models_cells import CELL, AnyIndex, Cell

NO_INDEX = QModelIndex()
UNSORTED = -1
MOST_CELLS = 5_000


@dataclass(frozen=True, slots=True)
class Column:
    """One column of a table whose rows are values of one type.

    Attributes:
        name: its heading, in the present language.
        cell: what a row shows in it.
        width: pixels that it needs. stretch: its share of what is left.
        sort: what rows are ordered by; None where the order says nothing.
        gives_way: columns with a higher number leave first where there is no room; 0 stays.
    """

    name: Callable[[], str]
    cell: Callable[[Any], Cell]
    width: int
    stretch: int = 0
    sort: Callable[[Any], Any] | None = None
    gives_way: int = 0


class RowsModel(QAbstractTableModel):
    """The rows that match the filter, in the order chosen. Rows are told apart by `key`."""

    def __init__(self, columns: Sequence[Column], key: Callable[[Any], Hashable], words: Callable[[Any], str]) -> None:
        """`words` is the text of a row that the filter looks at."""
        super().__init__()
        self.columns = tuple(columns)
        self._key = key
        self._words = words
        self._all: tuple[Any, ...] = ()
        self._shown: list[Any] = []
        self._filter: list[str] = []
        self._texts: dict[int, tuple[Any, str]] = {}  # by the identity of the row, which is kept alive here
        self._cells: dict[tuple[int, int], tuple[Any, Cell]] = {}  # the same; of the rows that were painted
        self._sorted_by = UNSORTED
        self._order = Qt.SortOrder.AscendingOrder

    def show_rows(self, rows: Sequence[Any]) -> None:
        """Costs next to nothing where all rows are the very objects that are shown already."""
        if len(rows) != len(self._all) or not all(map(is_, rows, self._all)):
            self._all = tuple(rows)
            self._arrange()

    def _arrange(self) -> None:
        before = self._shown
        fresh = self._arranged()
        if list(map(self._key, before)) != list(map(self._key, fresh)):
            self.beginResetModel()
            self._shown = fresh
            self.endResetModel()
            return
        changed = [
            place for place, (old, new) in enumerate(zip(before, fresh, strict=True)) if old is not new and old != new
        ]
        self._shown = list(before)  # the objects whose cells are known
        for place in changed:
            self._shown[place] = fresh[place]
        if changed:
            self.dataChanged.emit(self.index(changed[0], 0), self.index(changed[-1], len(self.columns) - 1))

    def filter(self, text: str) -> None:
        """Only rows that have all words of `text`."""
        self._filter = text.casefold().split()
        self._arrange()

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        if 0 <= column < len(self.columns) and self.columns[column].sort is None:
            return
        self._sorted_by, self._order = column, order
        self._arrange()

    def refresh(self) -> None:
        """Language or theme changed, or something else that cells are made of."""
        self._cells.clear()
        self.headerDataChanged.emit(Qt.Orientation.Horizontal, 0, len(self.columns) - 1)
        if self._shown:
            self.dataChanged.emit(self.index(0, 0), self.index(len(self._shown) - 1, len(self.columns) - 1))

    def row(self, place: int) -> Any:
        return self._shown[place]

    @property
    def shown(self) -> tuple[Any, ...]:
        return tuple(self._shown)

    def place_of(self, key: Hashable) -> int | None:
        return next((place for place, row in enumerate(self._shown) if self._key(row) == key), None)

    def key_at(self, place: int) -> Hashable:
        return self._key(self._shown[place])

    def rowCount(self, parent: AnyIndex = NO_INDEX) -> int:
        return 0 if parent.isValid() else len(self._shown)

    def columnCount(self, parent: AnyIndex = NO_INDEX) -> int:
        return 0 if parent.isValid() else len(self.columns)

    def data(self, index: AnyIndex, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if role not in (CELL, Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole):
            return None
        cell = self._cell(index.row(), index.column())
        if role == CELL:
            return cell
        return cell.text if role == Qt.ItemDataRole.DisplayRole else cell.words

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if orientation is not Qt.Orientation.Horizontal:
            return None
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.ToolTipRole):
            return self.columns[section].name()
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
        return None

    def _cell(self, place: int, column: int) -> Cell:
        """Made once for all paintings."""
        row = self._shown[place]
        known = self._cells.get((id(row), column))
        if known is None or known[0] is not row:
            if len(self._cells) > MOST_CELLS:
                self._cells.clear()
            known = self._cells[id(row), column] = row, self.columns[column].cell(row)
        return known[1]

    def _arranged(self) -> list[Any]:
        rows = list(self._all)
        if self._filter:
            texts = {id(row): self._texts.get(id(row)) or (row, self._words(row).casefold()) for row in rows}
            self._texts = texts
            rows = [row for row in rows if all(word in texts[id(row)][1] for word in self._filter)]
        sort = self.columns[self._sorted_by].sort if self._sorted_by >= 0 else None
        if sort is not None:
            rows.sort(key=sort, reverse=self._order is Qt.SortOrder.DescendingOrder)
        return rows
