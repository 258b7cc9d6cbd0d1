"""The law of one position, computed without sampling from what the rules do with each random number.

`random()` returns one of 2**53 numbers, and a rule turns it into a token by comparisons whose outcome changes at a
few places. Finding these by bisection counts, exactly, how many of the numbers lead to each token. Every place can be
off by the rounding of a few operations, so the law must agree with p to 2**-48.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine import noise
from engine.distribution import Distribution
from engine.verify import Match, Residual
from tests.lossless import planted_rules as planted

NUMBERS = 2**53
TOLERANCE = Fraction(1, 2**48)

Law = dict[int, Fraction]


class Dial:
    """A random stream that says what it is set to."""

    def __init__(self) -> None:
        self.at = 0

    def random(self) -> float:
        return self.at / NUMBERS


def share(dial: Dial, holds: Callable[[], bool]) -> Fraction:
    """Share of the numbers for which something holds that holds up to some number and then no more."""
    low, high = 0, NUMBERS
    while low < high:
        dial.at = (low + high) // 2
        if holds():
            low = dial.at + 1
        else:
            high = dial.at
    return Fraction(low, NUMBERS)


def law_of(dial: Dial, draw: Callable[[], int], ids: list[int]) -> Law:
    """The law of what is drawn, ids in ascending order, as the dial runs through all numbers."""
    below = [Fraction(0), *(share(dial, lambda limit=limit: draw() <= limit) for limit in ids)]
    return {token: high - low for token, low, high in zip(ids, below, below[1:], strict=False)}


@dataclass(frozen=True, slots=True)
class Dialled:
    """A rule of the residual kind whose three streams are dials."""

    rule: Residual
    draft: Dial
    accept: Dial
    resample: Dial

    @classmethod
    def of(cls, kind: type[Residual]) -> Dialled:
        rule, draft, accept, resample = kind(seed=0), Dial(), Dial(), Dial()
        rule._draft, rule._accept, rule._resample = draft, accept, resample
        return cls(rule, draft, accept, resample)


def row(weights: list[int]) -> Distribution:
    """The distribution in proportion to `weights`, without the zeros."""
    ids = np.flatnonzero(weights)
    values = np.array(weights, np.float64)[ids]
    return Distribution(ids, values / values.sum())


def exact(weights: list[int]) -> Law:
    return {token: Fraction(weight, sum(weights)) for token, weight in enumerate(weights)}


def law_of_one_position(kind: type[Residual], p: list[int], q: list[int]) -> tuple[Law, Fraction]:
    """The law of one position and the share of guesses that are kept, by driving a rule through every number."""
    dialled, p_row, q_row = Dialled.of(kind), row(p), row(q)
    rule, ids = dialled.rule, list(range(len(p)))
    law = dict.fromkeys(ids, Fraction(0))
    kept = Fraction(0)
    for guess, chance in law_of(dialled.draft, lambda: rule.guess(q_row, 0), ids).items():
        if chance == 0:
            continue

        def answer(guess: int = guess) -> int:
            return rule.answer(p_row, q_row, guess, 0)

        keeps = share(dialled.accept, lambda guess=guess, answer=answer: answer() == guess)
        kept += chance * keeps
        law[guess] += chance * keeps
        if keeps < 1:
            dialled.accept.at = NUMBERS - 1  # the number that is most against the guess
            for token, part in law_of(dialled.resample, answer, ids).items():
                law[token] += chance * (1 - keeps) * part
    assert rule.fallbacks == 0
    return law, kept


weights = st.lists(st.integers(0, 40), min_size=2, max_size=6).filter(any)
pairs = st.integers(2, 6).flatmap(
    lambda size: st.tuples(*[st.lists(st.integers(0, 40), min_size=size, max_size=size).filter(any)] * 2)
)


@given(pairs)
def test_the_residual_rule_leaves_the_targets_law(pair: tuple[list[int], list[int]]) -> None:
    """For any p and q, zeros and disjoint supports among them: the outcome's law is p, acceptance is Σ min(p, q)."""
    p, q = pair
    law, kept = law_of_one_position(Residual, p, q)
    wanted, guessed = exact(p), exact(q)
    assert sum(law.values()) == 1
    for token, probability in wanted.items():
        assert abs(law[token] - probability) <= TOLERANCE
        if probability == 0:
            assert law[token] == 0
    assert abs(kept - sum(min(wanted[token], guessed[token]) for token in wanted)) <= TOLERANCE


@settings(max_examples=20)
@given(weights)
def test_a_row_all_on_one_token_is_kept_as_often_as_the_target_writes_it(p: list[int]) -> None:
    """The lookup's rows: a guess is kept with p of it, to the last digits, and what comes in its place makes up p."""
    wanted = exact(p)
    for guess in wanted:
        law, kept = law_of_one_position(Residual, p, [int(token == guess) for token in wanted])
        assert abs(kept - wanted[guess]) <= TOLERANCE
        assert all(abs(law[token] - probability) <= TOLERANCE for token, probability in wanted.items())


def test_disjoint_rows_keep_nothing_and_lose_nothing() -> None:
    """A draft that only offers what the target never writes is never kept, to the last number, and p stays p."""
    law, kept = law_of_one_position(Residual, [3, 5, 0, 0], [0, 0, 1, 2])
    assert kept == 0
    assert law[2] == law[3] == 0
    assert abs(law[0] - Fraction(3, 8)) <= TOLERANCE


@given(weights)
def test_equal_rows_keep_everything(same: list[int]) -> None:
    """A draft equal to the target is kept at every one of the numbers."""
    _, kept = law_of_one_position(Residual, same, same)
    assert kept == 1


@pytest.mark.parametrize(
    "bug",
    [
        planted.ResamplesFromTarget,
        planted.ResidualTurnedRound,
        planted.ResidualIsTargetWithoutGuess,
        planted.ResidualByArgmax,
        planted.KeepsWhereTargetIsSurer,
        planted.KeepsByTargetAlone,
    ],
)
def test_the_identity_fails_on_a_wrong_rule(bug: type[Residual]) -> None:
    """Every bug that shows in a single position moves this law by more than a hundredth."""
    p, q = [14, 62, 16, 8], [6, 50, 6, 38]
    law, _ = law_of_one_position(bug, p, q)
    assert max(abs(law[token] - probability) for token, probability in exact(p).items()) > Fraction(1, 100)


@given(pairs)
def test_the_match_rule_leaves_the_targets_law(pair: tuple[list[int], list[int]]) -> None:
    """The answer's law is p whatever was guessed, and the guess is kept with p of the draft's likeliest token."""
    p, q = pair
    dial, rule, p_row, q_row = Dial(), Match(0), row(p), row(q)
    guess = rule.guess(q_row, 0)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(noise, "uniform", lambda seed, position: dial.random())
        law = law_of(dial, lambda: rule.answer(p_row, q_row, guess, 0), list(range(len(p))))
    assert guess == q.index(max(q))
    for token, probability in exact(p).items():
        assert abs(law[token] - probability) <= TOLERANCE
        if probability == 0:
            assert law[token] == 0
