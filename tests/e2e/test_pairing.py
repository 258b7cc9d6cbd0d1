"""Pairs that do not quite match, through the real program: what they write, and what is said of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.e2e.conftest import TinyPair
from tests.e2e.program import FOUR_GUESSES, ONE_THREAD, Result, run
from tests.fakes.gguf_files import FIRST_BYTE, Tiny, write_model

PROMPT = ["--prompt", "the rain, é 中 🙂", "--raw", "--max-tokens", "60", "--ctx", "256"]
EXACT = ["--flash-attn", "off", "--kv-type", "f32", "--draft-length", "3", "--seed", "7", "--json"]
CHANGED = tuple((FIRST_BYTE + byte, f"<{byte}>") for byte in b"aeiou")

DRAFTS = {
    "masked": Tiny(noise=0.1, changed_tokens=CHANGED),
    "smaller": Tiny(noise=0.1, vocab_size=300),
    "larger": Tiny(noise=0.1, vocab_size=1_000),
    "larger and masked": Tiny(noise=0.1, vocab_size=1_000, changed_tokens=CHANGED),
}


def generate(target: Path, draft: Path | None, *words: str) -> Result:
    drafting = [] if draft is None else ["--draft", str(draft)]
    return run("generate", "--target", str(target), *drafting, *ONE_THREAD, *FOUR_GUESSES, *PROMPT, *EXACT, *words)


def ids(result: Result) -> list[int]:
    tokens = result.document["tokens"]
    assert isinstance(tokens, list)
    return [token["id"] for token in tokens]


@pytest.fixture(scope="module")
def plain(tiny: TinyPair) -> list[int]:
    """What the target writes alone, at the default temperature and this seed."""
    return ids(generate(tiny.target, None))


@pytest.mark.parametrize("name", DRAFTS)
def test_a_draft_of_another_vocabulary_changes_no_token(
    name: str, tiny: TinyPair, plain: list[int], tmp_path: Path
) -> None:
    """Masked, smaller or larger: the same seed gives the same text, speculation runs to the end, the mask is told."""
    result = generate(tiny.target, write_model(tmp_path / "draft.gguf", DRAFTS[name]))
    assert result.status == 0, result.err
    assert ids(result) == plain
    stats, pair = result.document["stats"], result.document["pair"]
    assert isinstance(stats, dict)
    assert isinstance(pair, dict)
    assert stats["inactive_reason"] is None
    assert stats["verified"] > 0
    masked = "masked" in name
    assert pair["masked"] == (5 if masked else 0)
    assert ("5 tokens mean something else to the draft" in result.err) == masked


def test_a_draft_as_large_as_its_target_is_told(tiny: TinyPair) -> None:
    """It is loaded all the same, and the note names both."""
    result = generate(tiny.target, tiny.target)
    assert result.status == 0
    assert "is as large as target, so speculation will hardly be faster" in result.err
    assert "as large as" not in generate(tiny.target, None).err
