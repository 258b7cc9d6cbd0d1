"""The loop's passes, times and reports. Texts and laws are tested in `tests/lossless`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from engine.drafting import ModelDrafter
from engine.errors import EngineError, ErrorKind
from engine.policy import FixedLength
from engine.speculate import DraftingEnded, Round, Speculator
from engine.types import Inactive, SamplingSettings, Source
from engine.verify import Coupled
from tests.fakes.table_model import TableModel

VOCAB = 8
GREEDY = SamplingSettings(temperature=0.0)
STEP = np.roll(np.eye(VOCAB), 1, axis=1)  # 0, 1, 2 … 7, 0


def off_at(token: int) -> np.ndarray:
    """STEP, but wrong after one token."""
    rows = STEP.copy()
    rows[token] = np.eye(VOCAB)[(token + 3) % VOCAB]
    return rows


def loop(
    target: TableModel,
    draft: TableModel | None,
    *,
    length: int = 3,
    budget: int = 12,
    ends: Callable[[int], bool] = lambda token: False,
    settings: SamplingSettings = GREEDY,
) -> Speculator:
    """A loop whose prompt, token 0, has been read and whose first token, 1, has been written."""
    row = target.decode([0], 1)[0]
    rule = Coupled(settings.seed)
    speculator = Speculator(
        target=target,
        committed=[0],
        drafter=None if draft is None else ModelDrafter(draft, settings, rule),
        rule=rule,
        settings=settings,
        policy=FixedLength(length),
        budget=budget,
        ends=ends,
        cancelled=lambda: False,
    )
    opening = speculator.first(row)
    assert (opening.drafted, opening.verified, opening.accepted) == ((), 0, 0)
    assert [emitted.token for emitted in opening.emitted] == [1]
    target.fed.clear()
    return speculator


def tokens(event: Round | DraftingEnded) -> list[int]:
    assert isinstance(event, Round)
    return [emitted.token for emitted in event.emitted]


def test_a_round_is_one_pass_over_the_last_token_and_the_guesses() -> None:
    """All kept: three guesses and the bonus; the target's cache then lacks only the bonus."""
    target = TableModel.of(STEP)
    speculator = loop(target, TableModel.of(STEP))
    event = next(speculator.rounds())
    assert target.fed == [(1, 2, 3, 4)]
    assert tokens(event) == [2, 3, 4, 5]
    assert [emitted.source for emitted in event.emitted] == [Source.ACCEPTED] * 3 + [Source.BONUS]
    assert (event.drafted, event.verified, event.accepted) == ((2, 3, 4), 3, 3)
    assert target.tokens == [0, 1, 2, 3, 4]


def test_a_guess_that_is_not_kept_ends_the_round_and_is_shown() -> None:
    """The target's token stands in its place, with both probabilities; later guesses are not judged."""
    target, draft = TableModel.of(STEP), TableModel.of(off_at(2))
    event = next(loop(target, draft).rounds())
    assert tokens(event) == [2, 3]
    assert (event.drafted, event.verified, event.accepted) == ((2, 5, 6), 2, 1)
    resampled = event.emitted[-1]
    assert (resampled.source, resampled.rejected) == (Source.RESAMPLED, 5)
    assert resampled.q is not None
    assert (resampled.p.probability(3), resampled.q.probability(5)) == (1.0, 1.0)
    assert target.tokens == [0, 1, 2]
    assert draft.tokens == [0, 1, 2]


def test_a_draft_is_not_run_for_tokens_that_cannot_be_used() -> None:
    """The last round of a budget proposes one token fewer than are left, and nothing for the very last."""
    for budget, drafted in ((8, [(2, 3, 4), (6, 7)]), (7, [(2, 3, 4), (6,)]), (6, [(2, 3, 4), ()]), (5, [(2, 3, 4)])):
        rounds = loop(TableModel.of(STEP), TableModel.of(STEP), budget=budget).rounds()
        assert [event.drafted for event in rounds if isinstance(event, Round)] == drafted


