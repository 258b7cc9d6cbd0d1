"""What the user is told when something goes wrong, or speculation does not run: what, why, and what to do.

Errors are kinds and numbers until here; the words for them are in `app.error_words`.
"""

from __future__ import annotations

from dataclasses import dataclass

from app.amounts import count
from app.error_words import Facts, choice_words, draft_inactive_words, inactive_words, words_for
from app.translate import translate
from engine.errors import ErrorReport
from engine.types import Inactive, LoadedPair, RoundChoice


@dataclass(frozen=True, slots=True)
class UserMessage:
    """title: what happened. text: why, and what to do. detail: for the expert, shown on request."""

    title: str
    text: str
    detail: str = ""


def message_for(report: ErrorReport) -> UserMessage:
    """The message of an error. Facts that are missing leave a gap, never an exception."""
    fields = Facts(report)
    title, text = words_for(report.kind, fields)
    return UserMessage(title.format_map(fields), text.format_map(fields), report.detail)


def draft_inactive_sentence(inactive: Inactive, pair: LoadedPair | None) -> str:
    """Why the draft model proposes nothing while the lookup does."""
    return _with_names(draft_inactive_words(inactive), pair)


def inactive_sentence(inactive: Inactive, pair: LoadedPair | None) -> str:
    """Why speculation is not running."""
    return _with_names(inactive_words(inactive), pair)


def _with_names(words: str, pair: LoadedPair | None) -> str:
    target = pair.target.name if pair else translate("messages", "the target")
    draft = pair.draft.name if pair and pair.draft else translate("messages", "the draft")
    return words.format(target=target, draft=draft)


def choice_sentence(choice: RoundChoice) -> str:
    """What was chosen for the last round, and why."""
    ratio = "–" if choice.ratio is None else f"{choice.ratio:.2f}"
    return choice_words(choice.choice).format(length=choice.length, ratio=ratio)


def pair_notes(pair: LoadedPair) -> list[str]:
    """What is worth knowing of a pair that works; mostly nothing."""
    if pair.draft is None:
        return []
    notes = []
    if pair.masked:
        notes.append(
            translate(
                "messages",
                "{masked} tokens mean something else to the draft {draft} than to {target}. It never proposes them, "
                "and the text is the target's as always.",
            )
        )
    if pair.draft.size_bytes >= pair.target.size_bytes:
        notes.append(
            translate(
                "messages",
                "The draft {draft} is as large as {target}, so speculation will hardly be faster. "
                "Choose a smaller draft.",
            )
        )
    return [note.format(masked=count(pair.masked), draft=pair.draft.name, target=pair.target.name) for note in notes]
