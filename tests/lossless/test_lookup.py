"""Guesses without a model: rows all on one token, under every rule, alone and before a draft model."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
import pytest

from engine.lookup import Lookup
from engine.types import Drafter, Inactive, Rule, SamplingSettings, Source
from tests.fakes.table_model import TableModel, log_of
from tests.lossless.harness import (
    BARE,
    BOTH,
    CERTAIN_FIRST,
    CUT,
    DRAFT,
    ENOUGH,
    LEVEL,
    LOOKUP,
    REPEATED,
    TARGET,
    VOCAB,
    JointTest,
    Setup,
    draft_chain,
    padded_draft,
    real,
    replies,
    short_target,
    target_chain,
    tokens_of,
    unforgetting_target,
)
from tests.lossless.writing import write

LENGTH = 2


@pytest.mark.parametrize(
    ("rule", "drafters", "settings", "by_time"),
    [
        *((rule, LOOKUP, BARE, False) for rule in Rule),
        (Rule.RESIDUAL, LOOKUP, CUT, False),  # guesses that are impossible among them
        (Rule.RESIDUAL, BOTH, BARE, False),
        *((rule, BOTH, BARE, True) for rule in Rule),
        (Rule.MATCH, LOOKUP, BARE, True),
    ],
)
def test_three_tokens_have_the_targets_joint_law(
    rule: Rule, drafters: frozenset[Drafter], settings: SamplingSettings, by_time: bool
) -> None:
    """What the loop writes has the law of the target alone, and every kind of token took part in it."""
    test = JointTest.of(Setup(real(rule), LENGTH, settings, drafters=drafters, by_time=by_time))
    assert test.run(ENOUGH * 3 // 8) > LEVEL
    for source in (Source.ACCEPTED, Source.RESAMPLED, Source.BONUS):
        assert test.share(source) >= 0.05, source


@pytest.mark.parametrize("drafters", [LOOKUP, BOTH], ids=["lookup", "chain"])
@pytest.mark.parametrize("rule", Rule)
def test_a_guess_is_kept_as_often_as_the_target_writes_it(rule: Rule, drafters: frozenset[Drafter]) -> None:
    """Whatever the rule: a row all on one token overlaps with the target's by p of that token, to 5 sigma."""
    kept = expected = variance = 0.0
    seen: Counter[Drafter] = Counter()
    for reply in replies(Setup(real(rule), LENGTH, drafters=drafters), range(500), 8):
        for emitted in tokens_of(reply):
            if (guess := emitted.guess) is None:
                continue
            seen[guess.drafter] += 1
            if guess.drafter is Drafter.LOOKUP:
                p = emitted.p.probability(guess.token)
                kept += emitted.source is Source.ACCEPTED
                expected += p
                variance += p * (1.0 - p)
    assert seen.keys() == drafters
    assert min(seen.values()) > 300
    assert abs(kept - expected) < 5.0 * variance**0.5


def failing_draft() -> TableModel:
    draft = draft_chain()
    draft.fails_from = 9
    return draft


@dataclass(frozen=True, slots=True)
class Case:
    """Models beside a lookup, and why the draft or all drafting ends with them if it does."""

    name: str
    draft: Callable[[], TableModel | None] = lambda: None
    target: Callable[[], TableModel] = target_chain
    ends: Inactive | None = None


CASES = [
    Case("alone"),
    Case("before a draft", draft_chain),
    Case("before a draft of a larger vocabulary", padded_draft),
    Case("its draft fails", failing_draft, ends=Inactive.DRAFT_FAILED),
    Case("its draft has a small context", lambda: TableModel(log_of(DRAFT), ctx=20), ends=Inactive.DRAFT_CONTEXT_FULL),
    Case("target fails on long batches", draft_chain, short_target),
    Case("target cannot forget once", target=unforgetting_target, ends=Inactive.TARGET_ROLLBACK),
]

SETTINGS = [
    pytest.param(BARE, id="bare"),
    pytest.param(CUT, id="cut"),
    pytest.param(replace(BARE, repeat_penalty=1.6, repeat_window=5), id="repeat penalty"),
    pytest.param(replace(BARE, temperature=0.0), id="greedy"),
]
PROMPT = (*REPEATED, 1, 0)


@pytest.mark.parametrize("settings", SETTINGS)
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
@pytest.mark.parametrize("rule", [Rule.COUPLED, Rule.MATCH])
def test_one_seed_gives_one_text_with_and_without(rule: Rule, case: Case, settings: SamplingSettings) -> None:
    """No repetition, no draft and no fault of a model changes one token."""
    endings = set()
    for seed in range(2):
        seeded = replace(settings, seed=seed)
        plain = write(target_chain(), rule=rule, settings=seeded, prompt=PROMPT)
        for length in (1, 4, 8):
            reply = write(
                case.target(),
                case.draft(),
                lookup=Lookup(64, lengths=(3,)),
                rule=rule,
                settings=seeded,
                length=length,
                prompt=PROMPT,
            )
            assert reply.tokens == plain.tokens
            endings.update(reply.endings)
    assert endings <= {case.ends}


def test_a_draft_that_drops_out_leaves_the_lookup_at_work() -> None:
    """From the round on in which the draft's context is full, guesses still come, and they are kept."""
    cycle = [*np.roll(np.eye(VOCAB), 1, axis=1), np.eye(VOCAB)[0]]  # 0, 1, 2, 3, 0 …
    reply = write(TableModel.of(cycle), TableModel.of(cycle, ctx=6), lookup=Lookup(64, lengths=(5,)), budget=40)
    assert reply.endings == [Inactive.DRAFT_CONTEXT_FULL]
    drafters = [event.drafter for event in reply.rounds if event.guesses]
    assert drafters[0] is Drafter.MODEL
    assert drafters[-1] is Drafter.LOOKUP
    assert reply.tokens == [0, 1, 2, 3] * 10
    assert len(reply.rounds) < 20


def test_the_next_turn_finds_what_the_last_one_left() -> None:
    """An index that is cut back to what two turns share gives the same rounds as a new one."""
    kept = Lookup(64, lengths=(2,))
    first = write(target_chain(), lookup=kept, prompt=PROMPT)
    turn = (*PROMPT, *first.tokens[:30], 2, 0, 1)
    kept.truncate(len(PROMPT) + 30)
    again, fresh = (write(target_chain(), lookup=lookup, prompt=turn) for lookup in (kept, Lookup(64, lengths=(2,))))
    assert again.tokens == fresh.tokens
    assert [event.drafted for event in again.rounds] == [event.drafted for event in fresh.rounds]
    assert any(event.drafted for event in fresh.rounds)


@pytest.mark.parametrize("rule", Rule)
def test_a_context_that_just_holds_the_reply_is_never_overrun(rule: Rule) -> None:
    """1 to 20 tokens come when 1 to 20 are asked for, though the lookup would propose many more."""
    for budget in range(1, 21):
        target = TableModel(log_of(np.vstack([TARGET, CERTAIN_FIRST])), ctx=len(PROMPT) + budget - 1)
        reply = write(target, lookup=Lookup(64, lengths=(2,)), rule=rule, length=16, budget=budget, prompt=PROMPT)
        assert len(reply.tokens) == budget
