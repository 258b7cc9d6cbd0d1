"""How the window tells where a token came from: five marks, each with a word."""

from __future__ import annotations

from enum import Enum

from app.translate import translate
from engine.types import Drafter, Source, TokenEvent


class Mark(Enum):
    ACCEPTED = "accepted"  # the draft model's guess
    RESAMPLED = "resampled"
    BONUS = "bonus"
    LOOKUP = "lookup"  # accepted too, and found in earlier text
    PLAIN = "plain"


def mark_of(token: TokenEvent) -> Mark:
    if token.source is Source.ACCEPTED and token.drafter is Drafter.LOOKUP:
        return Mark.LOOKUP
    return Mark(token.source.value)


def mark_word(mark: Mark) -> str:
    """The mark's name as the window writes it."""
    match mark:
        case Mark.ACCEPTED:
            return translate("transcript", "accepted")
        case Mark.RESAMPLED:
            return translate("transcript", "resampled")
        case Mark.BONUS:
            return translate("transcript", "bonus")
        case Mark.LOOKUP:
            return translate("transcript", "lookup")
        case Mark.PLAIN:
            return translate("transcript", "plain")
