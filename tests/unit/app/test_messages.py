"""Every kind of error and every reason has its sentence."""

from __future__ import annotations

import ast
import errno
import os
import re
from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree

import pytest

import app
from app import translate
from app.error_words import Facts
from app.messages import inactive_sentence, message_for
from app.prompts import read_text
from engine.errors import EngineError, ErrorKind, ErrorReport
from engine.gguf import read_header
from engine.types import EndReason, Inactive, LoadRequest
from tests.fakes.scripted_engine import loaded_pair

# One value for every fact that a kind may bring.
FACTS: tuple[tuple[str, str | int | float], ...] = (
    ("path", "/models/some model.gguf"),
    ("reason", "a reason"),
    ("size_bytes", 1_234_567_890),
    ("expected_bytes", 9_876_543_210),
    ("version", 9),
    ("missing", "/models/part-00002-of-00003.gguf"),
    ("architecture", "bert"),
    ("ctx", 131_072),
    ("stage", ""),
    ("draft", "Small 1B"),
    ("target", "Large 70B"),
    ("difference", "token"),
    ("token_id", 12_345),
    ("draft_text", "\n"),
    ("target_text", "中"),
    ("draft_size", 32_000),
    ("target_size", 49_152),
    ("differing_tokens", 1_000),
    ("model", "Some Model"),
    ("kv_type", "q8_0"),
    ("limit_s", 2.0),
    ("prompt_tokens", 12_345),
    ("max_tokens", 200_000),
    ("name", "top_p"),
    ("value", 1.5),
    ("code", -3),
    ("exit_code", 7),
    ("signal", ""),
    ("log_path", "/logs/engine.log"),
    ("needed_bytes", 540_000_000),
    ("need_bytes", 9_800_000_000),
    ("margin_bytes", 512_000_000),
    ("verdict", "tight"),
    ("device", "RTX 4070"),
    ("remedy", "context 4,096"),
    ("free_bytes", 12_000_000),
    ("package", "some-package"),
    ("position", 1_234),
    ("inactive", "no_draft"),
    ("completion_tokens", 3),
    ("host", "hub.example"),
    ("status", 503),
    ("retry_after_s", 30),
    ("repo", "owner/model-GGUF"),
    ("file", "model-Q4_K_M.gguf"),
    ("url", "https://hub.example/owner/model-GGUF"),
    ("token", "none"),
    ("seconds", 20),
    ("sha256", "0123abcd"),
    ("expected_sha256", "abcd0123"),
    ("id", "some-pair"),
    ("near", "other-pair"),
    ("title", "Large 70B + Small 1B"),
    ("entry", "some-pair"),
    ("owner", "LM Studio"),
    ("pieces", 2),
    ("file_type", "Q4_0"),
)
ENDINGS = (".", "/logs/engine.log", "https://hub.example/owner/model-GGUF")


@pytest.fixture
def in_capitals() -> Iterator[None]:
    """A translation that leaves names in braces alone."""
    before = translate._translator

    def shout(context: str, text: str) -> str:
        parts = text.replace("}", "{").split("{")
        return "".join("{" + part + "}" if index % 2 else part.upper() for index, part in enumerate(parts))

    translate.install(shout)
    yield
    translate.install(before)


@pytest.mark.parametrize("kind", ErrorKind)
def test_every_kind_has_a_message(kind: ErrorKind) -> None:
    """Each kind says what happened and what to do, in whole sentences with all values filled in."""
    message = message_for(ErrorReport(kind, FACTS, "a trace"))
    assert message.title
    assert not message.title.endswith(".")
    assert message.text.endswith(ENDINGS)
    assert message.detail == "a trace"
    for text in (message.title, message.text):
        assert "{" not in text
        assert "  " not in text
        assert "Traceback" not in text


