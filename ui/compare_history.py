"""The dialog with the earlier comparisons of a pair."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QDateTime, QLocale, Qt
from PySide6.QtWidgets import QAbstractItemView, QDialog, QHeaderView, QLabel, QTableWidget, QTableWidgetItem, QWidget

from app.amounts import count
from app.compare.presets import preset_name
from app.compare.record import Record
from app.translate import translate
from ui.dialogs import add_buttons, new_dialog
from ui.fact_list import wrapped

SIZE = 720, 360  # pixels


def show_history(parent: QWidget, runs: Sequence[Record]) -> QDialog:
    """`runs` are of one pair, latest first."""
    dialog, column = new_dialog(parent, translate("compare", "Earlier runs of this pair"))
    if runs:
        title = QLabel(runs[0].title)
        title.setProperty("tone", "muted")
        title.setTextFormat(Qt.TextFormat.PlainText)
        column.addWidget(title)
        column.addWidget(_table(runs))
    else:
        words = wrapped("")
        words.setText(translate("compare", "Nothing was measured with this pair yet. Run a comparison."))
        words.setMinimumWidth(420)
        column.addWidget(words)
    add_buttons(dialog, column, (translate("dialogs", "Close"), dialog.accept))
    dialog.open()
    return dialog


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
    table.setMinimumSize(*SIZE)
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
