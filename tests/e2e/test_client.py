"""The client with the real engine: deaths, reloads, cancels."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from app.engine_client import EngineClient, EngineState, Job
from engine.errors import ErrorKind
from engine.protocol import Event, Failed, Finished, Loaded, LoadProgress, PrefillProgress
from engine.stats import FoldedEvent, ReplyFold
from engine.types import DraftRound, EndReason, GenerationRequest, LoadRequest, SamplingSettings
from tests.conftest import StarterFiles
from tests.e2e.conftest import TinyPair


@pytest.fixture
def client(tmp_path: Path) -> Iterator[EngineClient]:
    client = EngineClient(tmp_path / "logs")
    yield client
    client.close()


def request(prompt: str, max_tokens: int | None = 40) -> GenerationRequest:
    """Of a fixed draft length, so that two replies have the same passes and round alike."""
    sampling = SamplingSettings(temperature=0.0)
    return GenerationRequest(0, prompt=prompt, max_tokens=max_tokens, sampling=sampling, draft_length=4)


def reply(events: list[Event]) -> ReplyFold:
    fold = ReplyFold()
    for event in events:
        if isinstance(event, FoldedEvent):
            fold.add(event)
    return fold


def follow_until(job: Job, kind: type[Event]) -> Event:
    while not isinstance(event := job.next_event(), kind):
        assert event is not None
    return event


def cancel_now(client: EngineClient, job: Job) -> None:
    """Cancel `job` while the engine stands still, so that it cannot end first."""
    assert client.pid is not None
    engine = psutil.Process(client.pid)
    engine.suspend()
    job.cancel()
    engine.resume()


def test_killed_engine_comes_back_with_its_pair(client: EngineClient, tiny: TinyPair) -> None:
    """After kill -9 in mid-reply the next reply loads the pair again by itself and writes the same text."""
    pair = LoadRequest(str(tiny.target), str(tiny.draft), threads=1)
    assert isinstance(list(client.load(pair))[-1], Loaded)
    before = reply(list(client.generate(request("hello"))))
    job = client.generate(request("hello", max_tokens=None))
    follow_until(job, DraftRound)
    assert client.pid is not None
    psutil.Process(client.pid).kill()
    *_, ending = job
    assert isinstance(ending, Failed)
    assert ending.report.kind is ErrorKind.ENGINE_DIED
    assert ending.report.fact("signal") == "SIGKILL"
    events = list(client.generate(request("hello")))
    assert isinstance(events[0], LoadProgress)
    assert reply(events).text == before.text
    assert client.pair is not None
    assert client.pair.draft is not None


def test_cancelled_reply_leaves_the_engine_usable(client: EngineClient, tiny: TinyPair) -> None:
    """A cancel ends the reply as cancelled, and the next one starts at once in the same engine."""
    list(client.load(LoadRequest(str(tiny.target), str(tiny.draft), threads=1)))
    pid = client.pid
    job = client.generate(request("hello", max_tokens=None))
    follow_until(job, DraftRound)
    cancel_now(client, job)
    *_, ending = job
    assert isinstance(ending, Finished)
    assert ending.reason is EndReason.CANCELLED
    assert reply(list(client.generate(request("hello")))).end is EndReason.LENGTH
    assert client.pid == pid


def test_cancel_while_the_prompt_is_read(client: EngineClient, starter: StarterFiles) -> None:
    """A long prompt can be cancelled between two of its parts."""
    list(client.load(LoadRequest(str(starter.target), threads=1)))
    job = client.generate(request("one two three four " * 1500))
    follow_until(job, PrefillProgress)
    job.cancel()
    *_, ending = job
    assert isinstance(ending, Finished)
    assert ending.reason is EndReason.CANCELLED
    assert client.state is EngineState.READY


def test_cancelled_load_frees_its_memory(client: EngineClient, starter: StarterFiles) -> None:
    """A load that is cancelled while it reads the weights leaves no pair, and the next load works."""
    job = client.load(LoadRequest(str(starter.target), str(starter.draft), threads=1))
    follow_until(job, LoadProgress)
    cancel_now(client, job)
    *_, ending = job
    assert isinstance(ending, Failed)
    assert ending.report.kind is ErrorKind.LOAD_CANCELLED
    assert client.pair is None
    assert isinstance(list(client.load(LoadRequest(str(starter.draft), threads=1)))[-1], Loaded)


def test_refused_pair_leaves_nothing_loaded(client: EngineClient, tiny: TinyPair, tmp_path: Path) -> None:
    """A load that is refused ends with its reason; the engine lives, and a reply finds no model."""
    list(client.load(LoadRequest(str(tiny.target), threads=1)))
    *_, ending = client.load(LoadRequest(str(tmp_path / "none.gguf")))
    assert isinstance(ending, Failed)
    assert ending.report.kind is ErrorKind.FILE_MISSING
    assert client.pair is None
    *_, ending = client.generate(request("hello"))
    assert isinstance(ending, Failed)
    assert ending.report.kind is ErrorKind.NOT_LOADED
