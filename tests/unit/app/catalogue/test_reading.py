"""The shipped catalogue and the user's own over it, whatever that holds."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.catalogue import reading, shipped
from app.catalogue.reading import Catalogue, read_catalogue
from app.model_values import CatalogueFile, Confidence, PairKind, RemoteModel, RemotePart
from app.paths import Paths
from engine.errors import EngineError, ErrorKind
from engine.types import SamplingSettings
from tests.unit.app.catalogue.samples import a_catalogue, a_file, a_part, an_entry, write_catalogue

SHIPPED = read_catalogue(Paths(Path("no such folder")))


@pytest.fixture
def own(tmp_path: Path) -> Path:
    """Where the user's own catalogue is."""
    path = paths_of(tmp_path).data / "models.json"
    path.parent.mkdir(parents=True)
    return path


def paths_of(folder: Path) -> Paths:
    return Paths(folder / "base")


def read(own: Path) -> Catalogue:
    return read_catalogue(Paths(own.parents[1]))


def reason(catalogue: Catalogue) -> str:
    """Why the one thing that is wrong is left out; all shipped pairs are there."""
    assert catalogue.pairs == SHIPPED.pairs
    (problem,) = catalogue.problems
    assert problem.kind is ErrorKind.CATALOGUE_BROKEN
    return str(problem.fact("reason"))


def test_an_entry_becomes_a_pair(own: Path) -> None:
    """Every value of an entry arrives; what a card leaves out is the program's own."""
    parts = [a_part("deep/b-00001-of-00002.gguf", 5, "a" * 64), a_part("deep/b-00002-of-00002.gguf")]
    draft = a_file("owner/Some-1B-GGUF", "", parts=parts, revision="abc", quantisation="Q8_0", parameters=10**9)
    write_catalogue(own, an_entry(kinds=["fim", "code"], draft=draft, gated=True, note="Slow.", context=8192.0))
    pair = read(own).pair("some-pair")
    assert (pair.title, pair.family, pair.licence, pair.gated) == ("Some 7B + 1B", "Some", "apache-2.0", True)
    assert (pair.context, pair.note, pair.confidence) == (8192, "Slow.", Confidence.MEDIUM)
    assert isinstance(pair.context, int)
    assert pair.kinds == {PairKind.FIM, PairKind.CODE}
    assert pair.sampling == SamplingSettings(temperature=0.5, top_k=7)
    remote = (RemotePart("deep/b-00001-of-00002.gguf", 5, "a" * 64), RemotePart("deep/b-00002-of-00002.gguf"))
    model = RemoteModel("owner/Some-1B-GGUF", "abc", remote)
    assert pair.draft == CatalogueFile(model, "Q8_0", 10**9, 4_300_000_000)


def test_own_entries_replace_shipped_ones_in_their_place(own: Path) -> None:
    """A known id gets the user's values and keeps its place; a new one comes last."""
    second = SHIPPED.pairs[1]
    write_catalogue(own, an_entry(), an_entry(second.id, title="Better"))
    pairs = read(own).pairs
    assert [pair.id for pair in pairs] == [*(pair.id for pair in SHIPPED.pairs), "some-pair"]
    assert pairs[1].title == "Better"
    assert pairs[0] == SHIPPED.pairs[0]


def test_a_broken_entry_leaves_the_others(own: Path) -> None:
    """It is reported with its name and reason; the shipped one of its id stays, and its neighbours are used."""
    second = SHIPPED.pairs[1]
    write_catalogue(own, an_entry("one"), an_entry(second.id, gated="no"), 7, an_entry("two"), an_entry("one"))
    catalogue = read(own)
    assert catalogue.pair("one").id == "one"
    assert catalogue.pair("two").id == "two"
    assert catalogue.pair(second.id) == second
    assert [problem.kind for problem in catalogue.problems] == [ErrorKind.CATALOGUE_BROKEN] * 3
    assert [problem.fact("entry") for problem in catalogue.problems] == [second.id, "no. 3", "one"]
    assert catalogue.problems[0].fact("reason") == "gated: 'no' is not of type 'boolean'"
    assert catalogue.problems[0].fact("path") == str(own)


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "Expecting value"),
        (b'{"version": 1, "pairs": [', "Expecting value"),
        (b"\xff\xfe{\x00", "not UTF-8"),
        (b"[]", "no object"),
        (b"null", "no object"),
        (b'{"pairs": []}', "no object"),
        (b'{"version": 2, "pairs": []}', "no object"),
        (b'{"version": 1, "pairs": {}}', "no object"),
        (b'{"version": 1, "pairs": [], "pairs": []}', "no object"),
        (b'{"version": 1, "pairs": [NaN]}', "NaN is no number"),
        (b'{"version": 1, "pairs": [-Infinity]}', "-Infinity is no number"),
        (b'{"version": 1, "pairs": [' + b"9" * 5000 + b"]}", "digits"),
        (b'{"version": 1, "pairs": [' + b"0," * 1000 + b"0]}", "more than 500 pairs"),
        (b"[" * 1_000_000, "nested too deeply"),
        (b'{"pairs":' * 100_000, "nested too deeply"),
    ],
)
def test_a_broken_file_is_left_out(own: Path, data: bytes, words: str) -> None:
    """It is reported once, and the shipped pairs are all there."""
    own.write_bytes(data)
    assert words in reason(read(own))


