"""One chain to write, one to guess, and the real loop between them.

Both are first-order Markov chains over four tokens, so the law of a reply is known in closed form. A fifth token can
be read but not written: it is the prompt, and the first token after it is certain, so that every reply starts alike.

The rows are chosen so that under every rule and draft length the kept guesses, the answers in their place and the
bonus tokens all carry traffic, and so that the rarest of the 64 outcomes is expected more than seven times in 12,000
replies (the chi-square approximation wants five).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from engine.drafting import ChainedDrafter, LookupDrafter, ModelDrafter, Proposer
from engine.lookup import Lookup
from engine.speculate import DraftingEnded, Emitted, Round, Speculator
from engine.types import MAX_DRAFT_LENGTH, Rule, SamplingSettings
from engine.verify import AcceptanceRule, make_rule
from tests.fakes.table_model import TableModel, log_of
from tests.lossless.ways import FIXED, Way

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


# What the lookup finds in the prompt: after any two tokens something came next.
REPEATED = (0, 1, 3, 2, 0, 2, 2, 3, 3, 0, 0, 3, 1, 1, 2, 1, 0, 1)


def any_match(lookup: Lookup, rule: AcceptanceRule) -> LookupDrafter:
    """The engine's own, told that a match of one token is long enough."""
    return LookupDrafter(lookup, 1, _never)


@dataclass(frozen=True, slots=True)
class Setup:
    """What replies are made with: the engine's own parts, of which a planted bug replaces one.

    Attributes:
        length: by time it says no more than which tokens are looked at.
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
    way: Way = FIXED
    lookup: Callable[[Lookup, AcceptanceRule], LookupDrafter] = any_match
    chain: type[ChainedDrafter] = ChainedDrafter

    def proposer(self, draft: TableModel, lookup: Lookup, rule: AcceptanceRule) -> Proposer | None:
        if not self.length:
            return None
        model = self.drafter(draft, self.settings, rule)
        if not self.way.looks:
            return model
        looking = self.lookup(lookup, rule)
        return self.chain(looking, model) if self.way.models else looking


def replies(setup: Setup, seeds: range, tokens: int) -> Iterator[list[Round]]:
    """One reply's rounds per seed, the last of them holding token number `tokens`.

    The budget reaches a full round past it, so that no draft is cut short by it. A policy that learns goes on from one
    reply to the next.
    """
    target, draft = setup.target(), setup.draft()
    prompt = [*REPEATED, START] if setup.way.looks else [START]
    lookup = setup.way.index()
    policy = setup.way.policy(setup.length, setup.p_min)
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
            budget=tokens + (MAX_DRAFT_LENGTH if setup.way.by_time else setup.length) + 1,
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
