"""Identical token ids: greedy whatever the rule, and at any temperature for the rules keyed by the seed alone."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
import pytest

from engine.types import Inactive, Rule, SamplingSettings, Source
from tests.fakes.table_model import TableModel, log_of
from tests.lossless.harness import (
    BARE,
    CERTAIN_FIRST,
    DRAFT,
    START,
    TARGET,
    VOCAB,
    draft_chain,
    padded_draft,
    short_target,
    target_chain,
    unforgetting_target,
)
from tests.lossless.planted_loop import stale_draft
from tests.lossless.ways import AUTO, FIXED, WAYS, Way, in_every_way
from tests.lossless.writing import write

LENGTHS = [1, 2, 4, 8]
HOW = [*((FIXED, length) for length in LENGTHS), *((way, 4) for way in WAYS if way is not FIXED)]
WITH_THE_DRAFT = HOW[: len(LENGTHS) + 1]  # and nobody else
GREEDY = replace(BARE, temperature=0.0)


def random_chain(seed: int, vocab: int = 12) -> TableModel:
    """Rows of every sharpness; some tokens impossible."""
    rng = np.random.default_rng(seed)
    logits = rng.normal(size=(vocab, vocab)) * rng.uniform(0.5, 4.0, size=(vocab, 1))
    logits[rng.random(logits.shape) < 0.2] = -np.inf
    logits[:, 0] = 0.0  # one at least is possible
    return TableModel(logits)


@pytest.mark.parametrize(("way", "length"), HOW, ids=str)
@pytest.mark.parametrize("rule", Rule)
def test_greedy_text_is_the_targets_likeliest_path(rule: Rule, way: Way, length: int) -> None:
    """At temperature 0 every rule writes the walk along the largest logits, for drafts that agree, differ or lag."""
    policy = way.policy(length)
    for seed in range(10):
        walk, token = [], 3
        rows = random_chain(seed).decode(range(12), 12)  # [12, 12]
        for _ in range(40):
            token = int(rows[token].argmax())
            walk.append(token)
        for draft in (random_chain(seed), random_chain(seed + 100), None):
            reply = write(
                random_chain(seed), draft, way=way, policy=policy, rule=rule, settings=GREEDY, prompt=[5, 3]
            )
            assert reply.tokens == walk


def mostly_wrong() -> TableModel:
    """Sure of the token that is least likely."""
    return TableModel(log_of(np.vstack([np.eye(VOCAB)[TARGET.argmin(axis=1)], CERTAIN_FIRST])))


def smaller_vocabulary() -> TableModel:
    """Neither writes nor reads the target's last token."""
    return TableModel(log_of(DRAFT[:3, :3]))


def failing_draft() -> TableModel:
    draft = draft_chain()
    draft.fails_from = 9
    return draft


def unforgetting_draft() -> TableModel:
    draft = draft_chain()
    draft.refusals = 1
    return draft


def broken_draft(value: float) -> TableModel:
    """Its row after token 2 has one logit that is no number."""
    rows = log_of(np.vstack([DRAFT, CERTAIN_FIRST]))
    rows[2, 1] = value
    return TableModel(rows)


@dataclass(frozen=True, slots=True)
class Pair:
    """A pair, and why drafting ends with it if it does."""

    name: str
    draft: Callable[[], TableModel]
    target: Callable[[], TableModel] = target_chain
    ends: Inactive | None = None


PAIRS = [
    Pair("the target itself", target_chain),
    Pair("another chain", draft_chain),
    Pair("a stale chain", stale_draft),
    Pair("mostly wrong", mostly_wrong),
    Pair("small context", lambda: TableModel(log_of(DRAFT), ctx=20), ends=Inactive.DRAFT_CONTEXT_FULL),
    Pair("fails in the middle", failing_draft, ends=Inactive.DRAFT_FAILED),
    Pair("larger vocabulary", padded_draft),
    Pair("smaller vocabulary", smaller_vocabulary, ends=Inactive.DRAFT_FAILED),
    Pair("NaN in a row", lambda: broken_draft(np.nan), ends=Inactive.DRAFT_FAILED),
    Pair("infinity in a row", lambda: broken_draft(np.inf), ends=Inactive.DRAFT_FAILED),
    Pair("draft cannot forget", unforgetting_draft, ends=Inactive.DRAFT_ROLLBACK),
    Pair("target cannot forget once", draft_chain, unforgetting_target, Inactive.TARGET_ROLLBACK),
    Pair("target fails on long batches", draft_chain, short_target),
]

