"""`generate` with real weights and with tiny ones: what it prints, where, and how it ends."""

from __future__ import annotations

import json
import os
import pty
import subprocess
from pathlib import Path

import pytest

from tests.e2e.conftest import TinyPair
from tests.e2e.program import COMMAND, FOUR_GUESSES, ONE_THREAD, ROOT, Result, run
from tests.fakes.gguf_files import Tiny, write_model

GREEDY = ["--temperature", "0", *FOUR_GUESSES]  # so that two runs round alike
EXACT = ["--flash-attn", "off", "--kv-type", "f32"]


def stats(result: Result) -> dict[str, object]:
    made = result.document["stats"]
    assert isinstance(made, dict)
    return made


def test_answer_on_stdout_and_the_rest_on_stderr(starter_words: list[str]) -> None:
    """The real pair answers; stdout holds the answer and a line end, stderr the figures."""
    words = ["generate", *starter_words, "--prompt", "What is the capital of France?", "--max-tokens", "24", *GREEDY]
    result = run(*words)
    assert result.status == 0
    assert "Paris" in result.out
    assert result.out.endswith("\n")
    assert "tokens/s" in result.err
    assert "accepted" in result.err
    assert "Traceback" not in result.err
    document = run(*words, "--json").document
    assert str(document["text"]) + "\n" == result.out


def test_json_of_the_real_pair(starter_words: list[str]) -> None:
    """One object whose tokens add up to its text and whose counts add up, for Chinese and emoji too."""
    result = run("generate", *starter_words, "--prompt", "用中文问好 🙂", "--max-tokens", "32", "--seed", "7", "--json")
    assert result.status == 0
    assert result.out.count("\n") == 1
    document, counts = result.document, stats(result)
    tokens = document["tokens"]
    assert isinstance(tokens, list)
    assert "".join(token["text"] for token in tokens) == document["text"]
    assert "\ufffd" not in str(document["text"])
    assert document["seed"] == 7
    assert len(tokens) == counts["completion_tokens"]
    assert counts["speculation"] == "on"
    assert counts["inactive_reason"] is None
    kinds = [token["source"] for token in tokens]
    assert [counts[kind] for kind in ("accepted", "resampled", "bonus", "plain")] == [
        kinds.count(kind) for kind in ("accepted", "resampled", "bonus", "plain")
    ]
    assert all(0 < token["p"] <= 1 for token in tokens)
    pair = document["pair"]
    assert isinstance(pair, dict)
    assert (pair["id"], pair["title"]) == ("starter", "SmolLM2 135M")


@pytest.mark.parametrize("temperature", ["0", "0.9"])
def test_same_seed_same_text_with_and_without_speculation(tiny: TinyPair, temperature: str) -> None:
    """Where the arithmetic is exact, speculation changes nothing but the speed, whatever the draft length."""
    words = [
        "generate",
        *tiny.words,
        *EXACT,
        "--prompt",
        "hello",
        "--raw",
        "--max-tokens",
        "200",
        "--seed",
        "3",
        "--json",
    ]
    words += ["--temperature", temperature]
    off, auto = run(*words, "--speculation", "off"), run(*words)
    on, long = run(*words, *FOUR_GUESSES), run(*words, "--draft-length", "9")
    texts = {str(result.document["text"]) for result in (off, auto, on, long)}
    assert len(texts) == 1
    assert [stats(result)["speculation"] for result in (off, auto, on, long)] == ["off", "on", "on", "on"]
    assert stats(off)["inactive_kind"] == "switched_off"
    assert int(str(stats(on)["accepted"])) > 0


@pytest.mark.parametrize("temperature", ["0", "0.9"])
def test_lengths_chosen_by_time_do_not_change_the_text(tiny: TinyPair, temperature: str) -> None:
    """However much is drafted in each round; what was chosen last is told in a sentence."""
    words = ["generate", *tiny.words, *EXACT, "--prompt", "hello", "--temperature", temperature, "--seed", "3"]
    words += ["--max-tokens", "200", "--raw"]
    chosen = run(*words, "--draft-length", "auto")
    plain = run(*words, "--speculation", "off")
    assert chosen.status == plain.status == 0, chosen.err
    assert chosen.out == plain.out
    assert "predicted" in chosen.err


def test_characters_of_several_tokens(tmp_path: Path) -> None:
    """Characters that take two, three and four tokens appear whole, inside accepted guesses too."""
    walker = str(write_model(tmp_path / "walker.gguf", Tiny(restless=0.0)))
    words = ["generate", "--target", walker, "--draft", walker, *ONE_THREAD, *GREEDY, "--draft-length", "7"]
    result = run(*words, "--prompt", "hello", "--raw", "--max-tokens", "600")
    assert result.status == 0
    assert set(result.out) >= {"é", "中", "🙂"}
    assert "\ufffd" not in result.out


def test_stop_string(tiny: TinyPair) -> None:
    """The reply ends before the stop string, and nothing of it is shown."""
    words = ["generate", *tiny.words, "--prompt", "hello", "--raw", "--max-tokens", "100", *GREEDY, "--json"]
    text = str(run(*words).document["text"])
    stop = text[40:46]
    document = run(*words, "--stop", "never appears", "--stop", stop).document
    assert document["finish_reason"] == "stop"
    assert document["text"] == text[: text.index(stop)]


