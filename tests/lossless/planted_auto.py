"""Bugs of lengths chosen round by round: decided by what this very round is going to draw."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from dataclasses import dataclass
from typing import Any

import numpy as np

from engine.distribution import Distribution
from engine.drafting import Guess, ModelDrafter
from engine.policy import RoundPlan, Step
from engine.verify import Residual, pick
from tests.lossless.clocked import PlanAround
from tests.lossless.harness import TARGET, VOCAB


@dataclass(slots=True)
class Overruled(PlanAround):
    """With someone who may end the round before guess number `taken`."""

    ends: Callable[[int], bool]
    taken: int = 0

    def step(self, confidence: float | None) -> Step:
        if self.ends(self.taken):
            return Step.DROP
        self.taken += 1
        return self.plan.step(confidence)


class Peeking(ModelDrafter):
    """Ends the round by what it sees of the rule's numbers before they are drawn."""

    _rule: Residual

    def propose(self, committed: list[int], plan: RoundPlan, *rest: Any) -> list[Guess]:
        return super().propose(committed, Overruled(plan, lambda at: self.ends(committed, at)), *rest)

    def ends(self, committed: list[int], at: int) -> bool:
        raise NotImplementedError


class StopsByTheAcceptanceNumber(Peeking):
    """Where the number that is going to judge the guess is a high one."""

    def ends(self, committed: list[int], at: int) -> bool:
        return bool(deepcopy(self._rule._accept).random(at + 1)[-1] > 0.25)


class StopsByTheNoise(Peeking):
    """Where the number that the guess is going to be drawn with is a high one."""

    def ends(self, committed: list[int], at: int) -> bool:
        return deepcopy(self._rule._draft).random() > 0.5


class StopsByTheTargetsDraw(Peeking):
    """Where the target, drawing by itself, is going to draw its likeliest token anyway."""

    def ends(self, committed: list[int], at: int) -> bool:
        row = Distribution(np.arange(VOCAB), TARGET[committed[-1]])
        return at == 0 and pick(row, deepcopy(self._rule._resample).random()) == row.likeliest()


class TellsTheDrawnTokensConfidence(ModelDrafter):
    """The controller is told how probable the token is that is going to be drawn, instead of how sure the row is."""

    _rule: Residual

    def _row(self, *parts: Any, **more: Any) -> tuple[Distribution, float | None] | None:
        row = super()._row(*parts, **more)
        if row is None:
            return None
        q, _ = row
        return q, q.probability(pick(q, deepcopy(self._rule._draft).random()))
