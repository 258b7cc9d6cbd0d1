"""What is proposed, by whom, what the draft model is fed, and when it stops."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from math import inf

import numpy as np
import pytest

from engine.decoder import Interrupted
from engine.distribution import distribution
from engine.drafting import ChainedDrafter, LookupDrafter, ModelDrafter, parts
from engine.lookup import Lookup
from engine.policy import Offer, Step
from engine.types import Drafter, Inactive, SamplingSettings
from engine.verify import Coupled
from tests.fakes.proposing import proposed
from tests.fakes.table_model import TableModel, log_of

VOCAB = 8
GREEDY = SamplingSettings(temperature=0.0)
STEP = np.roll(np.eye(VOCAB), 1, axis=1)  # 0, 1, 2 … 7, 0


def drafter(model: TableModel, settings: SamplingSettings = GREEDY) -> ModelDrafter:
    return ModelDrafter(model, settings, Coupled(0))


def propose(drafting: ModelDrafter, committed: list[int], length: int, p_min: float = 0.0) -> list[int]:
    return [guess.token for guess in proposed(drafting, committed, length, VOCAB, p_min=p_min)]


class Impatient:
    """A plan that finds every pass too slow."""

    drafter = Drafter.MODEL
    length = 4
    heeds = False

    def limit_s(self, tokens: int) -> float:
        return inf

    def passed(self, tokens: int, seconds: float) -> bool:
        return False

    def step(self, confidence: float | None) -> Step:
        raise AssertionError("there is no row")

    def gives_way(self, offer: Offer) -> bool:
        raise AssertionError("there is no guess")


class Willing:
    """A plan for six guesses of the draft."""

    drafter = Drafter.MODEL
    length = 6
    heeds = False

    def __init__(self) -> None:
        self._taken = 0

    def limit_s(self, tokens: int) -> float:
        return inf

    def passed(self, tokens: int, seconds: float) -> bool:
        return True

    def step(self, confidence: float | None) -> Step:
        self._taken += 1
        return Step.MORE if self._taken < self.length else Step.LAST

    def gives_way(self, offer: Offer) -> bool:
        return False


def test_one_pass_a_guess_and_the_prompt_comes_with_the_first() -> None:
    """The prompt is read when the draft is first needed, to make the first guess; the last guess is not fed."""
    model = TableModel.of(STEP)
    assert propose(drafter(model), [5, 6, 0], 3) == [1, 2, 3]
    assert model.fed == [(5, 6, 0), (1,), (2,)]


def test_a_long_prompt_is_read_in_chunks_after_a_single_token() -> None:
    """A draft that became far too slow shows it at the first; the last chunk makes the first guess."""
    model = TableModel.of(STEP, chunk=3)
    assert propose(drafter(model), [1, 2, 3, 4, 5, 6, 7, 0], 1) == [1]
    assert model.fed == [(1,), (2, 3, 4), (5, 6, 7), (0,)]


def test_a_long_prompt_has_a_short_pass_before_its_chunks() -> None:
    """1, 8, then as many as a pass takes."""
    tokens = list(range(50))
    read = parts(tokens, 16)
    assert [len(part) for part in read] == [1, 8, 16, 16, 9]
    assert [token for part in read for token in part] == tokens
    assert parts(tokens[:9], 16) == [tokens[:9]]


def test_a_plan_can_end_the_reading() -> None:
    """What is too slow is not read to its end, nothing is guessed, and the next round goes on from there."""
    model = TableModel.of(STEP)
    drafting = drafter(model)
    committed = [token % VOCAB for token in range(40)] + [0]
    plan = Impatient()
    assert drafting.propose(committed, plan, 0, VOCAB, lambda: False) == []
    assert model.fed == [(0,)]
    assert drafting.ended is None
    assert propose(drafting, committed, 1) == [1]
    assert model.tokens == committed


def test_after_a_round_that_was_kept_the_draft_catches_up_in_its_next_pass() -> None:
    """It has not seen its own last guess: two tokens in one pass, none of its own."""
    model = TableModel.of(STEP)
    drafting = drafter(model)
    assert propose(drafting, [0], 2) == [1, 2]
    drafting.settle(3)  # kept 1 and 2; 3 was the bonus
    model.fed.clear()
    assert propose(drafting, [0, 1, 2, 3], 2) == [4, 5]
    assert model.fed == [(2, 3), (4,)]


def test_after_a_rejection_the_draft_forgets_what_differs() -> None:
    """Nothing of a rejected guess stays in its cache."""
    model = TableModel.of(STEP)
    drafting = drafter(model)
    assert propose(drafting, [0], 4) == [1, 2, 3, 4]
    drafting.settle(2)  # kept 1, and the target wrote 6 in the place of 2
    assert model.tokens == [0, 1]
    assert propose(drafting, [0, 1, 6], 1) == [7]


def test_settling_tells_when_the_draft_cannot_forget() -> None:
    """And does not ask it to where there is nothing to forget."""
    model = TableModel.of(STEP)
    drafting = drafter(model)
    propose(drafting, [0], 4)
    model.refusals = 1
    drafting.settle(4)
    assert (model.refusals, drafting.ended) == (1, None)
    drafting.settle(2)
    assert drafting.ended is Inactive.DRAFT_ROLLBACK


@pytest.mark.parametrize(("ctx", "room"), [(4, 2), (5, 3), (9, 7)])
def test_no_more_is_proposed_than_the_context_can_take(ctx: int, room: int) -> None:
    """The last guess is never read, so as many fit as there are cells left, and one more."""
    drafting = drafter(TableModel.of(STEP, ctx=ctx))
    assert len(propose(drafting, [0, 1, 2], room + 1)) == room
    assert drafting.ended is None


def test_a_full_context_ends_drafting() -> None:
    """The text fills it to the last cell, which is still read, and one token later there is no room."""
    drafting = drafter(TableModel.of(STEP, ctx=4))
    assert len(propose(drafting, [0, 1, 2, 3], 4)) == 1
    assert drafting.ended is None
    assert propose(drafting, [0, 1, 2, 3, 4], 4) == []
    assert drafting.ended is Inactive.DRAFT_CONTEXT_FULL


def test_drafting_stops_before_a_row_that_is_unsure() -> None:
    """p_min compares with the row's confidence, before a guess is made from it."""
    rows = STEP.copy()
    rows[2] = [0.3, 0.3, 0.4, 0, 0, 0, 0, 0]
    assert propose(drafter(TableModel.of(rows)), [0], 4, 0.39) == [1, 2, 2, 2]
    assert propose(drafter(TableModel.of(rows)), [0], 4, 0.41) == [1, 2]
    assert propose(drafter(TableModel.of(rows)), [2], 4, 0.41) == []


