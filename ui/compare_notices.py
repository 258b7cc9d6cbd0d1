"""Which cards stand on the Compare page, and why a comparison cannot begin; worked out from what is the case now."""

from __future__ import annotations

import errno
import os
from dataclasses import replace
from pathlib import Path

from app.compare.record import Drop
from app.compare.words import drop_words
from app.error_words import printable
from app.messages import inactive_sentence, message_for
from app.translate import translate
from engine.errors import ErrorKind, ErrorReport
from engine.types import Inactive
from ui.cards import Action, Notice, broken_notice, load_notice, no_pair_notice
from ui.pair_control import PairControl
from ui.reply_control import ReplyControl
from ui.state_card import Tone


def compare_notices(
    pairs: PairControl, error: ErrorReport | None, tokens: int, drop: Drop | None, problem: ErrorReport | None
) -> list[Notice]:
    """`error` ended the last comparison when its reply had so many tokens, `drop` is what the pair lost against its own
    history, `problem` is why a file was not written."""
    notices: list[Notice] = []
    if pairs.refusal is not None:
        notices.append(load_notice(pairs.refusal, pairs.pair, pairs.remedy))
    elif pairs.pair is None and pairs.loading is None:
        notices.append(no_pair_notice())
    elif pairs.pair is not None and pairs.pair.inactive is Inactive.TARGET_ROLLBACK:
        title = translate("compare", "There is nothing to compare with this target")
        notices.append(Notice(title, inactive_sentence(pairs.pair.inactive, pairs.pair), tone=Tone.NOTE))
    if error is not None and (pairs.refusal is None or pairs.refusal.report.kind is not error.kind):
        notice = broken_notice(
            error, tokens, pairs.pair, pairs.loading is not None, pairs.remedy, actions=(Action.DETAILS,)
        )
        notices.append(replace(notice, actions=(*notice.actions, Action.DISMISS_ERROR)))
    if drop is not None:
        title = translate("compare", "This pair was faster before")
        notices.append(Notice(title, drop_words(drop), (Action.DISMISS_DROP,)))
    if problem is not None:
        notices.append(_export_notice(problem))
    return notices


def why_not(pairs: PairControl, replies: ReplyControl) -> str:
    """Why a comparison cannot begin now, "" where it can."""
    if pairs.loading is not None:
        return translate("compare", "The pair is still loading. Run it when it is ready.")
    if pairs.pair is None:
        return translate("compare", "No pair is loaded.")
    if pairs.pair.inactive is Inactive.TARGET_ROLLBACK:
        return inactive_sentence(pairs.pair.inactive, pairs.pair)
    if replies.writing is not None:
        return translate("compare", "A reply is being written in a chat; Ctrl+. stops it.")
    return ""


def unmeasured_words() -> str:
    return translate("compare", "Stopped before anything was measured.")


def by_time_words() -> str:
    return translate("compare", "The draft length is set to 0, which is off; “on” is measured with auto.")


def saved_words(name: str) -> str:
    return translate("compare", "Saved as {file}").format(file=name)


def _export_notice(report: ErrorReport) -> Notice:
    if report.kind is ErrorKind.DISK_FULL:
        text = translate("compare", "Nothing was written. Make room, or export it to another disk.")
    elif report.fact("reason") == os.strerror(errno.ENOENT):
        text = translate(
            "compare", "The folder {folder} is not there. Nothing was written; make it, or export to another folder."
        )
    else:
        text = translate(
            "compare",
            "It could not be written in {folder}: {reason}. Nothing was written; export it to another folder or under "
            "another name.",
        )
    folder = Path(str(report.fact("path"))).parent
    text = text.format(folder=printable(str(folder)), reason=report.fact("reason"))
    return Notice(message_for(report).title, text, (Action.DISMISS_EXPORT,), report=report)
