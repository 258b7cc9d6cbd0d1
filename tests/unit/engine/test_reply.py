"""Rounds to text and token events: whose text is whose, stop strings inside accepted blocks, and counts that add up."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from engine.drafting import ModelDrafter
from engine.policy import FixedLength
from engine.reply import ReplyWriter
from engine.speculate import Round, Speculator
from engine.stats import GenerationStats
from engine.types import Drafter, DraftRound, Rejected, SamplingSettings, Source
from engine.verify import Coupled
from tests.fakes.table_model import TableModel

GREEDY = SamplingSettings(temperature=0.0)


def chain(size: int, off_at: frozenset[int] = frozenset()) -> TableModel:
    """Writes 0, 1, 2 …; after the tokens in `off_at` it is wrong."""
    rows = np.roll(np.eye(size), 1, axis=1)
    for token in off_at:
        rows[token] = np.eye(size)[(token + 2) % size]
    return TableModel(rows)


def write(
    pieces: list[bytes],
    *,
    stop: tuple[str, ...] = (),
    end: int | None = None,
    off_at: frozenset[int] = frozenset(),
    length: int = 3,
) -> tuple[list[DraftRound], ReplyWriter]:
    """The events of a reply that reads `pieces` in order, written by the real loop with a draft."""
    size = len(pieces) + 1  # one more token, the last, is the prompt
    rule = Coupled(0)
    target = chain(size)
    row = target.decode([size - 1], 1)[0]
    speculator = Speculator(
        target=target,
        committed=[size - 1],
        drafter=ModelDrafter(chain(size, off_at), GREEDY, rule),
        rule=rule,
        settings=GREEDY,
        policy=FixedLength(length),
        budget=len(pieces),
        ends=lambda token: token == end,
        cancelled=lambda: False,
    )
    writer = ReplyWriter(9, stop, pieces.__getitem__, "<{}>".format, lambda token: token == end)
    events = [writer.write(speculator.first(row))]
    rounds = speculator.rounds()
    while not writer.ended and (event := next(rounds, None)) is not None:
        assert isinstance(event, Round)
        events.append(writer.write(event))
    return events, writer


def texts(events: list[DraftRound]) -> list[list[str]]:
    return [[token.text for token in event.tokens] for event in events]


def test_each_token_brings_its_own_text() -> None:
    """One event a round; pieces are whole words here."""
    events, writer = write([b"One", b" two", b" three", b" four", b" five", b" six"])
    assert texts(events) == [["One"], [" two", " three", " four", " five"], [" six"]]
    assert [event.number for event in events] == [0, 1, 2]
    assert {event.job for event in events} == {9}
    assert (writer.ended, writer.tokens, writer.finish()) == (False, 6, "")


def test_a_character_comes_with_the_token_that_completes_it() -> None:
    """Four bytes of an emoji over four tokens: three are silent, and nothing shows as U+FFFD."""
    smile = "😀".encode()
    events, _ = write([b"ok ", smile[:1], smile[1:2], smile[2:3], smile[3:] + b"!"])
    assert texts(events) == [["ok "], ["", "", "", "😀!"]]


def test_an_incomplete_character_at_the_end_is_dropped() -> None:
    """A reply cut by its budget ends with a whole character."""
    events, writer = write([b"caf", "é".encode()[:1]])
    assert texts(events) == [["caf"], [""]]
    assert writer.finish() == ""


def test_a_stop_string_inside_an_accepted_block_ends_the_reply_there() -> None:
    """Nothing of it is shown, and the tokens after the one that completes it are gone from the round."""
    events, writer = write([b"Hello", b" wor", b"ld EN", b"D of it", b" all", b" more"], stop=("END",))
    assert texts(events) == [["Hello"], [" wor", "ld ", ""]]
    assert writer.ended
    assert writer.tokens == 4
    assert writer.finish() == ""
    block = events[-1]
    assert block.drafted == (1, 2, 3)
    assert (block.verified, block.accepted) == (3, 3)


def test_guesses_after_a_stop_string_do_not_count_as_judged() -> None:
    """They were kept, but nobody will see them: the acceptance rate is over the tokens that are there."""
    events, _ = write([b"a", b"END", b"c", b"d", b"e"], stop=("END",))
    assert (events[-1].drafted, events[-1].verified, events[-1].accepted) == ((1, 2, 3), 1, 1)
    events, _ = write([b"a", b"b", b"END", b"d", b"e"], stop=("END",), off_at=frozenset({1}))
    assert (events[-1].verified, events[-1].accepted) == (2, 1)


def test_what_might_have_been_a_stop_string_comes_with_a_later_token() -> None:
    """Held back while it may still become one, then shown by the token that settles it, or by the end."""
    events, writer = write([b"the E", b"N", b"X", b" EN"], stop=("END",))
    assert texts(events) == [["the "], ["", "ENX", " "]]
    assert writer.finish() == "EN"
    assert not writer.ended


def test_an_end_token_is_an_event_without_text() -> None:
    """It is the reply's last token, and nothing follows it in its round."""
    events, writer = write([b"Yes", b".", b"", b"never"], end=2)
    assert texts(events) == [["Yes"], [".", ""]]
    assert writer.ended


