"""What the user is told when something goes wrong, or speculation does not run: what, why, and what to do.

The engine reports kinds and numbers; the words for its errors are in `app.error_words`.
"""

from __future__ import annotations

import errno
from dataclasses import dataclass
from pathlib import Path
from typing import assert_never

from app.error_words import Facts, words_for
from app.translate import translate
from engine.errors import ErrorReport
from engine.types import Inactive, LoadedPair


@dataclass(frozen=True, slots=True)
class UserMessage:
    """title: what happened. text: why, and what to do. detail: for the expert, shown on request."""

    title: str
    text: str
    detail: str = ""


class UserError(Exception):
    """Something the app itself found wrong, with its message. `kind` names it for programs."""

    def __init__(self, kind: str, message: UserMessage) -> None:
        super().__init__(f"{message.title}: {message.text}")
        self.kind = kind
        self.message = message


def message_for(report: ErrorReport) -> UserMessage:
    """The message of an error of the engine. Facts that are missing leave a gap, never an exception."""
    fields = Facts(report)
    title, text = words_for(report.kind, fields)
    return UserMessage(title.format_map(fields), text.format_map(fields), report.detail)


def storage_error(place: Path, error: OSError) -> UserError:
    """A folder or file of the program's own could not be written."""
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        title = translate("messages", "The disk is full")
        text = translate("messages", "{place} cannot be written. Free some space and try again.")
    else:
        title = translate("messages", "The folder cannot be written to")
        text = translate(
            "messages",
            "{place}: {reason}. Check the permissions, or choose another base folder.",
        )
    reason = error.strerror or str(error)
    return UserError("storage", UserMessage(title, text.format(place=place, reason=reason)))


def inactive_sentence(inactive: Inactive, pair: LoadedPair | None) -> str:
    """Why speculation is not running."""
    target = pair.target.name if pair else translate("messages", "the target")
    draft = pair.draft.name if pair and pair.draft else translate("messages", "the draft")
    match inactive:
        case Inactive.SWITCHED_OFF:
            text = translate("messages", "Speculation is switched off.")
        case Inactive.NO_DRAFT:
            text = translate("messages", "Speculation needs a draft model, and none is loaded.")
        case Inactive.ZERO_LENGTH:
            text = translate("messages", "Speculation is off because the draft length is 0.")
        case Inactive.TARGET_ROLLBACK:
            text = translate(
                "messages",
                "Speculation is off because {target} cannot forget rejected tokens: "
                "its architecture keeps a running state.",
            )
        case Inactive.DRAFT_ROLLBACK:
            text = translate(
                "messages",
                "Speculation is off because the draft {draft} cannot forget rejected tokens: "
                "its architecture keeps a running state. Choose another draft.",
            )
        case Inactive.DRAFT_CONTEXT_FULL:
            text = translate(
                "messages",
                "Speculation stopped because the context of the draft {draft} is full. "
                "The reply goes on without it.",
            )
        case Inactive.DRAFT_FAILED:
            text = translate(
                "messages",
                "Speculation stopped because the draft {draft} failed. The reply goes on without it.",
            )
        case _:
            assert_never(inactive)
    return text.format(target=target, draft=draft)
