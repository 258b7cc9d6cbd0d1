"""`bench` against a client that replays replies: what is told where not all of it was measured."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from app import bench_command
from app.cli import main
from engine.errors import ErrorKind
from engine.types import EndReason, Inactive
from tests.fakes import tapes
from tests.fakes.fake_client import FakeClient
from tests.unit.app.compare.replies import LONG

OFF = tapes.reply(LONG, inactive=Inactive.SWITCHED_OFF)
ON = tapes.reply(LONG)
CANCELLED = tapes.reply(LONG, reason=EndReason.CANCELLED)
DEATH = tapes.failing(ErrorKind.ENGINE_DIED)
MEASURED = [OFF, ON, OFF, ON]  # the warm-up and one pair


class Bench:
    """Runs the command. `status` is the last run's."""

    def __init__(
        self, base: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        self._base = base
        self._monkeypatch = monkeypatch
        self._capsys = capsys
        self.status = 0

    def text(self, replies: list[tapes.Tape], *words: str) -> str:
        """What stands on stdout."""
        self._monkeypatch.setattr(bench_command, "EngineClient", lambda *_: FakeClient(replies=replies))
        self.status = main(["bench", "--base-dir", str(self._base), "--pair", "starter", "--repeats", "2", *words])
        return self._capsys.readouterr().out

    def document(self, replies: list[tapes.Tape], *words: str) -> dict[str, Any]:
        document = json.loads(self.text(replies, *words, "--json"))
        assert isinstance(document, dict)
        return document


@pytest.fixture
def bench(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Bench:
    monkeypatch.setattr(bench_command, "load", lambda *_: tapes.PAIR)
    return Bench(tmp_path, monkeypatch, capsys)


@pytest.mark.parametrize(("ending", "reason", "status"), [(CANCELLED, "cancelled", 130), (DEATH, "error", 1)])
def test_complete_pairs_are_told_after_an_early_end(
    bench: Bench, ending: tapes.Tape, reason: str, status: int
) -> None:
    """With why it ended, as JSON and for people; of a sweep too."""
    document = bench.document([*MEASURED, ending])
    assert bench.status == status
    assert (len(document["pairs"]), document["complete"], document["finish_reason"]) == (1, False, reason)
    assert ("error" in document) == (reason == "error")
    table = bench.text([*MEASURED, ending])
    assert bench.status == status
    assert "stopped after 1 of 2" in table
    swept = bench.document([OFF, ON, ON, OFF, ON, ON, ending], "--sweep", "2")
    assert [row["draft_length"] for row in swept["sweep"]["rows"]] == ["off", 2, "auto"]
    assert (len(swept["pairs"]), swept["finish_reason"]) == (1, reason)


@pytest.mark.parametrize(("ending", "reason", "status"), [(CANCELLED, "cancelled", 130), (DEATH, "error", 1)])
def test_every_preset_stands_in_the_answer(bench: Bench, ending: tapes.Tape, reason: str, status: int) -> None:
    """The one that was cut short with its pairs, those after it with the reason."""
    document = bench.document([*MEASURED, ending], "--preset", "code,json,story")
    assert bench.status == status
    assert document["finish_reason"] == reason
    first, *others = document["presets"]
    assert (first["preset"], len(first["pairs"]), first["complete"]) == ("code", 1, False)
    assert first["finish_reason"] == reason
    assert [other.keys() - {"error"} for other in others] == [{"preset", "finish_reason"}] * 2
    table = bench.text([*MEASURED, ending], "--preset", "code,json,story")
    assert "Code: stopped after 1 of 2." in table
    assert "Not measured: JSON, Story." in table


def test_a_complete_benchmark_has_no_reason(bench: Bench) -> None:
    document = bench.document([*MEASURED, OFF, ON], "--preset", "code")
    assert (bench.status, document["complete"]) == (0, True)
    assert "finish_reason" not in document
    assert "stopped" not in bench.text([*MEASURED, OFF, ON])


def test_before_a_pair_is_complete_the_reason_is_all(bench: Bench) -> None:
    assert bench.document([OFF, ON, OFF, CANCELLED]) == {"finish_reason": "cancelled"}
    assert bench.status == 130
