"""What the draft model is fed, when it stops, and what it reports."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest

from engine.decoder import Interrupted
from engine.distribution import distribution
from engine.drafting import ModelDrafter
from engine.types import SamplingSettings
from engine.verify import Coupled
from tests.fakes.table_model import TableModel, log_of

VOCAB = 8
GREEDY = SamplingSettings(temperature=0.0)
STEP = np.roll(np.eye(VOCAB), 1, axis=1)  # 0, 1, 2 … 7, 0


def drafter(model: TableModel, settings: SamplingSettings = GREEDY, p_min: float = 0.0) -> ModelDrafter:
    return ModelDrafter(model, settings, Coupled(0), p_min)


def propose(drafting: ModelDrafter, committed: list[int], length: int) -> list[int]:
    guesses = drafting.propose(committed, length, 0, VOCAB, lambda: False)
    return [guess.token for guess in guesses]


def test_one_pass_a_guess_and_the_prompt_comes_with_the_first() -> None:
    """The prompt is read when the draft is first needed, to make the first guess; the last guess is not fed."""
    model = TableModel.of(STEP)
    assert propose(drafter(model), [5, 6, 0], 3) == [1, 2, 3]
    assert model.fed == [(5, 6, 0), (1,), (2,)]


def test_a_long_prompt_is_read_in_chunks() -> None:
    """All but its last token without logits, a chunk at a time; the last token makes the first guess."""
    model = TableModel.of(STEP, chunk=3)
    assert propose(drafter(model), [1, 2, 3, 4, 5, 6, 7, 0], 1) == [1]
    assert model.fed == [(1, 2, 3), (4, 5, 6), (7,), (0,)]


def test_after_a_round_that_was_kept_the_draft_catches_up_in_its_next_pass() -> None:
    """It has not seen its own last guess: two tokens in one pass, none of its own."""
    model = TableModel.of(STEP)
    drafting = drafter(model)
    assert propose(drafting, [0], 2) == [1, 2]
    assert drafting.settle(3)  # kept 1 and 2; 3 was the bonus
    model.fed.clear()
    assert propose(drafting, [0, 1, 2, 3], 2) == [4, 5]
    assert model.fed == [(2, 3), (4,)]


def test_after_a_rejection_the_draft_forgets_what_differs() -> None:
    """Nothing of a rejected guess stays in its cache."""
    model = TableModel.of(STEP)
    drafting = drafter(model)
    assert propose(drafting, [0], 4) == [1, 2, 3, 4]
    assert drafting.settle(2)  # kept 1, and the target wrote 6 in the place of 2
    assert model.tokens == [0, 1]
    assert propose(drafting, [0, 1, 6], 1) == [7]


def test_settling_tells_when_the_draft_cannot_forget() -> None:
    """And does not ask it to where there is nothing to forget."""
    model = TableModel.of(STEP)
    drafting = drafter(model)
    propose(drafting, [0], 4)
    model.refusals = 1
    assert drafting.settle(4)
    assert model.refusals == 1
    assert not drafting.settle(2)


@pytest.mark.parametrize("ctx", [4, 5, 9])
def test_room_is_what_the_context_can_take(ctx: int) -> None:
    """So many guesses fit, and one more does not: the last guess is never fed."""
    committed = [0, 1, 2]
    drafting = drafter(TableModel.of(STEP, ctx=ctx))
    room = drafting.room(len(committed))
    assert room == ctx - 2
    assert len(propose(drafting, committed, room)) == room
    assert not drafting.failed
    drafting = drafter(TableModel.of(STEP, ctx=ctx))
    assert len(propose(drafting, committed, room + 1)) == room
    assert drafting.failed


def test_a_full_context_has_no_room() -> None:
    """The committed tokens fill it to the last cell, and one token later there is none."""
    drafting = drafter(TableModel.of(STEP, ctx=4))
    assert [drafting.room(committed) for committed in (3, 4, 5, 6)] == [2, 1, 0, -1]


def test_drafting_stops_before_a_row_that_is_unsure() -> None:
    """p_min compares with the row's confidence, before a guess is made from it."""
    rows = STEP.copy()
    rows[2] = [0.3, 0.3, 0.4, 0, 0, 0, 0, 0]
    assert propose(drafter(TableModel.of(rows), p_min=0.39), [0], 4) == [1, 2, 2, 2]
    assert propose(drafter(TableModel.of(rows), p_min=0.41), [0], 4) == [1, 2]
    assert propose(drafter(TableModel.of(rows), p_min=0.41), [2], 4) == []


