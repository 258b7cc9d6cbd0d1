"""Values changed in a text that otherwise stays as it is."""

from __future__ import annotations

import json
import os
import stat
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.catalogue.rewriting import Scalar, replace_values, write_text
from engine.errors import EngineError, ErrorKind

TEXT = """{ "a" : null,\r
\t"b\\"{": [ 1 , {"c":"x, }","d": -1.5e3 }, [] , true ],  "é": "\\u00e9" }
"""


def test_only_the_values_change() -> None:
    """Blanks, line ends, order and escapes are as their author wrote them."""
    changed = replace_values(
        TEXT, {("a",): "new", ('b"{', 1, "c"): None, ('b"{', 1, "d"): 17, ('b"{', 3): False, ("é",): "中"}
    )
    assert changed == ('{ "a" : "new",\r\n\t"b\\"{": [ 1 , {"c":null,"d": 17 }, [] , false ],  "é": "中" }\n')
    assert replace_values(TEXT, {}) == TEXT


def test_a_place_without_a_value_is_refused() -> None:
    """Nothing is ever put where nothing was, or in place of a whole list."""
    for place in (("x",), ('b"{',), ('b"{', 9)):
        with pytest.raises(KeyError):
            replace_values(TEXT, {place: 1})


SCALARS = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text()
DOCUMENTS = st.recursive(SCALARS, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner), max_leaves=20)


def scalar_places(value: Any, place: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    if isinstance(value, dict):
        return [deeper for key, one in value.items() for deeper in scalar_places(one, (*place, key))]
    if isinstance(value, list):
        return [deeper for key, one in enumerate(value) for deeper in scalar_places(one, (*place, key))]
    return [place]


@given(document=DOCUMENTS, value=SCALARS, data=st.data(), indent=st.sampled_from([None, 1, "\t"]), plain=st.booleans())
def test_any_value_of_any_document(
    document: Any, value: Scalar, data: st.DataObject, indent: int | str | None, plain: bool
) -> None:
    """The new text says what the old one said, but for the one value, whatever strings are around it."""
    text = json.dumps(document, indent=indent, ensure_ascii=plain)
    places = scalar_places(document)
    if not places:
        return
    place = data.draw(st.sampled_from(places))
    expected: Any = json.loads(text)
    if place:
        inner = expected
        for key in place[:-1]:
            inner = inner[key]
        inner[place[-1]] = value
    else:
        expected = value
    assert json.loads(replace_values(text, {place: value})) == expected


def test_a_file_is_replaced_whole(tmp_path: Path) -> None:
    """The new text takes the old one's place, its mode, and the place behind a link; nothing else is left there."""
    path, link = tmp_path / "models.json", tmp_path / "link.json"
    path.write_bytes(b"old")
    path.chmod(0o640)
    link.symlink_to(path)
    write_text(link, "new\r\n")
    assert path.read_bytes() == b"new\r\n"
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    assert link.is_symlink()
    assert sorted(os.listdir(tmp_path)) == ["link.json", "models.json"]


def test_a_file_that_cannot_be_written_stays(tmp_path: Path) -> None:
    """The reason is told; what was there is still there."""
    with pytest.raises(EngineError) as caught:
        write_text(tmp_path / "no folder" / "models.json", "new")
    assert caught.value.report.kind is ErrorKind.FOLDER_UNWRITABLE
