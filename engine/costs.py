"""What a pass costs: measured at load, and kept up to date by every round.

A time is believed to be `measured × level × own`: `level` is what has changed since the load (the context grew, the
processor is throttled, other programs run) for plain passes, for those over several tokens and for the draft's, `own`
what this number of tokens was measured wrong by.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import exp, isfinite, log, sqrt
from typing import Final

from engine.types import MAX_DRAFT_LENGTH

LEAST_S: Final = 1e-9  # a clock that did not move; keeps every ratio finite
MOST_S: Final = 1e6
FOLLOW: Final = 0.15  # of a small change at each pass: noise of 5 % moves a level by 1 %, growth lags six rounds behind
LASTING: Final = log(1.25)  # what two of three passes show beyond noise is believed at once
UNSURE: Final = 0.05  # moved unseen by more, the next pass counts for more
UNSURE_FOLLOW: Final = 0.5  # of a small change
ALIKE: Final = 0.7  # of a small change, in passes that were not seen: some wait for memory, others for arithmetic
OWN_LEAST: Final = 0.05  # of each later deviation; the first count 1/2, 1/3, …: a mean with the measured one
OWN_MOST: Final = log(1.15)  # of a deviation: a change beyond is more likely one of all passes
USUAL_READ: Final = 2  # tokens in a pass of the draft: the last one, and after all was kept its own last guess, too
SHARE_OF_PASS: Final = 0.25  # one more token in the draft's pass, where it cannot be told from the target's curve
MOST_STEP: Final = 1.5  # of what a token adds, by one pass
EASED: Final = log(4.0)  # a draft that became slower by less is looked at again with each reply
SHORT_READ: Final = 9  # tokens in a pass of the draft; those beyond are computed side by side and cost less


@dataclass(frozen=True, slots=True)
class MeasuredCosts:
    """Seconds, as measured at load or as they were at the end of a reply.

    Attributes:
        verify_s: of one target pass over 1, 2, … tokens; at least one.
        draft_s: of one pass of the draft over one token.
        draft_token_s: what each further token of such a pass adds, up to the ninth; None if it was not measured.
        draft_read_s: what those beyond add, of a prompt say; None if it was not measured, and then as much.
    """

    verify_s: tuple[float, ...]
    draft_s: float = LEAST_S
    draft_token_s: float | None = None
    draft_read_s: float | None = None


class Costs:
    """The seconds to expect now."""

    def __init__(self, measured: MeasuredCosts) -> None:
        """`measured` may hold anything that a clock can give, zero included; passes beyond its end cost as its last."""
        self._measured = [_sane(seconds) for seconds in measured.verify_s][: MAX_DRAFT_LENGTH + 1]
        self._measured += self._measured[-1:] * (MAX_DRAFT_LENGTH + 1 - len(self._measured))
        self._own = [0.0] * len(self._measured)
        self._usual = list(self._measured)  # seconds at the load, what was measured wrong put right
        self._seen = [1] * len(self._measured)
        self._before = [0.0] * len(self._measured)  # the last deviation of each
        self._plain_level, self._checking_level = _Level(), _Level()  # of passes over one token, and over several
        self._draft = _sane(measured.draft_s)
        self._draft_level = _Level()
        token_s = measured.draft_token_s
        self._draft_token = _sane(self._draft * _slope(measured.verify_s) if token_s is None else token_s)
        read_s = measured.draft_read_s
        self._draft_read = self._draft_token if read_s is None else _sane(read_s)
        self.curve = list(self._measured)  # seconds of a target pass over 1, 2, … tokens

    def verify(self, tokens: int) -> float:
        """Seconds of one target pass over so many tokens."""
        return self.curve[min(tokens, len(self.curve)) - 1]

    def draft(self, tokens: int = 1, *, hopeful: bool = False) -> float:
        """Seconds of one draft pass that reads so many tokens; hopeful: if the last stall was a hiccup."""
        level = self._draft_level.calm if hopeful else self._draft_level.value
        return self._pass(tokens) * exp(level)

    def reading(self, tokens: int, *, hopeful: bool = False) -> float:
        """Seconds in which the draft reads so many tokens, in parts where they are many (`engine.drafting.parts`)."""
        if tokens <= SHORT_READ:
            return self.draft(tokens, hopeful=hopeful)
        sizes = (1, SHORT_READ - 1, tokens - SHORT_READ)
        return sum(self.draft(size, hopeful=hopeful) for size in sizes)

    def _pass(self, tokens: int) -> float:
        """Seconds of a draft pass at the load."""
        short = min(tokens, SHORT_READ)
        return self._draft + (short - 1) * self._draft_token + (tokens - short) * self._draft_read

    @property
    def slowdown(self) -> float:
        """The target's passes against those measured at load."""
        return exp(self._checking_level.value)

    def saw_verify(self, tokens: int, seconds: float) -> None:
        """A target pass over so many tokens took so long."""
        at = min(tokens, len(self.curve)) - 1
        shown = log(_sane(seconds) / self._measured[at])
        level, other = self._plain_level, self._checking_level
        if at:
            level, other = other, level
        deviation = shown - level.value - self._own[at]
        both = _middle(deviation, self._before[at], 0.0)  # what this pass and the one before agree on
        self._before[at] = deviation
        self._seen[at] += 1
        if both:
            self._own[at] += max(1 / self._seen[at], OWN_LEAST) * max(-OWN_MOST, min(OWN_MOST, both))
            self._usual[at] = self._measured[at] * exp(self._own[at])
        change = level.see(shown - self._own[at])
        change *= 1.0 if abs(change) > LASTING else ALIKE
        other.shift(change)
        if not at:  # the draft rests: what slows the target down will have slowed the draft down, too
            self._draft_level.shift(change)
        slowdown = self.slowdown
        self.curve = [slowdown * seconds for seconds in self._usual]
        self.curve[0] = exp(self._plain_level.value) * self._usual[0]

    def saw_draft(self, tokens: int, seconds: float, *, at_once: bool = False) -> None:
        """A draft pass that read so many tokens took so long; at_once: believe it without waiting for another."""
        shown = log(_sane(seconds) / self._pass(tokens))
        if at_once:
            self._draft_level.believe(shown)
        elif tokens <= USUAL_READ or self.doubtful:
            self._draft_level.see(shown)
        else:  # tells of reading alone
            spent = _sane(seconds) * exp(-self._draft_level.value)
            if tokens > SHORT_READ:
                self._draft_read *= _step((spent - self._pass(SHORT_READ)) / (tokens - SHORT_READ) / self._draft_read)
            else:
                self._draft_token *= _step((spent - self._draft) / (tokens - 1) / self._draft_token)

    @property
    def doubtful(self) -> bool:
        """Whether the draft's last pass was believed at once, and it may have been a hiccup."""
        return self._draft_level.doubtful

    def begin(self) -> None:
        """A reply begins. A pass that was believed at once and stayed alone was a hiccup until another shows it; and
        what slowed the draft alone, but for stalls, may be over. To see that costs two of its passes; not to see it
        could keep a good draft at rest for good, as one at rest shows nothing."""
        self._draft_level.forgive()
        self._draft_level.ease(self._checking_level.value)

    def values(self) -> MeasuredCosts:
        """What is believed now, to be stored or sent."""
        level = exp(self._draft_level.calm if self.doubtful else self._draft_level.value)
        drafting = (self._draft * level, self._draft_token * level, self._draft_read * level)
        return MeasuredCosts(tuple(self.curve), *drafting)


