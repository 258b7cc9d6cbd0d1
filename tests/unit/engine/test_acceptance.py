"""How likely the next guess is kept."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.acceptance import HOPE, Acceptance, LearnedAcceptance
from engine.types import MAX_DRAFT_LENGTH, Drafter


def round_of(acceptance: Acceptance, length: int, kept: int, confidence: float | None = None) -> None:
    acceptance.saw([confidence] * length, min(length, kept + 1), kept)


def test_it_begins_hopeful_and_learns_the_rate() -> None:
    """A few dozen guesses outweigh the hope."""
    acceptance = Acceptance(Drafter.MODEL)
    assert acceptance.rates == pytest.approx([HOPE] * MAX_DRAFT_LENGTH)
    for _ in range(40):
        round_of(acceptance, 1, 0)
    assert acceptance.rates[0] < 0.1


def test_each_position_has_its_own_rate_and_unseen_ones_lean_on_all() -> None:
    """First guesses that are kept and second ones that are not show as such."""
    acceptance = Acceptance(Drafter.MODEL)
    for _ in range(60):
        round_of(acceptance, 2, 1)
    first, second, third = acceptance.rates[:3]
    assert first > 0.9
    assert second < 0.2
    assert second < third < first


def test_what_changed_is_forgotten() -> None:
    """After a hundred guesses of new text the old text counts for less than a third."""
    acceptance = Acceptance(Drafter.MODEL)
    for kept in (1, 0):
        for _ in range(100):
            round_of(acceptance, 1, kept)
    assert acceptance.rates[0] < 0.35


def test_while_nothing_is_guessed_belief_stays_and_hope_returns() -> None:
    """What was seen long ago says little about the text now; nothing was seen that says otherwise, either."""
    acceptance = Acceptance(Drafter.MODEL)
    for _ in range(10):
        round_of(acceptance, 1, 0)
    before, hoped = acceptance.rates[0], acceptance.hopeful()[0]
    acceptance.rest(1000)
    assert acceptance.rates[0] == before < 0.3
    assert hoped < HOPE < acceptance.hopeful()[0]
    round_of(acceptance, 1, 0)
    assert acceptance.rates[0] <= before  # a miss never raises it
    for _ in range(20):
        round_of(acceptance, 1, 1)
    assert acceptance.rates[0] > 0.5


def test_a_rest_does_not_make_the_next_reply_hope_again() -> None:
    """What was learned of a bad draft before it rested is where the next reply begins, and so does a new kind."""
    acceptance = Acceptance(Drafter.MODEL)
    for _ in range(24):
        round_of(acceptance, 1, 0)
    acceptance.rest(600)
    round_of(acceptance, 1, 0)
    acceptance.end()
    for kind in ("", "story"):
        acceptance.begin(kind)
        assert acceptance.rates[0] < 0.25


def test_a_new_kind_begins_with_all_kinds_together() -> None:
    """Not with the last reply's alone, and not with one in which nothing was guessed."""
    acceptance = Acceptance(Drafter.MODEL)
    for kind, kept in (("code", 1), ("story", 0)):
        acceptance.begin(kind)
        for _ in range(30):
            round_of(acceptance, 1, kept)
        acceptance.end()
    acceptance.begin("code")
    acceptance.end()
    acceptance.begin("table")
    assert 0.25 < acceptance.rates[0] < 0.65


def test_a_reply_begins_where_the_last_one_of_its_kind_ended() -> None:
    """Code that went well and talk that went badly are told apart, in another process, too."""
    acceptance = Acceptance(Drafter.MODEL)
    for kind, kept in (("code", 1), ("talk", 0)):
        acceptance.begin(kind)
        for _ in range(50):
            round_of(acceptance, 1, kept)
        acceptance.end()
    again = Acceptance(Drafter.MODEL, acceptance.values())
    again.begin("code")
    code = again.rates[0]
    again.begin("talk")
    assert code > 0.85
    assert again.rates[0] < 0.3


@pytest.mark.parametrize("told", [lambda p: p, lambda p: 0.9 + p / 10, lambda p: 1 - p], ids=["true", "boast", "lie"])
def test_confidence_is_read_by_what_it_was_worth_so_far(told) -> None:  # type: ignore[no-untyped-def]
    """True, boasting or reversed: after some hundred guesses the chance is near the one that was meant."""
    rng = np.random.default_rng(2)
    acceptance = Acceptance(Drafter.MODEL)
    for _ in range(400):
        p = float(rng.choice([0.2, 0.95]))
        round_of(acceptance, 1, int(rng.random() < p), told(p))
    assert acceptance.chance(0, told(0.2)) == pytest.approx(0.2, abs=0.15)
    assert acceptance.chance(0, told(0.95)) == pytest.approx(0.95, abs=0.1)


@pytest.mark.parametrize("drafter", Drafter)
def test_a_first_reply_begins_with_what_is_usual_of_the_drafter(drafter: Drafter) -> None:
    """Surer guesses promise more before any was judged, a lookup's long matches most of all."""
    acceptance = Acceptance(drafter)
    chances = [acceptance.chance(0, sure) for sure in (0.3, 0.7, 0.85, 0.92, 0.99)]
    assert chances == sorted(chances)
    assert chances[0] < 0.55
    assert chances[-1] > 0.9


def test_what_is_usual_gives_way_to_what_is_seen() -> None:
    """A few dozen judged guesses of a lookup whose long matches do not go on are believed."""
    acceptance = Acceptance(Drafter.LOOKUP)
    for _ in range(40):
        round_of(acceptance, 1, 1, 0.7)
        round_of(acceptance, 1, 0, 0.99)
    assert acceptance.chance(0, 0.99) < 0.3


def test_dropping_unsure_rows_leaves_the_rates_those_of_all_rows() -> None:
    """A row from which no guess was taken counts as what was believed of it."""
    rng = np.random.default_rng(3)
    acceptance = Acceptance(Drafter.MODEL)
    for trial in range(600):
        sure = bool(rng.random() < 0.5)
        kept = rng.random() < (0.95 if sure else 0.2)
        if sure or trial < 200:
            acceptance.saw([0.99 if sure else 0.3], 1, int(kept))
        else:
            acceptance.saw([0.3], 0, 0)
    assert acceptance.rates[0] == pytest.approx(0.575, abs=0.15)


COUNTS = st.lists(st.floats(allow_nan=True, allow_infinity=True), max_size=20).map(tuple)


@given(
    st.dictionaries(st.sampled_from(["", "code"]), st.tuples(COUNTS, COUNTS)),
    st.lists(st.tuples(st.floats(allow_nan=True, allow_infinity=True), st.integers(0, 16), st.integers(0, 16))),
)
def test_chances_are_chances_whatever_was_stored_and_seen(
    kinds: dict[str, tuple[tuple[float, ...], tuple[float, ...]]], rounds: list[tuple[float, int, int]]
) -> None:
    """A damaged file or a confidence that is no number costs accuracy, never an exception or an impossible chance."""
    acceptance = Acceptance(Drafter.MODEL, LearnedAcceptance(kinds, ((float("nan"), -1.0, 1e300),) * 9))
    acceptance.begin("code")
    for confidence, length, kept in rounds:
        round_of(acceptance, length, min(length, kept), confidence)
        for at in range(MAX_DRAFT_LENGTH):
            assert 0 < acceptance.chance(at, confidence) < 1
            assert 0 < acceptance.hopeful()[at] < 1
    acceptance.end()
    Acceptance(Drafter.MODEL, acceptance.values())
