"""Searching the hub: repositories, and the models in one of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from app.hub.listing import HubModel
from app.model_values import LocalModel, RemoteModel
from engine.errors import ErrorReport
from ui.models_parts import Parts
from ui.models_pool import Pool, Task

if TYPE_CHECKING:
    from app.hub.hub import FoundRepo  # brings the hub's client along, which the window need not wait for


class SearchControl(QObject):
    """Main thread.

    Attributes:
        text: what was searched for, "" before the first search.
        repos: what was found. searching: an answer is awaited.
        repo: the one whose `models` are listed, None for none. listing: they are awaited.
        here: those of the models that are on this computer.
        error: why the last question has no answer.

    Signals:
        changed(): any attribute.
    """

    changed = Signal()

    def __init__(self, parts: Parts, pool: Pool) -> None:
        super().__init__()
        self.text = ""
        self.repos: tuple[FoundRepo, ...] = ()
        self.searching = self.listing = False
        self.repo: FoundRepo | None = None
        self.models: tuple[HubModel, ...] = ()
        self.here: dict[RemoteModel, LocalModel] = {}
        self.error: ErrorReport | None = None
        self._parts = parts
        self._pool = pool
        self._search_task: Task | None = None
        self._list_task: Task | None = None

    def search(self, text: str) -> None:
        """Ask the hub; what was asked before is not waited for."""
        text = text.strip()
        if not text:
            return
        _drop(self._search_task)
        self.open(None)
        self.text, self.searching, self.error, self.repos = text, True, None, ()
        self._search_task = self._pool.run(lambda task: self._parts.search(text), self._on_repos, self._on_failed)
        self.changed.emit()

    def open(self, repo: FoundRepo | None) -> None:
        """List the models of a repository."""
        if repo == self.repo:
            return
        _drop(self._list_task)
        self.repo, self.models, self.here, self.listing, self.error = repo, (), {}, repo is not None, None
        if repo is not None:
            self._list_task = self._ask(repo.id)
        self.changed.emit()

    def look_again(self) -> None:
        """Other models are on this computer, or another token is used."""
        if self.repo is not None:
            _drop(self._list_task)
            self._list_task = self._ask(self.repo.id)

    def _ask(self, repo: str) -> Task:
        return self._pool.run(lambda task: self._list(repo), lambda listed: self._on_models(*listed), self._on_failed)

    def _list(self, repo: str) -> tuple[tuple[HubModel, ...], dict[RemoteModel, LocalModel]]:
        models = self._parts.models(repo)
        found = {model.model: self._parts.find(model.model) for model in models}
        return models, {model: local for model, local in found.items() if local is not None}

    def _on_repos(self, repos: tuple[FoundRepo, ...]) -> None:
        self.repos, self.searching = repos, False
        self.changed.emit()

    def _on_models(self, models: tuple[HubModel, ...], here: dict[RemoteModel, LocalModel]) -> None:
        self.models, self.here, self.listing, self.error = models, here, False, None
        self.changed.emit()

    def _on_failed(self, report: ErrorReport) -> None:
        self.searching = self.listing = False
        self.error = report
        self.changed.emit()


def _drop(task: Task | None) -> None:
    if task is not None:
        task.cancel()
