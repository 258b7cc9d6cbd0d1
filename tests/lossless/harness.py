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
from engine.drafting import ChainedDrafter, LookupDrafter, ModelDrafter, Proposer
from engine.lookup import Lookup
from engine.policy import FixedLength, Policy
from engine.speculate import DraftingEnded, Emitted, Round, Speculator
from engine.types import MAX_DRAFT_LENGTH, Drafter, Rule, SamplingSettings, Source
from engine.verify import AcceptanceRule, make_rule
from tests.fakes.table_model import TableModel, log_of
from tests.lossless.clocked import Clocked

VOCAB = 4
START = 4  # the prompt's last token, mostly its only one
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

# Leaves two that may follow each token, so that a lookup proposes what is impossible.
CUT = SamplingSettings(temperature=1.0, top_k=2, top_p=1.0, min_p=0.0)

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


def unforgetting_target() -> TableModel:
    """It cannot roll back once."""
    target = target_chain()
    target.refusals = 1
    return target


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


MODEL = frozenset({Drafter.MODEL})
LOOKUP = frozenset({Drafter.LOOKUP})
BOTH = MODEL | LOOKUP
# What the lookup finds in the prompt: after any two tokens something came next.
REPEATED = (0, 1, 3, 2, 0, 2, 2, 3, 3, 0, 0, 3, 1, 1, 2, 1, 0, 1)


def any_match(lookup: Lookup, rule: AcceptanceRule) -> LookupDrafter:
    """The engine's own, told that a match of one token is long enough."""
    return LookupDrafter(lookup, 1, _never)


@dataclass(frozen=True, slots=True)
class Setup:
    """What replies are made with: the engine's own parts, of which a planted bug replaces one.

    Attributes:
        drafting_ends: whether drafting may end before the reply does.
        drafters: the chain of both looks for three tokens, so that its halves take turns.
        by_time: lengths are chosen round by round; `length` is then that of the window alone.
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
    drafters: frozenset[Drafter] = MODEL
    lookup: Callable[[Lookup, AcceptanceRule], LookupDrafter] = any_match
    chain: type[ChainedDrafter] = ChainedDrafter
    by_time: bool = False

    def policy(self) -> Policy:
        return Clocked() if self.by_time else FixedLength(self.length, self.p_min, self.length)

    def proposer(self, draft: TableModel, lookup: Lookup, rule: AcceptanceRule) -> Proposer | None:
        if not self.length:
            return None
        model = self.drafter(draft, self.settings, rule)
        if Drafter.LOOKUP not in self.drafters:
            return model
        looking = self.lookup(lookup, rule)
        return self.chain(looking, model) if Drafter.MODEL in self.drafters else looking


def replies(setup: Setup, seeds: range, tokens: int) -> Iterator[list[Round]]:
    """One reply's rounds per seed, the last of them holding token number `tokens`.

    The budget reaches a full round past it, so that no draft is cut short by it. A policy that learns goes on from one
    reply to the next.
    """
    target, draft = setup.target(), setup.draft()
    prompt = [*REPEATED, START] if Drafter.LOOKUP in setup.drafters else [START]
    lookup = Lookup(64, lengths=(3,) if Drafter.MODEL in setup.drafters else (1, 3))
    policy = setup.policy()
    for seed in seeds:
        target.clear()
        draft.clear()
        lookup.truncate(len(prompt))
        row = target.decode(prompt, 1)[0]
        rule = setup.rule(seed)
        speculator = setup.speculator(
            target=target,
            committed=list(prompt),
            drafter=setup.proposer(draft, lookup, rule),
            rule=rule,
            settings=setup.settings,
            policy=policy,
            budget=tokens + (MAX_DRAFT_LENGTH if setup.by_time else setup.length) + 1,
            ends=_never,
            cancelled=_no,
        )
        policy.begin("")
        rounds = [speculator.first(row)]
        for event in speculator.rounds():
            if isinstance(event, DraftingEnded):
                assert setup.drafting_ends, event
                continue
            rounds.append(event)
            if speculator.emitted >= tokens:
                break
        policy.end()
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


def window_law(length: int, settings: SamplingSettings = BARE) -> Floats:
    """Exact law of the window, [64], from the target's table and the settings' top-k alone."""
    target = TARGET
    if settings.top_k:
        target = np.where(target >= np.sort(target)[:, -settings.top_k, None], target, 0.0)
        target /= target.sum(axis=1, keepdims=True)
    before = np.linalg.matrix_power(target, window_start(length) - 1)[0]  # of the token before the window
    return np.einsum("a,ab,bc,cd->bcd", before, target, target, target).ravel()


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
        return cls(setup, window_law(setup.length, setup.settings))

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
