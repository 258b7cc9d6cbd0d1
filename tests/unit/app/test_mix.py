"""What speculation brought on the user's own texts is summed by kind, kept for weeks, and disposable."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from dataclasses import replace
from datetime import date, timedelta
from pathlib import Path

import pytest

from app.mix import KEPT_DAYS, Mix, MixedReply, MixRow, mix_key, mixed_reply
from engine.costs import MeasuredCosts
from engine.stats import GenerationStats
from engine.types import Inactive, LoadRequest

PAIR = "target.gguf + draft.gguf"
TODAY = date(2026, 11, 30)
CODE = MixedReply("code", tokens=300, rested=0, decode_s=5.0, plain_s=9.0)
CHAT = MixedReply("chat", tokens=100, rested=62, decode_s=4.0, plain_s=4.0)


@pytest.fixture
def mix(tmp_path: Path) -> Iterator[Mix]:
    opened = Mix(tmp_path / "data" / "mix.sqlite3")
    yield opened
    opened.close()


def add(mix: Mix, *replies: MixedReply, day: date = TODAY, pair: str = PAIR) -> None:
    for reply in replies:
        mix.add(pair, reply, day)


def test_replies_are_summed_by_kind(mix: Mix) -> None:
    """Two replies of one kind are one row with the ratio of their sums; the kind with most tokens comes first."""
    add(mix, CHAT, CODE, replace(CODE, decode_s=3.0, plain_s=3.0))
    assert mix.own_mix(PAIR, today=TODAY) == (
        MixRow("code", ratio=1.5, resting=0.0, tokens=600),
        MixRow("chat", ratio=1.0, resting=0.62, tokens=100),
    )


def test_lengths_that_were_set_are_told_apart(mix: Mix) -> None:
    """They are no word on what is chosen by time, nor the other way round."""
    add(mix, CODE, replace(CODE, decode_s=10.0, fixed=True), replace(CODE, decode_s=8.0, fixed=True))
    assert mix.own_mix(PAIR, today=TODAY) == (
        MixRow("code", ratio=1.0, resting=0.0, tokens=600, fixed=True),
        MixRow("code", ratio=1.8, resting=0.0, tokens=300),
    )


def test_only_the_last_days_count(mix: Mix) -> None:
    """Seven days are today and the six before."""
    add(mix, CODE, day=TODAY - timedelta(days=7))
    assert mix.own_mix(PAIR, days=7, today=TODAY) == ()
    add(mix, CHAT, day=TODAY - timedelta(days=6))
    assert [row.kind for row in mix.own_mix(PAIR, days=7, today=TODAY)] == ["chat"]
    assert [row.kind for row in mix.own_mix(PAIR, days=8, today=TODAY)] == ["code", "chat"]


def test_pairs_are_kept_apart(mix: Mix) -> None:
    """What one pair brought says nothing of another."""
    add(mix, CODE)
    add(mix, CHAT, pair="other.gguf")
    assert [row.kind for row in mix.own_mix("other.gguf", today=TODAY)] == ["chat"]


def test_what_is_old_is_forgotten(mix: Mix, tmp_path: Path) -> None:
    """The file does not grow with time, nor with the number of replies in a day."""
    for days in range(200):
        add(mix, CODE, CODE, CHAT, day=TODAY - timedelta(days=200 - days))
    mix.close()
    connection = sqlite3.connect(tmp_path / "data" / "mix.sqlite3")
    assert connection.execute("SELECT COUNT(*) FROM mix").fetchone() == (2 * KEPT_DAYS,)
    connection.close()


def test_it_is_there_after_a_restart(mix: Mix, tmp_path: Path) -> None:
    """Another run of the program reads what this one wrote."""
    add(mix, CODE)
    mix.close()
    again = Mix(tmp_path / "data" / "mix.sqlite3")
    assert again.own_mix(PAIR, today=TODAY) == (MixRow("code", 1.8, 0.0, 300),)
    again.close()


@pytest.mark.parametrize("damage", [b"no database at all" * 200, b"SQLite format 3\0" + b"\xff" * 5_000, b"\0" * 4_096])
def test_a_damaged_file_is_made_anew(tmp_path: Path, damage: bytes) -> None:
    """Whatever lies in its place costs what was remembered, and nothing else."""
    file = tmp_path / "mix.sqlite3"
    file.write_bytes(damage)
    mix = Mix(file)
    assert mix.own_mix(PAIR, today=TODAY) == ()
    add(mix, CODE)
    assert [row.kind for row in mix.own_mix(PAIR, today=TODAY)] == ["code"]
    mix.close()


def test_another_programs_table_is_replaced(tmp_path: Path) -> None:
    """A file with the right number and the wrong columns is no obstacle."""
    file = tmp_path / "mix.sqlite3"
    connection = sqlite3.connect(file)
    connection.execute("CREATE TABLE mix (something TEXT)")
    connection.execute("PRAGMA user_version = 1")
    connection.close()
    mix = Mix(file)
    add(mix, CODE)
    assert [row.kind for row in mix.own_mix(PAIR, today=TODAY)] == ["code"]
    mix.close()


def test_rows_without_sense_are_left_out(mix: Mix, tmp_path: Path) -> None:
    """Texts for numbers, kinds that do not exist, more rest than tokens and endless times are not shown."""
    add(mix, CODE)
    mix.close()
    connection = sqlite3.connect(tmp_path / "data" / "mix.sqlite3")
    day = TODAY.toordinal()
    for kind, values in (
        ("chat", ("many", 0, 1.0, 1.0, 0)),
        ("json", (10, 11, 1.0, 1.0, 0)),
        ("edit", (10, 0, float("inf"), 1.0, 0)),
        ("summary", (10, 0, 0.0, 1.0, 0)),
        ("poetry", (10, 0, 1.0, 1.0, 0)),
        ("translate", (10, 0, 1.0, 1.0, "perhaps")),
    ):
        connection.execute("INSERT INTO mix VALUES (?, ?, ?, ?, ?, ?, ?, ?)", (day, PAIR, kind, *values))
    connection.commit()
    connection.close()
    assert [row.kind for row in mix.own_mix(PAIR, today=TODAY)] == ["code"]


def test_a_folder_that_cannot_be_made(tmp_path: Path) -> None:
    """Where nothing can be written nothing is remembered, and nothing fails."""
    (tmp_path / "data").write_text("a file in the folder's place")
    mix = Mix(tmp_path / "data" / "mix.sqlite3")
    add(mix, CODE)
    assert mix.own_mix(PAIR, today=TODAY) == ()
    mix.close()


def test_what_is_remembered_of_a_reply() -> None:
    """Its timed tokens, the time that they took, and that which they would have taken without speculation."""
    costs = MeasuredCosts((0.03, 0.031))
    stats = GenerationStats(timed_tokens=200, rested=50, decode_s=4.0, plain_s=6.0, costs=costs)
    assert mixed_reply("code", stats) == MixedReply("code", 200, 50, 4.0, 6.0)
    assert mixed_reply("code", stats, MeasuredCosts((9.0,))) == MixedReply("code", 200, 50, 4.0, 6.0)


def test_what_is_remembered_of_a_reply_with_a_length_that_was_set() -> None:
    """It says nothing of plain decoding itself, so that is what a pass over one token cost at the load."""
    stats = GenerationStats(timed_tokens=200, decode_s=4.0, plain_s=4.0)
    assert mixed_reply("code", stats, MeasuredCosts((0.03, 0.031))) == MixedReply("code", 200, 0, 4.0, 6.0, fixed=True)
    off = replace(stats, inactive=Inactive.SWITCHED_OFF)
    assert mixed_reply("code", off, MeasuredCosts((0.03,))) is None


@pytest.mark.parametrize(
    "stats",
    [
        GenerationStats(timed_tokens=200, decode_s=4.0),  # a fixed length, and nobody measured
        GenerationStats(costs=MeasuredCosts((0.03,))),  # a single token
        GenerationStats(
            timed_tokens=9, decode_s=1.0, costs=MeasuredCosts((0.03,)), inactive=Inactive.TARGET_ROLLBACK
        ),
    ],
)
def test_replies_that_tell_nothing(stats: GenerationStats) -> None:
    """Where nothing was guessed or timed, or no costs are known, there is nothing to remember."""
    assert mixed_reply("code", stats) is None


def test_pairs_go_by_their_files() -> None:
    """A pair is the same in whatever folder its files lie."""
    assert mix_key(LoadRequest("/m/a/target.gguf", "/m/b/draft.gguf")) == PAIR
    assert mix_key(LoadRequest("/m/target.gguf")) == "target.gguf"
