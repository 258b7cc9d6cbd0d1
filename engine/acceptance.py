"""How likely the next guess is kept: by its place in the round, and by how sure its drafter was.

Two parts. The *rate by position* is counted, newer guesses more than older ones, and leans on the rate over all
positions where a position was seldom reached. The *lift* of a confidence is what guesses of this confidence did against
what their positions alone promised; where confidence says nothing, it is 1 and nothing changes. It begins with what is
usual of a drafter, so that a pair's first reply need not buy what other pairs have shown.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import isfinite, sqrt
from typing import Final

from engine.types import MAX_DRAFT_LENGTH, Drafter

HALF_LIFE: Final = 64.0  # judged guesses after which one counts half: longer for what stays, shorter for what changes
HOPE: Final = 0.7  # the rate before anything is known: a usual pair on usual text
HOPE_WEIGHT: Final = 4.0  # guesses it counts as
LEAN: Final = 5.0  # guesses that the pooled rate counts as at each position
BOLD: Final = 2.0  # standard deviations of the pooled rate that it could still be better by
LASTS: Final = 16.0  # guesses that what was seen before a rest counts as after it, at least
CARRIED: Final = 24.0  # guesses that earlier replies of this kind count as, at most
LIFT_HALF_LIFE: Final = 512.0  # judged guesses; how a draft's confidence is to be read hardly changes with the text
LIFT_LEAN: Final = 1.0  # guesses, half of them kept, that are added to each bin
EDGES: Final = (0.2, 0.35, 0.5, 0.65, 0.8, 0.9, 0.95, 0.98)  # of the bins: closer where most guesses are
# Of the guesses in each bin, so many are kept where HOPE is the rate of all; and as how many guesses that counts. The
# confidence of a draft model is a probability, and about true. A lookup's is n ÷ (n + 1) for n tokens that agree before
# it: what repeats for two or three tokens may be chance, what repeats for twenty goes on.
USUAL: Final[Mapping[Drafter, tuple[float, ...]]] = {
    Drafter.MODEL: (0.4, 0.45, 0.55, 0.65, 0.75, 0.88, 0.95, 0.98, 0.99),
    Drafter.LOOKUP: (0.5, 0.5, 0.5, 0.5, 0.5, 0.75, 0.88, 0.96, 0.99),
}
USUAL_WEIGHT: Final[Mapping[Drafter, float]] = {Drafter.MODEL: 4.0, Drafter.LOOKUP: 16.0}
SUREST: Final = 0.995  # nothing is certain
ANY_KIND: Final = ""

Counts = tuple[list[float], list[float]]  # guesses kept and not kept, [position]


@dataclass(frozen=True, slots=True)
class LearnedAcceptance:
    """What one drafter did so far, to be stored.

    Attributes:
        kinds: kind of text -> guesses kept and not kept by position; ANY_KIND is all of them together.
        bins: of each bin of confidence: guesses kept, not kept, and how many of them positions alone promised; empty
            where nothing was seen.
    """

    kinds: Mapping[str, tuple[tuple[float, ...], tuple[float, ...]]] = field(default_factory=dict)
    bins: tuple[tuple[float, float, float], ...] = ()


class Acceptance:
    """One drafter's acceptance, for one reply after another."""

    def __init__(self, drafter: Drafter, learned: LearnedAcceptance | None = None) -> None:
        learned = learned or LearnedAcceptance()
        self._kinds = {kind: (_counts(kept), _counts(missed)) for kind, (kept, missed) in learned.kinds.items()}
        weight = USUAL_WEIGHT[drafter]
        self._bins = [[weight * share, weight * (1 - share), weight * HOPE] for share in USUAL[drafter]]
        for values, (kept, missed, due) in zip(self._bins, learned.bins, strict=False):
            kept, missed = _count(kept), _count(missed)
            values[:] = [kept, missed, min(_count(due), kept + missed)]
        self._forget = 0.5 ** (1 / HALF_LIFE)
        self._forget_lift = 0.5 ** (1 / LIFT_HALF_LIFE)
        self.begin(ANY_KIND)

    def begin(self, kind: str) -> None:
        """A reply of this kind of text begins; of a kind not seen before, all kinds together are the start."""
        kept, missed = self._kinds.get(kind) or self._kinds.get(ANY_KIND) or ([], [])
        weight = min(1.0, CARRIED / max(sum(kept) + sum(missed), 1e-9))
        self._kept = _counts([weight * count for count in kept])
        self._missed = _counts([weight * count for count in missed])
        self._kind = kind
        self._prior = HOPE
        self._rested = 0  # tokens since the last guess
        self._judged = False
        self._any = self._kinds.get(ANY_KIND) or (_counts(()), _counts(()))
        self._update()

    def end(self) -> None:
        """The reply is over: what it showed, if anything, is where the next one of its kind begins."""
        if not self._judged:
            return
        self._kinds[ANY_KIND] = self._any
        if self._kind != ANY_KIND:
            self._kinds[self._kind] = (list(self._kept), list(self._missed))

    def values(self) -> LearnedAcceptance:
        """What was learned up to the last `end`, to be stored."""
        kinds = {kind: (tuple(kept), tuple(missed)) for kind, (kept, missed) in self._kinds.items()}
        return LearnedAcceptance(kinds, tuple((kept, missed, due) for kept, missed, due in self._bins))

    def chance(self, position: int, confidence: float | None) -> float:
        """That a guess at this position is kept, if all before it are."""
        rate = self.rates[position]
        if confidence is None:
            return rate
        kept, missed, due = self._bins[_bin(confidence)]
        half = LIFT_LEAN / 2
        lift = (kept + half) / (due + half) * (kept + missed - due + half) / (missed + half)
        odds = lift * rate / (1 - rate)
        return min(SUREST, odds / (1 + odds))

    def saw(self, confidences: Sequence[float | None], judged: int, kept: int) -> None:
        """What became of a round's rows.

        Args:
            confidences: of the rows in order, a last one included from which no guess was taken.
            judged: guesses that the target looked at.
            kept: so many of those, from the first on.
        """
        fade = self._forget_lift**judged
        self._bins = [[fade * count for count in values] for values in self._bins]
        outcomes = [1.0] * kept + [0.0] * (judged - kept)
        for at in range(judged):
            confidence = confidences[at]
            if confidence is not None:
                values = self._bins[_bin(confidence)]
                values[0 if at < kept else 1] += 1
                values[2] += self.rates[at]
        if judged == kept < len(confidences):
            # All was kept up to a row that was too unsure to guess from. It counts as what was believed of it; without
            # it the rates would be those of the surest rows alone.
            outcomes.append(self.chance(kept, confidences[kept]))
        self._wake()
        self._kept, self._missed = self._counted((self._kept, self._missed), outcomes)
        self._any = self._counted(self._any, outcomes)
        self._judged = self._judged or judged > 0
        self._update()

    def rest(self, tokens: int) -> None:
        """So many tokens were written without a guess. What is believed stays, as nothing was seen that speaks for
        something else, but it weighs less against hope, and against what is seen next."""
        self._rested += tokens

    def hopeful(self) -> list[float]:
        """The rates by position as they could still be, by the little that was seen of late."""
        age = self._forget**self._rested
        kept, missed = age * sum(self._kept), age * sum(self._missed)
        n = kept + missed + HOPE_WEIGHT
        p = (kept + HOPE * HOPE_WEIGHT) / n
        return self._rates(min(SUREST, p + BOLD * sqrt(p * (1 - p) / n)), age)

    def _wake(self) -> None:
        """What was believed before a rest is where the next guesses are counted from."""
        if not self._rested:
            return
        seen = sum(self._kept) + sum(self._missed)
        scale = max(self._forget**self._rested, min(1.0, LASTS / max(seen, 1e-9)))
        self._prior, self._rested = self._pooled(), 0
        self._kept = [scale * count for count in self._kept]
        self._missed = [scale * count for count in self._missed]

    def _counted(self, counts: Counts, outcomes: Sequence[float]) -> Counts:
        """With the outcomes; what was there counts less."""
        fade = self._forget ** len(outcomes)
        kept, missed = ([fade * count for count in side] for side in counts)
        for at, outcome in enumerate(outcomes):
            kept[at] += outcome
            missed[at] += 1 - outcome
        return kept, missed

    def _update(self) -> None:
        self.rates = self._rates(self._pooled())  # by position, that a guess is kept if all before it are

    def _pooled(self) -> float:
        kept, missed = sum(self._kept), sum(self._missed)
        return (kept + self._prior * HOPE_WEIGHT) / (kept + missed + HOPE_WEIGHT)

    def _rates(self, pooled: float, weight: float = 1.0) -> list[float]:
        """By position; what was counted weighs so much."""
        lean = LEAN * pooled
        counts = zip(self._kept, self._missed, strict=True)
        return [(weight * k + lean) / (weight * (k + m) + LEAN) for k, m in counts]


def _bin(confidence: float) -> int:
    return bisect_right(EDGES, confidence) if isfinite(confidence) else 0


def _count(value: float) -> float:
    return min(1e6, max(0.0, value)) if isfinite(value) else 0.0


def _counts(values: Sequence[float]) -> list[float]:
    return [*map(_count, values), *[0.0] * MAX_DRAFT_LENGTH][:MAX_DRAFT_LENGTH]
