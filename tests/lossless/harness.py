"""One chain to write, one to guess, and the real loop between them.

Both are first-order Markov chains over four tokens, so the law of a reply is known in closed form. A fifth token can
be read but not written: it is the prompt, and the first token after it is certain, so that every reply starts alike.

The rows are chosen so that under every rule and draft length the kept guesses, the answers in their place and the
bonus tokens all carry traffic, and so that the rarest of the 64 outcomes is expected more than seven times in 12,000
replies (the chi-square approximation wants five).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt
from scipy import stats

from engine.distribution import Floats
from engine.drafting import ModelDrafter
from engine.speculate import DraftingEnded, Emitted, Round, Speculator
from engine.types import Rule, SamplingSettings, Source
from engine.verify import AcceptanceRule, make_rule
from tests.fakes.table_model import TableModel, log_of

VOCAB = 4
START = 4  # the prompt's only token
TARGET = np.array(
    [
        [0.14, 0.62, 0.16, 0.08],
        [0.10, 0.10, 0.16, 0.64],
        [0.64, 0.12, 0.08, 0.16],
        [0.12, 0.08, 0.64, 0.16],
    ]
)
DRAFT = np.array(
    [
        [0.06, 0.50, 0.06, 0.38],
        [0.05, 0.10, 0.05, 0.80],
        [0.52, 0.06, 0.34, 0.08],
        [0.26, 0.06, 0.62, 0.06],
    ]
)
CERTAIN_FIRST = np.array([[1.0, 0.0, 0.0, 0.0]])  # both chains' row after the prompt

# Nothing shapes the rows: the chains' probabilities are p and q.
BARE = SamplingSettings(temperature=1.0, top_k=0, top_p=1.0, min_p=0.0)

Counts = npt.NDArray[np.int64]
# A power study over the bugs of `planted` found that all of them are caught at 4,000 replies in 20 runs of 20, and that
# some are missed at 2,000; the full size leaves a factor of three.
REPLIES = 12_000
ENOUGH = 4_000
# A right run falls below this once in a thousand. Seeds are fixed, so a test does so always or never.
LEVEL = 1e-3

RuleMaker = Callable[[int], AcceptanceRule]


def target_chain() -> TableModel:
    return TableModel(log_of(np.vstack([TARGET, CERTAIN_FIRST])))


def short_target() -> TableModel:
    """Fails on passes over more than two tokens."""
    target = target_chain()
    target.most_outputs = 2
    return target


def draft_chain() -> TableModel:
    return TableModel(log_of(np.vstack([DRAFT, CERTAIN_FIRST])))


def padded_draft() -> TableModel:
    """Gives a fifth of its guesses to an id that the target does not have, as the rows that pad a vocabulary may."""
    written = np.hstack(
        [np.vstack([DRAFT, CERTAIN_FIRST]) * 0.8, np.zeros((VOCAB + 1, 1)), np.full((VOCAB + 1, 1), 0.2)]
    )
    return TableModel(log_of(np.vstack([written, written[:1]])))  # and goes on from it


def breaking_draft() -> TableModel:
    """Its row after token 3 is no row, so that drafting ends in the middle of a proposal."""
    rows = log_of(np.vstack([DRAFT, CERTAIN_FIRST]))
    rows[3, 0] = np.nan
    return TableModel(rows)


def real(rule: Rule) -> RuleMaker:
    """Makes the engine's own rule from a reply's seed."""
    return lambda seed: make_rule(rule, seed)


@dataclass(frozen=True, slots=True)
class Setup:
    """What replies are made with: the engine's own parts, of which a planted bug replaces one.

    Attributes:
        drafting_ends: whether drafting may end before the reply does.
    """

    rule: RuleMaker
    length: int
    settings: SamplingSettings = BARE
    p_min: float = 0.0
    target: Callable[[], TableModel] = target_chain
    draft: Callable[[], TableModel] = draft_chain
    speculator: type[Speculator] = Speculator
    drafter: type[ModelDrafter] = ModelDrafter
    drafting_ends: bool = False


def replies(setup: Setup, seeds: range, tokens: int, prompt: int = START) -> Iterator[list[Round]]:
    """One reply's rounds per seed, the last of them holding token number `tokens`.

    The budget reaches a full round past it, so that no draft is cut short by it.
    """
    target, draft = setup.target(), setup.draft()
    for seed in seeds:
        target.clear()
        draft.clear()
        row = target.decode([prompt], 1)[0]
        rule = setup.rule(seed)
        speculator = setup.speculator(
            target=target,
            committed=[prompt],
            drafter=setup.drafter(draft, setup.settings, rule, setup.p_min) if setup.length else None,
            rule=rule,
            settings=setup.settings,
            length=setup.length,
            budget=tokens + setup.length + 1,
            ends=_never,
            cancelled=_no,
        )
        rounds = [speculator.first(row)]
        for event in speculator.rounds():
            if isinstance(event, DraftingEnded):
                assert setup.drafting_ends, event
                continue
            rounds.append(event)
            if speculator.emitted >= tokens:
                break
        yield rounds


def tokens_of(rounds: list[Round]) -> list[Emitted]:
    return [emitted for event in rounds for emitted in event.emitted]


def _never(token: int) -> bool:
    return False


def _no() -> bool:
    return False


WINDOW = 3  # tokens whose joint law is tested


def window_start(length: int) -> int:
    """Where the window begins. A bonus token comes after `length` kept guesses, so it must reach that far."""
    return max(1, length - 1)


def window_law(length: int) -> Floats:
    """Exact law of the window, [64], from the target's table alone."""
    before = np.linalg.matrix_power(TARGET, window_start(length) - 1)[0]  # of the token before the window
    return np.einsum("a,ab,bc,cd->bcd", before, TARGET, TARGET, TARGET).ravel()


