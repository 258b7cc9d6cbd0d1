"""What passes cost and how often a draft is right: measured at a load, learned by replies, kept for the next run."""

from __future__ import annotations

import json
from contextlib import closing
from pathlib import Path
from typing import Any

from app.engine_client import EngineClient
from app.learned import LearnedPairs
from engine.errors import ErrorKind
from engine.protocol import CostsSeen, Event, Failed, Finished, Loaded, LoadProgress, Measuring
from engine.types import DraftRound, EndReason, GenerationRequest, LoadRequest, SamplingSettings
from tests.conftest import StarterFiles
from tests.e2e.conftest import TinyPair


def learned(folder: Path) -> dict[str, Any]:
    (file,) = (folder / "learned").iterdir()
    document: dict[str, Any] = json.loads(file.read_text())
    return document


def evidence(folder: Path, kind: str) -> float:
    """Guesses that the draft model made in this kind of text, newer ones counting more."""
    kept, missed = learned(folder)["acceptance"]["model"]["kinds"][kind]
    return float(sum(kept) + sum(missed))


def write(client: EngineClient, **fields: Any) -> list[Event]:
    request = GenerationRequest(0, prompt="abc", max_tokens=60, sampling=SamplingSettings(temperature=0), **fields)
    return list(client.generate(request))


def test_a_load_measures_and_a_reply_learns_and_the_next_run_knows(tiny: TinyPair, tmp_path: Path) -> None:
    """Nothing of a reply of fixed length is learned, and what was learned survives the program."""
    request = LoadRequest(str(tiny.target), str(tiny.draft), threads=1, measure=True)
    with closing(EngineClient(tmp_path / "logs", LearnedPairs(tmp_path))) as client:
        *reading, measuring, costs, loaded = client.load(request)
        assert {type(event) for event in reading} == {LoadProgress}
        assert isinstance(measuring, Measuring)
        assert isinstance(costs, CostsSeen)
        assert isinstance(loaded, Loaded)
        assert len(costs.costs.verify_s) == 17
        assert evidence(tmp_path, "") > 0
        measured = learned(tmp_path)
        write(client, draft_length=4)
        assert learned(tmp_path) == measured
        events = write(client, kind="code")
        assert isinstance(events[-1], Finished)
        assert any(isinstance(event, CostsSeen) for event in events)
        after = learned(tmp_path)
        assert after["costs"] != measured["costs"]
    with closing(EngineClient(tmp_path / "logs", LearnedPairs(tmp_path))) as client:
        assert isinstance(list(client.load(request))[-1], Loaded)
        assert learned(tmp_path)["acceptance"] == after["acceptance"]


def test_a_load_that_is_not_asked_to_measures_nothing(tiny: TinyPair, tmp_path: Path) -> None:
    """And a reply without speculation does not either; the first that needs to know does."""
    with closing(EngineClient(tmp_path / "logs", LearnedPairs(tmp_path))) as client:
        assert isinstance(list(client.load(LoadRequest(str(tiny.target), str(tiny.draft), threads=1)))[-1], Loaded)
        write(client, speculate=False)
        assert not (tmp_path / "learned").exists()
        events = write(client)
        assert (tmp_path / "learned").exists()
        rounds = [event for event in events if isinstance(event, DraftRound)]
        assert any(event.choice is not None for event in rounds)


def test_a_reply_can_be_stopped_while_it_is_measured_what_passes_cost(starter: StarterFiles, tmp_path: Path) -> None:
    """It ends as any that is stopped, and the next one is written."""
    with closing(EngineClient(tmp_path / "logs")) as client:
        load = LoadRequest(str(starter.target), str(starter.draft), threads=1)
        assert isinstance(list(client.load(load))[-1], Loaded)
        request = GenerationRequest(0, prompt="One, two,", max_tokens=4, sampling=SamplingSettings(temperature=0))
        job = client.generate(request)
        job.cancel()
        *_, ending = job
        assert isinstance(ending, Finished)
        assert ending.reason is EndReason.CANCELLED
        *_, ending = client.generate(request)
        assert isinstance(ending, Finished)
        assert ending.reason is EndReason.LENGTH


def test_a_load_can_be_cancelled_while_it_measures(starter: StarterFiles, tmp_path: Path) -> None:
    """Then nothing is loaded."""
    with closing(EngineClient(tmp_path / "logs")) as client:
        job = client.load(LoadRequest(str(starter.target), str(starter.draft), threads=1, measure=True))
        for event in job:
            if isinstance(event, Measuring):
                job.cancel()
        assert isinstance(event, Failed)
        assert event.report.kind is ErrorKind.LOAD_CANCELLED
        assert client.pair is None
        *_, ending = client.generate(GenerationRequest(0, prompt="One, two,", max_tokens=4))
        assert isinstance(ending, Failed)
        assert ending.report.kind is ErrorKind.NOT_LOADED
