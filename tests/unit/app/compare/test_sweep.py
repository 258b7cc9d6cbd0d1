"""Fixed lengths against auto: steps, requests and what they come to."""

from __future__ import annotations

import pytest

from app.compare.sweep import Policy, SweepPlan, sweep_outcome
from app.compare.table import sweep_table
from app.compare.values import Run
from engine.types import Choice, RoundChoice
from tests.unit.app.compare.replies import LONG, PLAN, run, words

SWEEP = SweepPlan(PLAN, (1, 4))
AUTO = RoundChoice(Choice.DRAFTING, length=4, ratio=1.9)


def runs(seconds: dict[Policy, list[float]]) -> dict[Policy, list[Run]]:
    return {
        policy: [run(words(LONG), one, choice=AUTO if policy is None else None) for one in each]
        for policy, each in seconds.items()
    }


def test_every_turn_has_every_policy() -> None:
    """The warm-up too, so that what changes slowly hits all alike."""
    assert SWEEP.steps() == tuple((number, policy) for number in range(3) for policy in (0, 1, 4, None))


@pytest.mark.parametrize(("policy", "speculates"), [(0, False), (1, True), (4, True), (None, True)])
def test_requests_differ_in_the_policy_alone(policy: Policy, speculates: bool) -> None:
    request = SWEEP.request_of(policy)
    assert (request.speculate, request.draft_length, request.cold) == (speculates, policy, True)
    assert request.sampling == PLAN.request.sampling


def test_best_and_auto_come_from_ratios_within_a_turn() -> None:
    """The second turn is three times as slow for all, which changes no ratio."""
    outcome = sweep_outcome(runs({0: [4.0, 12.0], 1: [3.0, 9.0], 4: [2.0, 6.0], None: [2.5, 7.5]}))
    assert [row.policy for row in outcome.rows] == [0, 1, 4, None]
    assert [row.ratio for row in outcome.rows] == pytest.approx([1.0, 4 / 3, 2.0, 1.6])
    assert outcome.best == 4
    assert outcome.auto_over_best == pytest.approx(0.8)
    assert outcome.compared.ratio == pytest.approx(1.6)
    assert outcome.compared.choice == AUTO


def test_off_can_be_best() -> None:
    """Where guessing does not pay, auto is measured against that."""
    outcome = sweep_outcome(runs({0: [2.0], 1: [3.0], None: [2.0]}))
    assert outcome.best == 0
    assert outcome.auto_over_best == pytest.approx(1.0)
    assert "Best fixed: off. Auto ÷ best: 1.00." in sweep_table(outcome, "story")


def test_the_table_has_a_row_for_each() -> None:
    text = sweep_table(sweep_outcome(runs({0: [4.0], 1: [3.0], 4: [2.0], None: [2.5]})), "code")
    lines = text.splitlines()
    assert [line.split()[0] for line in lines[1:5]] == ["off", "1", "4", "auto"]
    assert "Best fixed: draft length 4. Auto ÷ best: 0.80." in text
    assert "1.60× on code: leave it on auto." in text
