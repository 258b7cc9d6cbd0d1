"""Headers of pairs that are not here come from a hub that is not asked in vain."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from app.catalogue.entries import pair_of
from app.fit.pair_files import pair_finder
from app.model_values import CataloguePair, Here
from app.paths import Paths
from engine.errors import ErrorKind
from tests.fakes.gguf_files import write_model
from tests.fakes.hub import FakeHub
from tests.fakes.hub_faults import too_many
from tests.unit.app.catalogue.samples import a_file, an_entry
from tests.unit.app.hub.conftest import refusal


@pytest.fixture
def hub(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeHub]:
    """Has three models."""
    content = write_model(tmp_path / "model.gguf").read_bytes()
    with FakeHub() as hub:
        for name in "abc":
            hub.add(f"owner/{name}", {f"{name}.gguf": content})
        monkeypatch.setenv("HF_ENDPOINT", hub.endpoint)
        yield hub


def a_pair(target: str, draft: str) -> CataloguePair:
    return pair_of(
        an_entry(target=a_file(f"owner/{target}", f"{target}.gguf"), draft=a_file(f"owner/{draft}", f"{draft}.gguf"))
    )


def test_a_model_of_two_pairs_is_read_once(hub: FakeHub) -> None:
    """And told once to whoever asks how many are to be read."""
    pairs = [a_pair("a", "c"), a_pair("b", "c")]
    with pair_finder(Paths()) as finder:
        assert finder.to_fetch(pairs) == 3
        first, second = map(finder.find, pairs)
        assert finder.to_fetch(pairs) == 0
    assert first.here is second.here is Here.NOTHING
    assert (first.draft, first.request.draft) == (second.draft, str(second.draft[0]))
    assert len(hub.asked("bytes")) == 3


def test_a_hub_that_asks_for_a_pause_gets_it(hub: FakeHub) -> None:
    """What is kept is told all the same."""
    with pair_finder(Paths()) as finder:
        kept = finder.find(a_pair("a", "c"))
        hub.script("api", *[too_many()] * 9)
        hub.script("resolve", *[too_many()] * 9)
        assert refusal(lambda: finder.find(a_pair("b", "c"))).kind is ErrorKind.HUB_BUSY
        asked = len(hub.requests)
        assert refusal(lambda: finder.find(a_pair("a", "b"))).kind is ErrorKind.HUB_BUSY
        assert finder.find(a_pair("a", "c")) == kept
        assert len(hub.requests) == asked
