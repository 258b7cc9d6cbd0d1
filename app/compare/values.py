"""Off against on as values: the plan, the replies that were measured, and what they come to.

No clock here; the engine measures. Speeds are tokens a second without the first token, times are seconds.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum
from itertools import zip_longest
from typing import Final

from engine.stats import GenerationStats, ReplyFold
from engine.types import GenerationRequest, RoundChoice

MAX_REPEATS: Final = 9  # more only cost time: a median of nine hardly moves
LEAST_TOKENS: Final = 8  # fewer give no speed worth the name
SHORT_REPLY: Final = 64  # tokens; below, a speed is told with a warning
SCATTER: Final = 0.1  # of a ratio, what other programs at work do to a single pair of runs


class Arm(Enum):
    """One of the two ways to write the same reply."""

    OFF = "off"
    ON = "on"


@dataclass(frozen=True, slots=True)
class Step:
    """One reply. number 0 warms up and does not count; 1 to the plan's repeats are measured."""

    arm: Arm
    number: int


@dataclass(frozen=True, slots=True)
class ComparePlan:
    """What is to be measured.

    Attributes:
        request: of ON, from cold caches; OFF is the same without speculation, seed included.
        repeats: measured pairs, at least 1.
        preset: id of the prompt's preset; "" for a prompt of the user's own.
    """

    request: GenerationRequest
    repeats: int
    preset: str = ""

    def steps(self) -> tuple[Step, ...]:
        """Off and on in turns, so that what changes slowly on the computer hits both alike."""
        return tuple(Step(arm, number) for number in range(self.repeats + 1) for arm in (Arm.OFF, Arm.ON))

    def request_of(self, step: Step) -> GenerationRequest:
        return replace(self.request, speculate=step.arm is Arm.ON, cold=True)


@dataclass(frozen=True, slots=True)
class Run:
    """One reply, measured."""

    token_ids: tuple[int, ...]
    text: str
    stats: GenerationStats

    @classmethod
    def of(cls, reply: ReplyFold) -> Run:
        return cls(tuple(token.token_id for token in reply.tokens), reply.text, reply.stats)

    @property
    def tokens_per_s(self) -> float:
        return self.stats.tokens_per_s or 0.0


@dataclass(frozen=True, slots=True)
class PairOfRuns:
    """The same request twice in a row, speculation off and on."""

    off: Run
    on: Run

    @property
    def ratio(self) -> float:
        """On ÷ off, in tokens per second."""
        return self.on.tokens_per_s / self.off.tokens_per_s

    @property
    def ttft_ratio(self) -> float:
        """On ÷ off, of the time to the first token."""
        return self.on.stats.ttft_s / self.off.stats.ttft_s

    @property
    def first_difference(self) -> int | None:
        """Index of the first token that differs, the end of the shorter text included; None if none does."""
        both = enumerate(zip_longest(self.off.token_ids, self.on.token_ids))
        return next((index for index, (off, on) in both if off != on), None)


@dataclass(frozen=True, slots=True)
class Side:
    """One arm over all its runs: medians, and how far the speeds spread.

    Attributes:
        passes: of the target, one per round, the one that read the prompt included.
    """

    tokens_per_s: float
    least_tokens_per_s: float
    most_tokens_per_s: float
    ttft_s: float
    prefill_s: float
    completion_tokens: int
    acceptance_rate: float | None
    tokens_per_round: float | None
    passes: int


@dataclass(frozen=True, slots=True)
class Difference:
    """Where two replies to the same request part.

    Attributes:
        index: of the first token that differs.
        off_text, on_text: the word that stands there; None where the reply ends.
        gap: the smallest change to one logit of the target that turns the one token into the other; infinite where
            it is far from that. None until it is weighed, and where it cannot be.
        near_tie: rounding explains it; None while gap is.
        by_chance: it was weighed, and the rule draws by chance that speculation takes part in.
    """

    index: int
    off_text: str | None
    on_text: str | None
    gap: float | None = None
    near_tie: bool | None = None
    by_chance: bool = False


@dataclass(frozen=True, slots=True)
class Outcome:
    """What the measured pairs come to, at least one.

    Attributes:
        ratio, ttft_ratio: medians of the pairs' ratios, on ÷ off.
        passes_off, passes_on: of the target, medians.
        difference: of the first pair whose replies differ; None where all are identical.
        choice: what the last reply with speculation chose last; None where there was nothing to choose.
    """

    off: Side
    on: Side
    ratio: float
    ttft_ratio: float
    pairs: tuple[PairOfRuns, ...]
    difference: Difference | None = None
    choice: RoundChoice | None = None

    @property
    def passes_off(self) -> int:
        return self.off.passes

    @property
    def passes_on(self) -> int:
        return self.on.passes

    @property
    def is_short(self) -> bool:
        """Too few tokens for the ratio to be told without a warning."""
        return min(self.off.completion_tokens, self.on.completion_tokens) < SHORT_REPLY

    @property
    def side_ratio(self) -> float:
        """On ÷ off of the two median speeds, which a reader works out from them; `ratio` is the better measure."""
        return self.on.tokens_per_s / self.off.tokens_per_s

    @property
    def is_scattered(self) -> bool:
        """The ratio is so near to 1, and the pairs' so far apart, that another run may find the opposite."""
        ratios = [pair.ratio for pair in self.pairs]
        agree = len(ratios) > 1 and not min(ratios) < 1 < max(ratios)
        return abs(self.ratio - 1) < SCATTER and not agree
