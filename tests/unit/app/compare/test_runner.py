"""The runner, against a client that replays replies."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import cast

import pytest

from app.compare.runner import Cancelled, Runner
from app.compare.sweep import SweepPlan
from app.engine_client import EngineClient
from app.jobs import Job
from engine.errors import EngineError, ErrorKind
from engine.protocol import Event, Failed, Weighed
from engine.types import EndReason, Inactive
from tests.fakes.fake_client import FakeClient
from tests.fakes.tapes import Tape, failing, reply
from tests.unit.app.compare.replies import LONG, PLAN

ONE_PAIR = replace(PLAN, repeats=1)
OFF = reply(LONG, inactive=Inactive.SWITCHED_OFF)
ON = reply(LONG)
OTHER = reply(LONG.replace("word41", "else41"))


def follow(job: Job) -> Iterator[Event]:
    for event in job:
        if isinstance(event, Failed):
            raise EngineError.of(event.report)
        yield event


def runner(client: FakeClient, told: list[str] | None = None) -> Runner:
    return Runner(cast(EngineClient, client), follow, ([] if told is None else told).append)


def test_it_asks_step_by_step() -> None:
    """Off and on in turns from cold caches, the warm-up first, and says what it is at."""
    told: list[str] = []
    client = FakeClient(replies=[OFF, ON, OFF, ON])
    outcome = runner(client, told).compare(ONE_PAIR)
    assert [(asked.speculate, asked.cold) for asked in client.requests] == [(False, True), (True, True)] * 2
    assert len(outcome.pairs) == 1
    assert outcome.difference is None
    assert client.weighings == []
    assert told == [
        "warm-up, speculation off", "warm-up, speculation on", "run 1 of 1, speculation off",
        "run 1 of 1, speculation on",
    ]  # fmt: skip


def test_it_has_a_difference_weighed() -> None:
    """The two tokens after the common beginning; the gap goes into the outcome."""
    client = FakeClient(replies=[OFF, ON, OFF, OTHER])
    difference = runner(client).compare(ONE_PAIR).difference
    assert difference is not None
    [(common, tokens)] = client.weighings
    assert len(common) == difference.index
    assert tokens[0] != tokens[1]
    assert (difference.gap, difference.near_tie) == (client.gap, True)


@pytest.mark.parametrize("kind", [ErrorKind.ENGINE_DIED, ErrorKind.LOAD_CANCELLED])
def test_what_was_measured_outlives_a_failed_weighing(kind: ErrorKind) -> None:
    """The difference then stays unexplained; a cancel is one all the same."""

    def fails(job: Job) -> Iterator[Event]:
        for event in job:
            if isinstance(event, Weighed):
                raise EngineError(kind)
            yield event

    client = cast(EngineClient, FakeClient(replies=[OFF, ON, OFF, OTHER]))
    measuring = Runner(client, fails, [].append)
    if kind is ErrorKind.LOAD_CANCELLED:
        with pytest.raises(Cancelled):
            measuring.compare(ONE_PAIR)
        return
    difference = measuring.compare(ONE_PAIR).difference
    assert difference is not None
    assert difference.near_tie is None


def test_a_sweep_asks_for_every_policy_and_has_auto_weighed() -> None:
    client = FakeClient(replies=[OFF, ON, ON, OFF, ON, OTHER])
    outcome = runner(client).sweep(SweepPlan(ONE_PAIR, (2,)))
    asked = [(one.speculate, one.draft_length) for one in client.requests]
    assert asked == [(False, 0), (True, 2), (True, None)] * 2
    assert [row.policy for row in outcome.rows] == [0, 2, None]
    assert outcome.compared.difference is not None
    assert outcome.compared.difference.near_tie


@pytest.mark.parametrize(
    ("on", "kind"),
    [
        (reply(LONG, inactive=Inactive.NO_DRAFT), ErrorKind.SPECULATION_INACTIVE),
        (reply("Too short."), ErrorKind.REPLY_TOO_SHORT),
        (failing(ErrorKind.DECODE_FAILED), ErrorKind.DECODE_FAILED),
    ],
)
def test_where_nothing_can_be_measured_it_says_why(on: Tape, kind: ErrorKind) -> None:
    """With a sweep as well."""
    with pytest.raises(EngineError) as failed:
        runner(FakeClient(replies=[OFF, on])).compare(ONE_PAIR)
    assert failed.value.report.kind is kind
    with pytest.raises(EngineError) as failed:
        runner(FakeClient(replies=[OFF, on])).sweep(SweepPlan(ONE_PAIR, (2,)))
    assert failed.value.report.kind is kind


def test_what_ended_a_short_reply_is_told() -> None:
    """Of each policy of a sweep too, with the texts that were to end it."""
    plan = replace(ONE_PAIR, request=replace(ONE_PAIR.request, stop=("short",)))
    for sweeps in (False, True):
        measuring = runner(FakeClient(replies=[reply("Too short.", reason=EndReason.STOP)]))
        with pytest.raises(EngineError) as failed:
            measuring.sweep(SweepPlan(plan, (2,))) if sweeps else measuring.compare(plan)
        report = failed.value.report
        assert (report.fact("end"), report.fact("stop_texts")) == ("stop", 1)


def test_a_cancelled_reply_ends_it() -> None:
    stopped = reply(LONG, reason=EndReason.CANCELLED)
    with pytest.raises(Cancelled):
        runner(FakeClient(replies=[OFF, stopped])).compare(ONE_PAIR)
    with pytest.raises(Cancelled):
        runner(FakeClient(replies=[OFF, stopped])).sweep(SweepPlan(ONE_PAIR, (2,)))


@pytest.mark.parametrize(
    ("ending", "error"),
    [(reply(LONG, reason=EndReason.CANCELLED), Cancelled), (failing(ErrorKind.ENGINE_DIED), EngineError)],
)
def test_complete_pairs_outlive_an_early_end(ending: Tape, error: type[Exception]) -> None:
    """Of a sweep the complete turns. The next plan begins with nothing."""
    measuring = runner(FakeClient(replies=[OFF, ON, OFF, ON, OFF, ending, OFF, ending]))
    with pytest.raises(error):
        measuring.compare(PLAN)
    assert measuring.outcome is not None
    assert len(measuring.outcome.pairs) == 1
    assert measuring.swept is None
    with pytest.raises(error):
        measuring.compare(PLAN)
    assert measuring.outcome is None
    measuring = runner(FakeClient(replies=[OFF, ON, ON, OFF, ON, ON, OFF, ending]))
    with pytest.raises(error):
        measuring.sweep(SweepPlan(PLAN, (2,)))
    assert measuring.outcome is not None
    assert measuring.swept is not None
    assert len(measuring.outcome.pairs) == 1
    assert measuring.swept.compared is measuring.outcome
