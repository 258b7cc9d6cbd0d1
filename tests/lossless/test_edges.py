"""Where loops are usually wrong: budgets, ends, nothing to propose, rows that are no numbers, unequal vocabularies."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np
import pytest

from engine.decoder import Interrupted
from engine.errors import EngineError, ErrorKind
from engine.types import Inactive, Rule, Source
from tests.fakes.table_model import TableModel, log_of
from tests.lossless.harness import (
    BARE,
    CERTAIN_FIRST,
    DRAFT,
    START,
    TARGET,
    VOCAB,
    Setup,
    breaking_draft,
    draft_chain,
    padded_draft,
    real,
    short_target,
    target_chain,
)
from tests.lossless.joint import ENOUGH, LEVEL, JointTest
from tests.lossless.ways import AUTO, AUTO_CHAIN, CHAIN, FIXED, WAYS, WITH_A_MODEL, Way, in_every_way
from tests.lossless.writing import write

CYCLE = np.vstack([np.roll(np.eye(VOCAB), 1, axis=1), CERTAIN_FIRST])  # 0, 1, 2, 3, 0, …


HOW = [*((FIXED, length) for length in (0, 1, 2, 4, 8)), *((way, 4) for way in WAYS if way is not FIXED)]


@pytest.mark.parametrize(("way", "length"), HOW, ids=str)
@pytest.mark.parametrize("rule", Rule)
def test_the_budget_is_exact_at_every_value(rule: Rule, way: Way, length: int) -> None:
    """1 to 20 tokens come when 1 to 20 are asked for, and a context that just holds them is never overrun."""
    policy = way.policy(length)
    for budget in range(1, 21):
        for draft in (draft_chain(), target_chain()):
            target = TableModel(log_of(np.vstack([TARGET, CERTAIN_FIRST])), ctx=3 + budget - 1)
            reply = write(target, draft, way=way, policy=policy, rule=rule, budget=budget, prompt=[1, 2, START])
            assert len(reply.tokens) == budget
            assert reply.endings == []


@pytest.mark.parametrize("rule", Rule)
def test_an_end_token_among_kept_guesses_ends_the_reply(rule: Rule) -> None:
    """What was proposed after it is neither judged nor written."""
    reply = write(TableModel.of(CYCLE), TableModel.of(CYCLE), rule=rule, length=4, ends=lambda token: token == 2)
    assert reply.tokens == [0, 1, 2]
    assert reply.sources == [Source.PLAIN, Source.ACCEPTED, Source.ACCEPTED]
    assert reply.rounds[-1].drafted == (1, 2, 3, 0)
    assert reply.rounds[-1].verified == reply.rounds[-1].accepted == 2


@in_every_way
@pytest.mark.parametrize("end", range(VOCAB))
def test_an_end_token_anywhere_ends_the_reply(end: int, way: Way) -> None:
    """First, kept, in a guess's place or as the bonus: it is the last token, of what is copied too."""
    prompt = [0, 1, 2, 3, 0, 1, 2, 3, START]
    for length in range(5):
        policy = way.policy(length)
        for draft in (TableModel.of(CYCLE), draft_chain()):
            reply = write(
                TableModel.of(CYCLE), draft, way=way, policy=policy, prompt=prompt, ends=lambda token: token == end
            )
            assert reply.tokens == list(range(end + 1))


@pytest.mark.parametrize("rule", Rule)
def test_a_draft_length_of_zero_decodes_plainly(rule: Rule) -> None:
    """The draft is never run, and the text is that without one."""
    draft = draft_chain()
    reply = write(target_chain(), draft, rule=rule, length=0)
    assert draft.fed == []
    assert set(reply.sources) == {Source.PLAIN}
    assert reply.tokens == write(target_chain(), rule=rule).tokens


@pytest.mark.parametrize("temperature", [0.0, 1.0])
@pytest.mark.parametrize("value", [np.nan, np.inf])
@pytest.mark.parametrize("rule", Rule)
@in_every_way
def test_a_broken_target_row_is_an_error_and_never_a_token(
    way: Way, rule: Rule, value: float, temperature: float
) -> None:
    """NaN and +inf in the target's logits raise NON_FINITE_LOGITS, with a draft and without."""
    rows = log_of(CYCLE)
    rows[2, 1] = value
    settings = replace(BARE, temperature=temperature)
    for draft in (None, TableModel.of(CYCLE)):
        with pytest.raises(EngineError) as caught:
            write(TableModel(rows), draft, way=way, rule=rule, settings=settings, prompt=[0, 1, START])
        assert caught.value.report.kind is ErrorKind.NON_FINITE_LOGITS