def test_each_guess_comes_with_the_row_it_was_drawn_from() -> None:
    """Shaped by the reply's settings, with a history that holds the guesses before it."""
    rng = np.random.default_rng(3)
    logits = rng.normal(size=(VOCAB, VOCAB)).astype(np.float32)
    settings = SamplingSettings(temperature=0.9, top_k=5, repeat_penalty=1.7, repeat_window=2)
    guesses = proposed(drafter(TableModel(logits), settings), [3, 1], 4, VOCAB)
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
        return [guess.token for guess in proposed(drafting, [0], 8, VOCAB, position=position)]

    assert guesses(10) == guesses(10)
    assert guesses(10)[3:] == guesses(13)[:5]
    assert guesses(10) != guesses(20)


def test_rows_are_cut_to_the_targets_vocabulary() -> None:
    """Padding beyond it is never guessed, not even where the draft is sure of it."""
    rows = np.full((VOCAB, VOCAB + 4), 0.01)
    rows[:, VOCAB + 2] = 1.0
    rows[:, 5] = 0.5
    [guess] = proposed(drafter(TableModel.of(rows)), [0], 1, VOCAB)
    assert guess.token == 5


@pytest.mark.parametrize(("fails_from", "guesses"), [(0, []), (1, []), (2, []), (3, [1]), (5, [1, 2, 3])])
def test_a_draft_that_fails_keeps_what_it_has_proposed(fails_from: int, guesses: list[int]) -> None:
    """In the prompt, at its first guess or later: the guesses made so far are still there to be judged."""
    model = TableModel.of(STEP, chunk=2)
    model.fails_from = fails_from
    drafting = drafter(model)
    assert propose(drafting, [5, 6, 7, 0], 4) == guesses
    assert drafting.ended is Inactive.DRAFT_FAILED


