"""What the Models page needs of the app's parts, as one thing that can be replaced."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from app.catalogue.reading import Catalogue
from app.downloads.state import Download
from app.drafts import DraftVerdict
from app.engine_client import Job
from app.fit.pair_fits import Files, FitQuestion
from app.fit.values import FitReport
from app.hub.listing import HubModel
from app.model_settings import ModelSettings
from app.model_values import CataloguePair, LocalModel, Proof, RemoteModel
from app.self_draft import SelfDraftPlan
from engine.errors import ErrorReport

if TYPE_CHECKING:
    from app.hub.hub import FoundRepo  # brings the hub's client along, which the window need not wait for

Cancelled = Callable[[], bool]
Halves = tuple[LocalModel | None, LocalModel | None]


@dataclass(frozen=True, slots=True)
class Opened:
    """What is known before anything is looked for."""

    settings: ModelSettings
    catalogue: Catalogue
    local: tuple[LocalModel, ...]


@dataclass(frozen=True, slots=True)
class TokenState:
    """What became of a hub token that the user gave or took away.

    Attributes:
        there: there is one. keeping: it is on its way to the keyring, which may take seconds.
        given: one was kept in this run. error: why the last one was not kept.
    """

    there: bool = False
    keeping: bool = False
    given: bool = False
    error: ErrorReport | None = None


class Queue(Protocol):
    """The downloads. Every method returns at once; any thread."""

    def add(self, title: str, model: RemoteModel) -> Download: ...
    def pause(self, number: str) -> None: ...
    def resume(self, number: str) -> None: ...
    def cancel(self, number: str) -> None: ...
    def move(self, number: str, place: int) -> None: ...
    def forget(self, number: str) -> None: ...
    def snapshot(self) -> tuple[Download, ...]: ...
    def subscribe(self, listener: Callable[[], None]) -> None: ...


class Parts(Protocol):
    """Methods may block and raise EngineError; any thread but for `close`. Nothing is used before `open` returned."""

    @property
    def downloads(self) -> Queue: ...

    def open(self) -> Opened: ...
    def has_token(self) -> bool: ...

    def scan(self, on_found: Callable[[], None], cancelled: Cancelled) -> tuple[LocalModel, ...]:
        """Look through all folders; after `on_found`, `known` has more."""

    def known(self) -> tuple[LocalModel, ...]: ...

    def pair_files(self, pairs: Sequence[CataloguePair]) -> dict[str, Halves]:
        """Of each pair, by its id: target and draft, None for what is not here."""

    def find(self, model: RemoteModel) -> LocalModel | None: ...

    def add_files(self, files: Sequence[Path]) -> tuple[ErrorReport, ...]:
        """Why some of them were not added."""

    def remove(self, model: LocalModel) -> None: ...

    def verify(self, model: LocalModel, on_progress: Callable[[float], None], cancelled: Cancelled) -> Proof | None:
        """`on_progress` is told shares of 1. What shows that the model is whole; None where it was cancelled. Raises
        MODEL_CHANGED, or what reading raises."""

    def use_settings(self, settings: ModelSettings) -> None: ...
    def use_token(self, text: str) -> None: ...
    def forget_token(self) -> None: ...
    def search(self, text: str) -> tuple[FoundRepo, ...]: ...
    def models(self, repo: str) -> tuple[HubModel, ...]: ...

    def judge(
        self,
        target: LocalModel | RemoteModel,
        drafts: Sequence[LocalModel],
        on_verdict: Callable[[LocalModel, DraftVerdict], None],
        cancelled: Cancelled,
    ) -> None:
        """May each of them draft for the target? Of a remote target only the header is fetched."""

    def plan_draft(self, target: LocalModel, file_type: str) -> SelfDraftPlan: ...

    def make_draft(
        self, plan: SelfDraftPlan, on_job: Callable[[Job], None], on_progress: Callable[[int, int], None]
    ) -> Path: ...

    def fit(self, question: FitQuestion) -> FitReport:
        """Whether a pair fits. One thread at a time."""

    def kept_headers(self, models: Sequence[RemoteModel]) -> dict[RemoteModel, Files]:
        """Those whose headers were fetched before."""

    def fetch_header(self, model: RemoteModel, cancelled: Cancelled) -> Files:
        """Some megabytes of it, of which little is kept."""

    def close(self) -> None:
        """Pause the downloads and let go of everything. Also where `open` never ran."""
