"""The shipped catalogue: what every change of it must keep."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from app.catalogue.reading import read_catalogue
from app.catalogue.rules import mistakes
from app.model_values import CataloguePair, PairKind
from app.paths import Paths
from engine.errors import EngineError
from engine.limits import check_request
from engine.types import MAX_CTX, GenerationRequest, SamplingSettings

ROOT = Path(__file__).parents[4]
MODELS, SCHEMA = ROOT / "models.json", ROOT / "models.schema.json"
PAIRS = read_catalogue(Paths(Path("no such folder"))).pairs


def test_the_catalogue_follows_its_rules() -> None:
    """Form, names, parts, unique ids, and sizes that fit parameters and quantisation."""
    assert list(mistakes(MODELS.read_text(encoding="utf-8"), MODELS)) == []


def test_the_whole_file_is_as_the_schema_says() -> None:
    """The schema itself is right, and an editor that follows the file's own link to it finds no fault either."""
    schema, document = (json.loads(path.read_text(encoding="utf-8")) for path in (SCHEMA, MODELS))
    Draft202012Validator.check_schema(schema)
    Draft202012Validator(schema).validate(document)
    assert MODELS.parent / document["$schema"] == SCHEMA


def test_every_entry_is_read() -> None:
    """The program has as many pairs as the file, at least thirty, and nothing to complain of."""
    document = json.loads(MODELS.read_text(encoding="utf-8"))
    assert len(PAIRS) == len(document["pairs"]) >= 30
    assert read_catalogue(Paths(Path("no such folder"))).problems == ()


@pytest.mark.parametrize("kind", PairKind)
def test_every_kind_has_pairs_for_small_and_large_cards(kind: PairKind) -> None:
    """For each kind there are pairs below 9 GB and above, and several of them."""
    sizes = [size_of(pair) for pair in PAIRS if kind in pair.kinds]
    assert len(sizes) >= 5
    assert min(sizes) < 9e9 < max(sizes)


def test_every_pair_fits_a_card() -> None:
    """None needs more than 32 GB for its weights alone, and some fit 6 GB."""
    sizes = [size_of(pair) for pair in PAIRS]
    assert max(sizes) < 32e9
    assert sum(size < 5e9 for size in sizes) >= 5


def test_titles_tell_pairs_apart() -> None:
    """No two pairs look the same in a list."""
    assert Counter(pair.title for pair in PAIRS).most_common(1)[0][1] == 1


@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: pair.id)
def test_the_engine_takes_the_settings(pair: CataloguePair) -> None:
    """What a card recommends is within the engine's limits, and so is the context."""
    check_request(GenerationRequest(1, prompt="x", sampling=pair.sampling or SamplingSettings()))
    assert 0 < pair.context <= MAX_CTX


@pytest.mark.parametrize("end", ["minimum", "maximum"])
def test_the_schema_lets_nothing_through_that_the_engine_refuses(end: str) -> None:
    """The ends of the schema's ranges are within the engine's limits."""
    schema = json.loads(SCHEMA.read_text(encoding="utf-8"))
    ranges = schema["$defs"]["sampling"]["properties"]
    edges = {name: values[end] for name, values in ranges.items() if end in values}
    assert edges
    check_request(GenerationRequest(1, prompt="x", sampling=SamplingSettings(**edges)))
    with pytest.raises(EngineError):
        check_request(GenerationRequest(1, prompt="x", sampling=SamplingSettings(top_p=1.1)))
    assert schema["$defs"]["pair"]["properties"]["context"]["maximum"] == MAX_CTX


def size_of(pair: CataloguePair) -> int:
    return pair.target.about_bytes + pair.draft.about_bytes
