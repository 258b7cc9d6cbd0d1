"""What is kept of one comparison, and what a pair lost against earlier ones."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from app.compare.measured import Measured, engine_build, pair_key, settings_key

LOST_SPEED: Final = 0.2  # of the median of earlier runs
LOST_ACCEPTANCE: Final = 0.2  # points


@dataclass(frozen=True, slots=True)
class Record:
    """What is kept of one comparison.

    Attributes:
        at: when, seconds since 1970.
        pair, settings: keys; records with the same of both can be compared.
        title: of the pair, for people.
        engine: its build, in words.
        draft_length: as a number, or "auto".
        preset: id of the prompt's preset; "" for an own prompt.
    """

    at: float
    pair: str
    settings: str
    title: str
    engine: str
    draft_length: str
    preset: str
    off_tokens_per_s: float
    on_tokens_per_s: float
    ratio: float
    acceptance_rate: float | None
    tokens: int
    identical: bool


@dataclass(frozen=True, slots=True)
class Drop:
    """What a pair lost against its own history.

    Attributes:
        on_tokens_per_s, off_tokens_per_s, acceptance_rate: medians of the earlier runs.
        engine: of the latest earlier run.
        runs: how many earlier ones there are.
    """

    now: Record
    on_tokens_per_s: float
    off_tokens_per_s: float
    acceptance_rate: float | None
    engine: str
    runs: int

    @property
    def slower(self) -> bool:
        return self.now.on_tokens_per_s < (1 - LOST_SPEED) * self.on_tokens_per_s

    @property
    def off_slower(self) -> bool:
        """Without speculation too: it is not the draft."""
        return self.now.off_tokens_per_s < (1 - LOST_SPEED) * self.off_tokens_per_s

    @property
    def fewer_accepted(self) -> bool:
        now, before = self.now.acceptance_rate, self.acceptance_rate
        return now is not None and before is not None and now < before - LOST_ACCEPTANCE


def record_of(measured: Measured, at: float) -> Record:
    """`at`: when it was measured, seconds since 1970."""
    outcome, pair, request = measured.outcome, measured.pair, measured.plan.request
    return Record(
        at=at,
        pair=pair_key(pair),
        settings=settings_key(measured),
        title=measured.title,
        engine=engine_build(measured.engine),
        draft_length="auto" if request.draft_length is None else str(request.draft_length),
        preset=measured.plan.preset,
        off_tokens_per_s=outcome.off.tokens_per_s,
        on_tokens_per_s=outcome.on.tokens_per_s,
        ratio=outcome.ratio,
        acceptance_rate=outcome.on.acceptance_rate,
        tokens=outcome.on.completion_tokens,
        identical=outcome.difference is None,
    )
