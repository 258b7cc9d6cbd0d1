"""`bench` and `doctor`, for people and as JSON."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from tests.conftest import StarterFiles
from tests.e2e.conftest import TinyPair
from tests.e2e.program import run

EXACT = ["--flash-attn", "off", "--kv-type", "f32"]


def test_bench_json(tiny: TinyPair) -> None:
    """Both sides have the same settings, seed and text; the ratio is the median of the pairs'."""
    result = run(
        "bench", *tiny.words, *EXACT, "--raw", "--prompt", "x", "--repeats", "3", "--max-tokens", "64", "--json"
    )
    assert result.status == 0, result.err
    document = result.document
    pairs, text = document["pairs"], document["text"]
    assert isinstance(pairs, list)
    assert isinstance(text, dict)
    assert len(pairs) == 3
    assert sorted(pair["ratio"] for pair in pairs)[1] == document["ratio"]
    assert [pair["off"]["speculation"] for pair in pairs] == ["off"] * 3
    assert [pair["on"]["speculation"] for pair in pairs] == ["on"] * 3
    assert {pair[side]["reused_tokens"] for pair in pairs for side in ("off", "on")} == {0}
    assert text["identical"] is True
    assert text["off"] == text["on"]
    assert {"machine", "pair", "settings", "off", "on"} <= document.keys()
    for side in ("off", "on"):
        figures = document[side]
        assert isinstance(figures, dict)
        assert figures["least_tokens_per_s"] <= figures["tokens_per_s"] <= figures["most_tokens_per_s"]


def test_bench_table(tiny: TinyPair) -> None:
    """People get a table with both speeds, the ratio and a word on the texts."""
    result = run("bench", *tiny.words, *EXACT, "--repeats", "1", "--max-tokens", "32")
    assert result.status == 0, result.err
    assert [line.split()[0] for line in result.out.splitlines() if line[:5].strip() in ("off", "on", "ratio")] == [
        "off",
        "on",
        "ratio",
    ]
    assert "Both texts are identical, all 32 tokens." in result.out


def test_bench_of_presets(tiny: TinyPair) -> None:
    """Each has its row and its figures; all share the models, the computer and the seed."""
    words = ["bench", *tiny.words, *EXACT, "--raw", "--repeats", "1", "--max-tokens", "24", "--preset", "story,json"]
    table = run(*words)
    assert table.status == 0, table.err
    assert [line.split()[0] for line in table.out.splitlines() if line[:5] in ("Story", "JSON ")] == ["Story", "JSON"]
    assert "too short to tell" in table.out
    document = run(*words, "--json").document
    presets = document["presets"]
    assert isinstance(presets, list)
    assert [one["preset"] for one in presets] == ["story", "json"]
    assert all(one.keys() >= {"off", "on", "ratio", "pairs", "text", "choice", "settings"} for one in presets)
    assert len({one["settings"]["seed"] for one in presets}) == 1
    assert {"machine", "pair"} <= document.keys()


def test_bench_sweeps_draft_lengths(tiny: TinyPair) -> None:
    """Off, each length and auto in one run; auto is what is compared with off."""
    words = ["bench", *tiny.words, *EXACT, "--raw", "--prompt", "x", "--repeats", "1", "--max-tokens", "24"]
    document = run(*words, "--sweep", "1,3", "--json").document
    sweep, settings = document["sweep"], document["settings"]
    assert isinstance(sweep, dict)
    assert isinstance(settings, dict)
    assert [row["draft_length"] for row in sweep["rows"]] == ["off", 1, 3, "auto"]
    off, *_, auto = sweep["rows"]
    assert off["acceptance_rate"] is None
    assert auto["ratio"] == document["ratio"]
    assert auto["choice"] == document["choice"]
    assert sweep["best"] in ("off", 1, 3)
    assert settings["draft_length"] == "auto"
    table = run(*words, "--sweep", "2")
    assert table.status == 0, table.err
    assert "Auto ÷ best:" in table.out


def test_bench_of_the_lookup_with_a_target_alone(tiny: TinyPair) -> None:
    """It needs no draft, so there is something to compare."""
    result = run(
        "bench", "--target", str(tiny.target), "--drafters", "lookup", "--prompt", "x", "--repeats", "1",
        "--max-tokens", "24", "--threads", "1", "--json",
    )  # fmt: skip
    assert result.status == 0, result.err
    document = result.document
    pairs, pair = document["pairs"], document["pair"]
    assert isinstance(pairs, list)
    assert isinstance(pair, dict)
    assert pair["draft"] is None
    assert pairs[0]["on"]["speculation"] == "on"


def test_bench_goes_on_after_a_prompt_that_does_not_fit(tiny: TinyPair) -> None:
    """What is wrong with one prompt says nothing of the others, and a failure loses nothing that was measured. The
    answer has the shape that was asked for, and the status says that not all of it was done."""
    words = ["bench", *tiny.words, "--preset", "summary,chat", "--ctx", "1024", "--max-tokens", "64", "--repeats", "1"]
    result = run(*words, "--json")
    assert result.status == 1
    assert "Left out: " in result.err
    presets = result.document["presets"]
    assert isinstance(presets, list)
    left_out, measured = presets
    assert (left_out["preset"], left_out["error"]["kind"]) == ("summary", "prompt_too_long")
    assert "ratio" not in left_out
    assert (measured["preset"], measured["settings"]["preset"]) == ("chat", "chat")
    assert "error" not in measured
    table = run(*words)
    assert table.status == 1
    assert [line.split()[:2] for line in table.out.splitlines() if line.startswith("Open")] == [["Open", "chat"]]
    assert "Not measured: Summary." in table.out


