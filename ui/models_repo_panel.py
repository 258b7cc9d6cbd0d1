"""The panel of a repository of the hub: its models, and what can draft for them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import Signal

from app.amounts import count
from app.error_words import printable
from app.model_values import CataloguePair, RemoteModel
from app.translate import translate
from engine.errors import ErrorKind, ErrorReport
from ui.fact_list import wrapped
from ui.models_columns import HUB_COLUMNS
from ui.models_gated import GatedCard
from ui.models_panel import Panel
from ui.models_rows import HubRow
from ui.models_table import ModelsTable
from ui.models_words import date_words, licence_words, repo_name

if TYPE_CHECKING:
    from app.hub.hub import FoundRepo  # brings the hub's client along, which the window need not wait for

ROW = 48


class RepoPanel(Panel):
    """Signals:
    model_acted(object, object): an `Act` and the `HubRow` it is for.
    model_chosen(object): a `HubRow`, or None.
    """

    model_acted = Signal(object, object)
    model_chosen = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self._repo: FoundRepo | None = None
        self._rows: Sequence[HubRow] = ()
        self._error: ErrorReport | None = None
        self._listing = False
        self._pairs: Sequence[CataloguePair] = ()
        self.gated = GatedCard()
        self._models_title, self._drafts_title, self._drafts = wrapped("section"), wrapped("section"), wrapped("")
        self._drafts.setProperty("tone", "muted")
        self.table = ModelsTable(
            HUB_COLUMNS,
            key=lambda row: row.model.model.parts[0].path,
            words=lambda row: row.model.model.file_name,
            acts=lambda row: row.acts,
            row_height=ROW,
        )
        self.table.horizontalHeader().hide()
        self.table.acted.connect(self.model_acted)
        self.table.chosen.connect(self._on_chosen)
        for widget in (self.gated, self._models_title, self.table, self._drafts_title, self._drafts):
            self.column.addWidget(widget)
        self.column.addStretch(1)
        self.retranslate()

    def show_repo(
        self,
        repo: FoundRepo | None,
        rows: Sequence[HubRow],
        pairs: Sequence[CataloguePair],
        *,
        listing: bool,
        error: ErrorReport | None,
    ) -> None:
        """`pairs` is the catalogue. `error` is why the models of the repository could not be listed."""
        self._repo, self._rows, self._pairs = repo, rows, pairs
        self._listing, self._error = listing, error
        self.retranslate()

    @property
    def drafts(self) -> str:
        return self._drafts.text()

    def retranslate(self) -> None:
        repo = self._repo
        self.kicker.setText(translate("models", "REPOSITORY"))
        self.show_body(repo is not None, translate("models", "Choose a repository to see its quantisations."))
        if repo is None:
            return
        gated = self._error if self._error and self._error.kind is ErrorKind.REPO_GATED else None
        failed = next((row.progress.error for row in self._rows if row.progress and row.progress.error), None)
        if gated is None and failed is not None and failed.kind is ErrorKind.REPO_GATED:
            gated = failed
        self.gated.show_report(gated)
        self.heading.setText(printable(repo.id))
        self.show_share(None)
        self.show_words(translate("models", "Asking the hub…") if self._listing and not self._rows else "")
        self.show_alert(None if gated else self._error or failed)
        self.buttons.show_acts(())
        self.facts.show_facts(_facts(repo))
        self._fill_models()
        self._fill_drafts()

    def _fill_models(self) -> None:
        self._models_title.setText(translate("models", "QUANTISATIONS"))
        self.table.setAccessibleName(translate("models", "Quantisations"))
        self.table.rows.show_rows(self._rows)
        self.table.setFixedHeight(max(ROW, ROW * len(self._rows)))
        for widget in (self._models_title, self.table):
            widget.setVisible(bool(self._rows))

    def _on_chosen(self, row: HubRow | None) -> None:
        self._fill_drafts()
        self.model_chosen.emit(row)

    def _fill_drafts(self) -> None:
        """The drafts that the catalogue pairs with this repository's target."""
        assert self._repo is not None
        drafts = drafts_of(self._repo.id, [row.model.model for row in self._rows], self._pairs)
        self._drafts_title.setText(translate("models", "DRAFTS FOR IT IN THE CATALOGUE"))
        self._drafts.setText("\n".join(map(printable, drafts)))
        for widget in (self._drafts_title, self._drafts):
            widget.setVisible(bool(drafts))


def drafts_of(repo: str, models: Sequence[RemoteModel], pairs: Sequence[CataloguePair]) -> list[str]:
    """What the catalogue pairs with a target of this repository, or with the same file of another one."""
    files = {model.file_name.casefold() for model in models}
    found = [
        f"{repo_name(pair.draft.model.repo)} {pair.draft.quantisation}"
        for pair in pairs
        if pair.target.model.repo.casefold() == repo.casefold() or pair.target.model.file_name.casefold() in files
    ]
    return list(dict.fromkeys(found))


def _facts(repo: FoundRepo) -> list[tuple[str, str]]:
    licence = licence_words(repo.licence) or "–"
    facts = [
        (
            translate("models", "Licence"),
            translate("models", "{licence} · gated").format(licence=licence) if repo.gated else licence,
        ),
        (translate("models", "Downloads"), count(repo.downloads)),
        (translate("models", "Likes"), count(repo.likes)),
        (translate("models", "Updated"), date_words(repo.updated)),
    ]
    return [(name, value) for name, value in facts if value]
