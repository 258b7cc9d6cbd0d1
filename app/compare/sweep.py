"""Fixed draft lengths against auto: each measured in turns with off, in one run.

A *policy* is a draft length; 0 is off, None is auto.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import median

from app.compare.figures import outcome_of, side_of
from app.compare.values import ComparePlan, Outcome, PairOfRuns, Run, Side
from engine.types import GenerationRequest, RoundChoice

Policy = int | None


@dataclass(frozen=True, slots=True)
class SweepPlan:
    """What is to be measured.

    Attributes:
        compare: off against auto, with which the lengths take turns.
        lengths: fixed ones, from 1 on, ascending.
    """

    compare: ComparePlan
    lengths: tuple[int, ...]

    def policies(self) -> tuple[Policy, ...]:
        return (0, *self.lengths, None)

    def steps(self) -> tuple[tuple[int, Policy], ...]:
        """Number of the turn, 0 warms up, and the policy."""
        return tuple((number, policy) for number in range(self.compare.repeats + 1) for policy in self.policies())

    def request_of(self, policy: Policy) -> GenerationRequest:
        return replace(self.compare.request, speculate=policy != 0, draft_length=policy, cold=True)


@dataclass(frozen=True, slots=True)
class SweepRow:
    """One policy. ratio: the median of the turns' ratios against off; 1 for off itself."""

    policy: Policy
    side: Side
    ratio: float
    choice: RoundChoice | None


@dataclass(frozen=True, slots=True)
class SweepOutcome:
    """What a sweep came to.

    Attributes:
        rows: off, the lengths, auto.
        best: the fixed length with the highest ratio; 0 where off is best.
        auto_over_best: tokens per second, the median of the turns' ratios.
        compared: off against auto, as a comparison of its own would say.
    """

    rows: tuple[SweepRow, ...]
    best: int
    auto_over_best: float
    compared: Outcome


def sweep_outcome(runs: Mapping[Policy, Sequence[Run]]) -> SweepOutcome:
    """`runs` holds the measured turns of off, at least one length and auto, equally many each."""
    rows = tuple(
        SweepRow(policy, side_of(mine), _ratio(mine, runs[0]), mine[-1].stats.choice) for policy, mine in runs.items()
    )
    best = max((row for row in rows if row.policy is not None), key=lambda row: row.ratio)
    assert best.policy is not None
    pairs = [PairOfRuns(off, auto) for off, auto in zip(runs[0], runs[None], strict=True)]
    return SweepOutcome(rows, best.policy, _ratio(runs[None], runs[best.policy]), outcome_of(pairs))


def _ratio(mine: Sequence[Run], others: Sequence[Run]) -> float:
    """The median of the turns' ratios."""
    return median(a.tokens_per_s / b.tokens_per_s for a, b in zip(mine, others, strict=True))
