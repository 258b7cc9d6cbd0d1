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
from engine.types import Drafter, Inactive, SamplingSettings
from tests.conftest import StarterFiles
from tests.lossless import real_engine

PROMPTS = [
    "def quicksort(items):\n    if len(items) <= 1:\n        return items\n",
    '{"users": [{"id": 1, "name": "Ada", "tags": ["admin", "staff"]}, {"id": 2, "name":',
    "The lighthouse keeper had not spoken to anyone for a month when",
    "北京是中国的首都，也是",
    "My mood today in emoji: 😀😀🎉 and tomorrow:",
]
TEMPERATURES = [0.0, 0.8]
LENGTHS = [1, 4]
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
    """Code, JSON, prose, Chinese and emoji, greedy and at temperature 0.8, draft lengths 1 and 4: identical ids."""
    real_engine.load(client, real_engine.request(starter.target, drafts[draft], 256, exact=True))
    verified = accepted = 0
    for number, (prompt, temperature) in enumerate(product(PROMPTS, TEMPERATURES)):
        sampling = SamplingSettings(temperature=temperature, seed=20)
        if (prompt, temperature) not in plain_texts:
            off = real_engine.write(client, prompt, sampling, 0, TOKENS)
            assert off.stats.inactive is Inactive.SWITCHED_OFF
            plain_texts[prompt, temperature] = [token.token_id for token in off.tokens]
        # Lengths take turns with prompts, temperatures and drafts, so that every two values meet.
        length = LENGTHS[(number // 2 + number + DRAFTS.index(draft)) % 2]
        on = real_engine.write(client, prompt, sampling, length, TOKENS)
        assert on.stats.inactive is None
        assert [token.token_id for token in on.tokens] == plain_texts[prompt, temperature], (prompt, sampling, length)
        verified += on.stats.verified
        accepted += on.stats.accepted
    assert 0 < accepted < verified  # both branches were taken


REPEATING = """# The days of the week, short and long.
DAYS = {"mon": "Monday", "tue": "Tuesday", "wed": "Wednesday", "thu": "Thursday", "fri": "Friday"}

# The same again.
DAYS = {"mon":"""


def test_text_that_repeats_is_the_targets_too(client: EngineClient, starter: StarterFiles) -> None:
    """Found by the lookup alone and by the chain at temperature 0.8: identical ids, and long guesses are kept."""
    if client.pair is None:
        real_engine.load(client, real_engine.request(starter.target, starter.draft, 256, exact=True))
    sampling = SamplingSettings(temperature=0.8, seed=20)
    off = real_engine.write(client, REPEATING, sampling, 0, TOKENS)
    for drafters in (frozenset({Drafter.LOOKUP}), frozenset(Drafter)):
        on = real_engine.write(client, REPEATING, sampling, 4, TOKENS, drafters)
        assert [token.token_id for token in on.tokens] == [token.token_id for token in off.tokens]
        assert on.stats.lookup.accepted > 8
        assert Drafter.MODEL in drafters or on.stats.model.drafted == 0
