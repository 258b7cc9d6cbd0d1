"""Chi-square over the joint law of three tokens, and how often guesses are kept on the way."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt
from scipy import stats

from engine.distribution import Floats
from engine.drafting import Guess
from engine.speculate import Emitted
from engine.types import Drafter, Source
from tests.lossless.harness import START, TARGET, VOCAB, Setup, replies, tokens_of

Counts = npt.NDArray[np.int64]
# A power study over the bugs of `planted` found that all of them are caught at 4,000 replies in 20 runs of 20, and that
# some are missed at 2,000; the full size leaves a factor of three.
REPLIES = 12_000
ENOUGH = 4_000
# A right run falls below this once in a thousand. Seeds are fixed, so a test does so always or never.
LEVEL = 1e-3

WINDOW = 3  # tokens whose joint law is tested


def window_start(setup: Setup) -> int:
    """Where the window begins. A bonus token comes after `length` kept guesses, and what a chain looks up comes after
    three tokens, so it must reach that far."""
    return max(3 if setup.way.looks and setup.way.models else 1, setup.length - 1)


def window_law(setup: Setup) -> Floats:
    """Exact law of the window, [64], from the target's table and the settings' top-k alone."""
    target, most = TARGET, setup.settings.top_k
    if most:
        target = np.where(target >= np.sort(target)[:, -most, None], target, 0.0)
        target /= target.sum(axis=1, keepdims=True)
    before = np.linalg.matrix_power(target, window_start(setup) - 1)[0]  # of the token before the window
    return np.einsum("a,ab,bc,cd->bcd", before, target, target, target).ravel()


@dataclass(slots=True)
class Coins:
    """Verdicts against how probable they were.

    Given what came before it each verdict is a coin of its own, so the sum of the differences is a martingale whose
    variance is known, whatever it was that decided how many coins are tossed.
    """

    tossed: int = 0
    impossible: int = 0  # of them
    surplus: float = 0.0
    variance: float = 0.0

    def toss(self, kept: int, chance: float, times: int = 1) -> None:
        self.tossed += times
        self.impossible += times * (chance == 0.0)
        self.surplus += kept - times * chance
        self.variance += times * chance * (1.0 - chance)

    @property
    def error(self) -> float:
        """In standard deviations."""
        return self.surplus / self.variance**0.5


@dataclass(slots=True)
class JointTest:
    """Chi-square over all outcomes of a window of three tokens, one reply per seed; and the verdicts on the way.

    Attributes:
        law: [64]; what the target alone writes.
        counts: [64]; what the loop wrote.
        sources: where the window's tokens came from.
        drafters: who made the guesses that were judged in the window.
        verified, accepted: [VOCAB + 1]; the draft model's guesses that were judged and kept, by the token that they
            were made after.
        looked: what became of the lookup's.
    """

    setup: Setup
    law: Floats
    counts: Counts = field(default_factory=lambda: np.zeros(VOCAB**WINDOW, np.int64))
    sources: Counter[Source] = field(default_factory=Counter)
    drafters: Counter[Drafter] = field(default_factory=Counter)
    verified: Counts = field(default_factory=lambda: np.zeros(VOCAB + 1, np.int64))
    accepted: Counts = field(default_factory=lambda: np.zeros(VOCAB + 1, np.int64))
    looked: Coins = field(default_factory=Coins)
    done: int = 0

    @classmethod
    def of(cls, setup: Setup) -> JointTest:
        return cls(setup, window_law(setup))

    def run(self, upto: int) -> float:
        """Write replies until there are `upto`. Returns the p-value."""
        start = window_start(self.setup)
        for rounds in replies(self.setup, range(self.done, upto), start + WINDOW):
            reply = tokens_of(rounds)
            window = reply[start : start + WINDOW]
            a, b, c = (emitted.token for emitted in window)
            self.counts[(a * VOCAB + b) * VOCAB + c] += 1
            self.sources.update(emitted.source for emitted in window)
            self.drafters.update(emitted.guess.drafter for emitted in window if emitted.guess is not None)
            self._note_verdicts(reply)
        self.done = upto
        return self.p_value()

    def p_value(self) -> float:
        possible = self.law > 0.0
        if self.counts[~possible].any():
            return 0.0
        counts, expected = self.counts[possible], self.law[possible] * self.done
        rare = expected < 5  # too rare for the approximation one by one, so counted together
        if rare.any():
            counts, expected = (np.append(table[~rare], table[rare].sum()) for table in (counts, expected))
        return float(stats.chisquare(counts, expected).pvalue)

    def _note_verdicts(self, reply: list[Emitted]) -> None:
        before = START
        for emitted in reply:
            kept = emitted.source is Source.ACCEPTED
            match emitted.guess:
                case Guess(drafter=Drafter.MODEL):
                    self.verified[before] += 1
                    self.accepted[before] += kept
                case Guess(drafter=Drafter.LOOKUP, token=token):
                    self.looked.toss(kept, emitted.p.probability(token))
            before = emitted.token

    def share(self, kind: Source | Drafter) -> float:
        """Of the window's tokens: those from a source, or in whose place a drafter had guessed."""
        count = self.sources[kind] if isinstance(kind, Source) else self.drafters[kind]
        return count / (WINDOW * self.done)

    def acceptance_error(self, chances: Floats) -> float:
        """The draft model's kept guesses against what the tables say, in standard deviations.

        Args:
            chances: [VOCAB]; how probable it is to keep a guess made after each token.
        """
        coins = Coins()
        for verified, accepted, chance in zip(self.verified, self.accepted, chances, strict=False):
            coins.toss(int(accepted), float(chance), int(verified))
        return coins.error
