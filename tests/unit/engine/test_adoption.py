"""A draft that can go on from what the target has read does so where it is quicker."""

from __future__ import annotations

import numpy as np
import pytest

from engine.adoption import Adoption, adopts
from engine.costs import Costs, MeasuredCosts
from engine.distribution import Logits
from engine.drafting import ModelDrafter
from engine.types import SamplingSettings
from engine.verify import Coupled
from tests.fakes.proposing import proposed
from tests.fakes.table_model import TableModel

VOCAB = 8
STEP = np.roll(np.eye(VOCAB), 1, axis=1)  # 0, 1, 2 … 7, 0
PROMPT = [5, 6, 7, 0, 1, 2]
GREEDY = SamplingSettings(temperature=0.0)
COSTS = MeasuredCosts((1.0,), draft_s=0.1, draft_token_s=0.05, draft_read_s=0.02)


def pair(token_s: float, committed: list[int]) -> tuple[TableModel, ModelDrafter]:
    """A draft beside a target that has read all but the last token; copying takes so long for each."""
    target, draft = TableModel.of(STEP), TableModel.of(STEP)
    target.decode(committed[:-1], 0)
    return draft, ModelDrafter(draft, GREEDY, Coupled(0), adoption=Adoption(target, token_s, Costs(COSTS)))


def guesses(drafter: ModelDrafter, committed: list[int], length: int) -> list[int]:
    return [guess.token for guess in proposed(drafter, committed, length, VOCAB)]


def test_only_the_last_token_is_read_and_the_guesses_are_the_same() -> None:
    draft, drafter = pair(0.001, PROMPT)
    assert guesses(drafter, PROMPT, 3) == [3, 4, 5]
    assert draft.fed == [(2,), (3,), (4,)]
    assert draft.tokens == [*PROMPT, 3, 4]


def test_what_takes_longer_to_copy_is_read() -> None:
    """Five tokens in half a second against five times 0.05."""
    draft, drafter = pair(0.1, PROMPT)
    assert guesses(drafter, PROMPT, 1) == [3]
    assert draft.fed == [tuple(PROMPT)]


def test_a_draft_that_missed_nothing_copies_nothing() -> None:
    draft, drafter = pair(0.0, PROMPT)
    draft.decode(PROMPT[:-1], 0)
    assert guesses(drafter, PROMPT, 1) == [3]
    assert draft.fed == [tuple(PROMPT[:-1]), (PROMPT[-1],)]


def test_the_controller_is_told_what_copying_takes() -> None:
    _, drafter = pair(0.001, PROMPT)
    (offer,) = drafter.offers(PROMPT)
    assert (offer.unread, offer.copy_s) == (6, pytest.approx(0.005))
    _, drafter = pair(0.1, PROMPT)
    (offer,) = drafter.offers(PROMPT)
    assert (offer.unread, offer.copy_s) == (6, None)


def test_what_is_too_much_to_copy_is_offered_at_the_price_of_reading() -> None:
    """Or a controller would begin to draft for the price of a copy that is never made."""
    draft, drafter = pair(0.001, PROMPT)
    source = drafter._adoption.source if drafter._adoption is not None else None
    assert isinstance(source, TableModel)
    source.most_saved = 3
    (offer,) = drafter.offers(PROMPT)
    assert offer.copy_s is None
    assert guesses(drafter, PROMPT, 1) == [3]
    assert draft.fed == [tuple(PROMPT)]


def test_where_copying_fails_nothing_is_drafted_and_the_next_round_knows_the_price() -> None:
    draft, drafter = pair(0.001, PROMPT)
    draft.strange = True
    assert guesses(drafter, PROMPT, 1) == []
    assert draft.fed == []
    (offer,) = drafter.offers([*PROMPT, 3])
    assert (offer.unread, offer.copy_s) == (7, None)
    assert guesses(drafter, [*PROMPT, 3], 1) == [4]


def row(*values: float) -> Logits:
    return np.log(np.array(values, np.float32))


@pytest.mark.parametrize(
    ("adopted", "as_good"),
    [
        (row(0.7, 0.2, 0.1), True),  # as after reading
        (row(0.78, 0.12, 0.1), True),  # nearer to the target
        (row(0.64, 0.26, 0.1), True),  # hardly farther
        (row(0.1, 0.2, 0.7), False),
        (row(1.0, 1e-9, 1e-9), False),
        (row(np.nan, 0.5, 0.5), False),
    ],
)
def test_a_draft_adopts_where_it_does_as_well(adopted: Logits, as_good: bool) -> None:
    """By its distance from the target's row; a longer vocabulary counts as far as both know it."""
    target, own = row(0.8, 0.1, 0.1), row(0.7, 0.2, 0.1)
    assert adopts(np.append(target, np.float32(-9.0)), own, adopted) is as_good
