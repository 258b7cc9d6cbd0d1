"""What the user is told when something goes wrong, or speculation does not run: what, why, and what to do.

Errors are kinds and numbers until here; the words for them are in `app.error_words`.
"""

from __future__ import annotations

from dataclasses import dataclass

from app.amounts import count
from app.error_words import (
    Facts,
    choice_note_words,
    choice_words,
    draft_inactive_words,
    inactive_words,
    rest_words,
    words_for,
)
from app.translate import join_sentences, translate
from engine.errors import ErrorReport
from engine.types import Inactive, LoadedPair, RoundChoice

HOPEFUL = 1.005  # a predicted ratio that is shown as more than 1.00


@dataclass(frozen=True, slots=True)
class UserMessage:
    """title: what happened. text: why, and what to do. detail: for the expert, shown on request."""

    title: str
    text: str
    detail: str = ""

    @property
    def line(self) -> str:
        """Title and text, one after the other."""
        return join_sentences([translate("messages", "{title}.").format(title=self.title), self.text])


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
    return _with_figures(choice_words(choice.choice, hopeful=_is_hopeful(choice)), choice)


def choice_note(choice: RoundChoice) -> str:
    """The same in a few words, for a narrow place; "" where nothing was chosen."""
    return _with_figures(choice_note_words(choice.choice, hopeful=_is_hopeful(choice)), choice)


def rest_sentence(choice: RoundChoice | None) -> str:
    """Why the target wrote nearly all of a reply alone, with the last choice of it."""
    if choice is None:
        return rest_words(hopeful=True)
    return _with_figures(rest_words(hopeful=_is_hopeful(choice)), choice)


def _is_hopeful(choice: RoundChoice) -> bool:
    """Whether no loss is predicted: what was seen of a draft fades while it rests, and only a try shows what is."""
    return choice.ratio is None or choice.ratio > HOPEFUL


def _with_figures(words: str, choice: RoundChoice) -> str:
    return words.format(length=choice.length, ratio="–" if choice.ratio is None else f"{choice.ratio:.2f}")


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