def test_a_row_that_is_no_number_fails_too() -> None:
    """NaN after token 2 ends drafting there."""
    rows = log_of(STEP)
    rows[2, 0] = np.nan
    for p_min in (0.0, 0.5):
        drafting = drafter(TableModel(rows))
        assert propose(drafting, [0], 4, p_min) == [1, 2]
        assert drafting.ended is Inactive.DRAFT_FAILED


class Limited(Impatient):
    """A plan that gives up after a second, and is told of it."""

    def __init__(self) -> None:
        self.told: list[int] = []

    def limit_s(self, tokens: int) -> float:
        return 1.0

    def passed(self, tokens: int, seconds: float) -> bool:
        self.told.append(tokens)
        return False


@pytest.mark.parametrize("prompt", [[0], [5] * 40], ids=["row", "prompt"])
def test_a_pass_that_is_given_up_proposes_nothing_and_is_no_failure(prompt: list[int]) -> None:
    """Whether it was to end with a row or read a part of the prompt; the next round may try again."""
    model = TableModel.of(STEP, cost_s=2.0)
    drafting = drafter(model)
    plan = Limited()
    assert drafting.propose(prompt, plan, 0, VOCAB, lambda: False) == []
    assert plan.told == [1]
    assert (model.tokens, drafting.ended) == ([], None)
    assert model.spent_s == 1.0


def test_reading_the_prompt_can_be_cancelled() -> None:
    """Between two chunks; what was read stays, and is right."""
    model = TableModel.of(STEP, chunk=2)
    answers: Iterator[bool] = iter([False, False, True])
    with pytest.raises(Interrupted):
        proposed(drafter(model), [0, 1, 2, 3, 4, 5, 6], 1, VOCAB, cancelled=lambda: next(answers))
    assert model.tokens == [0, 1, 2]


def looking(text: list[int], least: int = 3, end: int | None = None) -> LookupDrafter:
    lookup = Lookup(64, lengths=(1, 3))
    lookup.extend(text)
    return LookupDrafter(lookup, least, lambda token: token == end)


TEXT = [1, 2, 3, 4, 5, 6, 7, 0, 1, 2, 3]  # its last three tokens stood before


def test_the_further_a_copy_went_on_the_surer_is_the_lookup_of_each_guess() -> None:
    """A guess counts the tokens that agree before it, guesses included: the second of a match of three as the first of
    one of four."""
    drafting = looking([])
    (offer,) = drafting.offers(TEXT)
    assert offer.confidences == (3 / 4, 4 / 5, 5 / 6)
    guesses = proposed(drafting, TEXT, 3, VOCAB)
    assert tuple(guess.confidence for guess in guesses) == offer.confidences
    assert {guess.match for guess in guesses} == {3}


def test_the_lookup_proposes_as_far_ahead_as_the_text_agreed() -> None:
    """Three tokens agree, so three are proposed, or fewer where the plan says so, each with all of its row on it."""
    guesses = proposed(looking([]), TEXT, 4, VOCAB, free=16)
    assert [guess.token for guess in guesses] == [4, 5, 6]
    assert all(guess.q.ids.tolist() == [guess.token] and guess.q.probs.tolist() == [1.0] for guess in guesses)
    assert {(guess.drafter, guess.match) for guess in guesses} == {(Drafter.LOOKUP, 3)}
    assert len(proposed(looking([]), TEXT, 4, VOCAB, free=2)) == 2
    assert proposed(looking([]), TEXT, 4, VOCAB, free=0) == []


