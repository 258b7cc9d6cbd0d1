"""The three tabs of the Models page."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QLineEdit, QPushButton, QVBoxLayout, QWidget

from app.messages import message_for
from app.translate import translate
from ui.models_columns import DOWNLOAD_COLUMNS, LOCAL_COLUMNS, REPO_COLUMNS, pair_columns
from ui.models_control import ModelsControl
from ui.models_drafts import Target
from ui.models_drafts_card import DraftsCard
from ui.models_fits import ModelsFits
from ui.models_rows import LocalRow, PairRow
from ui.models_table import ModelsTable
from ui.models_table_card import TableCard
from ui.models_words import pair_subtitle, repo_name
from ui.state_card import StateCard
from ui.translated import Translated

MOST_DOWNLOADS = 3  # rows seen at once


class PairsTab(QWidget):
    """The catalogue, and the drafts for the chosen pair's target.

    Attributes:
        all_rows: those the filter leaves out included.
    """

    def __init__(self, models: ModelsControl, fits: ModelsFits) -> None:
        super().__init__()
        self._models, self._fits = models, fits
        self.all_rows: list[PairRow] = []
        self.table = ModelsTable(
            pair_columns(lambda: fits.machine),
            key=lambda row: row.pair.id,
            words=lambda row: (
                f"{row.pair.title} {row.pair.family} {pair_subtitle(row.pair)} {row.pair.target.quantisation}"
            ),
            acts=lambda row: row.acts,
        )
        self.drafts = DraftsCard(models.drafts)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(16)
        self.card = TableCard(self.table, lambda: translate("models", "Matched pairs"), self._nothing)
        column.addWidget(self.card, 1000)
        column.addWidget(self.drafts)
        column.addStretch(1)
        self.table.chosen.connect(self._on_chosen)
        fits.moved.connect(self.table.rows.refresh)
        self._on_chosen(None)

    def show_rows(self) -> None:
        """As they are now, each with what is known of its need of memory."""
        self.all_rows = self._models.pair_rows()
        self.show_fits()

    def show_fits(self) -> None:
        """The same rows, with what is known by now."""
        self.table.rows.show_rows([replace(row, fit=self._fits.fit(row.pair.id)) for row in self.all_rows])

    def key(self) -> str:
        """Of the chosen pair."""
        return "" if self.table.current is None else self.table.current.pair.id

    def in_sight(self) -> list[str]:
        """The chosen pair, and those that are seen."""
        return [self.key(), *(row.pair.id for row in self.table.in_sight())]

    def refresh(self) -> None:
        self.show_rows()
        if self.table.current is None and self.table.rows.rowCount():
            self.table.setCurrentIndex(self.table.rows.index(0, 0))
        elif not self._models.scanning:
            self._on_chosen(self.table.current)

    def _nothing(self) -> str:
        return nothing_matches() if self._models.catalogue.pairs else ""

    def _on_chosen(self, row: PairRow | None) -> None:
        if row is None:
            self.drafts.show_target(None, "")
            return
        if row.target is not None and self.isVisibleTo(self.parentWidget()):
            self._models.drafts.judge(row.target, self._models.local)
        self.drafts.show_target(row.target or row.pair.target.model, row.pair.title.partition(" + ")[0])


class LocalTab(Translated, QWidget):
    """The models on this computer, the downloads under way, and the drafts for the chosen model."""

    def __init__(self, models: ModelsControl) -> None:
        super().__init__()
        self._models = models
        self.table = ModelsTable(
            LOCAL_COLUMNS,
            key=lambda row: row.model.path,
            words=_local_text,
            acts=lambda row: row.acts,
            row_height=50,
        )
        self.queue = ModelsTable(DOWNLOAD_COLUMNS, key=lambda row: row.download.id, acts=lambda row: row.acts)
        self._queue_card = TableCard(self.queue, lambda: translate("models", "Downloads"))
        self.drafts = DraftsCard(models.drafts)
        self._words = QLabel()
        self._words.setProperty("role", "small")
        self.add_folder = QPushButton()
        foot = QHBoxLayout()
        foot.addWidget(self._words, 1)
        foot.addWidget(self.add_folder)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(14)
        column.addWidget(self._queue_card)
        self.card = TableCard(self.table, lambda: translate("models", "Models on this computer"), self._nothing)
        column.addWidget(self.card, 1000)
        column.addLayout(foot)
        column.addWidget(self.drafts)
        column.addStretch(1)
        self.table.chosen.connect(self._on_chosen)
        self.table.rows.modelReset.connect(self.retranslate)
        self._on_chosen(None)
        self.retranslate()

    @property
    def words(self) -> str:
        return self._words.text()

    def refresh(self) -> None:
        self.table.rows.show_rows(self._models.local_rows())
        self.refresh_downloads()
        self.retranslate()
        if self.isVisibleTo(self.parentWidget()) and not self._models.scanning:
            self._on_chosen(self.table.current)

    def key(self) -> Path | None:
        """Of the chosen model."""
        return None if self.table.current is None else self.table.current.model.path

    def refresh_downloads(self) -> None:
        rows = self._models.download_rows()
        self.queue.rows.show_rows(rows)
        self._queue_card.setVisible(bool(rows))
        self._queue_card.show_at_most(MOST_DOWNLOADS)

    def retranslate(self) -> None:
        self.add_folder.setText(translate("models", "Add a folder…"))
        number, seen = len(self._models.local), self.table.rows.rowCount()
        if not number and (self._models.scanning or not self._models.opened):
            words = translate("models", "Looking for models…")
        elif seen < number:
            words = translate("models", "{seen} of {n} models").format(seen=f"{seen:,}", n=f"{number:,}")
        elif self._models.scanning:
            words = translate("models", "{n} models · looking through the folders…").format(n=f"{number:,}")
        elif number == 1:
            words = translate("models", "1 model")
        else:
            words = translate("models", "{n} models").format(n=f"{number:,}")
        self._words.setText(words)

    def _nothing(self) -> str:
        return nothing_matches() if self._models.local else ""

    def _on_chosen(self, row: LocalRow | None) -> None:
        if row is None or row.model.problem is not None:
            self.drafts.show_target(None, "")
            return
        self._models.drafts.judge(row.model, self._models.local)
        self.drafts.show_target(row.model, row.model.name)


class SearchTab(Translated, QWidget):
    """A field, and the repositories that were found.

    Signals:
        searched(str): what the user looks for.
    """

    searched = Signal(str)

    def __init__(self, models: ModelsControl) -> None:
        super().__init__()
        self._models = models
        self._failed: StateCard | None = None
        self.field, self.button = QLineEdit(), QPushButton()
        self.field.setProperty("role", "search")
        self.field.setClearButtonEnabled(True)
        self._words = QLabel()
        self._words.setProperty("tone", "muted")
        self._words.setAlignment(Qt.AlignmentFlag.AlignTop)
        self.table = ModelsTable(REPO_COLUMNS, key=lambda row: row.id, words=lambda row: row.id, row_height=50)
        self.drafts = DraftsCard(models.drafts)
        self._card = TableCard(self.table, lambda: translate("models", "Repositories"))
        head = QHBoxLayout()
        head.setSpacing(10)
        head.addWidget(self.field, 1)
        head.addWidget(self.button)
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(14)
        self._column.addLayout(head)
        self._column.addWidget(self._words)
        self._column.addWidget(self._card, 1000)
        self._column.addWidget(self.drafts)
        self._column.addStretch(1)
        self.field.returnPressed.connect(self._search)
        self.button.clicked.connect(self._search)
        self.table.chosen.connect(models.search.open)
        self.retranslate()

    @property
    def words(self) -> str:
        return self._words.text()

    @property
    def failed(self) -> StateCard | None:
        """The card that says why there is no answer."""
        return self._failed

    def refresh(self) -> None:
        search, offline = self._models.search, self._models.settings.offline
        for widget in (self.field, self.button):
            widget.setEnabled(not offline)
        self.table.rows.show_rows(search.repos)
        self._card.setVisible(bool(search.repos))
        self.drafts.show_target(*self._target())
        self._show_failure()
        self.retranslate()

    def retranslate(self) -> None:
        self.field.setPlaceholderText(translate("models", "Search GGUF models, as “qwen2.5 coder 7b”"))
        self.field.setAccessibleName(translate("models", "Search the hub"))
        self.button.setText(translate("models", "Search"))
        search = self._models.search
        words = ""
        if search.searching:
            words = translate("models", "Asking the hub…")
        elif search.text and not search.repos and search.error is None:
            words = translate("models", "The hub knows no GGUF models of this name.")
        elif not search.text:
            words = translate("models", "Search for repositories with GGUF files; the most downloaded come first.")
        self._words.setText(words)
        self._words.setVisible(bool(words))

    def _target(self) -> tuple[Target | None, str]:
        """Whose drafts are told: all quantisations of a model have the same tokens, so the smallest will do."""
        search = self._models.search
        if search.repo is None or not search.models:
            return None, ""
        return search.models[0].model, repo_name(search.repo.id)

    def _show_failure(self) -> None:
        search = self._models.search
        if self._failed is not None:
            self._failed.hide()
            self._failed.deleteLater()
            self._failed = None
        if search.error is None or search.repo is not None:
            return
        message = message_for(search.error)
        self._failed = StateCard(message.title, message.text, [translate("models", "Try again")])
        self._failed.clicked.connect(lambda: self.searched.emit(search.text))
        self._column.insertWidget(1, self._failed)

    def _search(self) -> None:
        self.searched.emit(self.field.text())


def nothing_matches() -> str:
    return translate("models", "Nothing matches the filter.")


def _local_text(row: LocalRow) -> str:
    model = row.model
    return f"{model.name} {model.path.name} {model.architecture} {model.quantisation}"
