"""The dialog with the earlier comparisons of a pair."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QDateTime, QLocale, QSize, Qt
from PySide6.QtWidgets import (
    QAbstractItemView,
    QDialog,
    QHeaderView,
    QLabel,
    QTableWidget,
    QTableWidgetItem,
    QVBoxLayout,
    QWidget,
)

from app.amounts import count
from app.compare.presets import preset_name
from app.compare.record import Record
from app.translate import translate
from ui.compare_store import CompareStore
from ui.dialogs import add_buttons, new_dialog
from ui.fact_list import wrapped

LEAST = QSize(640, 240)  # of the table: with all around it, it is within the smallest window
SIZE = QSize(780, 480)  # of the dialog, where the window is larger


def show_history(parent: QWidget, store: CompareStore, *, loaded: bool) -> QDialog:
    """The runs that the store knows, new ones as they come. `loaded`: there is a pair."""
    dialog, column = new_dialog(parent, translate("compare", "Earlier runs of this pair"))
    inside = QVBoxLayout()
    column.addLayout(inside, 1)

    def fill() -> None:
        while (item := inside.takeAt(0)) is not None:
            item.widget().deleteLater()
        for widget in _runs(store.runs) if store.runs else (_nothing(loaded),):
            inside.addWidget(widget)

    fill()
    store.changed.connect(fill)
    dialog.finished.connect(lambda: store.changed.disconnect(fill))
    add_buttons(dialog, column, (translate("dialogs", "Close"), dialog.accept))
    if store.runs:
        dialog.resize(SIZE.boundedTo(parent.window().size()))
    dialog.open()
    return dialog


def _nothing(loaded: bool) -> QLabel:
    words = wrapped("")
    words.setText(
        translate("compare", "Nothing was measured with this pair yet. Run a comparison.")
        if loaded
        else translate("compare", "No pair is loaded. What was measured with one is listed here.")
    )
    words.setMinimumWidth(420)
    return words


def _runs(runs: Sequence[Record]) -> tuple[QWidget, ...]:
    """`runs` are of one pair, latest first."""
    title = QLabel(runs[0].title)
    title.setProperty("tone", "muted")
    title.setTextFormat(Qt.TextFormat.PlainText)
    return title, _table(runs)


def _table(runs: Sequence[Record]) -> QTableWidget:
    heads = (
        translate("compare", "Date"),
        translate("compare", "Prompt"),
        translate("compare", "Draft"),
        translate("compare", "Off"),
        translate("compare", "On"),
        translate("compare", "Ratio"),
        translate("compare", "Accepted"),
        translate("compare", "Tokens"),
        translate("compare", "Engine"),
    )
    table = QTableWidget(len(runs), len(heads))
    table.setProperty("role", "history")
    table.setAccessibleName(translate("compare", "Earlier runs of this pair"))
    table.setHorizontalHeaderLabels(heads)
    table.setMinimumSize(LEAST)
    table.setShowGrid(False)
    table.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
    table.setTabKeyNavigation(False)
    table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
    table.verticalHeader().hide()
    table.horizontalHeader().setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
    table.horizontalHeader().setHighlightSections(False)
    for row, run in enumerate(runs):
        for place, words in enumerate(_cells(run)):
            table.setItem(row, place, QTableWidgetItem(words))
    table.horizontalHeader().setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
    table.horizontalHeader().setStretchLastSection(True)
    return table


def _cells(run: Record) -> tuple[str, ...]:
    rate = run.acceptance_rate
    when = QDateTime.fromSecsSinceEpoch(round(run.at))
    return (
        QLocale().toString(when, QLocale.FormatType.ShortFormat),
        preset_name(run.preset),
        run.draft_length,
        f"{run.off_tokens_per_s:.1f}",
        f"{run.on_tokens_per_s:.1f}",
        f"{run.ratio:.2f}×",
        "–" if rate is None else f"{100 * rate:.0f} %",
        count(run.tokens),
        run.engine,
    )
