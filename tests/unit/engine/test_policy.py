"""A fixed draft length."""

from __future__ import annotations

from engine.policy import FixedLength, Offer, Step
from engine.types import Choice, Drafter

MODEL = Offer(Drafter.MODEL, 16)


def test_it_drafts_as_much_as_was_asked_for_and_there_is_room_for() -> None:
    """The round's own token needs room in the budget, too; without room the next drafter is asked."""
    policy = FixedLength(4)
    assert policy.plan([MODEL], 100).length == 4
    assert policy.plan([MODEL], 3).length == 2
    assert policy.plan([Offer(Drafter.LOOKUP, 0), Offer(Drafter.MODEL, 1)], 100).drafter is Drafter.MODEL
    assert policy.plan([MODEL], 1).length == 0
    assert policy.verdict.choice is Choice.NO_ROOM
    assert FixedLength(0).plan([MODEL], 100).drafter is None


def test_it_stops_at_the_length_or_where_the_draft_is_less_sure_than_asked() -> None:
    """A row below p_min gives no guess."""
    plan = FixedLength(3, p_min=0.5).plan([MODEL], 100)
    assert [plan.step(0.9), plan.step(0.5), plan.step(0.6)] == [Step.MORE, Step.MORE, Step.LAST]
    assert FixedLength(3, p_min=0.5).plan([MODEL], 100).step(0.4) is Step.DROP
