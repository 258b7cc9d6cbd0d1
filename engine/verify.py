"""How proposals are judged: three rules, all lossless.

Words: p is the target's distribution at a position, q the draft's, both after the sampling settings; a *guess* is a
token proposed from q. A rule says how the draft guesses, what the target answers to a guess, and what it draws where
nothing was guessed. The guess is kept exactly when the answer is the guess.

* `coupled`: target and draft run the same race (`engine.noise`); the answer is the target's own winner, so the text
  depends on the seed alone (Daliri, Musco, Suresh 2024).
* `residual`: keep the guess x when u q(x) < p(x), else draw from max(0, p - q), normalised (Leviathan, Kalman, Matias
  2023; Chen et al. 2023). Draft, acceptance and resampling each have a random stream of their own: sharing one biases
  the text.
* `match`: the target draws on its own; the guess is kept when it is the same token.

A proposal is a path here. `answer` looks at one position at a time, so a tree is walked the same way: answer at a
node, then step to the child that holds the answer, if there is one.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np

from engine import noise
from engine.distribution import Distribution
from engine.types import Rule


class AcceptanceRule(Protocol):
    """One reply's rule; keeps random state, so make a new one for every reply.

    `position` is the position in the reply, from 0. Positions are asked for in ascending order; the same position is
    asked again only for a guess that had not been answered.
    """

    def guess(self, q: Distribution, position: int) -> int:
        """The draft's proposal."""

    def answer(self, p: Distribution, q: Distribution, guess: int, position: int) -> int:
        """The token at this position; the guess was kept if it is the guess."""

    def draw(self, p: Distribution, position: int) -> int:
        """The target's token where nothing was proposed."""


class Coupled:
    """The default."""

    def __init__(self, seed: int) -> None:
        self._seed = seed

    def guess(self, q: Distribution, position: int) -> int:
        return noise.race(q, self._seed, position)

    def answer(self, p: Distribution, q: Distribution, guess: int, position: int) -> int:
        return noise.race(p, self._seed, position)

    def draw(self, p: Distribution, position: int) -> int:
        return noise.race(p, self._seed, position)


class Residual:
    """The classic rule. `fallbacks` counts residuals that vanished by rounding; it should stay 0."""

    def __init__(self, seed: int) -> None:
        streams = np.random.SeedSequence(seed).spawn(3)
        self._draft, self._accept, self._resample = (np.random.default_rng(s) for s in streams)
        self.fallbacks = 0

    def guess(self, q: Distribution, position: int) -> int:
        return pick(q, self._draft.random())

    def answer(self, p: Distribution, q: Distribution, guess: int, position: int) -> int:
        # No division: q(guess) > 0 because it was drawn from q, and p(guess) may be 0.
        if self._accept.random() * q.probability(guess) < p.probability(guess):
            return guess
        residual = np.maximum(p.probs - q.at(p.ids), 0.0)  # [m]
        total = residual.sum()
        if total <= 0.0:
            self.fallbacks += 1
            return pick(p, self._resample.random())
        return pick(Distribution(p.ids, residual / total), self._resample.random())

    def draw(self, p: Distribution, position: int) -> int:
        return pick(p, self._resample.random())


class Match:
    """What llama.cpp's server, LM Studio and exllamav3 do. The draft offers its likeliest token."""

    def __init__(self, seed: int) -> None:
        self._seed = seed

    def guess(self, q: Distribution, position: int) -> int:
        return q.likeliest()

    def answer(self, p: Distribution, q: Distribution, guess: int, position: int) -> int:
        return self.draw(p, position)

    def draw(self, p: Distribution, position: int) -> int:
        return pick(p, noise.uniform(self._seed, position))


def make_rule(rule: Rule, seed: int) -> AcceptanceRule:
    """A fresh rule for one reply."""
    match rule:
        case Rule.COUPLED:
            return Coupled(seed)
        case Rule.RESIDUAL:
            return Residual(seed)
        case Rule.MATCH:
            return Match(seed)


def pick(row: Distribution, u: float) -> int:
    """Inverse of the cumulative distribution at u in [0, 1)."""
    cumulative = row.probs.cumsum()
    at = int(cumulative.searchsorted(u * cumulative[-1], side="right"))
    return int(row.ids[min(at, len(row.ids) - 1)])
