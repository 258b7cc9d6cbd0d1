"""Files and requests that cannot work: exit status 1, a sentence on stderr, a kind in the JSON, no trace."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.e2e.conftest import TinyPair
from tests.e2e.program import COMMAND, ONE_THREAD, ROOT, run
from tests.fakes.gguf_files import (
    FIRST_WORD,
    Tiny,
    write_embedding_model,
    write_model,
    write_text_file,
    write_truncated,
    write_vocabulary_only,
)

Words = list[str]
MakeWords = Callable[[Path, TinyPair], Words]

ENDLESS = (
    "{% for a in range(9999) %}{% for b in range(9999) %}{% for c in range(9999) %}{% endfor %}{% endfor %}{% endfor %}"
)
REACHING = "{{ messages.__class__.__mro__[1].__subclasses__() }}"


def target(path: Path, *words: str) -> Words:
    return ["--target", str(path), *ONE_THREAD, "--prompt", "hello", "--max-tokens", "2", *words]


def with_draft(tiny: TinyPair, draft: Path) -> Words:
    return target(tiny.target, "--draft", str(draft))


def with_template(folder: Path, template: str | None) -> Words:
    return target(write_model(folder / "model.gguf", Tiny(chat_template=template)))


def with_file(tiny: TinyPair, path: Path, data: bytes, option: str = "--prompt-file") -> Words:
    path.write_bytes(data)
    return [*tiny.words, option, str(path)]


CASES: dict[str, tuple[str, MakeWords]] = {
    "missing file": ("file_missing", lambda folder, tiny: target(folder / "none.gguf")),
    "missing draft": ("file_missing", lambda folder, tiny: with_draft(tiny, folder / "none.gguf")),
    "folder": ("file_unreadable", lambda folder, tiny: target(folder)),
    "text file": ("not_gguf", lambda folder, tiny: target(write_text_file(folder / "text.gguf"))),
    "text file as draft": ("not_gguf", lambda folder, tiny: with_draft(tiny, write_text_file(folder / "text.gguf"))),
    "truncated": (
        "gguf_truncated",
        lambda folder, tiny: target(write_truncated(tiny.target, folder / "part.gguf", tiny.target.stat().st_size - 9)),
    ),
    "truncated header": (
        "gguf_truncated",
        lambda folder, tiny: target(write_truncated(tiny.target, folder / "part.gguf", 5_000)),
    ),
    "vocabulary only": (
        "vocabulary_only",
        lambda folder, tiny: target(write_vocabulary_only(folder / "vocabulary.gguf")),
    ),
    "embedding model": (
        "not_generative",
        lambda folder, tiny: target(write_embedding_model(folder / "embedding.gguf")),
    ),
    "draft of another family": (
        "draft_vocabulary",
        lambda folder, tiny: with_draft(
            tiny,
            write_model(
                folder / "other.gguf",
                Tiny(changed_tokens=tuple((token_id, f"x{token_id}") for token_id in range(FIRST_WORD, 512))),
            ),
        ),
    ),
    "draft of another size": (
        "draft_vocabulary",
        lambda folder, tiny: with_draft(tiny, write_model(folder / "other.gguf", Tiny(vocab_size=1025))),
    ),
    "prompt longer than the context": (
        "prompt_too_long",
        lambda folder, tiny: [*tiny.words, "--prompt", "hello " * 500, "--ctx", "256"],
    ),
    "more tokens than the context holds": (
        "max_tokens_past_context",
        lambda folder, tiny: [*tiny.words, "--prompt", "hello", "--ctx", "256", "--max-tokens", "256"],
    ),
    "empty prompt": ("prompt_empty", lambda folder, tiny: [*tiny.words, "--prompt", " "]),
    "empty raw prompt": ("prompt_empty", lambda folder, tiny: [*tiny.words, "--prompt", "", "--raw"]),
    "no messages": (
        "prompt_empty",
        lambda folder, tiny: with_file(tiny, folder / "messages.json", b"[]", "--messages"),
    ),
    "invalid UTF-8": ("text_not_utf8", lambda folder, tiny: with_file(tiny, folder / "prompt.txt", b"hello \xff")),
    "missing prompt file": ("file_missing", lambda folder, tiny: [*tiny.words, "--prompt-file", str(folder / "none")]),
    "broken messages": (
        "messages_invalid",
        lambda folder, tiny: with_file(tiny, folder / "messages.json", b"[1]", "--messages"),
    ),
    "no chat template": ("no_chat_template", lambda folder, tiny: with_template(folder, None)),
    "broken template": ("chat_template_broken", lambda folder, tiny: with_template(folder, "{% if %}")),
    "endless template": ("chat_template_endless", lambda folder, tiny: with_template(folder, ENDLESS)),
    "reaching template": ("chat_template_unsafe", lambda folder, tiny: with_template(folder, REACHING)),
}


@pytest.mark.parametrize("name", CASES)
def test_bad_input_is_told(name: str, tiny: TinyPair, tmp_path: Path) -> None:
    """Each ends with status 1; stdout has the JSON with its kind, stderr the same sentence."""
    kind, make_words = CASES[name]
    result = run("generate", *make_words(tmp_path, tiny), "--json")
    assert result.status == 1, result.err
    error = result.document["error"]
    assert isinstance(error, dict)
    assert error["kind"] == kind
    assert result.document["finish_reason"] == "error"
    assert result.err.splitlines()[-2:] == [error["title"], error["text"]]
    assert "Traceback" not in result.out + result.err


def test_plain_output_says_nothing_on_stdout(tiny: TinyPair, tmp_path: Path) -> None:
    """Without --json, stdout stays empty where there is no answer."""
    result = run("generate", *target(tmp_path / "none.gguf"))
    assert (result.status, result.out) == (1, "")
    assert "none.gguf is not there" in result.err


def test_model_without_a_template_works_with_a_format_or_raw(tmp_path: Path) -> None:
    """The two ways out that the message names do work."""
    words = with_template(tmp_path, None)
    assert run("generate", *words, "--chat-format", "chatml").status == 0
    assert run("generate", *words, "--raw").status == 0


@pytest.mark.parametrize(
    "words",
    [
        ["--ctx", str(2**32 + 1)],
        ["--ctx", "0"],
        ["--threads", "10000"],
        ["--gpu-layers", str(2**31)],
        ["--repeat-penalty", "1e308"],
    ],
)
def test_numbers_that_the_engine_cannot_hold_are_wrong_usage(tiny: TinyPair, words: list[str]) -> None:
    """A number beyond what the engine's fields hold is refused with status 2, not cut to another number."""
    result = run("generate", *tiny.words, "--prompt", "hi", *words)
    assert result.status == 2
    assert words[0] in result.err


