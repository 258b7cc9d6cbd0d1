"""The arithmetic of a comparison, on replies with known times."""

from __future__ import annotations

import pytest

from app.compare.figures import outcome_of, ratio_of, side_of
from app.compare.values import PairOfRuns
from engine.types import Choice, RoundChoice
from tests.unit.app.compare.replies import LONG, run
from tests.unit.app.compare.replies import pair as texts

FOUR = ["one", " two", " three", " four"]


def pair(off_s: float, on_s: float) -> PairOfRuns:
    return PairOfRuns(run(FOUR, off_s), run(FOUR, on_s, accepted=2, verified=3))


def test_ratio_is_the_median_of_the_pairs() -> None:
    """A slow minute that hits both runs of a pair changes nothing; one freak pair does not either."""
    pairs = [pair(2.0, 1.0), pair(20.0, 10.0), pair(2.0, 0.001)]
    assert ratio_of(pairs) == pytest.approx(2.0)


def test_side_tells_medians_and_spread() -> None:
    """Speeds are tokens over decoding time; the median is over the runs."""
    two = FOUR[:2]
    side = side_of([run(two, 1.0, ttft_s=0.3), run(two, 2.0, ttft_s=0.1), run(two, 4.0, ttft_s=0.2)])
    assert (side.tokens_per_s, side.least_tokens_per_s, side.most_tokens_per_s) == (1.0, 0.5, 2.0)
    assert (side.ttft_s, side.prefill_s, side.completion_tokens, side.passes) == (0.2, 0.05, 2, 1)
    assert side.acceptance_rate is None
    assert side.tokens_per_round == 2.0


def test_side_with_speculation_tells_acceptance() -> None:
    """Acceptance is accepted over verified."""
    assert side_of([pair(1.0, 1.0).on]).acceptance_rate == pytest.approx(2 / 3)


@pytest.mark.parametrize(
    ("off", "on", "expected"),
    [("a b c", "a b c", None), ("a b c", "a x c", 1), ("a b", "a b c", 2), ("a b c", "a b", 2)],
)
def test_first_difference(off: str, on: str, expected: int | None) -> None:
    """The first token that differs is named, the end of a shorter text included."""
    assert texts(off, on).first_difference == expected


def test_outcome_has_both_ratios_and_the_last_choice() -> None:
    """First tokens are compared pair by pair like speeds; of the choices the last one is told."""
    resting = RoundChoice(Choice.RESTING, ratio=0.8)
    outcome = outcome_of([pair(2.0, 1.0), PairOfRuns(run(FOUR, 2.0, ttft_s=0.2), run(FOUR, 1.0, choice=resting))])
    assert outcome.ratio == pytest.approx(2.0)
    assert outcome.ttft_ratio == pytest.approx(0.75)
    assert (outcome.passes_off, outcome.passes_on) == (1, 1)
    assert outcome.choice == resting
    assert outcome.difference is None


def test_short_replies_are_known() -> None:
    """Below 64 tokens a ratio is mostly chance."""
    assert outcome_of([pair(2.0, 1.0)]).is_short
    assert not outcome_of([texts(LONG, LONG)]).is_short
