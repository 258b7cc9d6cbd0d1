"""Where texts part: found, quoted, weighed and told."""

from __future__ import annotations

from dataclasses import replace
from math import inf

import pytest

from app.compare.difference import difference_of, explained, weighing_of
from app.compare.values import Difference
from app.compare.words import difference_words
from engine.protocol import Weighed
from tests.unit.app.compare.replies import pair

PARTED = Difference(41, "red", "blue")


@pytest.mark.parametrize(
    ("off", "on", "index", "words"),
    [
        ("a red car", "a blue car", 1, ("red", "blue")),
        ("a red", "a reddish", 1, ("red", "reddish")),
        ("one two", "one two three", 2, (None, " three")),
        ("one two three", "one two", 2, (" three", None)),
        ("我爱北京天安门", "我爱北京颐和园", 0, ("我爱北京天安门", "我爱北京颐和园")),
    ],
)
def test_the_whole_words_are_quoted(off: str, on: str, index: int, words: tuple[str | None, str | None]) -> None:
    """Not only the letters or the token that differs; None where a text ends."""
    difference = difference_of([pair("same", "same"), pair(off, on)])
    assert difference is not None
    assert difference.index == index
    assert (difference.off_text, difference.on_text) == words


def test_a_text_without_blanks_is_quoted_in_part() -> None:
    difference = difference_of([pair("很" * 300, "很" * 150 + "好" * 150)])
    assert difference is not None
    assert difference.off_text is not None
    assert len(difference.off_text) < 60


def test_identical_texts_have_no_difference() -> None:
    assert difference_of([pair("a b", "a b")]) is None
    assert weighing_of([pair("a b", "a b")]) is None


def test_an_end_by_the_limit_cannot_be_weighed() -> None:
    """There is no second token to ask about."""
    assert weighing_of([pair("a b", "a b c")]) is None


@pytest.mark.parametrize(("gap", "near"), [(0.0, True), (0.0499, True), (0.05, False), (2.0, False), (inf, False)])
def test_rounding_explains_gaps_below_a_twentieth(gap: float, near: bool) -> None:
    """As is measured and told in docs/losslessness.md."""
    weighed = explained(PARTED, Weighed(1, (3.0, 3.0 - gap), 17, gap))
    assert (weighed.gap, weighed.near_tie) == (gap, near)


def test_a_tie_is_told_with_its_gap() -> None:
    words = difference_words(replace(PARTED, gap=0.0081, near_tie=True))
    assert "After 41 equal tokens the texts part: off wrote “red”, on wrote “blue”." in words
    assert "0.008 apart: a tie up to rounding" in words


def test_a_real_difference_is_told_as_one() -> None:
    """Nothing is glossed over."""
    assert "0.410 apart, which is more than rounding explains" in difference_words(
        replace(PARTED, gap=0.41, near_tie=False)
    )
    assert "far from a tie" in difference_words(replace(PARTED, gap=inf, near_tie=False))


def test_chance_is_told_where_the_rule_draws() -> None:
    weighed = explained(PARTED, Weighed(1, (3.0, 1.0), None, None))
    assert weighed.near_tie is None
    assert "draws anew" in difference_words(weighed)


def test_unweighed_nothing_is_claimed() -> None:
    assert difference_words(PARTED).endswith("on wrote “blue”.")
    assert "ends" in difference_words(replace(PARTED, on_text=None))
    assert "ends" in difference_words(replace(PARTED, off_text=None))
    assert "other tokens" in difference_words(replace(PARTED, on_text="red"))


def test_a_line_break_stays_within_the_line() -> None:
    assert "“↵x”" in difference_words(replace(PARTED, on_text="\nx"))
