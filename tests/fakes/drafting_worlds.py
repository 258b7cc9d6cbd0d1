"""Machines and texts to choose draft lengths for: random cost curves and acceptance processes, and who knows them.

A world is the truth that the controller has to find out. It tells the expected time and tokens of a round, so that a
choice is judged by what it is worth and not by the luck of its draws.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from math import exp, prod
from typing import Final

import numpy as np
import numpy.typing as npt

from engine.acceptance import ANY_KIND, LearnedAcceptance
from engine.costs import SHORT_READ, MeasuredCosts
from engine.drafting import parts
from engine.policy import Offer, Policy, RoundPlan, Step
from engine.types import MAX_DRAFT_LENGTH, Drafter

NOISE: Final = 0.05
SPIKES: Final = 0.01  # of the passes take some times as long
LENGTHS: Final = np.arange(MAX_DRAFT_LENGTH + 1)
TRIED: Final = 20  # tokens
NEVER: Final = 1 << 30
CHUNK: Final = 128  # tokens that the draft reads at once

Floats = npt.NDArray[np.float64]


class Signal(Enum):
    """What the draft's confidence tells of a guess."""

    NONE = "none"  # there is none
    RANDOM = "random"  # nothing
    TRUE = "true"  # the chance that it is kept
    BOASTING = "boasting"  # the same, but far too high
    REVERSED = "reversed"  # its opposite


@dataclass(frozen=True, slots=True)
class Played:
    """A round: seconds of the draft as expected, its guesses' chances as they were, and what it has to read next."""

    draft_s: float
    chances: tuple[float, ...]
    unread: int


class World:
    """One reply on one machine; a plain pass at its start takes a second.

    A drifting one has some of these: acceptance that changes at once, or easy and hard stretches of text that follow
    each other by chance (a hidden state); a context that makes passes longer; a machine that slows down, for both
    models or for the target alone.
    """

    def __init__(self, seed: int, *, drifting: bool, signal: Signal = Signal.NONE, prompt: bool = False) -> None:
        """prompt: there is one that the draft has to read before it can guess."""
        rng = self.rng = np.random.default_rng((seed, drifting))
        slope = float(rng.choice([0.01, 0.03, 0.08, 0.2, 0.5]) * rng.uniform(0.7, 1.4))
        step = rng.choice([0.0, 0.0, 0.3]) * (rng.integers(3, 9) <= LENGTHS)
        self.curve: Floats = 1 + slope * LENGTHS + step  # [draft length]
        self.draft_s = float(np.exp(rng.uniform(np.log(0.02), np.log(0.9))))
        self.draft_token_s = self.draft_s * min(0.25, slope * float(rng.uniform(0.5, 1.5)))
        decay = rng.uniform(0.93, 1.0) ** LENGTHS[:-1]  # [position]
        self.chances: Floats = np.clip(rng.uniform(0.15, 0.98, 2)[:, None] * decay, 0, 0.995)  # [state, position]
        self._rates: list[list[float]] = self.chances.tolist()
        self.state = 0
        self.leave = (0.0, 0.0)  # chance to leave a state at each token
        self.jump_at = self.slow_at = NEVER
        self.growth = self.slow = 0.0
        self.slow_draft = True
        if drifting:
            kind = rng.integers(0, 3)
            if kind == 0:
                self.jump_at = int(rng.integers(40, 200))
            elif kind == 1:
                self.leave = tuple((1 / rng.uniform(30, 150, 2)).tolist())
            self.growth = float(rng.uniform(0, 0.5))
            if rng.random() < 0.3:
                self.slow_at, self.slow = int(rng.integers(20, 240)), float(rng.uniform(0.3, 1.0))
                self.slow_draft = bool(rng.random() < 0.5)
        self.signal = signal
        self.tokens = 0
        self.prompt = int(np.exp(rng.uniform(np.log(20), np.log(2000)))) if prompt else 0  # tokens
        self.draft_read_s = self.draft_token_s * float(rng.uniform(0.05, 1.0)) if prompt else self.draft_token_s
        self.stall = 1.0  # × what a draft pass was measured to take
        self.interruptible = False  # a pass, as on a processor
        self._hard = 0.0  # chance that the hidden state is 1, to one who knows everything else
        self._tokens_of = np.hstack([np.ones((2, 1)), 1 + np.cumsum(np.cumprod(self.chances, axis=1), axis=1)])

    def measured(self) -> MeasuredCosts:
        """What a load measures of it, with 3 and 5 % of noise."""
        curve = self.curve * np.exp(self.rng.normal(0, 0.03, len(self.curve)))
        draft, token = np.exp(self.rng.normal(0, 0.05, 2)) * (self.draft_s, self.draft_token_s)
        read = token * self.draft_read_s / self.draft_token_s
        return MeasuredCosts(tuple(curve.tolist()), float(draft), float(token), float(read))

    def tried(self) -> dict[Drafter, LearnedAcceptance]:
        """What a load finds out by letting the draft read along over some tokens of easy text."""
        kept = float(self.rng.binomial(TRIED, self.chances[0, 0]))
        return {Drafter.MODEL: LearnedAcceptance({ANY_KIND: ((kept,), (TRIED - kept,))})}

    def verify_s(self) -> Floats:
        """[draft length]"""
        return self.curve * ((1 + self.growth * self.tokens / 256) * self._slowed)

    def pass_s(self, unread: int = 1) -> float:
        slowed = self._slowed if self.slow_draft else 1.0
        short = min(unread, SHORT_READ)
        reading_s = (short - 1) * self.draft_token_s + (unread - short) * self.draft_read_s
        return (self.draft_s + reading_s) * slowed * self.stall

    @property
    def _slowed(self) -> float:
        return 1 + self.slow if self.tokens >= self.slow_at else 1.0

    def expected_tokens(self) -> Floats:
        """Of a round, [draft length], to one who knows all but the hidden state and what will be drawn."""
        return (1 - self._hard) * self._tokens_of[0] + self._hard * self._tokens_of[1]

    def play(self, policy: Policy, plan: RoundPlan, unread: int) -> Played:
        """One round as the loop runs it."""
        verify_s = self.verify_s()
        rows, chances, draft_s = 0, [], 0.0
        if plan.length:
            unread, draft_s = self._read(plan, unread)
        while plan.length and not unread:
            chance, confidence = self._row(rows)
            rows += 1
            step = plan.step(confidence)
            if step is not Step.DROP:
                chances.append(chance)
            if step is not Step.MORE:
                break
            draft_s += self._pass(plan, 1)[1]
        drafted = len(chances)
        accepted = 0
        while accepted < drafted and self.rng.random() < chances[accepted]:
            accepted += 1
        policy.saw(plan, drafted, min(drafted, accepted + 1), accepted, float(verify_s[drafted]) * self._noise())
        self._learn(drafted, accepted)
        for _ in range(accepted + 1):
            self._token()
        seen = max(0, rows - 1)  # guesses that the draft has read itself
        return Played(draft_s, tuple(chances), unread + accepted + 1 - min(accepted, seen))

    def _read(self, plan: RoundPlan, unread: int) -> tuple[int, float]:
        """Read what the draft missed. What is left of it, and seconds as expected."""
        draft_s = 0.0
        for part in parts([0] * unread, CHUNK):
            goes_on, seconds = self._pass(plan, len(part))
            draft_s += seconds
            if seconds == self.pass_s(len(part)):  # not given up
                unread -= len(part)
            if not goes_on:
                break
        return unread, draft_s

    def _pass(self, plan: RoundPlan, tokens: int) -> tuple[bool, float]:
        seconds = self.pass_s(tokens)
        limit_s = plan.limit_s(tokens)
        if self.interruptible and seconds > limit_s:
            return plan.passed(tokens, limit_s * (1 + 1e-6)), limit_s
        return plan.passed(tokens, seconds * self._noise()), seconds

    def _row(self, at: int) -> tuple[float, float | None]:
        """The chance that this guess is kept, and how sure the draft is of it."""
        mean = self._rates[self.state][at]
        if self.signal is Signal.NONE:
            return mean, None
        if self.signal is Signal.RANDOM:
            return mean, float(self.rng.random())
        chance = float(self.rng.beta(1.5 * mean, 1.5 * (1 - mean)))
        told = {Signal.TRUE: chance, Signal.BOASTING: 0.9 + 0.1 * chance, Signal.REVERSED: 1 - chance}
        return chance, told[self.signal]

    def _noise(self) -> float:
        spike = 1 + self.rng.exponential(1.0) if self.rng.random() < SPIKES else 1.0
        return exp(self.rng.normal(0, NOISE)) * spike

    def _learn(self, length: int, accepted: int) -> None:
        """What the outcome tells of the hidden state, by Bayes."""
        if not any(self.leave) or not length:
            return
        easy, hard = (
            prod(rates[:accepted]) * (1 - rates[accepted] if accepted < length else 1.0) for rates in self._rates
        )
        self._hard = self._hard * hard / (self._hard * hard + (1 - self._hard) * easy)

    def _token(self) -> None:
        self.tokens += 1
        if self.tokens == self.jump_at:
            self.state, self._hard = 1, 1.0
        if any(self.leave):
            self._hard += (1 - self._hard) * self.leave[0] - self._hard * self.leave[1]
            if self.rng.random() < self.leave[self.state]:
                self.state = 1 - self.state


