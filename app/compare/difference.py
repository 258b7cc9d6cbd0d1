"""Where two replies to the same request part, and how far the target was from writing the other one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import inf
from typing import Final

from app.compare.values import Difference, PairOfRuns
from engine.protocol import Weighed

# Nearer than this, the shape of a batch decides (docs/losslessness.md, "The hardware rounds").
NEAR_TIE: Final = 0.05

_LONGEST_WORD: Final = 24  # of what is quoted: a text without blanks has no words


@dataclass(frozen=True, slots=True)
class Weighing:
    """What the target is to weigh: after this common part of the reply, the token of off against that of on."""

    reply: tuple[int, ...]
    tokens: tuple[int, int]


def different_pair(pairs: Sequence[PairOfRuns]) -> PairOfRuns | None:
    """The first pair whose replies differ."""
    return next((pair for pair in pairs if pair.first_difference is not None), None)


def difference_of(pairs: Sequence[PairOfRuns]) -> Difference | None:
    """Where the first pair that differs does so, not weighed; None where all are identical."""
    pair = different_pair(pairs)
    if pair is None or pair.first_difference is None:
        return None
    off, on = pair.off.text, pair.on.text
    at = next((place for place, (a, b) in enumerate(zip(off, on, strict=False)) if a != b), min(len(off), len(on)))
    start = at
    in_word = not (_at_boundary(off, at) and _at_boundary(on, at))
    while in_word and start > 0 and at - start < _LONGEST_WORD and not off[start - 1].isspace():
        start -= 1
    return Difference(pair.first_difference, _word(off, start, at), _word(on, start, at))


def weighing_of(pairs: Sequence[PairOfRuns]) -> Weighing | None:
    """What would explain the difference; None where there is none, or one reply is the beginning of the other."""
    pair = different_pair(pairs)
    if pair is None or pair.first_difference is None:
        return None
    at = pair.first_difference
    if at >= min(len(pair.off.token_ids), len(pair.on.token_ids)):
        return None
    return Weighing(pair.off.token_ids[:at], (pair.off.token_ids[at], pair.on.token_ids[at]))


def explained(difference: Difference, weighed: Weighed) -> Difference:
    """`difference` with what the target said of it."""
    near = None if weighed.gap is None else weighed.gap < NEAR_TIE
    return replace(difference, gap=weighed.gap, near_tie=near, by_chance=weighed.chosen is None)


def is_finite(gap: float | None) -> bool:
    """There is a gap that can be told as a number."""
    return gap is not None and gap < inf


def _at_boundary(text: str, at: int) -> bool:
    return at >= len(text) or text[at].isspace()


def _word(text: str, start: int, at: int) -> str | None:
    """The word from `start` on in which the texts part `at`, with what is left of it; None at the text's end."""
    if at >= len(text):
        return text[start:] or None
    end = at + 1  # a blank that differs is shown with the word after it
    while end < len(text) and end - at < _LONGEST_WORD and not text[end].isspace():
        end += 1
    return text[start:end]
