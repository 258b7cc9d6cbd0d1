"""Where the end of a text stood before, and that adding and taking back leave no trace."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from engine.lookup import Lookup, Match
from engine.types import MAX_MATCH

LENGTHS = (2, 4)
texts = st.lists(st.integers(0, 3), max_size=60)


def looked(text: list[int], ctx: int = 64) -> Lookup:
    lookup = Lookup(ctx, LENGTHS)
    lookup.extend(text)
    return lookup


def by_hand(text: list[int]) -> Match | None:
    """The longest agreement of the text's end with what ends earlier, the latest of equals."""
    best = Match(0, 0)
    for end in range(1, len(text)):
        same = 0
        while same < min(end, MAX_MATCH) and text[end - 1 - same] == text[-1 - same]:
            same += 1
        if same >= best.length:
            best = Match(end, same)
    return best if best.length >= min(LENGTHS) else None


def test_the_latest_of_the_longest_places_is_found() -> None:
    """`1 2 3` stood three times before: with a 9 in front of it once, and the latest time with an 8."""
    text = [9, 1, 2, 3, 10, 8, 1, 2, 3, 11, 7, 1, 2, 3, 12]
    assert looked([*text, 5, 1, 2, 3]).find() == Match(14, 3)
    assert looked([*text, 9, 1, 2, 3]).find() == Match(4, 4)
    assert looked([*text, 5, 6, 3]).find() is None


@given(texts)
def test_a_short_text_is_searched_as_by_hand(text: list[int]) -> None:
    """But for places behind the few that are looked at, of which a longer sequence is mostly among those found."""
    found, wanted = looked(text).find(), by_hand(text)
    assert (found is None) == (wanted is None)
    if found is not None and wanted is not None:
        assert text[: found.at][-found.length :] == text[-found.length :]
        assert found.length <= wanted.length
        if len(text) < 16:  # few enough places that all are looked at
            assert found == wanted


@settings(max_examples=200)
@given(texts, texts, texts)
def test_what_was_taken_back_leaves_no_trace(kept: list[int], taken: list[int], then: list[int]) -> None:
    """A text that was cut and continued is found in as one that was written at once, at every length on the way."""
    lookup = looked([*kept, *taken])
    lookup.truncate(len(kept))
    fresh = looked(kept)
    for token in then:
        assert lookup.find() == fresh.find()
        lookup.extend([token])
        fresh.extend([token])
    assert lookup.find() == fresh.find()
    assert lookup.tokens == fresh.tokens


def test_a_text_longer_than_its_tables_is_still_right() -> None:
    """Sequences that share an entry are told apart by comparing."""
    text = [n * 7919 % 10007 for n in range(5000)]
    lookup = looked([*text, *text[40:50]], ctx=1)
    found = lookup.find()
    assert found is None or found == Match(50, 10)


def test_no_more_is_compared_than_within_reach() -> None:
    """However long the repetition is."""
    assert looked([5] * 300).find() == Match(299, MAX_MATCH)


def test_past_the_end_of_the_text_the_copy_repeats_itself() -> None:
    """As in LZ77: what is copied may run into what was just copied."""
    lookup = looked([1, 2, 3, 1, 2, 3])
    match = lookup.find()
    assert match == Match(3, 3)
    assert lookup.follow(match, 8) == [1, 2, 3, 1, 2, 3, 1, 2]
    assert lookup.follow(match, 2) == [1, 2]
