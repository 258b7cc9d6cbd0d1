"""Replies with known times, event by event."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from app.compare.values import ComparePlan, PairOfRuns, Run
from engine.protocol import Finished, Started
from engine.stats import FoldedEvent, ReplyFold
from engine.types import (
    DraftRound,
    EndReason,
    GenerationRequest,
    Inactive,
    RoundChoice,
    SamplingSettings,
    Source,
    TokenEvent,
)

REQUEST = GenerationRequest(job=0, prompt="Count.", sampling=SamplingSettings(temperature=0.0, seed=7), max_tokens=256)
PLAN = ComparePlan(REQUEST, 2)


def events(
    words: Sequence[str],
    seconds: float,
    *,
    accepted: int = 0,
    verified: int = 0,
    ttft_s: float = 0.1,
    inactive: Inactive | None = None,
    choice: RoundChoice | None = None,
    reason: EndReason = EndReason.LENGTH,
) -> Iterator[FoldedEvent]:
    """A reply of these words in one round of so many seconds, as if none had come with the prompt. A word's token id is
    its own."""
    tokens = tuple(
        TokenEvent(
            index,
            token_id(word),
            word,
            Source.ACCEPTED if index < accepted else Source.PLAIN,
            None,
            1,
            None,
            None,
            0,
            index,
        )
        for index, word in enumerate(words)
    )
    drafted = tuple(token.token_id for token in tokens[:verified])
    yield Started(1, 10, 0, 0, 0.05, inactive)
    yield DraftRound(1, 1, drafted, verified, accepted, tokens, 0.0, seconds, 0.0, seconds, choice=choice)
    yield Finished(1, reason, "", ttft_s, seconds)


def run(words: Sequence[str], seconds: float, **more: object) -> Run:
    """The same, complete."""
    fold = ReplyFold()
    for event in events(words, seconds, **more):  # type: ignore[arg-type]
        fold.add(event)
    return Run.of(fold)


def token_id(word: str) -> int:
    return int.from_bytes(word.encode(), "big") % 40_009


def words(text: str) -> list[str]:
    """With the blanks in front, as most vocabularies cut it."""
    first, *others = text.split(" ")
    return [first, *(f" {word}" for word in others)]


def pair(off: str, on: str, off_s: float = 2.0, on_s: float = 1.0, choice: RoundChoice | None = None) -> PairOfRuns:
    return PairOfRuns(run(words(off), off_s), run(words(on), on_s, choice=choice))


LONG = " ".join(f"word{number}" for number in range(80))
