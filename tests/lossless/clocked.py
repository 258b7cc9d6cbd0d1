"""The controller with a clock that tests can repeat: passes take what a table says, and noise of a fixed seed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import exp
from typing import Final

import numpy as np

from engine.controller import AutoPlan, Controller
from engine.costs import Costs, MeasuredCosts
from engine.policy import Offer, Step
from engine.types import MAX_DRAFT_LENGTH, Drafter, RoundChoice

# Under these a draft that is right two times in three pays for one to four guesses, and now and then for none.
COSTS: Final = MeasuredCosts(tuple(1 + 0.28 * n for n in range(MAX_DRAFT_LENGTH + 1)), 0.14, 0.05, 0.02)
NOISE: Final = 0.2


class Clocked:
    """A `Policy`; its replies teach it, one after the other."""

    def __init__(self) -> None:
        self.controller = Controller(Costs(COSTS))
        self._rng = np.random.default_rng(5)

    @property
    def verdict(self) -> RoundChoice:
        return self.controller.verdict

    def begin(self, kind: str) -> None:
        self.controller.begin(kind)

    def end(self) -> None:
        self.controller.end()

    def plan(self, offers: Sequence[Offer], budget: int) -> ClockedPlan:
        return ClockedPlan(self.controller.plan(offers, budget), self._noise())

    def saw(self, plan: object, drafted: int, judged: int, accepted: int, rest_s: float) -> None:
        assert isinstance(plan, ClockedPlan)
        self.controller.saw(plan.plan, drafted, judged, accepted, COSTS.verify_s[drafted] * self._noise())

    def _noise(self) -> float:
        return exp(self._rng.normal(0, NOISE))


@dataclass(slots=True)
class ClockedPlan:
    """Every pass of the round takes `slower` times what the table says."""

    plan: AutoPlan
    slower: float
    heeds: bool = True

    @property
    def drafter(self) -> Drafter | None:
        return self.plan.drafter

    @property
    def length(self) -> int:
        return self.plan.length

    def passed(self, tokens: int, seconds: float) -> bool:
        return self.plan.passed(tokens, (COSTS.draft_s + 0.05 * (tokens - 1)) * self.slower)

    def step(self, confidence: float | None) -> Step:
        return self.plan.step(confidence)