def test_times_are_those_of_the_models_and_the_rest() -> None:
    """draft_s and verify_s are what the models say they spent; judging and the whole round lie around them."""
    target, draft = TableModel.of(STEP, cost_s=100.0), TableModel.of(STEP, cost_s=10.0)
    speculator = loop(target, draft, length=3)
    event = next(speculator.rounds())
    assert (event.draft_s, event.verify_s) == (30.0, 100.0)
    plain = next(loop(TableModel.of(STEP, cost_s=100.0), None).rounds())
    assert (plain.draft_s, plain.verify_s) == (0.0, 100.0)
    assert 0.0 < plain.sample_s <= plain.wall_s
    assert [emitted.source for emitted in plain.emitted] == [Source.PLAIN]


def failing(draft: TableModel) -> TableModel:
    draft.fails_from = 3
    return draft


def unforgetting(draft: TableModel) -> TableModel:
    draft.refusals = 1
    return draft


@pytest.mark.parametrize(
    ("draft", "reason"),
    [
        (lambda: TableModel.of(STEP, ctx=6), Inactive.DRAFT_CONTEXT_FULL),
        (lambda: failing(TableModel.of(STEP)), Inactive.DRAFT_FAILED),
        (lambda: unforgetting(TableModel.of(off_at(2))), Inactive.DRAFT_ROLLBACK),
    ],
)
def test_the_end_of_drafting_is_reported_once_after_its_round(
    draft: Callable[[], TableModel], reason: Inactive
) -> None:
    """The reply goes on plainly, and a round in which no draft ran says so."""
    speculator = loop(TableModel.of(STEP), draft())
    events = list(speculator.rounds())
    assert [event for event in events if isinstance(event, DraftingEnded)] == [DraftingEnded(reason, goes_on=False)]
    assert speculator.drafter is None
    assert isinstance(events[0], Round)
    after = events[events.index(DraftingEnded(reason, goes_on=False)) + 1 :]
    assert after
    assert all(isinstance(event, Round) and event.drafted == () for event in after)
    assert speculator.committed == [n % VOCAB for n in range(13)]


def test_a_target_that_cannot_forget_reads_its_cache_again() -> None:
    """Once, a chunk at a time, and drafting is over: nothing has to be forgotten any more."""
    target = TableModel.of(STEP, chunk=4)
    speculator = loop(target, TableModel.of(off_at(3)), budget=9)
    target.refusals = 1
    first, ended, *_ = speculator.rounds()
    assert tokens(first) == [2, 3, 4]
    assert ended == DraftingEnded(Inactive.TARGET_ROLLBACK, goes_on=False)
    assert target.fed == [(1, 2, 3, 6), (0, 1, 2, 3), (4,), (5,), (6,), (7,), (0,)]
    assert speculator.committed == [n % VOCAB for n in range(10)]


def test_an_end_token_first_leaves_no_rounds() -> None:
    """Nothing is drafted after a reply that ended with its first token."""
    draft = TableModel.of(STEP)
    speculator = loop(TableModel.of(STEP), draft, ends=lambda token: token == 1)
    assert speculator.ended
    assert list(speculator.rounds()) == []
    assert draft.fed == []


def test_a_target_that_fails_on_one_token_is_an_error() -> None:
    """There is nothing to fall back to."""
    target = TableModel.of(STEP)
    speculator = loop(target, TableModel.of(STEP))
    target.fails_from = 0
    with pytest.raises(EngineError) as caught:
        next(speculator.rounds())
    assert caught.value.report.kind is ErrorKind.DECODE_FAILED


def test_p_and_q_are_the_rows_after_the_settings() -> None:
    """What a reader is told of a token is what the rule saw."""
    rng = np.random.default_rng(5)
    settings = replace(GREEDY, temperature=0.7, top_k=4)
    p, q = (rng.normal(size=(VOCAB, VOCAB)) for _ in range(2))
    p[0, 1] = 50.0  # the first token is 1, as `loop` says
    for event in loop(TableModel(p), TableModel(q), settings=settings).rounds():
        assert isinstance(event, Round)
        for emitted in event.emitted:
            assert len(emitted.p.ids) <= 4
            assert emitted.p.probability(emitted.token) > 0.0
            assert (emitted.q is None) == (emitted.source is Source.BONUS or emitted.source is Source.PLAIN)
