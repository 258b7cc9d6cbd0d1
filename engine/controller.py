"""`auto`: before each round the drafter and the length, 0 included, that promise the most tokens a second.

From what passes cost now (`costs`) and how likely guesses are kept (`acceptance`), the tokens and the seconds of a
round follow for every length; the best quotient wins. While drafting, a guess is made as long as what it and those
after it can still bring is worth more than what they cost at the round's rate. When drafting does not pay, plain
decoding saves up a share of its time, and a probe is paid from that: soon where it costs little, hardly ever where a
draft is dear. docs/adr/0012 has the method and what it reaches.

Pure: no clock is read and nothing is drawn; the same numbers give the same choices.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import ceil
from typing import Final

from engine.acceptance import ANY_KIND, Acceptance, LearnedAcceptance
from engine.auto_plan import AutoPlan, Option, best_length, chances_of, reading_s, round_s
from engine.costs import Costs
from engine.coverage import Coverage
from engine.knowledge import Knowledge
from engine.policy import Offer, RoundPlan
from engine.types import MAX_DRAFT_LENGTH, Choice, Drafter, RoundChoice

WORTH: Final = 1.01  # predicted gain from which drafting pays: costs are known to a few percent
PAYS_BACK: Final = 256  # tokens within which a draft must earn back what it takes to read the prompt or after a rest

LOOKS_FIRST: Final = 0.05  # of what reading takes may be lost on seeing whether there is something to copy instead

PROBE_SHARE: Final = 0.01  # of the time of plain decoding is saved up for probes
ADVANCE: Final = 4.0  # plain passes' time that a reply begins with, so that early bad luck is looked at again soon
MOST_SAVED: Final = 16.0  # plain passes' time
LONGEST_PROBE: Final = 2  # guesses
FIRST_WAIT: Final = 1.0  # plain rounds before the first probe
WAIT_GROWTH: Final = 1.2  # with each probe that changed nothing
LONGEST_WAIT: Final = 128
RESTS_ON: Final = 8  # plain rounds after one at rest in which nothing is weighed again: what they show is little
PROBE_PRICE: Final = 0.25  # of what drafting could gain in the rest of the reply: more is not paid for a probe
LONGEST_REST: Final = 512  # tokens that the rest of a reply counts as, at most

PLAIN_EVERY: Final = 32  # rounds: while the gain is small, one of these is plain, so that its cost is known, too
SMALL_GAIN: Final = 1.1

SLOW: Final = 2.5  # times the prediction: a round that the watchdog counts
SLOW_ROUNDS: Final = 3  # of them in a row switch drafting off
SLOW_PAUSE: Final = 64  # tokens that it stays off for; twice as many each further time in a reply


@dataclass(slots=True)
class _Rest:
    """One drafter's: plain rounds since it last guessed, and how many there have to be until a probe."""

    waited: int = 0
    wait: float = FIRST_WAIT

    @property
    def left(self) -> float:
        return self.wait - self.waited


