"""Real weights in the exact configuration: with flash attention off and an F32 cache, on and off are the same text.

There llama.cpp's logits do not depend on how many tokens share a pass, so nothing rounds differently and one different
token would be a bug. What the default configuration rounds is measured by `tests/bench/lossless_full.py`.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from pathlib import Path

import pytest

from app.engine_client import EngineClient
from engine.types import Inactive, SamplingSettings
from tests.conftest import StarterFiles
from tests.lossless import real_engine
from tests.lossless.ways import AUTO, AUTO_CHAIN, AUTO_LOOKUP, CHAIN, FIXED, LOOKUP

PROMPTS = [
    "def quicksort(items):\n    if len(items) <= 1:\n        return items\n",
    '{"users": [{"id": 1, "name": "Ada", "tags": ["admin", "staff"]}, {"id": 2, "name":',
    "The lighthouse keeper had not spoken to anyone for a month when",
    "北京是中国的首都，也是",
    "My mood today in emoji: 😀😀🎉 and tomorrow:",
]
TEMPERATURES = [0.0, 0.8]
# In turns over prompts and temperatures; which lengths the controller chooses is up to the clock.
HOW = [(FIXED, 1), (AUTO, None), (FIXED, 4), (AUTO_CHAIN, None), (CHAIN, 4)]
DRAFTS = ["Q4_1", "Q4_0"]  # one that mostly agrees with the target, and one that often does not
TOKENS = 32

Texts = dict[tuple[str, float], list[int]]


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[EngineClient]:
    client = EngineClient(tmp_path_factory.mktemp("logs"))
    yield client
    client.close()


@pytest.fixture(scope="module")
def drafts(client: EngineClient, starter: StarterFiles, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The drafts' files."""
    made = tmp_path_factory.mktemp("drafts") / "Q4_0.gguf"
    *_, ending = client.quantize(starter.target, made, "Q4_0")
    assert made.exists(), ending
    return dict(zip(DRAFTS, (starter.draft, made), strict=True))


@pytest.fixture(scope="module")
def plain_texts() -> Texts:
    """What the target wrote alone, by prompt and temperature; filled by whoever comes first."""
    return {}


@pytest.mark.parametrize("draft", DRAFTS)
def test_on_is_off_token_for_token(
    client: EngineClient, starter: StarterFiles, drafts: dict[str, Path], plain_texts: Texts, draft: str
) -> None:
    """Code, JSON, prose, Chinese and emoji, greedy and at temperature 0.8, draft lengths 1 and 4 and by time, with the
    draft alone and behind a lookup: identical ids."""
    real_engine.load(client, real_engine.request(starter.target, drafts[draft], 256, exact=True))
    verified = accepted = 0
    for number, (prompt, temperature) in enumerate(product(PROMPTS, TEMPERATURES)):
        sampling = SamplingSettings(temperature=temperature, seed=20)
        if (prompt, temperature) not in plain_texts:
            off = real_engine.write(client, prompt, sampling, 0, TOKENS)
            assert off.stats.inactive is Inactive.SWITCHED_OFF
            plain_texts[prompt, temperature] = [token.token_id for token in off.tokens]
        # Ten prompts and temperatures, five ways: the other draft begins elsewhere, so that it meets them otherwise.
        way, length = HOW[(number + number // len(HOW) + 2 * DRAFTS.index(draft)) % len(HOW)]
        on = real_engine.write(client, prompt, sampling, length, TOKENS, way.drafters)
        assert on.stats.inactive is None
        assert [token.token_id for token in on.tokens] == plain_texts[prompt, temperature], (prompt, sampling, way)
        if not way.by_time:
            verified += on.stats.verified
            accepted += on.stats.accepted
    # Both branches were taken. The better draft goes on from what the target has read, and then hardly ever errs here.
    assert accepted > 0
    assert accepted < verified or draft == "Q4_1"


REPEATING = """# The days of the week, short and long.
DAYS = {"mon": "Monday", "tue": "Tuesday", "wed": "Wednesday", "thu": "Thursday", "fri": "Friday"}

# The same again.
DAYS = {"mon":"""


@pytest.mark.parametrize("temperature", TEMPERATURES)
def test_text_that_repeats_is_the_targets_too(
    client: EngineClient, starter: StarterFiles, temperature: float
) -> None:
    """Found by the lookup alone and by the chain, at a length and by time: identical ids, and at a length long guesses
    are kept."""
    if client.pair is None:
        real_engine.load(client, real_engine.request(starter.target, starter.draft, 256, exact=True))
    sampling = SamplingSettings(temperature=temperature, seed=20)
    off = real_engine.write(client, REPEATING, sampling, 0, TOKENS)
    for way in (LOOKUP, CHAIN, AUTO_LOOKUP, AUTO_CHAIN):
        on = real_engine.write(client, REPEATING, sampling, None if way.by_time else 4, TOKENS, way.drafters)
        assert [token.token_id for token in on.tokens] == [token.token_id for token in off.tokens], way
        assert way.by_time or on.stats.lookup.accepted > 8
        assert way.models or on.stats.model.drafted == 0
