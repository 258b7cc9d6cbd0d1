"""Off against on: what was measured, and the figures that follow. No clock here; the engine measured."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import zip_longest
from statistics import median

from engine.stats import GenerationStats, ReplyFold


@dataclass(frozen=True, slots=True)
class Run:
    """One reply, measured."""

    token_ids: tuple[int, ...]
    text: str
    stats: GenerationStats

    @classmethod
    def of(cls, reply: ReplyFold) -> Run:
        return cls(tuple(token.token_id for token in reply.tokens), reply.text, reply.stats)

    @property
    def tokens_per_s(self) -> float:
        return self.stats.tokens_per_s or 0.0


@dataclass(frozen=True, slots=True)
class PairOfRuns:
    """The same request twice in a row, speculation off and on."""

    off: Run
    on: Run

    @property
    def ratio(self) -> float:
        """On ÷ off, in tokens per second."""
        return self.on.tokens_per_s / self.off.tokens_per_s

    @property
    def first_difference(self) -> int | None:
        """Index of the first token that differs, the end of the shorter text included; None if none does."""
        both = enumerate(zip_longest(self.off.token_ids, self.on.token_ids))
        return next((index for index, (off, on) in both if off != on), None)


@dataclass(frozen=True, slots=True)
class Side:
    """One side over all runs: medians, and how far the speeds spread."""

    tokens_per_s: float
    least_tokens_per_s: float
    most_tokens_per_s: float
    ttft_s: float
    prefill_s: float
    completion_tokens: int
    acceptance_rate: float | None
    tokens_per_round: float | None


def side_of(runs: Sequence[Run]) -> Side:
    """The figures of the runs of one side, at least one."""
    speeds = [run.tokens_per_s for run in runs]
    rates = [run.stats.acceptance_rate for run in runs if run.stats.acceptance_rate is not None]
    per_round = [run.stats.tokens_per_round for run in runs if run.stats.tokens_per_round is not None]
    return Side(
        tokens_per_s=median(speeds),
        least_tokens_per_s=min(speeds),
        most_tokens_per_s=max(speeds),
        ttft_s=median(run.stats.ttft_s for run in runs),
        prefill_s=median(run.stats.prefill_s for run in runs),
        completion_tokens=round(median(run.stats.completion_tokens for run in runs)),
        acceptance_rate=median(rates) if rates else None,
        tokens_per_round=median(per_round) if per_round else None,
    )


def ratio_of(pairs: Sequence[PairOfRuns]) -> float:
    """The median of the pairs' ratios: each pair is measured within seconds, so slow drifts cancel out."""
    return median(pair.ratio for pair in pairs)
