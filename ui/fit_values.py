"""What the Models page asks and knows about memory. Plain values."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass

from app.fit.values import FitReport, PairSettings
from app.model_values import LocalModel, RemoteModel
from engine.errors import ErrorReport

Half = LocalModel | RemoteModel


@dataclass(frozen=True, slots=True)
class OtherPair:
    """A pair with the same target and another draft."""

    id: str
    title: str  # of the draft
    draft: Half


@dataclass(frozen=True, slots=True)
class Subject:
    """A pair, or a target on its own, of which is asked whether it fits.

    Attributes:
        key: a pair's id, or a path.
        smaller: pairs with smaller drafts, largest first.
    """

    key: Hashable
    target: Half
    draft: Half | None = None
    smaller: tuple[OtherPair, ...] = ()

    @property
    def halves(self) -> tuple[Half, ...]:
        return (self.target,) if self.draft is None else (self.target, self.draft)


@dataclass(frozen=True, slots=True)
class Fit:
    """What is known of whether a subject fits. Neither a report nor a problem: the answer is on its way.

    Attributes:
        settings: of this subject. asked: those chosen for all; others where the user took a way to make it fit.
        problem: why there is no answer. missing: because a header is not here. fetching: one is on its way.
    """

    settings: PairSettings
    asked: PairSettings
    report: FitReport | None = None
    problem: ErrorReport | None = None
    missing: bool = False
    fetching: bool = False

    @property
    def waiting(self) -> bool:
        return self.report is None and self.problem is None