def test_each_guess_comes_with_the_row_it_was_drawn_from() -> None:
    """Shaped by the reply's settings, with a history that holds the guesses before it."""
    rng = np.random.default_rng(3)
    logits = rng.normal(size=(VOCAB, VOCAB)).astype(np.float32)
    settings = SamplingSettings(temperature=0.9, top_k=5, repeat_penalty=1.7, repeat_window=2)
    guesses = drafter(TableModel(logits), settings).propose([3, 1], 4, 0, VOCAB, lambda: False)
    history = [3, 1]
    for guess in guesses:
        row = distribution(logits[history[-1]], settings, history)
        assert guess.q.ids.tolist() == row.ids.tolist()
        assert guess.q.probs.tolist() == row.probs.tolist()
        assert guess.token in row.ids
        history.append(guess.token)


def test_guesses_are_keyed_by_their_position_in_the_reply() -> None:
    """The same context at another position gives another guess; the same position gives the same."""
    model = TableModel(np.zeros((VOCAB, VOCAB)))
    drafting = drafter(model, replace(GREEDY, temperature=1.0))

    def guesses(position: int) -> list[int]:
        model.clear()
        return [guess.token for guess in drafting.propose([0], 8, position, VOCAB, lambda: False)]

    assert guesses(10) == guesses(10)
    assert guesses(10)[3:] == guesses(13)[:5]
    assert guesses(10) != guesses(20)


def test_rows_are_cut_to_the_targets_vocabulary() -> None:
    """Padding beyond it is never guessed, not even where the draft is sure of it."""
    rows = np.full((VOCAB, VOCAB + 4), 0.01)
    rows[:, VOCAB + 2] = 1.0
    rows[:, 5] = 0.5
    [guess] = drafter(TableModel.of(rows)).propose([0], 1, 0, VOCAB, lambda: False)
    assert guess.token == 5


@pytest.mark.parametrize(("fails_from", "guesses"), [(0, []), (1, []), (2, []), (3, [1]), (5, [1, 2, 3])])
def test_a_draft_that_fails_keeps_what_it_has_proposed(fails_from: int, guesses: list[int]) -> None:
    """In the prompt, at its first guess or later: the guesses made so far are still there to be judged."""
    model = TableModel.of(STEP, chunk=2)
    model.fails_from = fails_from
    drafting = drafter(model)
    assert propose(drafting, [4, 5, 6, 7, 0], 4) == guesses
    assert drafting.failed


def test_a_row_that_is_no_number_fails_too() -> None:
    """NaN after token 2 ends drafting there."""
    rows = log_of(STEP)
    rows[2, 0] = np.nan
    for p_min in (0.0, 0.5):
        drafting = drafter(TableModel(rows), p_min=p_min)
        assert propose(drafting, [0], 4) == [1, 2]
        assert drafting.failed


def test_reading_the_prompt_can_be_cancelled() -> None:
    """Between two chunks; what was read stays, and is right."""
    model = TableModel.of(STEP, chunk=2)
    answers: Iterator[bool] = iter([False, False, True])
    with pytest.raises(Interrupted):
        drafter(model).propose([0, 1, 2, 3, 4, 5, 6], 1, 0, VOCAB, lambda: next(answers))
    assert model.tokens == [0, 1, 2, 3]
