"""The tables of the Models page: rows of values, painted by columns that say how."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import Any

from PySide6.QtCore import QEvent, QModelIndex, QPoint, QSize, Qt, Signal
from PySide6.QtGui import QContextMenuEvent, QCursor, QHelpEvent, QKeyEvent, QMouseEvent, QResizeEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QApplication,
    QFrame,
    QHeaderView,
    QLabel,
    QMenu,
    QTableView,
    QToolTip,
    QVBoxLayout,
)

from app.translate import translate
from ui.elided_label import plain_tip
from ui.models_cells import CELL, Act, Cell, CellDelegate, act_rects, act_words
from ui.models_row_model import UNSORTED, Column, RowsModel
from ui.steady_button import Changeover
from ui.theme import theme_notifier
from ui.translated import Translated

HEAD = 33  # height of a heading
BELOW = 9  # free room below the last row, for the card's round corners
LEAST_SEEN = 3  # rows that a table has room for in the lowest window
Move = QAbstractItemView.CursorAction
Button = tuple[Hashable, Act]  # a row's key, and what it does


class ModelsTable(QTableView):
    """Rows chosen one at a time; buttons in cells are painted, and each is also in the row's menu. Enter does the
    first thing that a row offers. Keys move from row to row, never sideways.

    Signals:
        chosen(object): the row that is chosen now, another one or the same with other values; None for none.
        acted(object, object): an `Act` and the row it is meant for.
    """

    chosen = Signal(object)
    acted = Signal(object, object)

    def __init__(
        self,
        columns: Sequence[Column],
        key: Callable[[Any], Hashable],
        words: Callable[[Any], str] = str,
        acts: Callable[[Any], tuple[Act, ...]] = lambda row: (),
        row_height: int = 56,
    ) -> None:
        """`acts` is all that a row offers, the main thing first."""
        super().__init__()
        self.rows = RowsModel(columns, key, words)
        self._acts = acts
        self._kept: Hashable = None  # the key of the chosen row
        self._pressed: Button | None = None  # under the mouse when it went down last
        self._meant: Button | None = None  # by this press and the quick ones after it
        self._place = QPoint()
        self._changeover = Changeover()
        self._cells = CellDelegate(self)
        self.setProperty("role", "models")
        self.setModel(self.rows)
        self.setItemDelegate(self._cells)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setShowGrid(False)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setTabKeyNavigation(False)
        self.setMouseTracking(True)
        self.setCornerButtonEnabled(False)
        self.verticalHeader().hide()
        self.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        self.verticalHeader().setMinimumSectionSize(row_height)
        self.verticalHeader().setDefaultSectionSize(row_height)
        head = self.horizontalHeader()
        head.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        head.setFixedHeight(HEAD)
        head.setHighlightSections(False)
        head.setTextElideMode(Qt.TextElideMode.ElideRight)
        head.setSectionsClickable(True)
        head.setSortIndicatorClearable(True)
        head.setSortIndicator(UNSORTED, Qt.SortOrder.AscendingOrder)
        self.setSortingEnabled(True)
        self.rows.modelReset.connect(self._choose_again)
        self.rows.dataChanged.connect(self._tell_changed)
        self.selectionModel().currentRowChanged.connect(self._on_current)
        theme_notifier().changed.connect(self.rows.refresh)

    @property
    def current(self) -> Any | None:
        """The chosen row."""
        index = self.currentIndex()
        return self.rows.row(index.row()) if index.isValid() else None

    def in_sight(self) -> list[Any]:
        """The rows that are not scrolled away."""
        first, last = (self.rowAt(edge) for edge in (0, self.viewport().height() - 1))
        return list(self.rows.shown[max(0, first) : last + 1 if last >= 0 else None])

    def choose(self, key: Hashable) -> bool:
        """Choose the row of that key. False where it is not shown."""
        place = self.rows.place_of(key)
        if place is not None:
            self.setCurrentIndex(self.rows.index(place, 0))
        return place is not None

    def menu_for(self, row: Any) -> QMenu:
        """Everything that can be done with a row, and the ways to sort."""
        menu = QMenu(self)
        for act in self._acts(row):
            menu.addAction(act_words(act), lambda act=act: self.acted.emit(act, row))
        menu.addSeparator()
        for place, column in enumerate(self.rows.columns):
            if column.sort is not None:
                words = translate("models", "Sort by: {column}").format(column=column.name())
                menu.addAction(words, lambda place=place: self.sortByColumn(place, Qt.SortOrder.AscendingOrder))
        return menu

    def content_height(self) -> int:
        """Pixels that all rows need, and the heading."""
        return self.height_of(self.rows.rowCount())

    def height_of(self, rows: int) -> int:
        """Pixels that so many rows need, and the heading."""
        head = 0 if self.horizontalHeader().isHidden() else HEAD
        return head + rows * self.verticalHeader().defaultSectionSize()

    def minimumSizeHint(self) -> QSize:
        return QSize(0, self.height_of(min(LEAST_SEEN, self.rows.rowCount())))

    def sizeHint(self) -> QSize:
        return self.minimumSizeHint()

    # choosing

    def moveCursor(self, action: QAbstractItemView.CursorAction, modifiers: Qt.KeyboardModifier) -> QModelIndex:
        last = self.rows.rowCount() - 1
        if action in (Move.MoveLeft, Move.MoveRight):
            return self.currentIndex()
        if action in (Move.MoveHome, Move.MoveEnd) and last >= 0:
            return self.rows.index(0 if action is Move.MoveHome else last, 0)
        return super().moveCursor(action, modifiers)

    def _choose_again(self) -> None:
        """After the rows came in another order: the same one is chosen, or none."""
        if self._kept is None or not self.choose(self._kept):
            self.chosen.emit(None)

    def _on_current(self, index: QModelIndex, _before: QModelIndex) -> None:
        if index.isValid():
            self._kept = self.rows.key_at(index.row())
            self.chosen.emit(self.rows.row(index.row()))

    def _tell_changed(self, first: QModelIndex, last: QModelIndex) -> None:
        if self.currentIndex().isValid() and first.row() <= self.currentIndex().row() <= last.row():
            self.chosen.emit(self.current)

    # acting

    def keyPressEvent(self, event: QKeyEvent) -> None:
        row = self.current
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and row is not None and self._acts(row):
            if not event.isAutoRepeat():
                self.acted.emit(self._acts(row)[0], row)
        else:
            super().keyPressEvent(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        super().mouseMoveEvent(event)
        self._heat(self._act_at(event.position().toPoint()))

    def leaveEvent(self, event: QEvent) -> None:
        super().leaveEvent(event)
        self._heat(None)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Quick presses at one place are meant for the button that was there first: a row may have others by now, or
        be another one."""
        super().mousePressEvent(event)
        button, place = self._button_at(event), event.position().toPoint()
        at_once = (place - self._place).manhattanLength() <= QApplication.styleHints().mouseDoubleClickDistance()
        if at_once and button != self._meant and self._changeover.takes():
            self._pressed = None
        else:
            self._pressed = self._meant = button
            self._changeover.begin()
        self._place = place

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        super().mouseReleaseEvent(event)
        if self._pressed is not None and self._button_at(event) == self._pressed:
            self.acted.emit(self._pressed[1], self.rows.row(self.indexAt(event.position().toPoint()).row()))

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """Two presses."""
        self.mousePressEvent(event)

    def viewportEvent(self, event: QEvent) -> bool:
        if isinstance(event, QHelpEvent) and event.type() is QEvent.Type.ToolTip:
            QToolTip.showText(event.globalPos(), self._tip_at(event.pos()), self)
            return True
        return super().viewportEvent(event)

    def _button_at(self, event: QMouseEvent) -> Button | None:
        hit = self._act_at(event.position().toPoint())
        if hit is None or event.button() is not Qt.MouseButton.LeftButton:
            return None
        return self.rows.key_at(hit[0]), hit[2]

    def _act_at(self, place: QPoint) -> tuple[int, int, Act] | None:
        index = self.indexAt(place)
        if not index.isValid():
            return None
        for act, rect in act_rects(index.data(CELL), self.visualRect(index)):
            if rect.contains(place):
                return index.row(), index.column(), act
        return None

    def _tip_at(self, place: QPoint) -> str:
        hit, index = self._act_at(place), self.indexAt(place)
        if hit is not None:
            return act_words(hit[2])
        if not index.isValid():
            return ""
        cell: Cell = index.data(CELL)
        return plain_tip(cell.tip or "\n".join(part for part in (cell.text, cell.small) if part))

    def _heat(self, hit: tuple[int, int, Act] | None) -> None:
        if hit == self._cells.hot:
            return
        self._cells.hot = hit
        if hit is None:
            self.viewport().unsetCursor()
        else:
            self.viewport().setCursor(QCursor(Qt.CursorShape.PointingHandCursor))
        self.viewport().update()

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """The mouse asks for the row under it, a key for the chosen one: its event has no place of the viewport."""
        by_key = event.reason() is QContextMenuEvent.Reason.Keyboard
        index = self.currentIndex() if by_key else self.indexAt(event.pos())
        if index.isValid():
            place = self.visualRect(index).center() if by_key else event.pos()
            menu = self.menu_for(self.rows.row(index.row()))
            menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
            menu.popup(self.viewport().mapToGlobal(place))

    # room

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.fit_columns()

    def fit_columns(self) -> None:
        """Give the columns the width there is; those that give way go one by one where it is too little."""
        room, columns = self.viewport().width(), self.rows.columns
        seen = list(range(len(columns)))
        while sum(columns[place].width for place in seen) > room and any(columns[place].gives_way for place in seen):
            seen.remove(max(seen, key=lambda place: columns[place].gives_way))
        left = max(0, room - sum(columns[place].width for place in seen))
        shares = sum(columns[place].stretch for place in seen) or 1
        used = 0
        for place, column in enumerate(columns):
            self.setColumnHidden(place, place not in seen)
            width = column.width + left * column.stretch // shares
            if place == seen[-1]:
                width = max(column.width, room - used) if column.stretch else width
            self.setColumnWidth(place, width)
            used += width if place in seen else 0


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