class _Level:
    """A logarithm followed through noise: one spike does not move it, a lasting change does within two passes."""

    def __init__(self) -> None:
        self.value = 0.0
        self.calm = 0.0  # before what was believed at once, until the next pass shows which it is
        self._last = (0.0, 0.0, 0.0)  # shown, without what it has moved unseen in all
        self._moved = 0.0
        self._stalls = 0  # since the last usual pass
        self.unseen = 0.0  # moved since the last pass

    def see(self, shown: float) -> float:
        """Returns by how much the value moved."""
        self._stalls = 0
        self._last = (*self._last[1:], shown - self._moved)
        change = _middle(*self._last) + self._moved - self.value
        change *= 1.0 if abs(change) > LASTING else FOLLOW if abs(self.unseen) < UNSURE else UNSURE_FOLLOW
        self.unseen = 0.0
        self.value += change
        self.calm = self.value
        return change

    def shift(self, change: float) -> None:
        """What is followed has moved unseen."""
        self.value += change
        self.calm += change
        self.unseen += change
        self._moved += change

    def believe(self, shown: float) -> None:
        self._last = (shown - self._moved, self.calm - self._moved, shown - self._moved)
        self.value = shown
        self._stalls += 1

    @property
    def doubtful(self) -> bool:
        """Whether a single pass is all that speaks for it."""
        return self._stalls == 1

    def ease(self, level: float) -> None:
        """Go back to `level` from above, unless that is far."""
        if level < self.value < level + EASED:
            self.shift(level - self.value)

    def forgive(self) -> None:
        if self.doubtful:
            self.value = self.calm


def _middle(a: float, b: float, c: float) -> float:
    return max(min(a, b), min(max(a, b), c))


def _sane(seconds: float) -> float:
    return max(LEAST_S, min(MOST_S, seconds)) if isfinite(seconds) else MOST_S


def _step(ratio: float) -> float:
    """Half way to what one pass shows, as that may be disturbed."""
    return max(1 / MOST_STEP, min(MOST_STEP, sqrt(_sane(ratio))))


def _slope(curve: tuple[float, ...]) -> float:
    """What one more token adds to a pass, as a share of the pass over one: the draft is built as the target is."""
    if len(curve) < 2:
        return SHARE_OF_PASS
    return max(0.0, min(1.0, (_sane(curve[-1]) / _sane(curve[0]) - 1) / (len(curve) - 1)))