@pytest.mark.parametrize("kind", ErrorKind)
def test_missing_facts_leave_gaps(kind: ErrorKind) -> None:
    """A report without facts still gives a message."""
    facts = (("inactive", "no_draft"),) if kind is ErrorKind.SPECULATION_INACTIVE else ()
    assert message_for(ErrorReport(kind, facts)).title


@pytest.mark.parametrize("kind", ErrorKind)
def test_every_message_is_translated(kind: ErrorKind, in_capitals: None) -> None:
    """No sentence goes around the translation."""
    message = message_for(ErrorReport(kind, FACTS))
    words = set(f"{message.title} {message.text}".split())
    values = set(" ".join(Facts(ErrorReport(kind, FACTS)).values()).split())
    assert all(word == word.upper() or word.strip(".,:;()") in values for word in words)


@pytest.fixture
def in_chinese() -> Iterator[None]:
    """As the window shows it, without Qt."""
    before, words = translate._translator, {}
    file = Path(app.__file__).parents[1] / "ui" / "translations" / "draftlight_zh_CN.ts"
    for context in ElementTree.parse(file).iter("context"):
        name = context.findtext("name")
        words |= {(name, message.findtext("source")): message.findtext("translation") for message in context}
    translate.install(lambda context, text: words[context, text] or "")
    yield
    translate.install(before)


@pytest.mark.parametrize("kind", ErrorKind)
def test_chinese_sentences_follow_each_other_without_a_blank(kind: ErrorKind, in_chinese: None) -> None:
    """Title and text in one line too, whatever they are put together from."""
    for facts in (FACTS, (*FACTS, ("stage", "load"), ("verdict", "fits"), ("need_bytes", 5 << 30))):
        line = message_for(ErrorReport(kind, facts)).line
        assert not re.search("[。；：？！] ", line), line
        assert not re.search(r"[\u4e00-\u9fff]\. ", line), line


@pytest.mark.parametrize("inactive", Inactive)
def test_every_reason_has_a_sentence(inactive: Inactive) -> None:
    """Each reason is one filled-in text, with a pair and without."""
    pair = loaded_pair(LoadRequest("a.gguf", draft="b.gguf"))
    for sentence in (inactive_sentence(inactive, pair), inactive_sentence(inactive, None)):
        assert sentence.startswith("Speculation ")
        assert sentence.endswith(".")
        assert "{" not in sentence


@pytest.mark.parametrize("difference", ["kind", "size", "token"])
def test_every_difference_of_vocabularies_has_words(difference: str) -> None:
    """Each check that a draft can fail is told with both models' names."""
    report = ErrorReport(ErrorKind.DRAFT_VOCABULARY, (*FACTS, ("difference", difference)))
    text = message_for(report).text
    assert "Small 1B" in text
    assert "Large 70B" in text


@pytest.mark.parametrize(
    ("path", "advice"),
    [("x" * 5_000, "Check the path."), (".", "Choose a file."), ("file/file", "Check the path.")],
)
def test_advice_fits_why_a_file_cannot_be_read(tmp_path: Path, path: str, advice: str) -> None:
    """Permissions and disks are blamed for what they do."""
    (tmp_path / "file").touch()
    with pytest.raises(EngineError) as refused:
        read_text(str(tmp_path / path))
    assert message_for(refused.value.report).text.endswith(f". {advice}")


def test_a_device_is_no_model_file() -> None:
    with pytest.raises(EngineError) as refused:
        read_header(os.devnull)
    assert message_for(refused.value.report).text.endswith(": not a regular file. Choose a file.")


@pytest.mark.parametrize(
    ("number", "advice"),
    [
        (errno.EACCES, "Check the file's permissions."),
        (errno.EIO, "Check the file's permissions and its disk."),
    ],
)
def test_permissions_and_disks_are_blamed_for_their_own(number: int, advice: str) -> None:
    report = ErrorReport(ErrorKind.FILE_UNREADABLE, (("path", "/a.gguf"), ("reason", os.strerror(number))))
    assert message_for(report).text == f"/a.gguf: {os.strerror(number)}. {advice}"


