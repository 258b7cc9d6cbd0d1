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
from math import ceil, inf
from typing import Final

from engine.acceptance import ANY_KIND, Acceptance, LearnedAcceptance
from engine.costs import Costs
from engine.coverage import Coverage
from engine.knowledge import Knowledge
from engine.policy import Offer, RoundPlan, Step
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

GIVES_WAY: Final = 1.5  # times the tokens a second that a draft can bring, for which it stops in favour of a match

STALL: Final = 4.0  # times the prediction: a draft pass that ends drafting for the round, or is given up before its end
SLOW: Final = 2.5  # times the prediction: a round that the watchdog counts
SLOW_ROUNDS: Final = 3  # of them in a row switch drafting off
SLOW_PAUSE: Final = 64  # tokens that it stays off for; twice as many each further time in a reply


@dataclass(frozen=True, slots=True)
class _Option:
    """The best length of a drafter. `seconds` are without `missed_s`, the time to read what it missed while resting."""

    offer: Offer
    length: int
    room: int
    chances: Sequence[float]
    tokens: float
    seconds: float
    ratio: float
    missed_s: float


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
        self, choice: Choice, option: _Option | None = None, ratio: float | None = None, wait: int | None = None
    ) -> AutoPlan:
        drafter, length = (option.offer.drafter, option.length) if option is not None else (None, 0)
        self.verdict = RoundChoice(choice, drafter, length, ratio, self._resting, wait)
        return AutoPlan(self.costs, self._acceptance, choice, option, wary=self._wary)

    def _options(self, offers: Sequence[Offer], most: int, *, hopeful: bool = False) -> list[_Option]:
        """The best length of each drafter that has room for a guess."""
        rooms = ((offer, min(most, offer.room, MAX_DRAFT_LENGTH)) for offer in offers)
        return [self._option(offer, room, hopeful) for offer, room in rooms if room > 0]

    def _option(self, offer: Offer, room: int, hopeful: bool) -> _Option:
        curve, acceptance = self.costs.curve, self._acceptance[offer.drafter]
        if hopeful:
            chances = acceptance.hopeful()
        elif offer.passes:
            chances = acceptance.rates
        else:
            chances = _chances(acceptance, offer)
        first_s = further_s = missed_s = 0.0
        if offer.passes:
            reading_s = _reading_s(self.costs, offer, hopeful=hopeful)
            first_s = min(reading_s, self.costs.draft(min(offer.unread, 2), hopeful=hopeful))
            further_s = self.costs.draft(hopeful=hopeful)
            missed_s = reading_s - first_s
        length, tokens, seconds = _best_length(curve, chances[:room], first_s, further_s)
        return _Option(offer, length, room, chances, tokens, seconds, tokens / seconds * curve[0], missed_s)

    def _pays_back(self, option: _Option, budget: int) -> bool:
        """Whether reading what the draft missed pays, by the tokens to come for which there will be nothing to copy."""
        tokens = min(budget, PAYS_BACK) * (1 - self._coverage.share)
        return not self._looks_first(option) and option.missed_s <= self._gain_s(option) * tokens

    def _looks_first(self, option: _Option) -> bool:
        """Whether reading what the draft missed has to wait until it is known how much there is to copy instead."""
        return self._looks and self._coverage.seen * self._gain_s(option) < LOOKS_FIRST * option.missed_s

    def _gain_s(self, option: _Option) -> float:
        """Seconds that it saves with each token."""
        return (1 - 1 / option.ratio) * self.costs.verify(1)

    def _probe(self, offers: Sequence[Offer], budget: int) -> tuple[_Option | None, int | None]:
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

    def _loss(self, option: _Option) -> float:
        """What a round with it loses against plain decoding by what is known, in plain passes."""
        offer, length = option.offer, option.length
        tokens = survives = 1.0
        for rate in self._acceptance[offer.drafter].rates[:length]:
            survives *= rate
            tokens += survives
        return max(0.0, _seconds(self.costs, offer, length, length) / self.costs.verify(1) - tokens)


def _chances(acceptance: Acceptance, offer: Offer) -> list[float]:
    """That each guess is kept if all before it are, of a drafter that tells beforehand how sure it is."""
    return [acceptance.chance(at, sure) for at, sure in enumerate(offer.confidences[:MAX_DRAFT_LENGTH])]


def _best_length(
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


def _best(options: Sequence[_Option]) -> _Option | None:
    """What promises the most tokens a second, the first of equals."""
    return max(options, key=lambda option: option.ratio, default=None)


def _reading_s(costs: Costs, offer: Offer, *, hopeful: bool = False) -> float:
    """Until the draft has read what it missed, and its row is there."""
    if offer.copy_s is not None:
        return offer.copy_s + costs.draft(hopeful=hopeful)
    return costs.reading(offer.unread, hopeful=hopeful)


def _seconds(costs: Costs, offer: Offer, rows: int, drafted: int) -> float:
    """Of a round with so many rows of the draft and so many guesses, reading what was missed included."""
    draft_s = _reading_s(costs, offer) + (rows - 1) * costs.draft() if offer.passes and rows else 0.0
    return draft_s + costs.verify(drafted + 1)


class AutoPlan:
    """One round of the controller. A draft that is sure of itself may go beyond the length that was predicted best."""

    heeds = True

    def __init__(
        self,
        costs: Costs,
        acceptance: Mapping[Drafter, Acceptance],
        choice: Choice,
        option: _Option | None,
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
        _, tokens, seconds = _best_length(curve, _chances(self._acceptance[offer.drafter], offer))
        further_s = self._costs.draft() + curve[at + 1] - curve[at]
        return tokens * further_s > GIVES_WAY * seconds

    def _worth(self, at: int, option: _Option) -> int:
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