@pytest.mark.parametrize(
    ("words", "reason", "tokens"), [(["--max-tokens", "5"], "length", 5), (["--ctx", "64"], "context", None)]
)
def test_ends_by_length_and_by_context(tiny: TinyPair, words: list[str], reason: str, tokens: int | None) -> None:
    """A limit ends the reply at exactly that many tokens; without one it ends where the context is full."""
    result = run("generate", *tiny.words, "--prompt", "hello", "--raw", *GREEDY, "--json", *words)
    assert result.status == 0
    assert result.document["finish_reason"] == reason
    pair, counts = result.document["pair"], stats(result)
    assert isinstance(pair, dict)
    room = int(pair["ctx"]) - int(str(counts["prompt_tokens"]))
    assert counts["completion_tokens"] == (room if tokens is None else tokens)


def test_messages_prompt_file_and_stdin(tiny: TinyPair, tmp_path: Path) -> None:
    """The same conversation by four ways gives the same reply."""
    text, messages = tmp_path / "提示.txt", tmp_path / "messages.json"
    text.write_bytes("\ufeff你好".encode())
    messages.write_text(json.dumps([{"role": "user", "content": "你好"}]), encoding="utf-8")
    words = ["generate", *tiny.words, "--max-tokens", "20", *GREEDY]
    results = [
        run(*words, "--prompt", "你好"),
        run(*words, "--prompt-file", str(text)),
        run(*words, "--messages", str(messages)),
        run(*words, "--prompt-file", "-", stdin="你好".encode()),
    ]
    assert [result.status for result in results] == [0] * 4
    assert len({result.out for result in results}) == 1


def test_chat_formats_differ(tiny: TinyPair) -> None:
    """ChatML and plain paragraphs are two prompts of different length."""
    words = ["generate", *tiny.words, "--prompt", "hello", "--max-tokens", "1", "--json"]
    sizes = [stats(run(*words, "--chat-format", name))["prompt_tokens"] for name in ("model", "chatml", "plain")]
    assert sizes[0] == sizes[1]
    assert sizes[2] != sizes[0]


def test_progress_is_shown_to_people_only(starter_words: list[str]) -> None:
    """On a terminal stderr shows how far the load is and wipes it; in a pipe there is no trace of it."""
    words = ["generate", *starter_words, "--prompt", "x", "--max-tokens", "1"]
    ours, theirs = pty.openpty()
    done = subprocess.run([*COMMAND, *words], stdout=subprocess.PIPE, stderr=theirs, cwd=ROOT, check=True)
    os.close(theirs)
    shown = os.read(ours, 65_536)
    os.close(ours)
    assert b"Loading the target" in shown
    assert b"Measuring how fast the pair is" in shown
    assert b"Loading" not in done.stdout
    err = run(*words).err
    assert "Loading" not in err
    assert "Measuring" not in err


@pytest.mark.parametrize(
    ("words", "kind", "told"),
    [
        (["--speculation", "on"], None, "only text that repeats"),
        (["--speculation", "auto"], None, ""),
        (["--speculation", "on", "--drafters", "model"], "no_draft", "needs a draft model"),
        (["--speculation", "auto", "--drafters", "model"], "no_draft", "needs a draft model"),
        (["--draft-length", "4"], None, "only text that repeats"),
        (["--speculation", "off", "--draft-length", "4"], "switched_off", ""),
    ],
)
def test_no_draft_is_told_when_speculation_was_asked_for(
    tiny: TinyPair, words: list[str], kind: str | None, told: str
) -> None:
    """Without a draft only the lookup speculates; who asked for speculation hears it, and the JSON says so always."""
    common = ["generate", "--target", str(tiny.target), "--threads", "1", "--prompt", "x", "--max-tokens", "3", *words]
    notes = run(*common).err
    assert told in notes
    assert ("draft model" in notes) is bool(told)
    counts = stats(run(*common, "--json"))
    assert (counts["speculation"], counts["inactive_kind"]) == ("off" if kind else "on", kind)
    assert counts["draft_inactive_kind"] == (None if kind else "no_draft")


def test_draft_length_zero_is_told(tiny: TinyPair) -> None:
    """A draft length of 0 decodes plainly and says so."""
    words = ["generate", *tiny.words, "--prompt", "x", "--max-tokens", "3", "--draft-length", "0"]
    assert "draft length is 0" in run(*words).err


@pytest.mark.parametrize("command", ["generate", "bench", "fit"])
def test_a_context_that_becomes_larger_is_told(tiny: TinyPair, command: str) -> None:
    """In a line and with the number that is made, which the JSON tells too; one that stays is no news."""
    asked = [] if command == "fit" else ["--raw", "--prompt", "x", "--max-tokens", "24"]
    once = ["--repeats", "1"] if command == "bench" else []
    result = run(command, *tiny.words, *asked, *once, "--ctx", "300", "--json")
    assert result.status == 0, result.err
    assert result.err.splitlines().count("The context is 512 tokens, not 300: contexts grow in steps of 256.") == 1
    of = result.document if command == "fit" else result.document["pair"]
    assert isinstance(of, dict)
    assert of["ctx"] == 512
    assert "steps" not in run(command, *tiny.words, *asked, *once, "--ctx", "512", "--json").err