@pytest.mark.parametrize(
    ("end", "stop_texts", "advice"),
    [
        (EndReason.STOP, 0, "Use a prompt that asks for more."),
        (EndReason.STOP, 1, "Set no such text, or use a prompt that asks for more."),
        (EndReason.LENGTH, 1, "Allow more tokens."),
        (EndReason.CONTEXT, 0, "Use a longer context or a shorter prompt."),
    ],
)
def test_a_short_reply_is_told_by_what_ended_it(end: EndReason, stop_texts: int, advice: str) -> None:
    """Only where the model ended it does it help to ask for more. One token is not "1 tokens"."""
    facts = (("completion_tokens", 1), ("end", end.value), ("stop_texts", stop_texts))
    text = message_for(ErrorReport(ErrorKind.REPLY_TOO_SHORT, facts)).text
    assert text.endswith(advice)
    assert "token 1" in text
    assert ("model ended" in text) == (end is EndReason.STOP and not stop_texts)


def test_numbers_are_written_for_people() -> None:
    """Thousands have separators, bytes have units, labels stay as they are, token texts are quoted."""
    facts = Facts(ErrorReport(ErrorKind.INTERNAL, FACTS))
    assert facts["prompt_tokens"] == "12,345"
    assert facts["size_bytes"] == "1.2 GB"
    assert facts["free_bytes"] == "12 MB"
    assert facts["token_id"] == "12345"
    assert facts["draft_text"] == '"\\n"'
    assert facts["target_text"] == '"中"'
    assert facts["limit_s"] == "2"
    assert facts["path_name"] == "some model.gguf"
    assert facts["unheard of"] == ""


def test_sizes_that_look_alike_are_told_to_the_byte() -> None:
    """A file that lacks a few bytes is not told to have 98 MB where it should have 98 MB."""
    report = ErrorReport(
        ErrorKind.GGUF_TRUNCATED,
        (("path", "a.gguf"), ("size_bytes", 98_362_431), ("expected_bytes", 98_362_432)),
    )
    assert "98,362,431 bytes" in message_for(report).text
    assert "98,362,432 bytes" in message_for(report).text


@pytest.mark.parametrize(
    ("facts", "expected"),
    [
        ((("signal", "SIGKILL"), ("exit_code", -9)), "memory ran out"),
        ((("signal", "SIGABRT"), ("exit_code", -6)), "SIGABRT"),
        ((("signal", "SIGILL"), ("exit_code", -4)), "older processors"),
        ((("signal", ""), ("exit_code", 0xC000001D)), "older processors"),
        ((("signal", ""), ("exit_code", 3)), "exit code 3"),
        ((("signal", "SIGKILL"), ("exit_code", -9), ("reason", "no answer")), "no longer answered"),
        ((), "Nothing is known"),
    ],
)
def test_a_death_is_explained_by_its_cause(facts: tuple[tuple[str, str | int], ...], expected: str) -> None:
    """A kill, an abort, a processor that is too old, an exit and a hang are told apart, and unknown causes are said
    to be unknown.
    """
    assert expected in message_for(ErrorReport(ErrorKind.ENGINE_DIED, facts)).text


def test_translate_is_called_with_literals() -> None:
    """Every sentence can be found by the tool that collects them for translation."""
    calls = 0
    for file in Path(app.__file__).parent.glob("*.py"):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "translate":
                calls += 1
                assert all(isinstance(argument, ast.Constant) for argument in node.args), (file, node.lineno)
    assert calls > 50


def test_names_cannot_steer_the_terminal() -> None:
    """Escape sequences, line breaks and marks of direction in a file's name are shown, not obeyed."""
    message = message_for(ErrorReport(ErrorKind.FILE_MISSING, (("path", "/models/a\x1b[2J\r\u202eb c 模型.gguf"),)))
    for text in (message.title, message.text):
        assert text.isprintable()
    assert "b c 模型.gguf" in message.title
