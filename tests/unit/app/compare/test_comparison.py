"""A comparison from its plan to its outcome, fed event by event."""

from __future__ import annotations

from collections.abc import Iterable

import pytest

from app.compare.comparison import Comparison
from app.compare.values import Arm, Step
from engine.errors import ErrorKind
from engine.protocol import Started, Weighed
from engine.stats import FoldedEvent
from engine.types import EndReason, Inactive
from tests.unit.app.compare.replies import PLAN, events, token_id, words

TEXT = words("one two three four five six seven eight")


@pytest.fixture
def comparison() -> Comparison:
    made = Comparison()
    made.begin(PLAN)
    return made


def feed(comparison: Comparison, reply: Iterable[FoldedEvent]) -> None:
    for event in reply:
        comparison.add(event)


def test_steps_are_off_and_on_in_turns_after_a_warm_up() -> None:
    """Both arms warm up; then each pair is off and on."""
    assert PLAN.steps() == tuple(Step(arm, number) for number in range(3) for arm in (Arm.OFF, Arm.ON))


def test_requests_differ_in_speculation_alone() -> None:
    """Same seed, same settings, cold caches."""
    off, on = (PLAN.request_of(Step(arm, 1)) for arm in (Arm.OFF, Arm.ON))
    assert (off.speculate, on.speculate) == (False, True)
    assert off.cold
    assert on.cold
    assert off.sampling == on.sampling == PLAN.request.sampling


def test_it_goes_from_step_to_step(comparison: Comparison) -> None:
    """A step ends with its reply; the warm-up does not count, and the outcome is there with the first pair."""
    seen = []
    for number, seconds in enumerate((9.0, 9.0, 2.0, 1.0, 4.0, 1.0)):
        seen.append(comparison.step)
        assert (comparison.outcome is not None) == (number >= 4)
        feed(comparison, events(TEXT, seconds))
    assert tuple(seen) == PLAN.steps()
    assert comparison.step is None
    assert comparison.outcome is not None
    assert len(comparison.outcome.pairs) == 2
    assert comparison.outcome.ratio == pytest.approx(3.0)
    assert (comparison.problem, comparison.cancelled) == (None, False)


def test_the_newest_reply_of_an_arm_can_be_seen(comparison: Comparison) -> None:
    """While it is written, and after it is complete until the arm's next one begins."""
    assert comparison.live(Arm.ON) is None
    off = comparison.live(Arm.OFF)
    assert off is not None
    started, written, ended = events(TEXT, 1.0)
    comparison.add(started)
    comparison.add(written)
    assert off.text == "".join(TEXT)
    comparison.add(ended)
    assert comparison.live(Arm.OFF) is off
    feed(comparison, events(TEXT, 1.0))
    assert comparison.live(Arm.OFF) is not off


def test_without_speculation_there_is_nothing_to_compare(comparison: Comparison) -> None:
    """Known as soon as the reply starts; the off arm may be off."""
    feed(comparison, events(TEXT, 1.0, inactive=Inactive.SWITCHED_OFF))
    assert comparison.step == Step(Arm.ON, 0)
    comparison.add(Started(1, 10, 0, 0, 0.05, Inactive.NO_DRAFT))
    assert comparison.step is None
    assert comparison.problem is not None
    assert comparison.problem.kind is ErrorKind.SPECULATION_INACTIVE
    assert comparison.problem.fact("inactive") == "no_draft"
    feed(comparison, events(TEXT, 1.0))
    assert comparison.outcome is None


def test_a_reply_of_seven_tokens_is_no_measurement(comparison: Comparison) -> None:
    feed(comparison, events(TEXT[:7], 1.0))
    assert comparison.problem is not None
    assert comparison.problem.kind is ErrorKind.REPLY_TOO_SHORT
    assert comparison.problem.fact("end") == "length"
    assert comparison.step is None


def test_a_cancelled_reply_ends_it_and_complete_pairs_stay(comparison: Comparison) -> None:
    """What was measured was measured."""
    for _ in range(4):
        feed(comparison, events(TEXT, 1.0))
    feed(comparison, events(TEXT[:2], 1.0, reason=EndReason.CANCELLED))
    assert comparison.step is None
    assert comparison.cancelled
    assert comparison.problem is None
    assert comparison.outcome is not None
    assert len(comparison.outcome.pairs) == 1


def test_a_difference_is_weighed_once(comparison: Comparison) -> None:
    """What is asked for is the common beginning and the two tokens; the answer goes into the outcome."""
    other = [*TEXT[:5], " another", *TEXT[6:]]
    for words_ in (TEXT, TEXT, TEXT, other):
        feed(comparison, events(words_, 1.0))
    weighing = comparison.weighing
    assert weighing is not None
    assert weighing.reply == tuple(map(token_id, TEXT[:5]))
    assert weighing.tokens == (token_id(" six"), token_id(" another"))
    comparison.weighed(Weighed(1, (14.25, 14.242), weighing.tokens[0], 0.008))
    assert comparison.weighing is None
    feed(comparison, events(TEXT, 1.0))
    feed(comparison, events(TEXT, 1.0))
    assert comparison.outcome is not None
    assert comparison.outcome.difference is not None
    assert (comparison.outcome.difference.index, comparison.outcome.difference.gap) == (5, 0.008)
    assert comparison.outcome.difference.near_tie


def test_a_new_plan_forgets_everything(comparison: Comparison) -> None:
    for _ in range(4):
        feed(comparison, events(TEXT, 1.0))
    feed(comparison, events(TEXT[:2], 1.0))
    comparison.begin(PLAN)
    assert comparison.step == Step(Arm.OFF, 0)
    assert (comparison.outcome, comparison.problem, comparison.live(Arm.ON)) == (None, None, None)
