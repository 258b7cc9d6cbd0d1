"""Bugs in how guesses are judged."""

from __future__ import annotations

import numpy as np

from engine.distribution import Distribution, Floats
from engine.verify import AcceptanceRule, Residual, pick

# ---------------------------------------------------------------- the residual rule


class OpenResidual(Residual):
    """`Residual` cut into steps that a bug can replace; with none replaced it gives the same tokens."""

    def __init__(self, seed: int) -> None:
        super().__init__(seed)
        self.spent: dict[int, float] = {}  # the draft's uniforms by position

    def guess(self, q: Distribution, position: int) -> int:
        self.spent[position] = self._draft.random()
        return pick(q, self.spent[position])

    def answer(self, p: Distribution, q: Distribution, guess: int, position: int) -> int:
        u = self.acceptance_uniform(position)
        if self.keeps(u, p.probability(guess), q.probability(guess)):
            return guess
        weights = self.left(p, q, guess)
        if weights.sum() <= 0.0:
            weights = p.probs
        return self.instead(Distribution(p.ids, weights / weights.sum()), u, position)

    def acceptance_uniform(self, position: int) -> float:
        return self._accept.random()

    def keeps(self, u: float, p: float, q: float) -> bool:
        return u * q < p

    def left(self, p: Distribution, q: Distribution, guess: int) -> Floats:
        return np.maximum(p.probs - q.at(p.ids), 0.0)

    def instead(self, row: Distribution, u: float, position: int) -> int:
        return pick(row, self._resample.random())


class ResamplesFromTarget(OpenResidual):
    def left(self, p: Distribution, q: Distribution, guess: int) -> Floats:
        return p.probs


class ResidualTurnedRound(OpenResidual):
    def left(self, p: Distribution, q: Distribution, guess: int) -> Floats:
        return np.maximum(q.at(p.ids) - p.probs, 0.0)


class ResidualIsTargetWithoutGuess(OpenResidual):
    def left(self, p: Distribution, q: Distribution, guess: int) -> Floats:
        return np.where(p.ids == guess, 0.0, p.probs)


class ResidualByArgmax(OpenResidual):
    def instead(self, row: Distribution, u: float, position: int) -> int:
        return row.likeliest()


class KeepsWhereTargetIsSurer(OpenResidual):
    def keeps(self, u: float, p: float, q: float) -> bool:
        return p >= q


class KeepsByTargetAlone(OpenResidual):
    def keeps(self, u: float, p: float, q: float) -> bool:
        return u < p


class OneUniformPerRound(OpenResidual):
    shared: float | None = None

    def guess(self, q: Distribution, position: int) -> int:
        self.shared = None
        return super().guess(q, position)

    def acceptance_uniform(self, position: int) -> float:
        if self.shared is None:
            self.shared = self._accept.random()
        return self.shared


class AcceptanceReusesDraftsUniform(OpenResidual):
    def acceptance_uniform(self, position: int) -> float:
        return self.spent[position]


class ResampleReusesDraftsUniform(OpenResidual):
    def instead(self, row: Distribution, u: float, position: int) -> int:
        return pick(row, self.spent[position])


class ResampleReusesAcceptanceUniform(OpenResidual):
    def instead(self, row: Distribution, u: float, position: int) -> int:
        return pick(row, u)


class GreedyDraft(OpenResidual):
    """The draft offers its likeliest token, yet q says it was drawn."""

    def guess(self, q: Distribution, position: int) -> int:
        return q.likeliest()


class DraftCutUnseen(OpenResidual):
    """The draft draws from its two likeliest tokens, yet q is the whole row."""

    def guess(self, q: Distribution, position: int) -> int:
        two = np.sort(q.probs.argsort()[-2:])
        return pick(Distribution(q.ids[two], q.probs[two]), self._draft.random())


class KeepsWhatIsImpossible(OpenResidual):
    """Keeps a guess that the target's settings have cut, as its ratio of probabilities is no number to compare."""

    def keeps(self, u: float, p: float, q: float) -> bool:
        return p == 0.0 or super().keeps(u, p, q)


class KeepsTheSure(OpenResidual):
    """Keeps a guess whose row is all on it, as if it had been certain to the target too."""

    def keeps(self, u: float, p: float, q: float) -> bool:
        return q == 1.0 or super().keeps(u, p, q)

# ---------------------------------------------------------------- any rule


class TypicalAcceptance:
    """Keeps any guess that the target finds probable enough."""

    def __init__(self, rule: AcceptanceRule) -> None:
        self._rule = rule

    def guess(self, q: Distribution, position: int) -> int:
        return self._rule.guess(q, position)

    def answer(self, p: Distribution, q: Distribution, guess: int, position: int) -> int:
        answer = self._rule.answer(p, q, guess, position)
        return guess if p.probability(guess) > 0.2 else answer

    def draw(self, p: Distribution, position: int) -> int:
        return self._rule.draw(p, position)


class KeyedByRound:
    """Noise keyed by the position in the round instead of that in the reply."""

    def __init__(self, rule: AcceptanceRule) -> None:
        self._rule = rule
        self._start = 0
        self._guessing = False

    def guess(self, q: Distribution, position: int) -> int:
        if not self._guessing:
            self._start, self._guessing = position, True
        return self._rule.guess(q, position - self._start)

    def answer(self, p: Distribution, q: Distribution, guess: int, position: int) -> int:
        self._guessing = False
        return self._rule.answer(p, q, guess, position - self._start)

    def draw(self, p: Distribution, position: int) -> int:
        self._guessing = False
        return self._rule.draw(p, position - self._start)
