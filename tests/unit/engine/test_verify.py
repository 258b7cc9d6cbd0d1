"""The rules one by one: what each guesses, answers and draws. That their law is right is shown in `tests/lossless`."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine import noise
from engine.distribution import Distribution
from engine.types import Rule
from engine.verify import Coupled, Match, Residual, make_rule, pick

P = Distribution(np.array([0, 1, 2, 5]), np.array([0.1, 0.2, 0.3, 0.4]))
Q = Distribution(np.array([0, 2, 3]), np.array([0.5, 0.3, 0.2]))
LARGEST = 1.0 - 2.0**-53  # the largest number that numpy's `random` returns


@pytest.mark.parametrize(
    ("u", "token"), [(0.0, 0), (0.0999, 0), (0.1001, 1), (0.2999, 1), (0.3001, 2), (0.6001, 5), (LARGEST, 5)]
)
def test_pick_inverts_the_cumulative_distribution(u: float, token: int) -> None:
    """Each token owns a stretch of [0, 1) as long as its probability, in order of ids."""
    assert pick(P, u) == token


@pytest.mark.parametrize("u", [0.0, 0.5, LARGEST])
def test_pick_never_takes_what_has_no_weight(u: float) -> None:
    """A residual has zeros in front, between and behind; rounding must not land on one."""
    row = Distribution(np.arange(5), np.array([0.0, 0.7, 0.0, 0.3, 0.0]))
    assert pick(row, u) in (1, 3)


@given(st.lists(st.floats(1e-6, 1.0), min_size=1, max_size=400), st.sampled_from([0.0, 0.3, LARGEST, 1.0]))
def test_pick_always_finds_a_token(weights: list[float], u: float) -> None:
    """Weights whose sum is a rounding error off 1, and u at its very end, still give an id of the row."""
    probs = np.array(weights)
    assert 0 <= pick(Distribution(np.arange(len(probs)), probs / probs.sum()), u) < len(probs)


@pytest.mark.parametrize("rule", Rule)
def test_a_rule_is_made_by_its_name(rule: Rule) -> None:
    """`make_rule` knows all of them."""
    assert type(make_rule(rule, 0)).__name__.lower() == rule.value


def test_coupled_guess_and_answer_are_the_winners_of_one_race() -> None:
    """Both sides run on the noise of the reply's seed at the position in the reply, and nothing else."""
    rule = Coupled(11)
    for position in range(50):
        assert rule.guess(Q, position) == noise.race(Q, 11, position)
        assert rule.draw(P, position) == noise.race(P, 11, position)
        for guess in (0, 2, 3):
            assert rule.answer(P, Q, guess, position) == noise.race(P, 11, position)
        assert rule.guess(P, position) == rule.answer(P, P, rule.guess(P, position), position)


def test_match_guesses_the_best_and_answers_with_its_own_draw() -> None:
    """The guess has no influence on the answer."""
    rule = Match(11)
    for position in range(50):
        assert rule.guess(Q, position) == 0
        own = pick(P, noise.uniform(11, position))
        assert rule.draw(P, position) == own
        assert {rule.answer(P, Q, guess, position) for guess in (0, 2, 3)} == {own}


class Numbers:
    """A stream that has been written down."""

    def __init__(self, *numbers: float) -> None:
        self.left = list(numbers)

    def random(self) -> float:
        return self.left.pop(0)


def scripted(
    *, draft: tuple[float, ...] = (), accept: tuple[float, ...] = (), resample: tuple[float, ...] = ()
) -> Residual:
    rule = Residual(0)
    rule._draft, rule._accept, rule._resample = Numbers(*draft), Numbers(*accept), Numbers(*resample)
    return rule


@pytest.mark.parametrize(
    ("guess", "u", "kept"),
    [(0, 0.19, True), (0, 0.21, False), (2, LARGEST, True), (3, 0.0, False)],
)
def test_residual_keeps_a_guess_where_u_q_is_below_p(guess: int, u: float, kept: bool) -> None:
    """p / q is 0.2 for token 0, 1 for token 2 and 0 for token 3, which the target never writes."""
    rule = scripted(accept=(u,), resample=() if kept else (0.5,))
    assert (rule.answer(P, Q, guess, 0) == guess) is kept


@pytest.mark.parametrize(("u", "token"), [(0.0, 1), (0.333, 1), (0.334, 5), (LARGEST, 5)])
def test_residual_draws_from_what_the_draft_left(u: float, token: int) -> None:
    """max(0, p - q) is 0.2 for token 1 and 0.4 for token 5, and nothing else."""
    assert scripted(accept=(0.9,), resample=(u,)).answer(P, Q, 0, 0) == token


def test_residual_uses_each_stream_for_one_thing() -> None:
    """A guess costs the draft's stream a number, a verdict the acceptance's, a token of the target's the third's."""
    rule = scripted(draft=(0.6,), accept=(0.1, 0.9), resample=(0.5, 0.05))
    assert rule.guess(Q, 0) == 2
    assert rule.answer(P, Q, 0, 0) == 0
    assert rule.answer(P, Q, 0, 1) == 5
    assert rule.draw(P, 2) == 0
    assert rule._draft.left == rule._accept.left == rule._resample.left == []


def test_residual_streams_are_independent_and_repeat_with_the_seed() -> None:
    """Three generators of one seed, none of which is another's or another seed's."""
    streams = [[s.random() for _ in range(5)] for seed in (1, 1, 2) for s in vars(Residual(seed)).values() if s]
    assert streams[:3] == streams[3:6]
    assert len({tuple(numbers) for numbers in streams[3:]}) == 6


def test_a_residual_that_vanished_is_drawn_from_p() -> None:
    """Rounding can leave nothing of max(0, p - q); the rule counts that and takes the target's own draw."""
    p = Distribution(np.array([0, 1]), np.array([0.5, 0.5]))
    q = Distribution(np.array([0, 1]), np.array([0.6, 0.5]))
    rule = scripted(accept=(LARGEST,), resample=(0.75,))
    assert rule.answer(p, q, 0, 0) == 1
    assert rule.fallbacks == 1
