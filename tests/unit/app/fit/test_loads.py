"""Loads are judged before they begin, and explained where memory ran out."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from app.fit.loads import LoadJudge, WouldNotFitError
from app.fit.values import Verdict
from app.messages import message_for
from engine.errors import EngineError, ErrorKind, ErrorReport
from engine.types import KvType, LoadRequest
from tests.fakes.devices import GIB, card, machine, memory
from tests.fakes.fake_client import FakeClient
from tests.fakes.fake_desk import FakeDesk

REQUEST = LoadRequest("/m/target.gguf", "/m/draft.gguf", ctx=32_768)


@pytest.fixture
def desk(tmp_path: Path) -> FakeDesk:
    """A pair of 8 and 1 billion parameters, and a card of 12 GB."""
    fake = FakeDesk(tmp_path)
    fake.models = "llama-8b", "llama-1b-tied"
    return fake


@pytest.fixture
def judge(desk: FakeDesk) -> Iterator[LoadJudge]:
    client = FakeClient()
    yield LoadJudge(desk, client)
    client.close()


def with_card(desk: FakeDesk, free: int) -> None:
    desk.now = machine(card(24 * GIB, free, name="RTX 4070"))


def test_what_fits_is_loaded_as_asked(desk: FakeDesk, judge: LoadJudge) -> None:
    """With room to spare nothing is changed and nothing proposed."""
    with_card(desk, 24 * GIB)
    forecast = judge.judge(REQUEST)
    assert forecast is not None
    assert forecast.request == REQUEST
    assert forecast.verdict is Verdict.FITS
    assert forecast.proposed is None


def test_what_does_not_fit_is_not_tried(desk: FakeDesk, judge: LoadJudge) -> None:
    """It is refused with its figures and with settings that do fit, and the user can overrule that."""
    with_card(desk, 9 * GIB)
    with pytest.raises(WouldNotFitError) as caught:
        judge.judge(REQUEST)
    error = caught.value
    assert error.remedy is not None
    assert error.remedy.ctx is not None
    assert error.remedy.ctx < 32_768
    message = message_for(error.report)
    assert message.title == "This does not fit into memory"
    assert "With a context of 32,768 tokens" in message.text
    assert "9.7 GB of it are free" in message.text
    assert f"context {error.remedy.ctx:,}" in message.text
    proposed = judge.judge(error.remedy)
    assert proposed is not None
    assert proposed.verdict is Verdict.FITS
    anyway = judge.judge(REQUEST, anyway=True)
    assert anyway is not None
    assert anyway.verdict is Verdict.TOO_BIG
    assert anyway.request == REQUEST


def test_tight_is_asked_about(desk: FakeDesk, judge: LoadJudge) -> None:
    """What fits only without the margin is told apart from what does not fit at all."""
    with_card(desk, 24 * GIB)
    forecast = judge.judge(REQUEST)
    assert forecast is not None
    part = forecast.report.placement.deciding
    with_card(desk, part.need_bytes + part.margin_bytes // 2)
    with pytest.raises(WouldNotFitError) as caught:
        judge.judge(REQUEST)
    assert message_for(caught.value.report).title == "Memory would be tight"
    assert "should stay free" in message_for(caught.value.report).text


def test_nothing_fits(desk: FakeDesk, judge: LoadJudge) -> None:
    """Where no settings help, that is said, and what does help."""
    desk.now = machine(system=memory(free=GIB, total=4 * GIB))
    with pytest.raises(WouldNotFitError) as caught:
        judge.judge(REQUEST)
    assert caught.value.remedy is None
    assert "Choose a smaller model" in message_for(caught.value.report).text


def test_without_figures_it_is_tried(desk: FakeDesk, judge: LoadJudge) -> None:
    """A pair of which nobody can tell what it takes is loaded; files that the engine would refuse are not."""
    desk.models = None
    assert judge.judge(REQUEST) is None

    def refuse(request: LoadRequest) -> None:
        raise EngineError(ErrorKind.NOT_GGUF, path=request.target)

    desk.check = refuse
    with pytest.raises(EngineError) as caught:
        judge.judge(REQUEST)
    assert caught.value.report.kind is ErrorKind.NOT_GGUF


def test_faults_of_memory_are_explained(desk: FakeDesk, judge: LoadJudge) -> None:
    """Memory that ran out although it was predicted to be enough: figures, and settings that take less."""
    with_card(desk, 24 * GIB)
    fits = judge.judge(REQUEST)
    assert fits is not None
    report = ErrorReport(ErrorKind.OUT_OF_MEMORY, (("stage", "decode"),))
    told = judge.explain(report, REQUEST)
    assert told.remedy is not None
    less = judge.judge(told.remedy)
    assert less is not None
    need, before = (one.report.placement.deciding.need_bytes for one in (less, fits))
    assert need <= 0.9 * before
    text = message_for(told.report).text
    assert text.startswith("Memory ran out while the reply was written. With a context of 32,768 tokens")
    assert "This takes less: " in text  # by the figures all of it would fit


@pytest.mark.parametrize(
    ("facts", "detail", "is_told"),
    [
        ((("signal", "SIGABRT"),), "CUDA error: out of memory", True),
        ((("signal", "SIGABRT"),), "GGML_ASSERT(n > 0) failed", False),
        ((("signal", "SIGKILL"),), "", False),  # by hand: there is room
        ((("signal", "SIGKILL"), ("reason", "no answer")), "", False),
    ],
)
def test_deaths(
    facts: tuple[tuple[str, str], ...], detail: str, is_told: bool, desk: FakeDesk, judge: LoadJudge
) -> None:
    """An engine that died for want of memory is told from one that died of something else."""
    with_card(desk, 24 * GIB)
    told = judge.explain(ErrorReport(ErrorKind.ENGINE_DIED, facts, detail), REQUEST)
    assert (told.remedy is not None) is is_told
    assert ("It ran out of memory." in message_for(told.report).text) is is_told


def test_killed_while_memory_was_short(desk: FakeDesk, judge: LoadJudge) -> None:
    """An engine that was killed while its pair did not fit was most likely killed because of that."""
    desk.now = machine(system=memory(free=4 * GIB, total=16 * GIB))
    told = judge.explain(ErrorReport(ErrorKind.ENGINE_DIED, (("signal", "SIGKILL"),)), REQUEST)
    assert "It ran out of memory." in message_for(told.report).text


def test_other_faults_stay(desk: FakeDesk, judge: LoadJudge) -> None:
    """What has nothing to do with memory keeps its words, and so does a fault where there are no figures."""
    report = ErrorReport(ErrorKind.DECODE_FAILED, (("code", -1),))
    assert judge.explain(report, REQUEST).report is report
    desk.models = None
    report = ErrorReport(ErrorKind.OUT_OF_MEMORY, (("stage", "load"), ("path", "/m/target.gguf")))
    assert judge.explain(report, REQUEST).report is report
    assert "target.gguf was loaded" in message_for(report).text


def test_smaller_cache_before_fewer_layers(desk: FakeDesk, judge: LoadJudge) -> None:
    """Where even 4,096 tokens are too many the cache becomes smaller next."""
    with_card(desk, 24 * GIB)
    small = replace(REQUEST, ctx=4096)
    fits = judge.judge(small)
    assert fits is not None
    with_card(desk, fits.report.placement.deciding.need_bytes + fits.report.placement.deciding.margin_bytes - 1)
    with pytest.raises(WouldNotFitError) as caught:
        judge.judge(small)
    assert caught.value.remedy is not None
    assert caught.value.remedy.kv_type is KvType.Q8_0