SETTINGS = [
    pytest.param(BARE, id="bare"),
    pytest.param(SamplingSettings(temperature=0.8, top_k=3, top_p=0.9, min_p=0.1), id="cut"),
    pytest.param(replace(BARE, repeat_penalty=1.6, repeat_window=5), id="repeat penalty"),
]


@pytest.mark.parametrize("settings", SETTINGS)
@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: pair.name)
@pytest.mark.parametrize("rule", [Rule.COUPLED, Rule.MATCH])
def test_one_seed_gives_one_text_on_or_off(rule: Rule, pair: Pair, settings: SamplingSettings) -> None:
    """Under rules keyed by the seed, no draft, no way to guess and no fault of a model changes one token."""
    seeds = [replace(settings, seed=seed) for seed in range(3)]
    plain = [write(target_chain(), rule=rule, settings=seeded, prompt=[1, 0]).tokens for seeded in seeds]
    endings: dict[Way, set[Inactive]] = {way: set() for way in WAYS}
    for way, length in HOW:
        policy = way.policy(length)
        for seeded, tokens in zip(seeds, plain, strict=True):
            reply = write(
                pair.target(), pair.draft(), way=way, policy=policy, rule=rule, settings=seeded, prompt=[1, 0]
            )
            assert reply.tokens == tokens, (way, length, seeded.seed)
            endings[way].update(reply.endings)
    assert endings[FIXED] == ({pair.ends} if pair.ends else set())
    assert all(found <= {pair.ends} for found in endings.values())


@in_every_way
@pytest.mark.parametrize("rule", Rule)
def test_the_same_seed_repeats_and_another_does_not(rule: Rule, way: Way) -> None:
    """A reply is a function of its request: with the same seed, and passes that take as long, every rule repeats
    itself."""

    def text(seed: int) -> list[int]:
        return write(target_chain(), draft_chain(), way=way, rule=rule, settings=replace(BARE, seed=seed)).tokens

    texts = [text(seed) for seed in range(20)]
    assert texts == [text(seed) for seed in range(20)]
    assert len({tuple(tokens) for tokens in texts}) == 20


@pytest.mark.parametrize("rule", [Rule.COUPLED, Rule.RESIDUAL])
@pytest.mark.parametrize(("way", "length"), WITH_THE_DRAFT, ids=str)
def test_a_draft_equal_to_the_target_is_always_kept(rule: Rule, way: Way, length: int) -> None:
    """Equal rows never lead to a rejection, so a pass of the target brings the full length and one more."""
    for seed in range(5):
        settings = replace(BARE, seed=seed)
        reply = write(target_chain(), target_chain(), way=way, rule=rule, length=length, settings=settings)
        assert Source.RESAMPLED not in reply.sources
        assert all(len(event.emitted) == len(event.drafted) + 1 for event in reply.rounds)
        assert way is AUTO or {len(event.drafted) for event in reply.rounds[1:-1]} <= {length}


@pytest.mark.parametrize(("way", "length"), WITH_THE_DRAFT, ids=str)
@pytest.mark.parametrize("rule", Rule)
def test_a_draft_that_is_always_wrong_costs_no_token(rule: Rule, way: Way, length: int) -> None:
    """Every pass of the target brings exactly one token, as without a draft."""
    certain = TableModel.of([*np.roll(np.eye(VOCAB), 1, axis=1), [1, 0, 0, 0]])
    wrong = TableModel.of([*np.roll(np.eye(VOCAB), 2, axis=1), [0, 1, 0, 0]])
    reply = write(certain, wrong, way=way, rule=rule, length=length, prompt=[START])
    assert reply.tokens == [0, 1, 2, 3] * 10
    assert all(len(event.emitted) == 1 for event in reply.rounds)
    assert len(certain.fed) == 40
