"""The arithmetic of a benchmark, on replies with known times."""

from __future__ import annotations

import pytest

from app.compare.figures import ratio_of, side_of
from app.compare.values import PairOfRuns, Run
from engine.protocol import Finished, Started
from engine.stats import ReplyFold
from engine.types import DraftRound, EndReason, Source, TokenEvent


def run(ids: list[int], seconds: float, *, accepted: int = 0, verified: int = 0, ttft_s: float = 0.1) -> Run:
    """A reply of these tokens in one round of so many seconds, as if none had come with the prompt."""
    tokens = tuple(
        TokenEvent(
            index,
            token,
            f"<{token}>",
            Source.ACCEPTED if index < accepted else Source.PLAIN,
            None,
            1,
            None,
            None,
            0,
            index,
        )
        for index, token in enumerate(ids)
    )
    fold = ReplyFold()
    fold.add(Started(1, 10, 0, 0, 0.05, None))
    fold.add(DraftRound(1, 1, tuple(ids[:verified]), verified, accepted, tokens, 0.0, seconds, 0.0, seconds))
    fold.add(Finished(1, EndReason.LENGTH, "", ttft_s, seconds))
    return Run.of(fold)


def pair(off_s: float, on_s: float) -> PairOfRuns:
    return PairOfRuns(run([1, 2, 3, 4], off_s), run([1, 2, 3, 4], on_s, accepted=2, verified=3))


def test_ratio_is_the_median_of_the_pairs() -> None:
    """A slow minute that hits both runs of a pair changes nothing; one freak pair does not either."""
    pairs = [pair(2.0, 1.0), pair(20.0, 10.0), pair(2.0, 0.001)]
    assert ratio_of(pairs) == pytest.approx(2.0)


def test_side_tells_medians_and_spread() -> None:
    """Speeds are tokens over decoding time; the median is over the runs."""
    side = side_of([run([1, 2], 1.0, ttft_s=0.3), run([1, 2], 2.0, ttft_s=0.1), run([1, 2], 4.0, ttft_s=0.2)])
    assert (side.tokens_per_s, side.least_tokens_per_s, side.most_tokens_per_s) == (1.0, 0.5, 2.0)
    assert (side.ttft_s, side.prefill_s, side.completion_tokens) == (0.2, 0.05, 2)
    assert side.acceptance_rate is None
    assert side.tokens_per_round == 2.0


def test_side_with_speculation_tells_acceptance() -> None:
    """Acceptance is accepted over verified."""
    assert side_of([pair(1.0, 1.0).on]).acceptance_rate == pytest.approx(2 / 3)


@pytest.mark.parametrize(
    ("off", "on", "expected"),
    [([1, 2, 3], [1, 2, 3], None), ([1, 2, 3], [1, 9, 3], 1), ([1, 2], [1, 2, 3], 2), ([1, 2, 3], [1, 2], 2)],
)
def test_first_difference(off: list[int], on: list[int], expected: int | None) -> None:
    """The first token that differs is named, the end of a shorter text included."""
    assert PairOfRuns(run(off, 1.0), run(on, 1.0)).first_difference == expected
