"""From runs to figures: medians, spread, ratios. No clock here; the engine measured."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median

from app.compare.difference import difference_of
from app.compare.values import Outcome, PairOfRuns, Run, Side


def side_of(runs: Sequence[Run]) -> Side:
    """The figures of the runs of one arm, at least one."""
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
        passes=round(median(run.stats.rounds for run in runs)),
    )


def ratio_of(pairs: Sequence[PairOfRuns]) -> float:
    """The median of the pairs' ratios: each pair is measured within seconds, so slow drifts cancel out."""
    return median(pair.ratio for pair in pairs)


def outcome_of(pairs: Sequence[PairOfRuns]) -> Outcome:
    """What at least one pair comes to; a difference is not weighed yet."""
    return Outcome(
        off=side_of([pair.off for pair in pairs]),
        on=side_of([pair.on for pair in pairs]),
        ratio=ratio_of(pairs),
        ttft_ratio=median(pair.ttft_ratio for pair in pairs),
        pairs=tuple(pairs),
        difference=difference_of(pairs),
        choice=pairs[-1].on.stats.choice,
    )
