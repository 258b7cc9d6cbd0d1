"""A table that nothing depends on: what Mix and History do not show of it."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from app.disposable_table import DisposableTable

ALL = ("SELECT * FROM t", ())


def table(file: Path, definition: str = "(a, b)", *, else_in_memory: bool = False) -> DisposableTable:
    return DisposableTable(file, "t", definition, else_in_memory=else_in_memory)


def put(opened: DisposableTable, *values: object) -> None:
    opened.do(("INSERT INTO t VALUES (?, ?)", values))


@pytest.mark.parametrize("value", ["half a character: \ud83d", 1 << 70])
def test_what_cannot_be_kept_costs_nothing_else(tmp_path: Path, value: object) -> None:
    opened = table(tmp_path / "t.sqlite")
    put(opened, 1, 2)
    put(opened, value, 3)
    assert opened.do(ALL) == [(1, 2)]
    opened.close()


def test_statements_are_done_together_or_not_at_all(tmp_path: Path) -> None:
    opened = table(tmp_path / "t.sqlite")
    put(opened, 1, 2)
    assert opened.do(("DELETE FROM t", ()), ("INSERT INTO t VALUES (?, ?)", ("\ud83d", 0))) == []
    assert opened.do(ALL) == [(1, 2)]
    opened.close()


def test_a_text_that_is_no_utf8_hides_no_other_row(tmp_path: Path) -> None:
    opened = table(tmp_path / "t.sqlite")
    opened.do(("INSERT INTO t VALUES (CAST(x'ff' AS TEXT), 1)", ()))
    put(opened, 1, 2)
    assert opened.do(ALL) == [("\ufffd", 1), (1, 2)]
    opened.close()


def test_a_table_of_another_definition_is_replaced(tmp_path: Path) -> None:
    file = tmp_path / "t.sqlite"
    first = table(file)
    put(first, 1, 2)
    first.close()
    same, other = table(file), table(file, "(a, b, PRIMARY KEY (a))")
    assert same.do(ALL) == [(1, 2)]
    same.close()
    assert other.do(ALL) == []
    other.close()


def test_a_file_that_is_locked_is_left_alone(tmp_path: Path) -> None:
    """Another program that writes for long is no damage."""
    file = tmp_path / "t.sqlite"
    opened = table(file)
    put(opened, 1, 2)
    with sqlite3.connect(file) as other:
        other.execute("BEGIN EXCLUSIVE")
        put(opened, 3, 4)
        other.rollback()
    other.close()
    assert opened.do(ALL) == [(1, 2)]
    opened.close()


@pytest.mark.parametrize("else_in_memory", [False, True])
def test_a_place_that_cannot_be_had(tmp_path: Path, *, else_in_memory: bool) -> None:
    """A folder where the file should be."""
    opened = table(tmp_path, else_in_memory=else_in_memory)
    put(opened, 1, 2)
    assert opened.do(ALL) == ([(1, 2)] if else_in_memory else [])
    opened.close()
