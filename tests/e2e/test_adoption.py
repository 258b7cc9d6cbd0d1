"""A draft that is its target at a lower precision need not read what the target has read."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from app.engine_client import EngineClient
from engine.protocol import Failed
from engine.stats import FoldedEvent, ReplyFold
from engine.types import Drafter, DraftRound, GenerationRequest, LoadRequest, SamplingSettings
from tests.conftest import StarterFiles
from tests.e2e.conftest import TinyPair
from tests.fakes.gguf_files import Tiny, write_model
from tests.fakes.state_sizes import times_asked

LONG = "The keeper of the lighthouse wrote down what the sea did that day, and then what he had dreamt. " * 20
GREEDY = SamplingSettings(temperature=0.0)


@pytest.fixture
def client(tmp_path: Path) -> Iterator[EngineClient]:
    with closing(EngineClient(tmp_path / "logs")) as client:
        yield client


def write(client: EngineClient, load: LoadRequest, prompt: str, *, length: int | None) -> tuple[ReplyFold, float]:
    """A reply of a pair loaded anew, and the seconds that its first round with guesses spent in the draft."""
    *_, ending = client.load(load)
    assert not isinstance(ending, Failed), ending
    fold, first_s = ReplyFold(), 0.0
    only = frozenset({Drafter.MODEL})
    for event in client.generate(
        GenerationRequest(0, prompt=prompt, max_tokens=24, sampling=GREEDY, draft_length=length, drafters=only)
    ):
        if isinstance(event, DraftRound) and event.draft_s > 0.0:
            first_s = first_s or event.draft_s
        assert not isinstance(event, Failed), event
        if isinstance(event, FoldedEvent):
            fold.add(event)
    return fold, first_s


def test_the_starter_pairs_draft_is_quick_after_a_long_prompt(client: EngineClient, starter: StarterFiles) -> None:
    """Some 400 tokens: copied, where measuring showed that this draft can; read by itself where nothing was measured.
    Its guesses are as good."""
    pair = LoadRequest(str(starter.target), str(starter.draft), ctx=1024)
    reading, read_s = write(client, pair, LONG, length=4)
    copying, copied_s = write(client, LoadRequest(pair.target, pair.draft, ctx=1024, measure=True), LONG, length=4)
    assert copied_s < read_s / 3
    assert [token.token_id for token in copying.tokens] == [token.token_id for token in reading.tokens]
    assert copying.stats.accepted >= reading.stats.accepted - 4


@pytest.mark.parametrize(
    "draft",
    [Tiny(layers=1, noise=0.1), Tiny(width=32), Tiny(seed=5)],
    ids=["fewer layers", "narrower", "other weights"],
)
def test_other_drafts_read_for_themselves_and_the_text_is_the_targets(
    client: EngineClient, tiny: TinyPair, tmp_path: Path, draft: Tiny
) -> None:
    """Whatever the draft takes for granted, it is the target that writes."""
    other = write_model(tmp_path / "draft.gguf", draft)
    pair = LoadRequest(str(tiny.target), str(other), threads=1, measure=True)
    off, _ = write(client, pair, "abc" * 40, length=0)
    for length in (4, None):
        on, _ = write(client, pair, "abc" * 40, length=length)
        assert on.stats.draft_inactive is None
        assert [token.token_id for token in on.tokens] == [token.token_id for token in off.tokens]


def test_asking_in_every_round_whether_the_cache_can_be_copied_costs_nothing(starter: StarterFiles) -> None:
    """llama.cpp walks through the whole cache to tell its size, which would take longer with every token."""
    assert 0 < times_asked(starter.draft) <= 3
