"""Text leaves the engine in whole characters, at once, and without stop strings."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from engine.text import TextStream

# Few letters, so that stop strings overlap and repeat; characters of one to four bytes, and joined emoji.
CHARACTERS = st.sampled_from(["a", "b", "ab", "aab", "\n", "é", "中", "🙂", "👩‍👩‍👧", "\ufffd"])
TEXTS = st.lists(CHARACTERS, max_size=30).map("".join)
STOPS = st.lists(st.lists(CHARACTERS, min_size=1, max_size=4).map("".join), max_size=4)
NOISE = st.lists(st.one_of(CHARACTERS.map(str.encode), st.binary(max_size=3)), max_size=20).map(b"".join)


def split(data: bytes, cuts: Iterable[int]) -> list[bytes]:
    """`data` in pieces, as tokens cut it."""
    edges = [0, *sorted(cut % (len(data) + 1) for cut in cuts), len(data)]
    return [data[start:end] for start, end in pairwise(edges)]


CUTS = st.lists(st.integers(0, 10_000), max_size=40)


def expected(text: str, stops: list[str]) -> tuple[str, bool]:
    """The visible part of a whole text, found without streaming, and whether a stop string ended it."""
    for end in range(len(text) + 1):
        complete = [len(stop) for stop in stops if text[:end].endswith(stop)]
        if complete:
            return text[: end - max(complete)], True
    return text, False


@given(TEXTS, STOPS, CUTS)
@example("aab", ["ab", "aab"], [0])
@example("abab", ["bab", "abab", "b"], [2])
def test_streamed_text_is_the_whole_text_up_to_its_first_stop(text: str, stops: list[str], cuts: list[int]) -> None:
    """However tokens cut the bytes, what is shown is what the whole text shows; nothing of a stop string leaks."""
    stream = TextStream(stops)
    shown = ""
    for piece in split(text.encode(), cuts):
        shown += stream.feed(piece)
        visible, _ = expected(text, stops)
        assert visible.startswith(shown)
    shown += stream.finish()
    assert (shown, stream.stopped) == expected(text, stops)


@given(TEXTS, CUTS)
def test_complete_characters_come_at_once(text: str, cuts: list[int]) -> None:
    """Without stop strings every character is shown with its last byte, and no U+FFFD stands for a part of one."""
    stream = TextStream([])
    fed, shown = b"", ""
    for piece in split(text.encode(), cuts):
        fed += piece
        shown += stream.feed(piece)
        assert shown == fed.decode("utf-8", "ignore")  # of a cut text, "ignore" drops only an incomplete end
    assert stream.finish() == ""


@given(NOISE, CUTS)
@example(b"\xf0\x9f\xff", [1, 2])
@example(b"\xe4\xb8", [1])
@example(b"\xed\xa0\x80", [1, 2])
def test_bytes_that_are_not_utf8_become_replacement_characters(data: bytes, cuts: list[int]) -> None:
    """Invalid bytes are shown as Python's "replace" shows the whole; only an incomplete end is dropped."""
    stream = TextStream([])
    shown = "".join(map(stream.feed, split(data, cuts))) + stream.finish()
    whole = data.decode("utf-8", "replace")
    assert shown in (whole, whole.removesuffix("\ufffd"))
    if shown != whole:
        tail = next(data[-n:] for n in (1, 2, 3) if _begins_a_character(data[-n:]))
        assert data[: -len(tail)].decode("utf-8", "replace") == shown


def _begins_a_character(tail: bytes) -> bool:
    """Whether more bytes could make one character of `tail`."""
    return any(
        _is_character(tail + more)
        for more in (b"\x80", b"\xbf", b"\x80\x80", b"\xbf\xbf", b"\x80\x80\x80", b"\x90\x80\x80")
    )


def _is_character(data: bytes) -> bool:
    try:
        return len(data.decode()) == 1
    except UnicodeDecodeError:
        return False


@given(TEXTS, STOPS)
def test_no_more_is_held_back_than_may_become_a_stop(text: str, stops: list[str]) -> None:
    """What is missing from the shown text is exactly the longest end that begins a stop string."""
    stream = TextStream(stops)
    shown = ""
    for end, character in enumerate(text, start=1):
        shown += stream.feed(character.encode())
        if stream.stopped:
            return
        seen = text[:end]
        beginnings = [stop[:n] for stop in stops for n in range(1, len(stop)) if seen.endswith(stop[:n])]
        assert seen == shown + max(beginnings, key=len, default="")


@pytest.mark.parametrize(
    ("stops", "text", "shown"),
    [
        (["STOP"], "go on STOP never", "go on "),
        (["\n\nUser:"], "done.\n\nUser: hi", "done."),
        (["long stop", "stop"], "a long stop b", "a "),  # complete together: the longer one
        (["abcd", "bc"], "xabcd", "xa"),  # the one complete first, although the other began before
        (["aab"], "aaaab", "aa"),
        (["🙂"], "ok 🙂 no", "ok "),
        (["", "b"], "abc", "a"),  # an empty stop string means nothing
    ],
)
def test_which_stop_string_wins(stops: list[str], text: str, shown: str) -> None:
    """The stop string that is complete first ends the text; of two complete at once, the longer one."""
    stream = TextStream(stops)
    assert "".join(stream.feed(bytes([byte])) for byte in text.encode()) + stream.finish() == shown
    assert stream.stopped


def test_nothing_comes_after_a_stop() -> None:
    """Once stopped, a stream stays silent."""
    stream = TextStream(["."])
    assert stream.feed(b"one. two") == "one"
    assert stream.feed(b" three") == ""
    assert stream.finish() == ""


def test_the_end_of_the_text_frees_what_was_held_back() -> None:
    """A beginning of a stop string that the text ends with belongs to the text; half a character does not."""
    stream = TextStream(["</end>"])
    assert stream.feed(b"a </en") == "a "
    assert stream.feed("🙂".encode()[:3]) == ""
    assert stream.finish() == "</en"
    assert not stream.stopped