@pytest.mark.parametrize("temperature", [0.0, 1.0])
@pytest.mark.parametrize("p_min", [0.0, 0.5])
@pytest.mark.parametrize("value", [np.nan, np.inf])
@pytest.mark.parametrize("rule", Rule)
def test_a_broken_draft_row_only_ends_drafting(rule: Rule, value: float, p_min: float, temperature: float) -> None:
    """NaN and +inf in the draft's logits are reported, and the reply goes on."""
    rows = log_of(CYCLE)
    rows[2, 1] = value
    settings = replace(BARE, temperature=temperature)
    for way in WITH_A_MODEL:
        reply = write(
            TableModel.of(CYCLE), TableModel(rows), way=way, rule=rule, settings=settings, p_min=p_min, budget=8
        )
        assert reply.tokens == [0, 1, 2, 3, 0, 1, 2, 3]
        assert reply.endings == [Inactive.DRAFT_FAILED] or way.by_time  # which need not have asked it


def test_a_target_that_fails_on_a_batch_reads_its_tokens_one_by_one() -> None:
    """Where several at once fail and one passes, the guesses are judged all the same; where none passes, it is over."""
    target = TableModel.of(CYCLE)
    target.most_outputs = 3
    reply = write(target, TableModel.of(CYCLE), length=4, budget=9)
    assert reply.tokens == [0, 1, 2, 3, 0, 1, 2, 3, 0]
    assert reply.sources.count(Source.ACCEPTED) == 6
    assert target.fed == [(START,), (0,), (1,), (2,), (3,), (0,), (1, 2, 3)]
    assert reply.endings == []
    target = TableModel.of(CYCLE)
    target.fails_from = 3
    with pytest.raises(EngineError) as caught:
        write(target, TableModel.of(CYCLE), length=4)
    assert caught.value.report.kind is ErrorKind.DECODE_FAILED


@pytest.mark.parametrize("way", [FIXED, AUTO, CHAIN], ids=str)
def test_a_target_that_fails_on_long_batches_leaves_its_law(way: Way) -> None:
    """How long a batch is depends on what was drawn, by time or where p_min is set: the replies have the law all the
    same."""
    test = JointTest.of(Setup(real(Rule.RESIDUAL), length=2, p_min=0.55, target=short_target, way=way))
    assert test.run(ENOUGH // 2) > LEVEL
    assert test.share(Source.ACCEPTED) > 0.2


def test_a_cancelled_reply_stops_between_rounds() -> None:
    """The flag is read before every round, and what was written stays in the caches."""
    asked: Iterator[int] = iter(range(100))
    target, draft = TableModel.of(CYCLE), TableModel.of(CYCLE)
    with pytest.raises(Interrupted):
        write(target, draft, length=2, cancelled=lambda: next(asked) >= 3)
    assert target.tokens == [START, 0, 1, 2, 3, 0, 1, 2, 3, 0][: len(target.tokens)]
    assert len(target.fed) == 4


def smaller_vocabulary() -> TableModel:
    """Reads the target's last token but never guesses it."""
    return TableModel.of(np.vstack([DRAFT, CERTAIN_FIRST])[:, :3])


@pytest.mark.parametrize("way", [FIXED, AUTO, AUTO_CHAIN], ids=str)
@pytest.mark.parametrize("draft", [padded_draft, smaller_vocabulary])
def test_unequal_vocabularies_leave_the_targets_law(draft: Callable[[], TableModel], way: Way) -> None:
    """With padding rows on either side the replies have the joint law, and drafting never ends."""
    test = JointTest.of(Setup(real(Rule.RESIDUAL), length=2, draft=draft, way=way))
    assert test.run(ENOUGH // 2) > LEVEL
    assert test.share(Source.ACCEPTED) > (0.1 if way.by_time else 0.3)


@pytest.mark.parametrize("way", [FIXED, AUTO, CHAIN], ids=str)
def test_a_draft_that_fails_in_the_middle_leaves_the_targets_law(way: Way) -> None:
    """Where it fails depends on what it drew, so what it drew is judged all the same: the replies have the law."""
    test = JointTest.of(Setup(real(Rule.RESIDUAL), length=2, draft=breaking_draft, drafting_ends=True, way=way))
    assert test.run(ENOUGH // 2) > LEVEL
    assert test.share(Source.ACCEPTED) > (0.05 if way.by_time else 0.2)
    assert test.share(Source.PLAIN) > 0.05


@pytest.mark.parametrize("way", WITH_A_MODEL, ids=str)
@pytest.mark.parametrize("rule", Rule)
def test_a_draft_never_guesses_what_the_target_does_not_have(rule: Rule, way: Way) -> None:
    """An id beyond the target's vocabulary would make its pass fail and all the round's guesses useless."""
    policy = way.policy(4)
    for seed in range(10):
        reply = write(
            target_chain(), padded_draft(), way=way, policy=policy, rule=rule, settings=replace(BARE, seed=seed)
        )
        assert all(token < VOCAB for event in reply.rounds for token in event.drafted)
        assert way.by_time or Source.PLAIN not in reply.sources[1:-1]
