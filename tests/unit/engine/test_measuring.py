"""What passes cost is measured before it is first needed."""

from __future__ import annotations

import numpy as np
import pytest

from engine.measuring import _filled, measure
from engine.types import MAX_DRAFT_LENGTH
from tests.fakes.table_model import TableModel

FLAT = np.full((4, 4), 0.25)


def test_every_length_has_a_cost_and_the_caches_are_empty_afterwards() -> None:
    """17 lengths of a target's pass, and a pass of the draft."""
    target, draft = TableModel.of(FLAT), TableModel.of(FLAT)
    costs = measure(target, draft)
    assert len(costs.verify_s) == MAX_DRAFT_LENGTH + 1
    assert min(costs.verify_s) > 0
    assert costs.draft_s > 0
    assert costs.draft_token_s is not None
    assert target.tokens == draft.tokens == []


def test_without_time_only_what_tells_most_is_measured() -> None:
    """The cost of one token and of five; the others follow from them."""
    target = TableModel.of(FLAT)
    costs = measure(target, None, limit_s=0.0)
    assert {len(batch) for batch in target.fed} == {1, 5}
    assert len(costs.verify_s) == MAX_DRAFT_LENGTH + 1


def test_between_and_beyond_what_was_measured() -> None:
    """A straight line, and never less for more tokens."""
    curve = _filled({1: 1.0, 5: 1.4, 9: 1.2, 17: 2.0})
    assert curve[:5] == pytest.approx((1.0, 1.1, 1.2, 1.3, 1.4))
    assert curve[8] == pytest.approx(1.4)
    assert curve[16] == 2.0
    assert _filled({1: 1.0, 5: 2.0})[16] == pytest.approx(5.0)
