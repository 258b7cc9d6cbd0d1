"""Prompts from files are read strictly, and what is wrong with them is said."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.generation_settings import GenerationSettings
from app.prompts import is_unicode, read_messages, read_text, whole_characters
from engine.errors import EngineError, ErrorKind
from engine.types import ChatFormat, ChatMessage


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "prompt.txt"


def refused(path: Path | str, read: object = read_text) -> EngineError:
    with pytest.raises(EngineError) as caught:
        read(str(path))  # type: ignore[operator]
    return caught.value


def test_text_is_read_as_it_is(file: Path) -> None:
    """Chinese, emoji, line ends and blanks come through unchanged."""
    file.write_bytes("  你好 🙂\r\n".encode())
    assert read_text(str(file)) == "  你好 🙂\r\n"


def test_byte_order_mark_is_dropped(file: Path) -> None:
    """The mark some editors write is no part of the prompt; one inside the text is."""
    file.write_bytes("\ufeffa\ufeff".encode())
    assert read_text(str(file)) == "a\ufeff"


@pytest.mark.parametrize(("data", "position"), [(b"ab\xff", 2), (b"\xef\xbb\xbfab\xc3", 5), ("é".encode("utf-16"), 0)])
def test_invalid_utf8_is_refused_with_its_position(file: Path, data: bytes, position: int) -> None:
    """The position counts from the file's first byte, the mark included."""
    file.write_bytes(data)
    report = refused(file).report
    assert report.kind is ErrorKind.TEXT_NOT_UTF8
    assert report.fact("position") == position


def test_missing_file_and_folder_are_refused(tmp_path: Path) -> None:
    """No file, and a folder in its place, are told apart."""
    assert refused(tmp_path / "none").report.kind is ErrorKind.FILE_MISSING
    assert refused(tmp_path).report.kind is ErrorKind.FILE_UNREADABLE


def test_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    """A dash reads standard input, with the same strictness."""
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO("é".encode())))
    assert read_text("-") == "é"


@pytest.mark.parametrize("wrap", [lambda entries: entries, lambda entries: {"model": "x", "messages": entries}])
def test_messages_from_a_list_or_an_object(file: Path, wrap: object) -> None:
    """Both shapes give the same conversation."""
    entries = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "你好"}]
    file.write_text(json.dumps(wrap(entries)), encoding="utf-8")  # type: ignore[operator]
    assert read_messages(str(file)) == (ChatMessage("system", "Be brief."), ChatMessage("user", "你好"))


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "Expecting value"),
        ("{}", "There is no list"),
        ('"hi"', "There is no list"),
        ("[1]", "Message 1 is not an object"),
        ('[{"role": "user", "content": "a"}, {"role": "tool", "content": "b"}]', "Message 2 has no role"),
        ('[{"role": ["user"], "content": "a"}]', "Message 1 has no role"),
        ('[{"role": "user", "content": [{"type": "text"}]}]', "Message 1 has no text"),
        ('[{"role": "user", "content": "\\ud800"}]', "Message 1 has half a character"),
        ("[" * 100_000, "recursion"),
    ],
)
def test_invalid_messages_are_refused(file: Path, text: str, reason: str) -> None:
    """What is wrong is named, with the number of the message."""
    file.write_text(text)
    report = refused(file, read_messages).report
    assert report.kind is ErrorKind.MESSAGES_INVALID
    assert reason in str(report.fact("reason"))


@given(st.text())
def test_every_whole_text_is_unicode(text: str) -> None:
    """Whatever consists of characters passes; a lone surrogate in it does not."""
    assert is_unicode(text)
    assert not is_unicode(text + "\udcff")


def test_halves_of_characters_are_replaced() -> None:
    """One half is U+FFFD, two that belong together are their character, and all else stays."""
    assert whole_characters("a\ud83d b\ude42") == "a\ufffd b\ufffd"
    assert whole_characters("\ud83d\ude42 你好") == "🙂 你好"


@given(st.text(st.characters(exclude_categories=())))
def test_what_is_made_whole_is_unicode(text: str) -> None:
    """Whatever a clipboard holds; what was whole before is not changed."""
    assert is_unicode(whole_characters(text))
    assert not is_unicode(text) or whole_characters(text) == text


def test_what_a_window_asks_is_unicode() -> None:
    """In the chat and on the Compare page, which make their requests here."""
    messages = (ChatMessage("system", "\udc00"), ChatMessage("user", "half \ud83d"))
    made = GenerationSettings().request(messages, speculate=True, chat_format=ChatFormat.MODEL)
    assert made.messages == (ChatMessage("system", "\ufffd"), ChatMessage("user", "half \ufffd"))
