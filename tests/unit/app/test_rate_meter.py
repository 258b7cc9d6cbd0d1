"""Tokens per second over the last moment."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.rate_meter import MOST_POINTS, RateMeter
from engine.types import DraftRound, Source, TokenEvent


def round_of(tokens: int, wall_s: float) -> DraftRound:
    token = TokenEvent(0, 0, "a", Source.PLAIN, None, 1.0, None, None, 0, 0)
    return DraftRound(0, 0, (), 0, 0, (token,) * tokens, 0.0, wall_s, 0.0, wall_s)


def test_steady_rate() -> None:
    """A steady reply shows its rate as soon as there is a moment to speak of."""
    meter = RateMeter()
    for _ in range(4):
        assert meter.rate is None
        meter.add(round_of(2, 0.05))
    for _ in range(100):
        assert meter.rate == pytest.approx(40)
        meter.add(round_of(2, 0.05))


def test_first_round() -> None:
    """The first token, which costs no pass of its own, does not make a rate of thousands."""
    meter = RateMeter()
    meter.add(round_of(1, 0.0007))
    assert meter.rate is None


def test_change_of_pace() -> None:
    """A change of pace is complete after the window, however long the reply was before."""
    meter = RateMeter()
    for _ in range(1_000):
        meter.add(round_of(4, 0.05))
    for _ in range(31):
        meter.add(round_of(1, 0.05))
    assert meter.rate == pytest.approx(20)


@given(st.lists(st.tuples(st.integers(1, 9), st.floats(0.001, 3)), min_size=1, max_size=400))
def test_rate_and_points_stay_in_bounds(rounds: list[tuple[int, float]]) -> None:
    """The moving rate lies between the slowest and the fastest round, and the line never grows past its limit."""
    meter = RateMeter()
    paces = [tokens / wall_s for tokens, wall_s in rounds]
    for tokens, wall_s in rounds:
        meter.add(round_of(tokens, wall_s))
        assert meter.rate is None or min(paces) * 0.999 <= meter.rate <= max(paces) * 1.001
        assert len(meter.points) <= MOST_POINTS
