"""The JSON of a reply is a contract: its keys, and what they hold."""

from __future__ import annotations

import json
from pathlib import Path

from app.catalogue.reading import read_catalogue
from app.pairs import PairChoice
from app.paths import Paths
from app.reply_document import reply_document
from engine.protocol import Finished, SpeculationStopped, Started
from engine.stats import ReplyFold
from engine.types import (
    Choice,
    Drafter,
    DraftRound,
    EndReason,
    Inactive,
    LoadRequest,
    Rejected,
    RoundChoice,
    Source,
    TokenEvent,
)
from tests.fakes.scripted_engine import loaded_pair

FILES = PairChoice(target="a.gguf")
TOKENS = (
    TokenEvent(0, 11, "你", Source.ACCEPTED, Drafter.MODEL, 0.9, 0.8, None, 0, 0),
    TokenEvent(1, 12, "好", Source.RESAMPLED, Drafter.MODEL, 0.6, 0.1, Rejected(13, "!", 0.2, 0.7), 0, 1),
)
STATS_KEYS = {
    "prompt_tokens", "completion_tokens", "rounds", "drafted", "verified", "accepted", "resampled", "bonus", "plain",
    "acceptance_rate", "tokens_per_round", "accepted_at", "ttft_s", "decode_s", "tokens_per_s", "draft_s", "verify_s",
    "sample_s", "other_s", "speculation", "inactive_reason", "inactive_kind",
}  # fmt: skip


def reply(inactive: Inactive | None = None, stopped: Inactive | None = None) -> ReplyFold:
    fold = ReplyFold()
    fold.add(Started(1, 10, 0, 0, 0.05, inactive))
    fold.add(DraftRound(1, 0, (11, 13), 2, 1, TOKENS, 0.1, 0.2, 0.01, 0.32))
    if stopped is not None:
        fold.add(SpeculationStopped(1, stopped))
    fold.add(Finished(1, EndReason.STOP, "。", 0.06, 0.4))
    return fold


def stats_of(fold: ReplyFold) -> dict[str, object]:
    made = reply_document(fold, 0, None, FILES)["stats"]
    assert isinstance(made, dict)
    return made


def test_keys_and_values() -> None:
    """Every promised key is there, text is the tokens' text, tokens say where they came from."""
    document = reply_document(reply(), 42, loaded_pair(LoadRequest("a.gguf", draft="b.gguf")), FILES)
    assert {"text", "finish_reason", "seed", "tokens", "stats", "pair"} <= document.keys()
    assert (document["text"], document["finish_reason"], document["seed"]) == ("你好。", "stop", 42)
    assert document["tokens"] == [
        {
            "id": 11, "text": "你", "source": "accepted", "drafter": "model", "p": 0.9, "q": 0.8,
            "rejected": None, "round": 0, "position": 0, "match": None,
        },
        {
            "id": 12, "text": "好。", "source": "resampled", "drafter": "model", "p": 0.6, "q": 0.1,
            "rejected": {"id": 13, "text": "!", "p": 0.2, "q": 0.7}, "round": 0, "position": 1, "match": None,
        },
    ]  # fmt: skip
    stats = document["stats"]
    assert isinstance(stats, dict)
    assert stats.keys() >= STATS_KEYS
    assert (stats["drafted"], stats["verified"], stats["accepted"], stats["accepted_at"]) == (2, 2, 1, [1])
    assert (stats["speculation"], stats["inactive_reason"]) == ("on", None)
    json.dumps(document, allow_nan=False)


def test_what_auto_chose_is_told() -> None:
    """The last choice of the reply, by its words and numbers; null where a length was asked for in no round."""
    fold = reply()
    assert stats_of(fold)["choice"] is None
    choice = RoundChoice(Choice.RESTING, Drafter.MODEL, 0, 0.74, resting=12, next_probe=20)
    fold.add(DraftRound(1, 1, (), 0, 0, (), 0.0, 0.1, 0.0, 0.1, choice=choice))
    assert stats_of(fold)["choice"] == {
        "choice": "resting", "drafter": "model", "length": 0, "ratio": 0.74, "resting": 12,
    }  # fmt: skip


def test_speculation_tells_what_ran() -> None:
    """Off where it never ran, on where it ran and stopped on the way; both with their reason."""

    fold = ReplyFold()
    fold.add(Started(1, 10, 0, 0, 0.05, Inactive.NO_DRAFT))
    assert stats_of(fold)["speculation"] == "off"
    assert stats_of(fold)["inactive_kind"] == "no_draft"
    assert stats_of(fold)["inactive_reason"] == "Speculation needs a draft model, and none is loaded."
    stopped = stats_of(reply(stopped=Inactive.DRAFT_FAILED))
    assert (stopped["speculation"], stopped["inactive_kind"]) == ("on", "draft_failed")


def test_a_reply_without_an_end_ended_with_an_error() -> None:
    """What was written before an error is kept beside it."""
    document = reply_document(ReplyFold(), 0, None, FILES)
    assert (document["finish_reason"], document["text"], document["pair"]) == ("error", "", None)


def test_a_known_pair_has_its_own_title() -> None:
    """The starter pair and those of the catalogue are called by their names, others by their models."""
    known = read_catalogue(Paths(Path("no such folder"))).pair("qwen3-8b")
    choices = (
        (PairChoice("starter"), "starter", "SmolLM2 135M"),
        (PairChoice("qwen3-8b", known=known), "qwen3-8b", "Qwen3 8B + 0.6B"),
        (FILES, None, "Scripted F32"),
    )
    for choice, pair_id, title in choices:
        made = reply_document(ReplyFold(), 0, loaded_pair(LoadRequest("a.gguf")), choice)["pair"]
        assert isinstance(made, dict)
        assert (made["id"], made["title"]) == (pair_id, title)