@pytest.mark.parametrize("ctx", ["1", "2", "8"])
def test_tiny_context_holds_a_round(tiny: TinyPair, ctx: str) -> None:
    """A context shorter than a round is made long enough instead of aborting the engine."""
    result = run("generate", *tiny.words, "--prompt", "hi", "--ctx", ctx, "--draft-length", "16", "--max-tokens", "5")
    assert result.status == 0, result.err


@pytest.mark.parametrize("temperature", ["1e-308", "5e-324", "1e30"])
def test_extreme_temperatures_write(tiny: TinyPair, temperature: str) -> None:
    """Temperatures at the ends of what a number can be still give a distribution."""
    result = run("generate", *tiny.words, "--prompt", "hi", "--max-tokens", "5", "--temperature", temperature)
    assert result.status == 0, result.err


def test_answer_that_cannot_be_written_is_told(tiny: TinyPair) -> None:
    """A full disk behind stdout is a failure with a message, with and without --json; never a traceback."""
    for words in ([], ["--json"]):
        with open("/dev/full", "wb") as full:
            command = [*COMMAND, "generate", *tiny.words, "--prompt", "hi", "--seed", "1", "--max-tokens", "9", *words]
            done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, cwd=ROOT, check=False)
        assert done.returncode == 1
        assert b"stdout" in done.stderr
        assert b"base folder" not in done.stderr
        assert b"Traceback" not in done.stderr


def test_endless_prompt_file_is_refused(tiny: TinyPair) -> None:
    """A file that never ends is read up to a limit, then refused."""
    result = run("generate", *tiny.words, "--prompt-file", "/dev/zero")
    assert result.status == 1
    assert "64 MB" in result.err


@pytest.mark.parametrize("base", ["", "~no-such-user/x"])
def test_base_folder_that_cannot_be_is_wrong_usage(base: str) -> None:
    """An empty or impossible base folder is refused before anything is written anywhere."""
    result = run("doctor", "--base-dir", base)
    assert result.status == 2
    assert "Traceback" not in result.err
