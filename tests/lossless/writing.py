"""Whole replies through the real loop, with everything that must hold after each round checked after each round."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from engine.decoder import read
from engine.drafting import ChainedDrafter, LookupDrafter, ModelDrafter, Proposer
from engine.lookup import Lookup
from engine.policy import Policy
from engine.speculate import DraftingEnded, Round, Speculator
from engine.types import Inactive, Rule, SamplingSettings, Source
from engine.verify import make_rule
from tests.fakes.table_model import TableModel
from tests.lossless.harness import BARE, START
from tests.lossless.ways import FIXED, Way


@dataclass(slots=True)
class Reply:
    """What came of it.

    Attributes:
        rounds: the opening, in which nothing is proposed, first.
        endings: why drafting ended.
    """

    rounds: list[Round] = field(default_factory=list)
    endings: list[Inactive] = field(default_factory=list)

    @property
    def tokens(self) -> list[int]:
        return [emitted.token for event in self.rounds for emitted in event.emitted]

    @property
    def sources(self) -> list[Source]:
        return [emitted.source for event in self.rounds for emitted in event.emitted]


def write(
    target: TableModel,
    draft: TableModel | None = None,
    *,
    way: Way = FIXED,
    policy: Policy | None = None,
    lookup: Lookup | None = None,
    rule: Rule = Rule.COUPLED,
    settings: SamplingSettings = BARE,
    length: int = 4,
    budget: int = 40,
    prompt: Sequence[int] = (START,),
    p_min: float = 0.0,
    ends: Callable[[int], bool] = lambda token: False,
    cancelled: Callable[[], bool] = lambda: False,
) -> Reply:
    """One reply to `prompt`, seeded by the settings. Asserts the loop's invariants as it goes.

    Without a `draft` the way does without its model. A policy and a lookup that are given go on from earlier replies.
    """
    for _ in read(target, prompt[:-1], cancelled):
        pass
    row = target.decode(prompt[-1:], 1)[0]
    judge = make_rule(rule, settings.seed)
    adoption = way.adoption(target)
    model = ModelDrafter(draft, settings, judge, adoption=adoption) if draft is not None and way.models else None
    looking = LookupDrafter(way.index() if lookup is None else lookup, 1, ends) if way.looks else None
    policy = policy or way.policy(length, p_min)
    speculator = Speculator(
        target=target,
        committed=list(prompt),
        drafter=_proposer(model, looking),
        rule=judge,
        settings=settings,
        policy=policy,
        budget=budget,
        ends=ends,
        cancelled=cancelled,
    )
    policy.begin("")
    reply = Reply()
    reply.rounds.append(speculator.first(row))
    assert_consistent(speculator, prompt, budget, reply, model)
    for event in speculator.rounds():
        if isinstance(event, DraftingEnded):
            reply.endings.append(event.inactive)
            assert (speculator.drafter is not None) == event.goes_on
        else:
            reply.rounds.append(event)
            assert_round_adds_up(event, speculator.settings)
        assert_consistent(speculator, prompt, budget, reply, model)
    policy.end()
    # The draft may drop out of a chain, and then the target.
    assert len(reply.endings) <= 1 or reply.endings[1:] == [Inactive.TARGET_ROLLBACK]
    assert speculator.ended or len(reply.tokens) == budget
    return reply


def _proposer(model: ModelDrafter | None, lookup: LookupDrafter | None) -> Proposer | None:
    if model is not None and lookup is not None:
        return ChainedDrafter(lookup, model)
    return model or lookup


def assert_consistent(
    speculator: Speculator, prompt: Sequence[int], budget: int, reply: Reply, model: ModelDrafter | None
) -> None:
    """Both caches hold what they say they hold between rounds."""
    committed = speculator.committed
    assert committed == [*prompt, *reply.tokens]
    assert speculator.emitted == len(reply.tokens)
    assert speculator.budget == budget - len(reply.tokens) >= 0
    assert speculator.target.tokens == committed[:-1]
    if model is not None and speculator.drafter is not None and model.ended is None:
        held = model.decoder.tokens
        assert held == committed[: len(held)]
        assert len(held) < len(committed)


def assert_round_adds_up(event: Round, settings: SamplingSettings) -> None:
    """Kept guesses first, then at most one token of another kind; never none."""
    sources = [emitted.source for emitted in event.emitted]
    tokens = [emitted.token for emitted in event.emitted]
    assert 0 <= event.accepted <= event.verified <= len(event.drafted)
    assert sources[: event.accepted] == [Source.ACCEPTED] * event.accepted
    assert tuple(tokens[: event.accepted]) == event.drafted[: event.accepted]
    last = sources[event.accepted :]
    match last:
        case []:  # ended by a kept guess
            assert event.accepted == event.verified > 0
        case [Source.RESAMPLED]:
            assert event.verified == event.accepted + 1
            assert event.emitted[-1].rejected == event.drafted[event.accepted] != tokens[-1]
        case [Source.BONUS]:
            assert event.accepted == event.verified == len(event.drafted) > 0
        case [Source.PLAIN]:
            assert event.drafted == ()
        case _:
            raise AssertionError(sources)
    for emitted in event.emitted:
        assert emitted.p.probability(emitted.token) > 0.0
        assert (emitted.q is not None) == (emitted.source in (Source.ACCEPTED, Source.RESAMPLED))
        assert (emitted.rejected is not None) == (emitted.source is Source.RESAMPLED)
        if settings.temperature == 0.0:
            assert emitted.p.probability(emitted.token) == 1.0