@dataclass(frozen=True, slots=True)
class Score:
    """Expected times of what a policy chose, for the same tokens.

    Attributes:
        regret: over the best fixed length at each moment, costs and acceptance known; it reads the prompt, or stays
            off where that does not pay.
        against_off: over plain decoding.
        seconds_per_token: as expected of each round.
    """

    regret: float
    against_off: float
    seconds_per_token: float


def score(world: World, policy: Policy, marks: tuple[int, ...]) -> list[Score]:
    """Play a reply; the scores after so many tokens each."""
    scores: list[Score] = []
    took = best = off = tokens = 0.0
    unread, total = 1 + world.prompt, marks[-1]
    prompt_s = world.pass_s(unread) - world.pass_s()
    while world.tokens < total:
        verify_s, draft_s, expected = world.verify_s(), world.pass_s(), world.expected_tokens()
        seconds = LENGTHS * draft_s + verify_s
        seconds[1:] += world.pass_s(min(unread, 2)) - draft_s
        rate = float((expected / seconds).max())
        plan = policy.plan([Offer(Drafter.MODEL, MAX_DRAFT_LENGTH, unread)], total - world.tokens)
        played = world.play(policy, plan, unread)
        drafted = len(played.chances)
        gained = float(expected[drafted])
        if world.signal is not Signal.NONE:
            gained = 1 + float(np.cumprod(played.chances).sum()) if drafted else 1.0
        took += played.draft_s + float(verify_s[drafted])
        best += gained / rate
        off += gained * float(verify_s[0])
        tokens += gained
        unread = played.unread
        while len(scores) < len(marks) and world.tokens >= marks[len(scores)]:
            scores.append(Score(took / min(off, best + prompt_s) - 1, took / off, took / tokens))
    return scores
