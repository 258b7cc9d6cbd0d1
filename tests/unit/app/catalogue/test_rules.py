"""What an entry may not be."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from app.catalogue.document import entries_of
from app.catalogue.rules import first_mistake, mistakes
from tests.unit.app.catalogue.samples import Entry, a_catalogue, a_file, a_part, an_entry, with_draft


def split(*paths: str) -> Entry:
    return with_draft(parts=[a_part(path) for path in paths])


@pytest.mark.parametrize(
    "entry",
    [
        an_entry(),
        an_entry(kinds=["fim", "code"], sampling=None, note="Goes in circles."),
        an_entry(title="模型 7B + 1B", context=8192.0),
        with_draft(parts=[a_part("folder/模型 Q4_K_M.gguf", 17, "0" * 64)]),
        with_draft(revision="0123456789abcdef0123456789abcdef01234567"),
        split("a-00001-of-00001.gguf"),
        split("deep/a-00001-of-00003.gguf", "deep/a-00002-of-00003.gguf", "deep/a-00003-of-00003.gguf"),
    ],
)
def test_what_is_allowed(entry: Entry) -> None:
    """Other scripts, folders, commits, whole numbers with a point, and all parts of a split file."""
    assert first_mistake(entry) is None


@pytest.mark.parametrize(
    ("entry", "words"),
    [
        (5, "not of type 'object'"),
        ([], "not of type 'object'"),
        ({}, "'id' is a required property"),
        ({**an_entry(), "colour": "red"}, "'colour' was unexpected"),
        (an_entry("Has Capitals"), "id: small letters"),
        (an_entry("ends\n"), "id:"),
        (an_entry("starter"), "id: starter"),
        (an_entry("x" * 61), "id:"),
        (an_entry(title=""), "title:"),
        (an_entry(title="\x1b[31mred"), "title:"),
        (an_entry(title="half a character \ud800"), "title:"),
        (an_entry(title="7B \u202eFFUG"), "title: one line of text is expected, without invisible characters"),
        (an_entry(family="zero\u200bwidth"), "family: one line"),
        (an_entry(note="two\nlines"), "note:"),
        (an_entry(kinds=[]), "kinds:"),
        (an_entry(kinds=["chat", "chat"]), "kinds:"),
        (an_entry(kinds=["poems"]), "kinds[0]:"),
        (an_entry(kinds=["chat"] * 100_000), "kinds:"),
        (an_entry(gated=1), "gated:"),
        (an_entry(context=0), "context:"),
        (an_entry(context=True), "context:"),
        (an_entry(context=1e300), "context:"),
        (an_entry(context=8192.5), "context:"),
        (an_entry(confidence="low"), "confidence:"),
        (an_entry(confidence=["high"]), "confidence:"),
        (an_entry(sampling={}), "sampling:"),
        (an_entry(sampling={"temperature": -1}), "sampling.temperature:"),
        (an_entry(sampling={"temperature": float("inf")}), "sampling.temperature:"),
        (an_entry(sampling={"top_p": 1.01}), "sampling.top_p:"),
        (an_entry(sampling={"repeat_penalty": 0}), "sampling.repeat_penalty:"),
        (an_entry(sampling={"seed": 1}), "'seed' was unexpected"),
        (an_entry(draft=None), "draft:"),
        (with_draft(repo="one-name"), "draft.repo: an owner and a name are expected"),
        (with_draft(repo="../.."), "draft.repo:"),
        (with_draft(repo="owner/../x"), "draft.repo:"),
        (with_draft(repo="owner/name\n"), "draft.repo:"),
        (with_draft(repo="https://evil.example/owner/name"), "draft.repo:"),
        (with_draft(revision="../main"), "draft.revision: a commit"),
        (with_draft(quantisation="Q4 K"), "draft.quantisation: letters, digits and underscores"),
        (with_draft(parameters="7B"), "draft.parameters:"),
        (with_draft(about_bytes=-1), "draft.about_bytes:"),
        (with_draft(parts=[]), "draft.parts:"),
        (with_draft(parts=[a_part("a.gguf")] * 1001), "draft.parts:"),
        (with_draft(parts=[a_part("a.gguf", 0)]), "draft.parts[0].size_bytes:"),
        (with_draft(parts=[a_part("a.gguf", None, "F" * 64)]), "draft.parts[0].sha256: 64 digits"),
        (with_draft(parts=[a_part("a.gguf", None, "f" * 63)]), "draft.parts[0].sha256:"),
        (with_draft(parts=[{"path": "a.gguf"}]), "draft.parts[0]: 'size_bytes' is a required property"),
        (split("../a.gguf"), "draft: ..: it begins"),
        (split("/etc/a.gguf"), "draft: "),
        (split("folder/../../a.gguf"), "draft: "),
        (split("folder\\a.gguf"), "draft: "),
        (split("C:a.gguf"), "draft: "),
        (split("CON.gguf"), "draft: "),
        (split("a.gguf\x00.txt"), "draft: "),
        (split("a.safetensors"), "draft: "),
        (split("x" * 5000 + ".gguf"), "draft.parts[0].path:"),
        (split("a.gguf", "b.gguf"), "draft: its parts"),
        (split("a-00001-of-00002.gguf"), "draft: its parts"),
        (split("a-00002-of-00002.gguf", "a-00001-of-00002.gguf"), "draft: its parts"),
        (split("a-00001-of-00002.gguf", "b-00002-of-00002.gguf"), "draft: its parts"),
        (split("a-00001-of-00003.gguf", "a-00002-of-00003.gguf"), "draft: its parts"),
        (split("a-00001-of-00002.gguf", "a-00001-of-00002.gguf"), "draft: its parts"),
        (split("a-00001-of-00002.gguf", "other.gguf"), "draft: its parts"),
    ],
)
def test_mistakes_are_named(entry: Any, words: str) -> None:
    """Each mistake is found, with the place where it is, in a line that can be shown."""
    mistake = first_mistake(entry)
    assert mistake is not None
    assert words in mistake
    assert len(mistake) <= 201
    assert mistake.isprintable()


def test_endless_values_make_short_reports() -> None:
    """What stands in an entry does not come out in full again."""
    for value in ("x" * 1_000_000, ["y"] * 100_000, {str(number): 1 for number in range(10_000)}):
        for entry in (an_entry(title=value), an_entry(target=value), {**an_entry(), "extra": value}):
            assert len(first_mistake(entry) or "") in range(1, 202)


def test_deep_nesting_is_a_mistake() -> None:
    """Lists in lists, as deep as they can be read, break nothing."""
    nested: Any = 0
    for _ in range(900):
        nested = [nested]
    assert first_mistake(an_entry(title=nested)) is not None


def test_keys_that_stand_twice_are_mistakes_of_their_entry() -> None:
    """Which of two values is meant cannot be known, so neither is."""
    text = a_catalogue(an_entry()).replace('"note": ""', '"title": "Another", "note": ""')
    entries = entries_of(text, Path("models.json"))
    assert first_mistake(entries[0]) == "title: the key stands twice"


@pytest.mark.parametrize(
    ("entries", "words"),
    [
        ([an_entry(), an_entry()], "some-pair: the id stands twice"),
        ([with_draft(about_bytes=70_000_000)], "some-pair: draft: 1000000000 parameters as Q4_K_M"),
        ([with_draft(about_bytes=7_000_000_000)], "some-pair: draft: 1000000000 parameters as Q4_K_M"),
        ([with_draft(quantisation="Q9_X")], "some-pair: draft: the quantisation Q9_X is not known"),
        ([with_draft(parts=[a_part("a.gguf", 690_000_000)])], "some-pair: draft: about 700000000 bytes"),
        ([an_entry(draft=an_entry()["target"])], "the draft is not smaller"),
        ([with_draft(repo="?")], "some-pair: draft.repo:"),
        (["?"], "no. 1: '?' is not of type 'object'"),
    ],
)
def test_a_whole_catalogue_is_looked_through(entries: list[object], words: str) -> None:
    """What only whoever edits a catalogue needs to know is told too: sizes that cannot be, ids that stand twice."""
    found = list(mistakes(a_catalogue(*entries), Path("models.json")))
    assert len(found) == 1
    assert words in found[0]


def test_a_broken_document_is_one_mistake() -> None:
    """Where nothing can be read, that is all there is to say."""
    assert len(list(mistakes("{", Path("models.json")))) == 1
    assert list(mistakes(a_catalogue(an_entry()), Path("models.json"))) == []


def test_plausible_sizes_of_small_and_large_models_pass() -> None:
    """A small model that keeps its vocabulary in finer types is no mistake."""
    draft = a_file("o/d", "d.gguf", parameters=490_000_000, about_bytes=397_808_192)
    text = a_catalogue(an_entry(draft=draft))
    assert list(mistakes(text, Path("models.json"))) == []
    assert json.loads(text)["pairs"][0]["draft"] == draft
