"""What passes cost, and how well the draft guesses, is measured before it is first needed."""

from __future__ import annotations

import numpy as np
import pytest

from engine.acceptance import ANY_KIND
from engine.costs import MeasuredCosts
from engine.decoder import CacheState, Interrupted
from engine.measuring import _filled, measure
from engine.types import MAX_DRAFT_LENGTH, Drafter
from tests.fakes.table_model import TableModel

FLAT = np.full((4, 4), 0.25)
NEXT = np.eye(4)[[1, 2, 3, 0]]  # [tokens, vocab], always sure of the token after
WRONG = np.eye(4)[[1, 2, 0, 0]]  # the same but after token 2
BEGINNINGS = [[0, 1], [2]]


def never() -> bool:
    return False


def test_every_length_has_a_cost_and_the_caches_are_empty_afterwards() -> None:
    """17 lengths of a target's pass, and passes of the draft over one token and more."""
    target, draft = TableModel.of(FLAT), TableModel.of(FLAT)
    costs = measure(target, draft, BEGINNINGS, never).costs
    assert len(costs.verify_s) == MAX_DRAFT_LENGTH + 1
    assert min(costs.verify_s) > 0
    assert costs.draft_s > 0
    assert costs.draft_token_s is not None
    assert costs.draft_read_s is not None
    assert costs.draft_read_s <= costs.draft_token_s
    assert target.tokens == draft.tokens == []


def test_without_time_only_what_tells_most_is_measured() -> None:
    """The cost of one token and of five, once each; the others follow from them."""
    target = TableModel.of(NEXT)
    measured = measure(target, None, BEGINNINGS, never, limit_s=0.0)
    assert target.fed == [(0, 1), (2,), (0,) * 5]
    assert len(measured.costs.verify_s) == MAX_DRAFT_LENGTH + 1
    assert measured.learned() == {}


@pytest.mark.parametrize(("rows", "guessed"), [(NEXT, 20), (WRONG, 14)])
def test_the_draft_says_what_it_would_have_guessed(rows: np.ndarray, guessed: int) -> None:
    """Over ten tokens after each beginning; one that errs after token 2 misses each 3 that follows, three in ten."""
    measured = measure(TableModel.of(NEXT), TableModel.of(rows), BEGINNINGS, never, limit_s=60)
    assert (measured.guessed, measured.judged) == (guessed, 20)
    kept, missed = measured.learned()[Drafter.MODEL].kinds[ANY_KIND]
    assert (kept, missed) == ((guessed,), (20 - guessed,))


def test_a_draft_of_the_targets_shape_takes_over_what_the_target_has_read() -> None:
    """It then guesses as well as after its own reading."""
    copy_s = measure(TableModel.of(NEXT), TableModel.of(WRONG), BEGINNINGS, never, limit_s=60).copy_s
    assert copy_s is not None
    assert 0 < copy_s < 1


def test_what_does_not_fit_into_the_draft_is_not_taken_over() -> None:
    """Another model's layers, say. What else there is to measure is measured all the same."""
    draft = TableModel.of(NEXT)
    draft.strange = True
    target = TableModel.of(NEXT)
    measured = measure(target, draft, BEGINNINGS, never, limit_s=60)
    assert measured.copy_s is None
    assert (measured.guessed, measured.judged) == (20, 20)
    assert target.tokens == draft.tokens == []


class Forgetful(TableModel):
    """Of the target's shape, but made otherwise: what it takes over means nothing to it."""

    def restore(self, state: CacheState) -> bool:
        self._rows = np.roll(self._rows, 1, axis=1)
        return super().restore(state)


def test_a_draft_that_guesses_worse_afterwards_reads_for_itself() -> None:
    assert measure(TableModel.of(NEXT), Forgetful.of(NEXT), BEGINNINGS, never, limit_s=60).copy_s is None


def test_a_beginning_longer_than_the_context_is_cut() -> None:
    """What is written after it has room."""
    target, draft = TableModel.of(NEXT, ctx=48), TableModel.of(NEXT, ctx=32, chunk=24)
    assert measure(target, draft, [[0, 1, 2, 3] * 8], never).judged > 0
    assert len(target.fed[0]) == 24 - 10


def test_between_and_beyond_what_was_measured() -> None:
    """A straight line, and never less for more tokens."""
    curve = _filled({1: 1.0, 5: 1.4, 9: 1.2, 17: 2.0})
    assert curve[:5] == pytest.approx((1.0, 1.1, 1.2, 1.3, 1.4))
    assert curve[8] == pytest.approx(1.4)
    assert curve[16] == 2.0
    assert _filled({1: 1.0, 5: 2.0})[16] == pytest.approx(5.0)


def test_what_there_is_no_time_for_is_in_proportion_to_what_was_measured_before() -> None:
    """On a computer that is half as fast today, a step in the curve is still where it was."""
    step = tuple(1.0 if n < 8 else 3.0 for n in range(MAX_DRAFT_LENGTH + 1))
    assert _filled({1: 2.0, 5: 2.0}, MeasuredCosts(step)) == pytest.approx([2 * value for value in step])


@pytest.mark.parametrize("after", [0, 1, 7, 30])
def test_it_can_be_cancelled_before_every_pass(after: int) -> None:
    """A pass may take seconds where a large model runs on the processor."""
    answers = iter([False] * after + [True])
    target, draft = TableModel.of(NEXT), TableModel.of(NEXT)
    with pytest.raises(Interrupted):
        measure(target, draft, BEGINNINGS, lambda: next(answers), limit_s=60)
    assert len(target.fed) + len(draft.fed) == after
