"""Guesses without a model: rows all on one token, under every rule, alone and before a draft model."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from engine.lookup import Lookup
from engine.types import Drafter, Inactive, Rule, Source
from tests.fakes.table_model import TableModel, log_of
from tests.lossless.harness import (
    BARE,
    CERTAIN_FIRST,
    CUT,
    REPEATED,
    TARGET,
    VOCAB,
    Setup,
    draft_chain,
    real,
    target_chain,
)
from tests.lossless.joint import ENOUGH, LEVEL, JointTest
from tests.lossless.ways import AUTO_LOOKUP, CHAIN, LOOKUP, WAYS, Way
from tests.lossless.writing import write

LENGTH = 2
PROMPT = (*REPEATED, 1, 0)


@pytest.mark.parametrize("way", [LOOKUP, AUTO_LOOKUP, CHAIN], ids=str)
def test_guesses_that_the_settings_made_impossible_leave_the_joint_law(way: Way) -> None:
    """Where two tokens may follow each, half of what is looked up is impossible: the law stays, and nothing of it is
    kept."""
    test = JointTest.of(Setup(real(Rule.RESIDUAL), LENGTH, CUT, way=way))
    assert test.run(ENOUGH * 3 // 8) > LEVEL
    for source in (Source.ACCEPTED, Source.RESAMPLED, Source.BONUS):
        assert test.share(source) >= 0.05, source
    assert test.looked.impossible > 100
    assert abs(test.looked.error) < 5.0


@pytest.mark.parametrize("rule", [Rule.COUPLED, Rule.MATCH])
def test_a_long_prompt_that_is_found_again_changes_no_token(rule: Rule) -> None:
    """In which nearly everything was written before, in every way, at every length: one seed, one text."""
    for way in (way for way in WAYS if way.looks):
        for length in (1, 4, 8):
            policy = way.policy(length)
            for seed in range(3):
                settings = replace(BARE, seed=seed)
                plain = write(target_chain(), rule=rule, settings=settings, prompt=PROMPT)
                reply = write(
                    target_chain(), draft_chain(), way=way, policy=policy, rule=rule, settings=settings, prompt=PROMPT
                )
                assert reply.tokens == plain.tokens, (way, length, seed)


def test_a_draft_that_drops_out_leaves_the_lookup_at_work() -> None:
    """From the round on in which the draft's context is full, guesses still come, and they are kept."""
    cycle = [*np.roll(np.eye(VOCAB), 1, axis=1), np.eye(VOCAB)[0]]  # 0, 1, 2, 3, 0 …
    reply = write(TableModel.of(cycle), TableModel.of(cycle, ctx=6), way=CHAIN, lookup=Lookup(64, lengths=(5,)))
    assert reply.endings == [Inactive.DRAFT_CONTEXT_FULL]
    drafters = [event.drafter for event in reply.rounds if event.guesses]
    assert drafters[0] is Drafter.MODEL
    assert drafters[-1] is Drafter.LOOKUP
    assert reply.tokens == [0, 1, 2, 3] * 10
    assert len(reply.rounds) < 20


def test_the_next_turn_finds_what_the_last_one_left() -> None:
    """An index that is cut back to what two turns share gives the same rounds as a new one."""
    kept = Lookup(64, lengths=(2,))
    first = write(target_chain(), way=LOOKUP, lookup=kept, prompt=PROMPT)
    turn = (*PROMPT, *first.tokens[:30], 2, 0, 1)
    kept.truncate(len(PROMPT) + 30)
    fresh = Lookup(64, lengths=(2,))
    again, new = (write(target_chain(), way=LOOKUP, lookup=lookup, prompt=turn) for lookup in (kept, fresh))
    assert again.tokens == new.tokens
    assert [event.drafted for event in again.rounds] == [event.drafted for event in new.rounds]
    assert any(event.drafted for event in new.rounds)


@pytest.mark.parametrize("rule", Rule)
def test_a_context_that_just_holds_the_reply_is_never_overrun(rule: Rule) -> None:
    """1 to 20 tokens come when 1 to 20 are asked for, though the lookup would propose many more."""
    for budget in range(1, 21):
        target = TableModel(log_of(np.vstack([TARGET, CERTAIN_FIRST])), ctx=len(PROMPT) + budget - 1)
        reply = write(target, way=LOOKUP, rule=rule, length=16, budget=budget, prompt=PROMPT)
        assert len(reply.tokens) == budget