def test_bench_of_prompts_that_all_fail_is_a_list_too(tiny: TinyPair) -> None:
    """Each with its own reason."""
    words = ["--preset", "summary,edit", "--ctx", "256", "--max-tokens", "64", "--repeats", "1", "--json"]
    result = run("bench", *tiny.words, *words)
    assert result.status == 1
    presets = result.document["presets"]
    assert isinstance(presets, list)
    assert [(one["preset"], one["error"]["kind"]) for one in presets] == [
        ("summary", "prompt_too_long"), ("edit", "prompt_too_long"),
    ]  # fmt: skip
    assert {"machine", "pair"} <= result.document.keys()


def test_bench_remembers_and_notices_a_loss(tiny: TinyPair, base_dir: Path) -> None:
    """Against earlier runs with the same settings, and not against others."""
    words = ["bench", *tiny.words, *EXACT, "--raw", "--repeats", "1", "--max-tokens", "64", "--prompt"]
    first = run(*words, "x")
    assert first.status == 0, first.err
    assert "earlier runs" not in first.err
    with closing(sqlite3.connect(base_dir / "data" / "compare.sqlite")) as connection, connection:
        connection.execute("UPDATE run SET on_tokens_per_s = 1e9, engine = '0.3.0 (CPU)'")
    second = run(*words, "x")
    assert second.status == 0, second.err
    assert "earlier runs with the same settings" in second.err
    assert "The engine was 0.3.0 (CPU) then" in second.err
    assert "earlier runs" not in run(*words, "y").err


def test_bench_with_real_weights(starter_words: list[str], starter: StarterFiles) -> None:
    """In the exact configuration both texts are identical, and guesses save passes."""
    words = ["--repeats", "1", "--max-tokens", "24", "--draft-length", "4", "--preset", "table", "--json"]
    result = run("bench", *starter_words, *EXACT, *words)
    assert result.status == 0, result.err
    document = result.document
    pairs, text, settings = document["pairs"], document["text"], document["settings"]
    assert isinstance(pairs, list)
    assert isinstance(text, dict)
    assert isinstance(settings, dict)
    assert text["identical"] is True
    assert (settings["preset"], settings["kind"]) == ("table", "json")
    assert pairs[0]["off"]["completion_tokens"] == pairs[0]["on"]["completion_tokens"] == 24
    assert pairs[0]["on"]["rounds"] < pairs[0]["off"]["rounds"]


@pytest.mark.parametrize("words", [["--draft-length", "0"], ["--drafters", "model"]])
def test_bench_without_speculation_is_refused(tiny: TinyPair, words: list[str]) -> None:
    """Where speculation does not run there is nothing to compare, and the reason is told."""
    pair = tiny.words if "--draft-length" in words else ["--target", str(tiny.target)]
    result = run("bench", *pair, *words, "--max-tokens", "16", "--json")
    assert result.status == 1
    error = result.document["error"]
    assert isinstance(error, dict)
    assert error["kind"] == "speculation_inactive"
    assert "Speculation" in result.err


def test_bench_of_a_reply_that_ends_at_once(tiny: TinyPair) -> None:
    """A few tokens are no measurement. A limit below that is refused at once; what else ends a reply is told."""
    result = run("bench", *tiny.words, "--max-tokens", "3", "--json")
    assert (result.status, result.out) == (2, "")
    assert "3 must be at least 8" in result.err
    written = run("generate", *tiny.words, *EXACT, "--raw", "--prompt", "x", "--max-tokens", "16", "--temperature", "0")
    stop = written.out.strip()[1:3]
    words = ["--raw", "--prompt", "x", "--max-tokens", "16", "--stop", stop, "--json"]
    result = run("bench", *tiny.words, *EXACT, *words)
    assert result.status == 1, written.out
    assert "too short" in result.err
    assert "a text that was set to end it" in result.err


def test_doctor(base_dir: Path) -> None:
    """What a bug report needs is there, for people and as JSON, and looking makes no target."""
    result = run("doctor")
    assert result.status == 0
    for word in ("llama-cpp-python", "0.3.36", "PySide6", "starter pair", str(base_dir), "free disk", "last crash"):
        assert word in result.out
    document = run("doctor", "--json").document
    engine = document["engine"]
    assert isinstance(engine, dict)
    assert engine["devices"]
    assert document["starter"] == "to_be_made"
    assert document["last_crash_log"] is None
    assert not (base_dir / "data").exists()


def test_doctor_where_the_engine_cannot_start(base_dir: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without its library the engine does not start; doctor tells that and all the rest, with status 1."""
    monkeypatch.setenv("LLAMA_CPP_LIB_PATH", str(base_dir / "nothing here"))
    result = run("doctor")
    assert result.status == 1
    assert "does not start" in result.out
    assert "The engine could not be started" in result.err
    assert "Traceback" not in result.out + result.err
    document = run("doctor", "--json").document
    assert document["engine"] is None
    error = document["error"]
    assert isinstance(error, dict)
    assert error["kind"] == "engine_start_failed"
    assert str(document["last_crash_log"]).startswith(str(base_dir / "logs"))


def test_folder_that_cannot_be_written(base_dir: Path, tiny: TinyPair) -> None:
    """A base folder that is a file is told as such, by every command."""
    base_dir.write_text("a file")
    for words in (["generate", *tiny.words, "--prompt", "x"], ["doctor"], ["bench", *tiny.words]):
        result = run(*words)
        assert result.status == 1
        assert "cannot be written to" in result.err
        assert "Traceback" not in result.err


def test_details_only_on_request(base_dir: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """--verbose adds the end of the engine's log to the message; without it no trace is shown."""
    monkeypatch.setenv("LLAMA_CPP_LIB_PATH", str(base_dir / "nothing here"))
    assert "engine/host.py" not in run("doctor").err
    assert "engine/host.py" in run("doctor", "--verbose").err
