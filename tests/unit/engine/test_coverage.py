"""How much of the text has something to copy from."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.coverage import Coverage


def test_the_latest_tokens_count_most() -> None:
    """After some dozen tokens without a match what was copied before is nearly forgotten."""
    coverage = Coverage()
    coverage.saw(100, matched=True)
    assert coverage.share == pytest.approx(1.0)
    coverage.saw(64, matched=False)
    assert coverage.share < 0.45
    coverage.saw(300, matched=False)
    assert coverage.share < 0.03


def test_a_reply_begins_with_the_whole_of_the_last_one_of_its_kind() -> None:
    """A summary that ended in repetition was not copied; an edit was; of other kinds nothing is known."""
    coverage = Coverage()
    for kind, fresh, copied in (("summary", 150, 50), ("edit", 10, 190)):
        coverage.begin(kind)
        coverage.saw(fresh, matched=False)
        coverage.saw(copied, matched=True)
        coverage.end()
    for kind, share in (("summary", 0.25), ("edit", 0.95)):
        coverage.begin(kind)
        assert coverage.share == pytest.approx(share)
    coverage.begin("chat")
    assert (coverage.share, coverage.seen) == (0.0, 0.0)


def test_an_empty_reply_teaches_nothing() -> None:
    """What the one before it showed stays."""
    coverage = Coverage()
    coverage.saw(10, matched=True)
    coverage.end()
    coverage.begin("")
    coverage.end()
    coverage.begin("")
    assert coverage.share == 1.0


@given(st.lists(st.tuples(st.integers(1, 17), st.booleans(), st.booleans())))
def test_a_share_is_a_share(rounds: list[tuple[int, bool, bool]]) -> None:
    """Whatever was seen, over however many replies."""
    coverage = Coverage()
    for tokens, matched, ends in rounds:
        coverage.saw(tokens, matched=matched)
        assert -1e-9 <= coverage.share <= 1 + 1e-9
        if ends:
            coverage.end()
            coverage.begin("")