@dataclass(slots=True)
class JointTest:
    """Chi-square over all outcomes of a window of three tokens, one reply per seed; and the verdicts on the way.

    Attributes:
        law: [64]; what the target alone writes.
        counts: [64]; what the loop wrote.
        sources: where the window's tokens came from.
        verified, accepted: [VOCAB + 1]; guesses that were judged and kept, by the token that they were made after.
    """

    setup: Setup
    law: Floats
    counts: Counts = field(default_factory=lambda: np.zeros(VOCAB**WINDOW, np.int64))
    sources: Counter[Source] = field(default_factory=Counter)
    verified: Counts = field(default_factory=lambda: np.zeros(VOCAB + 1, np.int64))
    accepted: Counts = field(default_factory=lambda: np.zeros(VOCAB + 1, np.int64))
    done: int = 0

    @classmethod
    def of(cls, setup: Setup) -> JointTest:
        return cls(setup, window_law(setup.length))

    def run(self, upto: int) -> float:
        """Write replies until there are `upto`. Returns the p-value."""
        start = window_start(self.setup.length)
        for rounds in replies(self.setup, range(self.done, upto), start + WINDOW):
            reply = tokens_of(rounds)
            window = reply[start : start + WINDOW]
            a, b, c = (emitted.token for emitted in window)
            self.counts[(a * VOCAB + b) * VOCAB + c] += 1
            self.sources.update(emitted.source for emitted in window)
            self._note_verdicts(reply)
        self.done = upto
        return self.p_value()

    def p_value(self) -> float:
        counts, expected = self.counts, self.law * self.done
        rare = expected < 5  # too rare for the approximation one by one, so counted together
        if rare.any():
            counts, expected = (np.append(table[~rare], table[rare].sum()) for table in (counts, expected))
        return float(stats.chisquare(counts, expected).pvalue)

    def _note_verdicts(self, reply: list[Emitted]) -> None:
        before = START
        for emitted in reply:
            if emitted.q is not None:
                self.verified[before] += 1
                self.accepted[before] += emitted.source is Source.ACCEPTED
            before = emitted.token

    def share(self, source: Source) -> float:
        return self.sources[source] / (WINDOW * self.done)

    def acceptance_error(self, chances: Floats) -> float:
        """Kept guesses against what the tables say, in standard deviations.

        Given the token before it each verdict is a coin of its own, so the sum of the differences is a martingale
        whose variance is known.

        Args:
            chances: [VOCAB]; how probable it is to keep a guess made after each token.
        """
        verified = self.verified[:VOCAB]
        expected = float(verified @ chances)
        variance = float(verified @ (chances * (1.0 - chances)))
        return (int(self.accepted[:VOCAB].sum()) - expected) / variance**0.5
