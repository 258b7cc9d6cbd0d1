"""What passes cost, followed through noise."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.costs import Costs, MeasuredCosts
from engine.types import MAX_DRAFT_LENGTH

CURVE = tuple(0.020 + 0.001 * n for n in range(MAX_DRAFT_LENGTH + 1))
ANY_TIME = st.floats(allow_nan=True, allow_infinity=True)


def measured() -> Costs:
    return Costs(MeasuredCosts(CURVE, 0.002, 0.0002))


def test_it_begins_with_what_was_measured_and_gives_it_back() -> None:
    """The values that are stored at once are those of the load."""
    costs = measured()
    assert costs.curve == pytest.approx(CURVE)
    assert costs.draft(3) == pytest.approx(0.0024)
    values = costs.values()
    assert (values.verify_s, values.draft_s) == (pytest.approx(CURVE), pytest.approx(0.002))


def test_a_single_spike_moves_nothing_to_speak_of() -> None:
    """A pass of ten times its usual length changes no prediction by more than a percent."""
    costs = measured()
    for _ in range(5):
        costs.saw_verify(4, CURVE[3])
        costs.saw_draft(1, 0.002)
    costs.saw_verify(4, 10 * CURVE[3])
    costs.saw_draft(1, 0.020)
    assert costs.curve == pytest.approx(CURVE, rel=0.01)
    assert costs.draft() == pytest.approx(0.002, rel=0.01)


def test_a_lasting_change_is_believed_within_two_passes_for_every_length() -> None:
    """A machine that is throttled is slower for passes that were not seen since, too."""
    costs = measured()
    for _ in range(20):
        costs.saw_verify(4, CURVE[3])
    for _ in range(2):
        costs.saw_verify(4, 2 * CURVE[3])
    assert costs.verify(4) == pytest.approx(2 * CURVE[3], rel=0.1)
    assert costs.verify(1) == pytest.approx(2 * CURVE[0], rel=0.1)


def test_slow_growth_is_followed_through_noise() -> None:
    """A context that makes each pass a tenth of a percent longer leaves predictions within three percent."""
    rng = np.random.default_rng(1)
    costs, errors = measured(), []
    for growth in 1.001 ** np.arange(600):
        tokens = int(rng.integers(1, 6))
        errors.append(costs.verify(tokens) / (growth * CURVE[tokens - 1]) - 1)
        costs.saw_verify(tokens, growth * CURVE[tokens - 1] * float(np.exp(rng.normal(0, 0.05))))
    assert np.mean(np.abs(errors)) < 0.03


def test_a_length_that_was_measured_wrong_is_put_right_almost_alone() -> None:
    """A fifth too much at one length moves the others by less than a fifteenth."""
    costs = Costs(MeasuredCosts((0.020, 0.0252, 0.022, 0.023), 0.002))
    for _ in range(40):
        costs.saw_verify(2, 0.021)
        costs.saw_verify(1, 0.020)
    assert costs.verify(2) == pytest.approx(0.021, rel=0.03)
    assert costs.verify(3) == pytest.approx(0.022, rel=0.066)


def test_a_stall_can_be_believed_at_once_and_taken_back_by_one_usual_pass() -> None:
    """The hopeful cost stays the old one until a pass tells whether the stall lasts."""
    costs = measured()
    costs.saw_draft(1, 0.1, at_once=True)
    assert (costs.draft(), costs.draft(hopeful=True)) == (pytest.approx(0.1), pytest.approx(0.002))
    costs.saw_draft(1, 0.002)
    assert costs.draft() == pytest.approx(0.002)


def test_reading_up_teaches_the_cost_of_reading_alone() -> None:
    """A batch that took far longer than thought leaves the usual pass as it was."""
    costs = measured()
    for _ in range(12):
        costs.saw_draft(101, 0.102)
    assert costs.draft(101) == pytest.approx(0.102, rel=0.05)
    assert costs.draft() == pytest.approx(0.002)
    short = costs.draft(5)
    for _ in range(12):
        costs.saw_draft(5, 3 * short)
    assert costs.draft(5) == pytest.approx(3 * short, rel=0.05)
    assert costs.draft() == pytest.approx(0.002)


def test_one_stall_is_forgiven_with_the_next_reply_and_two_are_not() -> None:
    """A hiccup of the computer says nothing about the next reply; a draft that stalls again is slow."""
    costs = measured()
    usual = costs.draft()
    costs.saw_draft(1, 50 * usual, at_once=True)
    assert costs.draft() == pytest.approx(50 * usual)
    assert costs.doubtful
    costs.begin()
    assert costs.draft() == pytest.approx(usual)
    costs.saw_draft(1, 50 * usual, at_once=True)
    costs.begin()
    assert costs.draft() == pytest.approx(50 * usual)


def test_what_slowed_the_draft_alone_is_looked_at_again_with_the_next_reply() -> None:
    """A burst of other work at the end of one reply does not keep the draft at rest for good; but where the target is
    slower, too, it is the computer, and that stays."""
    costs = measured()
    for _ in range(3):
        costs.saw_draft(1, 0.006)
    assert costs.draft() == pytest.approx(0.006, rel=0.01)
    costs.begin()
    assert costs.draft() == pytest.approx(0.002, rel=0.01)
    for _ in range(5):
        costs.saw_draft(1, 0.006)
        costs.saw_verify(4, 3 * CURVE[3])
    costs.begin()
    assert costs.draft() == pytest.approx(0.006, rel=0.05)


def test_where_reading_was_not_measured_the_targets_curve_tells_its_share() -> None:
    """Here one more token adds a twentieth to a pass of the target, and so to one of the draft."""
    assert Costs(MeasuredCosts(CURVE, 0.002)).draft(11) == pytest.approx(0.003, rel=0.1)


def test_while_the_draft_rests_it_is_thought_to_slow_down_with_the_target() -> None:
    """Plain rounds that double leave the ratio of the two as it was."""
    costs = measured()
    for _ in range(30):
        costs.saw_verify(1, 0.040)
    assert costs.draft() == pytest.approx(0.004, rel=0.05)


@given(st.lists(ANY_TIME, min_size=1, max_size=20), ANY_TIME, st.lists(st.tuples(st.integers(1, 20), ANY_TIME)))
def test_costs_stay_positive_and_finite_whatever_a_clock_says(
    curve: list[float], draft_s: float, seen: list[tuple[int, float]]
) -> None:
    """Zero, negative, huge, infinite and missing times included."""
    costs = Costs(MeasuredCosts(tuple(curve), draft_s))
    for tokens, seconds in seen:
        costs.saw_verify(tokens, seconds)
        costs.saw_draft(tokens, seconds, at_once=tokens % 3 == 0)
    for value in (*costs.curve, *(costs.draft(tokens, hopeful=h) for tokens in (1, 500) for h in (False, True))):
        assert 0 < value < float("inf")
    Costs(costs.values())
