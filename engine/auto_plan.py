"""One round of `auto`: a drafter with the length that promises most, and what becomes of it while it drafts.

Pure, as `controller`, which chooses among the options.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import inf
from typing import Final

from engine.acceptance import Acceptance
from engine.costs import Costs
from engine.policy import Offer, Step
from engine.types import MAX_DRAFT_LENGTH, Choice, Drafter

GIVES_WAY: Final = 1.5  # times the tokens a second that a draft can bring, for which it stops in favour of a match
STALL: Final = 4.0  # times the prediction: a draft pass that ends drafting for the round, or is given up before its end


@dataclass(frozen=True, slots=True)
class Option:
    """The best length of a drafter. `seconds` are without `missed_s`, the time to read what it missed while resting."""

    offer: Offer
    length: int
    room: int
    chances: Sequence[float]
    tokens: float
    seconds: float
    ratio: float
    missed_s: float


class AutoPlan:
    """One round of the controller. A draft that is sure of itself may go beyond the length that was predicted best."""

    heeds = True

    def __init__(
        self,
        costs: Costs,
        acceptance: Mapping[Drafter, Acceptance],
        choice: Choice,
        option: Option | None,
        *,
        wary: bool,
    ) -> None:
        """`wary`: the draft's first pass is not waited for however long it takes."""
        self.choice = choice
        self.drafter = option.offer.drafter if option is not None else None
        self.length = 0
        self.confidences: list[float | None] = []  # of the rows so far
        self._costs = costs
        self._acceptance = acceptance
        self._option = option
        self._survives = 1.0
        self._wary = wary
        self._stalled = False
        self._passes: list[int] = []  # tokens of each
        if option is not None and option.offer.passes:
            self.length = option.room if choice is Choice.DRAFTING else option.length
        elif option is not None:
            self.length = option.length
            self.confidences = [*option.offer.confidences[: option.length]]

    def rows(self, drafted: int) -> list[float | None]:
        """Confidences of the guesses that were made, and of the row that was dropped after them if there was one."""
        assert self._option is not None
        return self.confidences[: drafted + 1 if self._option.offer.passes else drafted]

    def took_s(self, drafted: int) -> float:
        """What the round took by what passes cost, so that no single spike counts."""
        assert self._option is not None
        return sum(self._costs.draft(tokens) for tokens in self._passes) + self._costs.verify(drafted + 1)

    def limit_s(self, tokens: int) -> float:
        """See `engine.policy.RoundPlan`. To look at the clock all the time costs a tenth of a small draft's pass, so
        that only the first one of a reply or after a rest is watched: the others will take about as long."""
        return STALL * self._costs.draft(tokens) if self._wary and not self._passes else inf

    def passed(self, tokens: int, seconds: float) -> bool:
        """See `engine.policy.RoundPlan`."""
        self._passes.append(tokens)
        self._stalled = seconds > STALL * self._costs.draft(tokens)
        self._costs.saw_draft(tokens, seconds, at_once=self._stalled)
        return not self._stalled

    def step(self, confidence: float | None) -> Step:
        """See `engine.policy.RoundPlan`."""
        assert self._option is not None
        assert self.drafter is not None
        at = len(self.confidences)
        self.confidences.append(confidence)
        if self.choice is Choice.PROBING:
            further = self.length - at
        else:
            self._survives *= self._acceptance[self.drafter].chance(at, confidence)
            further = self._worth(at, self._option)
        if further <= 0:
            return Step.DROP
        return Step.LAST if further == 1 or self._stalled else Step.MORE

    def gives_way(self, offer: Offer) -> bool:
        """See `engine.policy.RoundPlan`. A further guess of a draft is one token at most, for a pass of its own and its
        share of the target's; a good match brings more in the same time, and what it costs to begin it is paid anyway.
        """
        at = len(self.confidences)
        if self.choice is not Choice.DRAFTING or at >= self.length:
            return False
        curve = self._costs.curve
        _, tokens, seconds = best_length(curve, chances_of(self._acceptance[offer.drafter], offer))
        further_s = self._costs.draft() + curve[at + 1] - curve[at]
        return tokens * further_s > GIVES_WAY * seconds

    def _worth(self, at: int, option: Option) -> int:
        """How many guesses from this one on bring the most beyond their cost at the round's rate; 0 if none does."""
        curve, further_s = self._costs.curve, self._costs.draft()
        rate = option.tokens / option.seconds
        survives, gain, best, best_net = self._survives, 0.0, 0, 0.0
        for length in range(at + 1, self.length + 1):
            gain += survives
            net = gain - rate * (curve[length] - curve[at] + (length - at - 1) * further_s)
            if net > best_net:
                best, best_net = length - at, net
            if length < self.length:
                survives *= option.chances[length]
        return best


def chances_of(acceptance: Acceptance, offer: Offer) -> list[float]:
    """That each guess is kept if all before it are, of a drafter that tells beforehand how sure it is."""
    return [acceptance.chance(at, sure) for at, sure in enumerate(offer.confidences[:MAX_DRAFT_LENGTH])]


def best_length(
    curve: Sequence[float], chances: Sequence[float], first_s: float = 0.0, further_s: float = 0.0
) -> tuple[int, float, float]:
    """The length with the most tokens a second, with its tokens and seconds; `first_s` is for the first guess."""
    survives, tokens, best, best_rate = 1.0, 1.0, (0, 0.0, 1.0), 0.0
    for length, chance in enumerate(chances, start=1):
        survives *= chance
        tokens += survives
        seconds = curve[length] + first_s + (length - 1) * further_s
        if tokens / seconds > best_rate:
            best, best_rate = (length, tokens, seconds), tokens / seconds
    return best


def reading_s(costs: Costs, offer: Offer, *, hopeful: bool = False) -> float:
    """Until the draft has read what it missed, and its row is there."""
    if offer.copy_s is not None:
        return offer.copy_s + costs.draft(hopeful=hopeful)
    return costs.reading(offer.unread, hopeful=hopeful)


def round_s(costs: Costs, offer: Offer, rows: int, drafted: int) -> float:
    """Of a round with so many rows of the draft and so many guesses, reading what was missed included."""
    draft_s = reading_s(costs, offer) + (rows - 1) * costs.draft() if offer.passes and rows else 0.0
    return draft_s + costs.verify(drafted + 1)
