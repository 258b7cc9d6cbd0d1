"""Columns of a table stand under each other on a terminal."""

from __future__ import annotations

import pytest

from app.table import columns, left, right, table


@pytest.mark.parametrize(
    ("text", "width"),
    [("fit", 3), ("模型", 4), ("ｆｉｔ", 6), ("ü", 1), ("u\u0308", 1), ("한국", 4), ("a\u200bb", 2), ("…", 1), ("", 0)],
)
def test_width(text: str, width: int) -> None:
    """Chinese, Korean and full-width letters take two columns, what is drawn over a letter none."""
    assert columns(text) == width
    assert columns(left(text, 8)) == columns(right(text, 8)) == 8
    assert left(text, 8).rstrip() == right(text, 8).lstrip() == text
    assert left("too long", 3) == right("too long", 3) == "too long"


def test_table() -> None:
    """Words begin and numbers end in the same column, and no line ends in blanks."""
    rows = [("ID", "SIZE", "NAME"), ("模型", "8", "a"), ("x", "10 GB", "")]
    assert table(rows, numbers=[1]) == "ID     SIZE  NAME\n模型      8  a\nx     10 GB\n"