def test_a_file_of_a_gigabyte_is_not_read(own: Path) -> None:
    """What is far too large is refused after one megabyte."""
    with own.open("wb") as file:
        file.truncate(1 << 30)
    assert "larger than 1 MB" in reason(read(own))


def test_what_is_no_file_is_left_out(own: Path) -> None:
    """A folder and a pipe stop nothing; a pipe would wait for ever."""
    own.mkdir()
    assert "not a file" in reason(read(own))
    own.rmdir()
    os.mkfifo(own)
    assert "not a file" in reason(read(own))


def test_a_folder_that_is_a_file_is_no_catalogue(tmp_path: Path) -> None:
    """A data folder that is none is no reason to fail; who writes there will be told."""
    (tmp_path / "base").write_text("a file")
    catalogue = read_catalogue(paths_of(tmp_path))
    assert catalogue.pairs == SHIPPED.pairs


def test_numbers_beyond_all_numbers_break_their_entry(own: Path) -> None:
    """1e999 is infinite, and no temperature."""
    own.write_text(a_catalogue(an_entry()).replace("0.5", "1e999"))
    assert reason(read(own)).startswith("sampling.temperature:")


def test_damage_to_the_shipped_file_is_reported(own: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where it is missing, cut or wrong in one entry, what is left works, and the user's own pairs do."""
    program = tmp_path / "program"
    program.mkdir()
    shutil.copy(shipped.shipped_file("models.schema.json"), program)
    text = shipped.shipped_file("models.json").read_text(encoding="utf-8")
    document = json.loads(text)
    del document["pairs"][0]["kinds"]
    document["pairs"][1]["target"] = 5
    monkeypatch.setattr(reading, "shipped_file", lambda name: program / name)
    write_catalogue(own, an_entry())
    for damaged, left, problems in (
        (None, 0, 1),
        (text[:-100], 0, 1),
        (json.dumps(document), len(SHIPPED.pairs) - 2, 2),
    ):
        if damaged is not None:
            (program / "models.json").write_text(damaged, encoding="utf-8")
        catalogue = read(own)
        assert len(catalogue.pairs) == left + 1
        assert [problem.fact("path") for problem in catalogue.problems] == [str(program / "models.json")] * problems


def test_an_unknown_pair_is_refused_with_near_names() -> None:
    """A slip of the keyboard is answered with what was meant; nonsense with nothing."""
    for name, near in (("QWEN2.5-CODER-7B", "qwen2.5-coder-7b"), ("qwen2.5coder7b", "qwen2.5-coder-7b"), ("", "")):
        with pytest.raises(EngineError) as caught:
            SHIPPED.pair(name)
        report = caught.value.report
        assert (report.kind, report.fact("id")) == (ErrorKind.PAIR_UNKNOWN, name)
        assert str(report.fact("near")).split(", ")[0] == near


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)


def places(value: Any, place: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Where the values of an entry stand, lists and objects too."""
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [place, *(deeper for key, one in inner for deeper in places(one, (*place, key)))]


@given(place=st.sampled_from(places(an_entry())), value=VALUES)
def test_any_value_at_any_place_is_used_or_reported(
    tmp_path_factory: pytest.TempPathFactory, place: tuple[Any, ...], value: object
) -> None:
    """Nothing that JSON can say breaks the reading, and the next entry is always there."""
    changed: Any = an_entry()
    if place:
        inner = changed
        for key in place[:-1]:
            inner = inner[key]
        inner[place[-1]] = value
    else:
        changed = value
    own = tmp_path_factory.mktemp("fuzz") / "base" / "data" / "models.json"
    write_catalogue(own, an_entry("before"), changed)
    catalogue = read(own)
    assert catalogue.pair("before").id == "before"
    assert len(catalogue.pairs) + len(catalogue.problems) >= len(SHIPPED.pairs) + 2 - (changed == an_entry("before"))