def test_a_rejected_guess_is_told_with_both_probabilities() -> None:
    """For the token in its place only; kept guesses carry q, a bonus and a plain token none."""
    events, _ = write([b"a", b"b", b"c", b"d", b"e", b"f", b"g"], off_at=frozenset({1}))
    opening, block, after = events
    assert opening.tokens[0].source is Source.PLAIN
    kept, resampled = block.tokens
    assert (kept.source, kept.q, kept.drafter, kept.rejected) == (Source.ACCEPTED, 1.0, Drafter.MODEL, None)
    assert (resampled.source, resampled.p, resampled.q) == (Source.RESAMPLED, 1.0, 0.0)
    assert resampled.rejected == Rejected(token_id=3, text="<3>", p=0.0, q=1.0)
    assert [(token.index, token.round, token.position) for token in block.tokens] == [(1, 1, 0), (2, 1, 1)]
    bonus = after.tokens[-1]
    assert (bonus.source, bonus.q, bonus.drafter) == (Source.BONUS, None, None)


@st.composite
def cut_texts(draw: st.DrawFn) -> list[bytes]:
    """A text of few letters and some long characters, cut into pieces anywhere, within characters too."""
    data = draw(st.text("abEND é世😀", min_size=1, max_size=40)).encode()
    places = draw(st.sets(st.integers(1, max(1, len(data) - 1))))
    cuts = [0, *sorted(place for place in places if place < len(data)), len(data)]
    return [data[start:stop] for start, stop in pairwise(cuts)]


@given(
    pieces=cut_texts(),
    stop=st.sampled_from([(), ("END",), ("E", "ab"), ("a世", "😀", "Da")]),
    off_at=st.frozensets(st.integers(0, 40)),
    length=st.integers(1, 5),
)
def test_texts_join_to_the_reply_and_counts_add_up(
    pieces: list[bytes], stop: tuple[str, ...], off_at: frozenset[int], length: int
) -> None:
    """For any cut, draft and stop strings: the text is what comes before the first stop string to be complete."""
    off_at = frozenset(token for token in off_at if token < len(pieces))
    events, writer = write(pieces, stop=stop, off_at=off_at, length=length)
    tokens = [token for event in events for token in event.tokens]
    shown = "".join(token.text for token in tokens) + writer.finish()
    whole = b"".join(pieces).decode()
    ends = [(whole.index(text) + len(text), -len(text)) for text in stop if text in whole]
    assert writer.ended == bool(ends)
    end, size = min(ends, default=(len(whole), 0))
    assert shown == whole[: end + size]
    assert [token.index for token in tokens] == list(range(writer.tokens))
    assert [token.token_id for token in tokens] == list(range(writer.tokens))
    stats = GenerationStats()
    for number, event in enumerate(events):
        assert event.number == number
        assert 0 <= event.accepted <= event.verified <= len(event.drafted)
        assert 1 <= len(event.tokens) <= event.accepted + 1
        assert all(token.round == number for token in event.tokens)
        stats = stats.with_round(event)
    assert stats.accepted <= stats.verified <= stats.drafted
    assert stats.completion_tokens == writer.tokens == stats.accepted + stats.resampled + stats.bonus + stats.plain
    assert stats.verified == stats.accepted + stats.resampled
