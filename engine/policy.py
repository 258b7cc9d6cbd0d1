"""Who decides how much is drafted, as the loop sees it; and the simplest of them, a fixed length.

A round, in the words of the loop:

    plan = policy.plan(offers, budget)           # what each drafter could do now; tokens that may be emitted
    while plan.length > taken:                   # a model drafter, for each row of the draft in turn
        plan.limit_s(tokens)                     # before each pass, which is given up after so long
        if not plan.passed(tokens, seconds):     # after it; one that reads what was missed has no row
            break                                # if the draft is far too slow, before it has read all
        step = plan.step(confidence(row))        # before a token is drawn from the row
        ...                                      # DROP: no guess from it; LAST: one and no further row; MORE
        if plan.gives_way(offer):                # what a drafter without passes could do after this guess
            break
    policy.saw(plan, drafted, judged, accepted, rest_s)

`begin(kind)` and `end()` stand around a reply. A drafter that needs no passes proposes `plan.length` guesses without
asking. What `step` answers depends on rows and times alone, never on the token that is drawn from the row in question,
so that withholding a guess favours no token over another.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from math import inf
from typing import Protocol

from engine.types import MAX_DRAFT_LENGTH, Choice, Drafter, RoundChoice


@dataclass(frozen=True, slots=True)
class Offer:
    """What a drafter could do in a round.

    Attributes:
        room: guesses at most; 0 where a drafter has none at the moment.
        unread: tokens that its first pass has to read: 1; 2 after a round of which all was kept; more after a rest.
        copy_s: seconds in which all but the last of them can be copied instead, if that is quicker.
        passes: each guess takes a pass of the draft model; otherwise guesses cost nothing.
        confidences: in each of its guesses, where they are known before the round; as many as there is room for.
    """

    drafter: Drafter
    room: int
    unread: int = 1
    copy_s: float | None = None
    passes: bool = True
    confidences: Sequence[float] = ()


class Step(Enum):
    """What to do with a row of the draft."""

    DROP = "drop"  # take no guess from it, and stop
    LAST = "last"  # take a guess, and stop
    MORE = "more"  # take a guess, and compute the next row


class RoundPlan(Protocol):
    """One round's."""

    @property
    def drafter(self) -> Drafter | None:
        """None for a plain round."""

    @property
    def length(self) -> int:
        """Guesses at most."""

    @property
    def heeds(self) -> bool:
        """Whether `step` looks at the confidence, which takes time to compute."""

    def limit_s(self, tokens: int) -> float:
        """Seconds after which the next pass, which reads so many tokens, may be given up."""

    def passed(self, tokens: int, seconds: float) -> bool:
        """The draft read so many tokens in one pass that took so long, or was given up then. Whether it should go on
        reading."""

    def step(self, confidence: float | None) -> Step:
        """What to do with the next row, which the last pass ended with."""

    def gives_way(self, offer: Offer) -> bool:
        """Whether to stop after the last guess, as this offer, which would stand after it, is the better way on."""


class Policy(Protocol):
    """Decides how much is drafted, and by which drafter."""

    @property
    def verdict(self) -> RoundChoice:
        """On the last plan."""

    def begin(self, kind: str) -> None:
        """A reply of this kind of text begins."""

    def plan(self, offers: Sequence[Offer], budget: int) -> RoundPlan:
        """The next round, in which at most `budget` tokens may be emitted. Offers come in the order of preference."""

    def saw(self, plan: RoundPlan, drafted: int, judged: int, accepted: int, rest_s: float) -> None:
        """So many guesses were made, judged and kept. rest_s: of the round, without the time that drafting took."""

    def end(self) -> None:
        """The reply is over."""


class FixedLength:
    """Up to `length` guesses of a draft model in every round, and as many as it finds of a drafter that needs no
    passes; a row less sure than `p_min` ends drafting."""

    def __init__(self, length: int, p_min: float = 0.0, free: int = MAX_DRAFT_LENGTH) -> None:
        """`free` is the most that a drafter proposes which needs no passes."""
        self.verdict = RoundChoice(Choice.FIXED)
        self._length = length
        self._p_min = p_min
        self._free = free

    def begin(self, kind: str) -> None:
        """Nothing is learned."""

    def plan(self, offers: Sequence[Offer], budget: int) -> RoundPlan:
        """The first drafter that can guess anything."""
        for offer in offers:
            length = min(self._length if offer.passes else self._free, offer.room, budget - 1)
            if length > 0:
                self.verdict = RoundChoice(Choice.FIXED, offer.drafter, length)
                return _FixedPlan(offer.drafter, length, self._p_min)
        self.verdict = RoundChoice(Choice.NO_ROOM if self._length > 0 else Choice.FIXED)
        return _FixedPlan(None, 0, self._p_min)

    def saw(self, plan: RoundPlan, drafted: int, judged: int, accepted: int, rest_s: float) -> None:
        """Nothing is learned."""

    def end(self) -> None:
        """Nothing was learned."""


@dataclass(slots=True)
class _FixedPlan:
    drafter: Drafter | None
    length: int
    p_min: float
    taken: int = 0

    @property
    def heeds(self) -> bool:
        return self.p_min > 0.0

    def limit_s(self, tokens: int) -> float:
        return inf

    def passed(self, tokens: int, seconds: float) -> bool:
        return True

    def step(self, confidence: float | None) -> Step:
        if confidence is not None and confidence < self.p_min:
            return Step.DROP
        self.taken += 1
        return Step.MORE if self.taken < self.length else Step.LAST

    def gives_way(self, offer: Offer) -> bool:
        return False
