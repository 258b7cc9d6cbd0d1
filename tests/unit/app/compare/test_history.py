"""What earlier runs came to, kept in a real file, and what is noticed."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from app.compare.history import FILE_NAME, History
from app.compare.measured import Measured, pair_key
from app.compare.record import Record, record_of
from app.compare.words import drop_words
from app.paths import Paths
from tests.fakes.tapes import PAIR
from tests.unit.app.compare.measurements import measured


@pytest.fixture
def file(paths: Paths) -> Path:
    return paths.data / FILE_NAME


@pytest.fixture
def history(file: Path) -> Iterator[History]:
    history = History(file)
    yield history
    history.close()


def record(
    at: float, on: float = 60.0, *, off: float = 30.0, rate: float | None = 0.9, build: str = "0.3.36"
) -> Record:
    made = record_of(measured(build=build), at)
    return replace(made, on_tokens_per_s=on, off_tokens_per_s=off, acceptance_rate=rate)


def add(history: History, *records: Record) -> None:
    for one in records:
        history.add(one)


def test_runs_of_a_pair_come_back_whole_latest_first(history: History, file: Path) -> None:
    """From another start of the program too; those of other pairs stay away."""
    first, second = record(1.0), record(2.0, rate=None)
    add(history, first, second, replace(record(3.0), pair="another"))
    history.close()
    again = History(file)
    assert again.runs(pair_key(PAIR)) == (second, first)
    again.close()


def test_nothing_is_kept_of_prompt_and_reply(history: History, file: Path) -> None:
    add(history, record(1.0))
    history.close()
    assert b"Count" not in file.read_bytes()
    assert b"word1" not in file.read_bytes()


def test_a_first_run_is_nothing_to_notice(history: History) -> None:
    assert history.notice(record(1.0)) is None


def test_a_fifth_below_the_median_is_noticed_with_the_builds(history: History) -> None:
    """The median of the earlier runs, so one freak run among them changes nothing."""
    add(history, record(1.0, 60.0), record(2.0, 62.0), record(3.0, 900.0))
    assert history.notice(record(4.0, 50.0)) is None
    drop = history.notice(record(4.0, 49.0, build="0.3.40"))
    assert drop is not None
    assert drop.slower
    assert not drop.fewer_accepted
    assert (drop.on_tokens_per_s, drop.runs) == (62.0, 3)
    words = drop_words(drop)
    assert "49.0 tokens/s with speculation are 21 % less than the 62.0" in words
    assert "was 0.3.36 (CPU) then and is 0.3.40 (CPU) now" in words


def test_a_slower_computer_is_told_apart(history: History) -> None:
    """Where plain decoding lost as much, it is not the draft."""
    add(history, record(1.0))
    slower = history.notice(record(2.0, 40.0, off=20.0))
    draft = history.notice(record(2.0, 40.0, off=30.0))
    assert slower is not None
    assert draft is not None
    assert "the computer is slower" in drop_words(slower)
    assert "the computer is slower" not in drop_words(draft)
    assert "The engine is the same" in drop_words(draft)


def test_fewer_accepted_guesses_are_noticed_at_any_speed(history: History) -> None:
    """Twenty points: another draft file, say, or a template that changed."""
    add(history, record(1.0, rate=0.9))
    assert history.notice(record(2.0, rate=0.71)) is None
    drop = history.notice(record(2.0, rate=0.69))
    assert drop is not None
    assert not drop.slower
    assert "keeps 69 % of the guesses; it kept 90 % before" in drop_words(drop)


def test_only_the_same_settings_are_compared(history: History) -> None:
    """Another preset, length or context explains another speed; another seed or number of repeats does not."""
    add(history, record(1.0))
    base = measured()
    plan = base.plan
    others = (
        measured(preset="story"),
        measured(draft_length=4),
        replace(base, pair=replace(base.pair, ctx=4096)),
        replace(base, load=replace(base.load, threads=3)),
        replace(base, plan=replace(plan, request=replace(plan.request, max_tokens=64))),
    )
    for other in others:
        assert history.notice(slow(other)) is None
    assert history.notice(slow(measured(seed=8))) is not None
    assert history.notice(slow(replace(base, plan=replace(plan, repeats=9)))) is not None


def slow(made: Measured) -> Record:
    return replace(record_of(made, 2.0), on_tokens_per_s=1.0)


def test_the_same_models_elsewhere_are_the_same_pair() -> None:
    """Files move; a requantised draft is another one."""
    assert PAIR.draft is not None
    moved = replace(PAIR, target=replace(PAIR.target, path="/elsewhere/a.gguf"))
    assert pair_key(moved) == pair_key(PAIR)
    assert pair_key(replace(PAIR, draft=replace(PAIR.draft, size_bytes=7))) != pair_key(PAIR)
    assert pair_key(replace(PAIR, draft=None)) != pair_key(PAIR)
    assert pair_key(replace(PAIR, device="RTX 4070")) != pair_key(PAIR)


def test_a_damaged_file_is_made_anew(file: Path) -> None:
    file.parent.mkdir(parents=True)
    file.write_bytes(b"no database " * 1000)
    history = History(file)
    add(history, record(1.0))
    assert len(history.runs(pair_key(PAIR))) == 1
    history.close()


@pytest.mark.parametrize("version", [0, 1])
def test_another_table_is_replaced(file: Path, version: int) -> None:
    """Of a version of the program that kept other columns, whatever version it calls itself."""
    file.parent.mkdir(parents=True)
    with sqlite3.connect(file) as connection:
        connection.execute("CREATE TABLE run (a, b)")
        connection.execute(f"PRAGMA user_version = {version}")
    connection.close()
    history = History(file)
    add(history, record(1.0))
    assert len(history.runs(pair_key(PAIR))) == 1
    history.close()


def test_where_nothing_can_be_written_nothing_fails(paths: Paths) -> None:
    """A comparison is worth more than its record."""
    paths.data.parent.mkdir(parents=True)
    paths.data.write_text("a file where the folder should be")
    history = History(paths.data / FILE_NAME)
    add(history, record(1.0))
    assert history.notice(record(2.0, 1.0)) is not None  # kept in memory
    history.close()


@pytest.mark.parametrize("change", ["on_tokens_per_s = 'x'", "on_tokens_per_s = NULL", "at = 'now'", "ratio = -1.0"])
def test_a_row_that_makes_no_sense_is_left_out(file: Path, change: str) -> None:
    """And what is added next is kept."""
    history = History(file)
    add(history, record(1.0))
    history.close()
    with sqlite3.connect(file) as connection:
        connection.execute(f"UPDATE run SET {change}")
    connection.close()
    history = History(file)
    assert history.notice(record(2.0, 1.0)) is None
    add(history, record(2.0))
    assert [run.at for run in history.runs(pair_key(PAIR))] == [2.0]
    history.close()


def test_a_table_that_goes_while_the_file_is_open_is_made_anew(file: Path) -> None:
    history = History(file)
    add(history, record(1.0))
    with sqlite3.connect(file) as connection:
        connection.execute("DROP TABLE run")
    connection.close()
    add(history, record(2.0))
    assert [run.at for run in history.runs(pair_key(PAIR))] == [2.0]
    history.close()


def test_a_short_reply_is_no_measure(history: History) -> None:
    """Neither of now nor of before."""
    add(history, replace(record(1.0, 900.0), tokens=12))
    assert history.notice(record(2.0, 60.0)) is None
    add(history, record(2.0, 60.0))
    assert history.notice(replace(record(3.0, 10.0), tokens=12)) is None
    assert history.notice(record(3.0, 10.0)) is not None
