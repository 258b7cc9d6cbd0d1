"""The controller with a clock that tests can repeat: passes take what a table says, and noise of a fixed seed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import exp, inf
from typing import Final

import numpy as np

from engine.controller import Controller
from engine.costs import Costs, MeasuredCosts
from engine.policy import Offer, RoundPlan, Step
from engine.types import MAX_DRAFT_LENGTH, Drafter, RoundChoice

NOISE: Final = 0.2
FURTHER: Final = 0.05  # for each further token of a pass of the draft


def machine(guess: float, draft: float) -> MeasuredCosts:
    """On which judging a further guess takes `guess` of a plain pass of the target, and a pass of the draft `draft`."""
    return MeasuredCosts(tuple(1 + guess * n for n in range(MAX_DRAFT_LENGTH + 1)), draft, FURTHER, 0.02)


# For replies in turn, so that every choice there is gets its share of them whatever is learned on the way: where a
# draft that is right two times in three pays, where it is so dear that only the lookup does, and where it is close.
MACHINES: Final = (machine(0.1, 0.1), machine(0.1, 0.9), machine(0.28, 0.14))


class Clocked:
    """A `Policy`. Replies take turns on the machines and teach each its own controller."""

    def __init__(self, turn: int = 0) -> None:
        """The first reply is on machine number `turn`."""
        self._controllers = [Controller(Costs(costs)) for costs in MACHINES]
        self._at = turn - 1
        self._rng = np.random.default_rng(5)

    @property
    def controller(self) -> Controller:
        return self._controllers[self._at]

    @property
    def verdict(self) -> RoundChoice:
        return self.controller.verdict

    def begin(self, kind: str) -> None:
        self._at = (self._at + 1) % len(MACHINES)
        self.controller.begin(kind)

    def end(self) -> None:
        self.controller.end()

    def plan(self, offers: Sequence[Offer], budget: int) -> ClockedPlan:
        return ClockedPlan(self.controller.plan(offers, budget), MACHINES[self._at].draft_s, self._noise())

    def saw(self, plan: object, drafted: int, judged: int, accepted: int, rest_s: float) -> None:
        assert isinstance(plan, ClockedPlan)
        took_s = MACHINES[self._at].verify_s[drafted] * self._noise()
        self.controller.saw(plan.plan, drafted, judged, accepted, took_s)

    def _noise(self) -> float:
        return exp(self._rng.normal(0, NOISE))


@dataclass(slots=True)
class PlanAround:
    """Another plan, of which those that come from this class change a part."""

    plan: RoundPlan

    @property
    def drafter(self) -> Drafter | None:
        return self.plan.drafter

    @property
    def length(self) -> int:
        return self.plan.length

    @property
    def heeds(self) -> bool:
        return self.plan.heeds

    def limit_s(self, tokens: int) -> float:
        return self.plan.limit_s(tokens)

    def passed(self, tokens: int, seconds: float) -> bool:
        return self.plan.passed(tokens, seconds)

    def step(self, confidence: float | None) -> Step:
        return self.plan.step(confidence)

    def gives_way(self, offer: Offer) -> bool:
        return self.plan.gives_way(offer)


@dataclass(slots=True)
class ClockedPlan(PlanAround):
    """Every pass of the round takes `slower` times what the machine's table says."""

    draft_s: float
    slower: float

    def limit_s(self, tokens: int) -> float:
        """None, or one that is over."""
        return inf if self._seconds(tokens) <= self.plan.limit_s(tokens) else -1.0

    def passed(self, tokens: int, seconds: float) -> bool:
        return self.plan.passed(tokens, self._seconds(tokens))

    def _seconds(self, tokens: int) -> float:
        return (self.draft_s + FURTHER * (tokens - 1)) * self.slower