def test_a_short_match_proposes_nothing() -> None:
    """Nor does a text that repeats nothing."""
    assert proposed(looking([], least=4), TEXT, 4, VOCAB, free=16) == []
    assert proposed(looking([], least=1), [1, 2, 3], 4, VOCAB, free=16) == []


def test_the_lookup_ends_with_a_token_that_ends_the_reply() -> None:
    """And before one that the target cannot write, though a prompt may hold it."""
    assert [g.token for g in proposed(looking([], end=5), TEXT, 4, VOCAB, free=16)] == [4, 5]
    assert [g.token for g in proposed(looking([]), TEXT, 4, 6, free=16)] == [4, 5]


def test_the_lookup_reads_what_was_committed_since() -> None:
    """A reply that grows is found in like one that was there from the start, in the tokens of the reply too."""
    drafting = looking(TEXT[:2])
    for upto in range(3, len(TEXT)):
        assert proposed(drafting, TEXT[:upto], 4, VOCAB, free=16) == []
        drafting.settle(upto)
    assert len(proposed(drafting, TEXT, 4, VOCAB, free=16)) == 3


def test_a_chain_asks_the_draft_only_where_nothing_repeats() -> None:
    """The draft then reads in one pass what it has missed."""
    model = TableModel.of(STEP)
    chain = ChainedDrafter(looking([]), drafter(model))
    guesses = proposed(chain, TEXT[:4], 2, VOCAB, free=16)
    assert [(guess.token, guess.drafter) for guess in guesses] == [(5, Drafter.MODEL), (6, Drafter.MODEL)]
    chain.settle(3)
    model.fed.clear()
    guesses = proposed(chain, TEXT, 2, VOCAB, free=16)
    assert {guess.drafter for guess in guesses} == {Drafter.LOOKUP}
    assert model.fed == []
    chain.settle(len(TEXT) - 1)
    guesses = proposed(chain, [*TEXT, 6], 2, VOCAB, free=16)
    assert [guess.token for guess in guesses] == [7, 0]
    assert model.fed == [(4, 5, 6, 7, 0, 1, 2, 3, 6), (7,)]


class Yielding(Willing):
    """A plan that gives way to whatever is offered."""

    def gives_way(self, offer: Offer) -> bool:
        assert offer.drafter is Drafter.LOOKUP
        assert len(offer.confidences) == offer.room
        return True


def test_a_draft_whose_guesses_are_a_copy_gives_way_to_the_lookup() -> None:
    """As soon as five tokens, guesses among them, stood before: here the 5 after 1, 2, 3, 4."""
    model = TableModel.of(STEP)
    chain = ChainedDrafter(looking([]), drafter(model))
    text = [1, 2, 3, 4, 5, 6, 0, 1, 2]
    for plan, expected in ((Willing(), [3, 4, 5, 6, 7, 0]), (Yielding(), [3, 4, 5])):
        chain.offers(text)
        guesses = chain.propose(text, plan, 0, VOCAB, lambda: False)
        assert [guess.token for guess in guesses] == expected
        assert {guess.drafter for guess in guesses} == {Drafter.MODEL}
        chain.settle(len(text) - 1)
    # The guesses were only looked ahead at: what is found next is what the text itself repeats.
    offers = chain.offers([*text, 7])
    assert offers[0].room == 0


def test_a_chain_whose_draft_is_out_leaves_the_lookup() -> None:
    """Its draft's context is full: it says so, and what is left is the lookup."""
    looked = looking([])
    chain = ChainedDrafter(looked, drafter(TableModel.of(STEP, ctx=4)))
    assert proposed(chain, [0, 1, 2, 3, 4], 2, VOCAB, free=16) == []
    assert chain.ended is Inactive.DRAFT_CONTEXT_FULL
    assert chain.rest is looked