class Controller:
    """One per pair, kept over its replies. Its time goes by what it is told, so it may be used from any one thread.

    Attributes:
        costs: what passes cost now.
        verdict: on the last plan.
    """

    def __init__(self, costs: Costs, learned: Mapping[Drafter, LearnedAcceptance] | None = None) -> None:
        self.costs = costs
        learned = learned or {}
        self._acceptance = {drafter: Acceptance(drafter, learned.get(drafter)) for drafter in Drafter}
        self._coverage = Coverage()
        self.begin(ANY_KIND)

    def begin(self, kind: str) -> None:
        """A reply of this kind of text begins; what earlier ones of its kind taught is where it starts."""
        self.verdict = RoundChoice(Choice.NO_ROOM)
        self.costs.begin()
        self._coverage.begin(kind)
        for acceptance in self._acceptance.values():
            acceptance.begin(kind)
        self._saved = ADVANCE  # for probes, in plain passes
        self._resting = 0  # tokens since drafting stopped to pay
        self._rests_on = 0  # rounds in which it goes on resting unless a match turns up
        self._wary = True  # nobody knows what the draft's next pass takes
        self._rests = {drafter: _Rest() for drafter in Drafter}
        self._offered: list[Drafter] = []  # of which the last round might have had guesses
        self._looks = False  # something to copy is looked for
        self._matched = False  # and there is some before the next token
        self._since_plain = 0  # rounds
        self._slow = 0  # rounds in a row that took far longer than predicted
        self._calm = self.costs.slowdown  # before them
        self._pause, self._paused = SLOW_PAUSE, 0  # tokens to wait after them, and waited

    def end(self) -> None:
        """The reply is over."""
        self._coverage.end()
        for acceptance in self._acceptance.values():
            acceptance.end()

    def knowledge(self) -> Knowledge:
        """What was learned up to the last `end`, and what passes cost now."""
        acceptance = {drafter: acceptance.values() for drafter, acceptance in self._acceptance.items()}
        return Knowledge(self.costs.values(), acceptance)

    def acceptance(self, drafter: Drafter) -> Acceptance:
        return self._acceptance[drafter]

    def plan(self, offers: Sequence[Offer], budget: int) -> AutoPlan:
        """See `engine.policy.Policy`."""
        self._looks = any(not offer.passes for offer in offers)
        offers = [offer for offer in offers if offer.room > 0]
        self._offered = [offer.drafter for offer in offers]
        if self._rests_on > 0 and offers and all(offer.passes for offer in offers):
            return self._rest_on()
        self._rests_on = 0
        options = self._options(offers, budget - 1)
        best = _best(options)
        if best is None:
            return self._decide(Choice.NO_ROOM)
        if self._slow >= SLOW_ROUNDS and self._paused < self._pause:
            return self._decide(Choice.ROUNDS_TOO_SLOW, ratio=best.ratio)
        if self._paused:  # whatever it was may be over
            self._slow = self._paused = 0
            self._pause *= 2
        self._matched = any(option.ratio >= WORTH and not option.offer.passes for option in options)
        paying = _best([option for option in options if option.ratio >= WORTH and self._pays_back(option, budget)])
        if paying is not None:
            self._resting = 0
            if paying.ratio < SMALL_GAIN and self._since_plain >= PLAIN_EVERY:
                return self._decide(Choice.CHECKING, ratio=paying.ratio)
            return self._decide(Choice.DRAFTING, paying, paying.ratio)
        if best.ratio >= WORTH and self._looks_first(best):
            return self._decide(Choice.LOOKING, ratio=best.ratio)
        probe, wait = self._probe(offers, budget)
        if probe is not None:
            return self._decide(Choice.PROBING, probe, best.ratio)
        self._rests_on = RESTS_ON if wait is None else min(RESTS_ON, wait - 1)
        return self._decide(Choice.RESTING, None, best.ratio, wait)

    def saw(self, plan: RoundPlan, drafted: int, judged: int, accepted: int, rest_s: float) -> None:
        """See `engine.policy.Policy`. `plan` is the last one."""
        assert isinstance(plan, AutoPlan)
        self._watch(drafted, rest_s)
        self.costs.saw_verify(drafted + 1, rest_s)
        if not self._slow:
            self._calm = self.costs.slowdown
        self._since_plain = self._since_plain + 1 if drafted else 0
        self._coverage.saw(accepted + 1, matched=self._matched)
        if plan.choice is Choice.RESTING:
            self._wary = True
        elif plan.drafter is Drafter.MODEL and plan.confidences:
            self._wary = False
        if plan.drafter is not None and plan.confidences:
            self._acceptance[plan.drafter].saw(plan.rows(drafted), judged, accepted)
        if plan.drafter is not None:
            rest = self._rests[plan.drafter]
            rest.waited = 0
            if plan.choice is Choice.PROBING:
                rest.wait = min(rest.wait * WAIT_GROWTH, LONGEST_WAIT)
                self._saved -= plan.took_s(drafted) / self.costs.verify(1) - (accepted + 1)
                self._resting += accepted + 1
            elif accepted:
                rest.wait = FIRST_WAIT
        elif plan.choice is Choice.RESTING:
            self._resting += 1
            self._saved = min(MOST_SAVED, self._saved + PROBE_SHARE)
            for drafter in self._offered:
                self._rests[drafter].waited += 1
                self._acceptance[drafter].rest(1)

    def _watch(self, drafted: int, rest_s: float) -> None:
        """Count rounds that take far longer than those before them let expect. A plain one begins the count again."""
        expected = self.costs.verify(drafted + 1) * self._calm / self.costs.slowdown
        if self._slow >= SLOW_ROUNDS:
            self._paused += 1
            return
        if drafted and rest_s > SLOW * expected:
            self._slow += 1
        else:
            self._slow = 0

    def _rest_on(self) -> AutoPlan:
        """One more plain round for the same reason as the last one."""
        self._rests_on -= 1
        self._matched = False
        wait = self.verdict.next_probe
        return self._decide(Choice.RESTING, None, self.verdict.ratio, None if wait is None else wait - 1)

    def _decide(
        self, choice: Choice, option: Option | None = None, ratio: float | None = None, wait: int | None = None
    ) -> AutoPlan:
        drafter, length = (option.offer.drafter, option.length) if option is not None else (None, 0)
        self.verdict = RoundChoice(choice, drafter, length, ratio, self._resting, wait)
        return AutoPlan(self.costs, self._acceptance, choice, option, wary=self._wary)

    def _options(self, offers: Sequence[Offer], most: int, *, hopeful: bool = False) -> list[Option]:
        """The best length of each drafter that has room for a guess."""
        rooms = ((offer, min(most, offer.room, MAX_DRAFT_LENGTH)) for offer in offers)
        return [self._option(offer, room, hopeful) for offer, room in rooms if room > 0]

    def _option(self, offer: Offer, room: int, hopeful: bool) -> Option:
        curve, acceptance = self.costs.curve, self._acceptance[offer.drafter]
        if hopeful:
            chances = acceptance.hopeful()
        elif offer.passes:
            chances = acceptance.rates
        else:
            chances = chances_of(acceptance, offer)
        first_s = further_s = missed_s = 0.0
        if offer.passes:
            read_s = reading_s(self.costs, offer, hopeful=hopeful)
            first_s = min(read_s, self.costs.draft(min(offer.unread, 2), hopeful=hopeful))
            further_s = self.costs.draft(hopeful=hopeful)
            missed_s = read_s - first_s
        length, tokens, seconds = best_length(curve, chances[:room], first_s, further_s)
        return Option(offer, length, room, chances, tokens, seconds, tokens / seconds * curve[0], missed_s)

    def _pays_back(self, option: Option, budget: int) -> bool:
        """Whether reading what the draft missed pays, by the tokens to come for which there will be nothing to copy."""
        tokens = min(budget, PAYS_BACK) * (1 - self._coverage.share)
        return not self._looks_first(option) and option.missed_s <= self._gain_s(option) * tokens

    def _looks_first(self, option: Option) -> bool:
        """Whether reading what the draft missed has to wait until it is known how much there is to copy instead."""
        return self._looks and self._coverage.seen * self._gain_s(option) < LOOKS_FIRST * option.missed_s

    def _gain_s(self, option: Option) -> float:
        """Seconds that it saves with each token."""
        return (1 - 1 / option.ratio) * self.costs.verify(1)

    def _probe(self, offers: Sequence[Offer], budget: int) -> tuple[Option | None, int | None]:
        """What to probe with now, or else plain rounds until a probe; None and None if none is in sight.

        A probe has to be worth it: if drafting did as well as it still could, by the little that is known, it would
        have to gain many times what the probe loses.
        """
        waits = {offer.drafter: self._rests[offer.drafter].left for offer in offers}
        due = [offer for offer in offers if waits[offer.drafter] <= 0]
        if not due:
            return None, ceil(min(waits.values()))
        most = 1 if self.costs.doubtful else LONGEST_PROBE
        hoped = _best(self._options(due, min(budget - 1, most), hopeful=True))
        if hoped is None or hoped.ratio < WORTH:
            return None, None
        loss = self._loss(hoped)
        if loss > PROBE_PRICE * (1 - 1 / hoped.ratio) * min(budget, LONGEST_REST):
            return None, None
        if loss > MOST_SAVED:
            return None, None
        if loss > self._saved:
            return None, ceil((loss - self._saved) / PROBE_SHARE)
        return hoped, None

    def _loss(self, option: Option) -> float:
        """What a round with it loses against plain decoding by what is known, in plain passes."""
        offer, length = option.offer, option.length
        tokens = survives = 1.0
        for rate in self._acceptance[offer.drafter].rates[:length]:
            survives *= rate
            tokens += survives
        return max(0.0, round_s(self.costs, offer, length, length) / self.costs.verify(1) - tokens)


def _best(options: Sequence[Option]) -> Option | None:
    """What promises the most tokens a second, the first of equals."""
    return max(options, key=lambda option: option.ratio, default=None)
