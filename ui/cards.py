"""Which cards stand above the prompt, worked out from what is the case now; nothing here remembers anything."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum, auto

from app.amounts import count
from app.conversation import ReplyTurn
from app.devices.device import Device
from app.memory_words import low_words
from app.messages import draft_inactive_sentence, inactive_sentence, message_for, rest_sentence
from app.translate import join_sentences, translate
from engine.errors import ErrorKind, ErrorReport
from engine.types import Choice, EndReason, Inactive, LoadedPair, LoadRequest, RoundChoice
from ui.pair_control import Refusal
from ui.state_card import Tone


class Action(Enum):
    """What a card's button does."""

    WRITE_AGAIN = auto()  # the last reply, with the same seed
    USE_CHATML = auto()
    USE_PLAIN = auto()
    LOAD_STARTER = auto()
    LOAD_AGAIN = auto()  # what was refused
    LOAD_WITHOUT_DRAFT = auto()  # what was refused, its target alone
    LOAD_REMEDY = auto()  # the same with settings that fit
    LOAD_ANYWAY = auto()  # although it does not fit
    OPEN_FILES = auto()
    LOAD_OPTIONS = auto()
    DETAILS = auto()
    DISMISS = auto()
    DISMISS_MEMORY = auto()  # that memory is short
    DISMISS_DROP = auto()  # that a pair became slower
    DISMISS_EXPORT = auto()  # that a file was not written
    DISMISS_ERROR = auto()  # why a comparison ended early
    KEEP_ON = auto()  # guess a fixed number of tokens a round in the next replies
    DISMISS_REST = auto()  # that guessing does not pay


@dataclass(frozen=True, slots=True)
class Notice:
    """One card. `report` is what Details shows, `request` what the load buttons load, `remedy` what would fit."""

    title: str
    text: str
    actions: tuple[Action, ...] = ()
    tone: Tone = Tone.WARNING
    report: ErrorReport | None = None
    request: LoadRequest | None = None
    remedy: LoadRequest | None = None


TEMPLATE_KINDS = (
    ErrorKind.NO_CHAT_TEMPLATE,
    ErrorKind.CHAT_TEMPLATE_BROKEN,
    ErrorKind.CHAT_TEMPLATE_ENDLESS,
    ErrorKind.CHAT_TEMPLATE_UNSAFE,
)
ROOM_KINDS = (
    ErrorKind.OUT_OF_MEMORY,
    ErrorKind.WOULD_NOT_FIT,
    ErrorKind.CONTEXT_FAILED,
    ErrorKind.PROMPT_TOO_LONG,
    ErrorKind.MAX_TOKENS_PAST_CONTEXT,
)
CHOSEN = (Inactive.SWITCHED_OFF, Inactive.ZERO_LENGTH, Inactive.NO_DRAFT)  # by the user, so no card is needed


def button_words(notice: Notice, action: Action) -> str:
    if action is Action.LOAD_REMEDY and notice.remedy is not None and notice.report is not None:
        return _remedy_words(notice.remedy, notice.request, notice.report)
    return action_words(action)


def action_words(action: Action) -> str:
    match action:
        case Action.WRITE_AGAIN:
            return translate("cards", "Write again")
        case Action.USE_CHATML:
            return translate("cards", "Use ChatML")
        case Action.USE_PLAIN:
            return translate("cards", "Use plain text")
        case Action.LOAD_STARTER:
            return translate("cards", "Try the starter pair")
        case Action.LOAD_AGAIN:
            return translate("cards", "Load again")
        case Action.LOAD_WITHOUT_DRAFT:
            return translate("cards", "Write without draft")
        case Action.LOAD_REMEDY:
            return translate("cards", "Use what fits")
        case Action.LOAD_ANYWAY:
            return translate("cards", "Load anyway")
        case Action.OPEN_FILES:
            return translate("cards", "Open GGUF files…")
        case Action.LOAD_OPTIONS:
            return translate("cards", "Load options…")
        case Action.DETAILS:
            return translate("cards", "Details")
        case Action.KEEP_ON:
            return translate("cards", "Keep it on")
        case (
            Action.DISMISS
            | Action.DISMISS_MEMORY
            | Action.DISMISS_REST
            | Action.DISMISS_DROP
            | Action.DISMISS_EXPORT
            | Action.DISMISS_ERROR
        ):
            return translate("cards", "Dismiss")


def load_notice(refusal: Refusal, kept: LoadedPair | None, remedy: LoadRequest | None = None) -> Notice:
    """A pair that was not loaded; `kept` is the one that still is, `remedy` what of it would fit."""
    report, request = refusal.report, refusal.request
    message = message_for(report)
    actions: list[Action] = [Action.LOAD_REMEDY] if remedy is not None else []
    if report.kind is ErrorKind.WOULD_NOT_FIT:
        actions.append(Action.LOAD_ANYWAY)
    without = remedy is not None and remedy.draft is None  # its button says the same
    if request is not None and request.draft is not None and not without and _is_about_draft(report, request.draft):
        actions.append(Action.LOAD_WITHOUT_DRAFT)
    if request is not None and report.kind in ROOM_KINDS:
        actions.append(Action.LOAD_OPTIONS)
    elif request is not None and report.kind in (ErrorKind.ENGINE_DIED, ErrorKind.ENGINE_START_FAILED):
        actions.append(Action.LOAD_AGAIN)
    elif request is None:
        actions += (Action.LOAD_STARTER, Action.OPEN_FILES)
    else:
        actions.append(Action.OPEN_FILES)
    if report.kind is not ErrorKind.WOULD_NOT_FIT:  # its text says all of it
        actions.append(Action.DETAILS)
    if kept is not None:
        actions.append(Action.DISMISS)
    return Notice(message.title, message.text, tuple(actions), report=report, request=request, remedy=remedy)


def no_pair_notice() -> Notice:
    return Notice(
        translate("cards", "No pair is loaded"),
        translate("cards", "Load one to go on; your chats stay."),
        (Action.LOAD_STARTER, Action.OPEN_FILES),
        Tone.NOTE,
    )


def memory_notice(low: Sequence[tuple[Device, int]]) -> Notice:
    """Memory has become short since the load; `low` has the devices with what should be free on them."""
    advice = translate(
        "cards", "A reply may run out of memory: close other programs, or load the pair with a shorter context."
    )
    words = [low_words(device, margin) for device, margin in low]
    actions = (Action.LOAD_OPTIONS, Action.DISMISS_MEMORY)
    return Notice(translate("cards", "Memory is running short"), join_sentences([*words, advice]), actions)


def reply_notices(
    reply: ReplyTurn,
    pair: LoadedPair | None,
    loading: bool,
    dropped: int,
    remedy: LoadRequest | None = None,
    *,
    rested: bool = False,
) -> list[Notice]:
    """What is to be said about the last reply of a conversation.

    Args:
        remedy: how the pair would fit, where memory ran out.
        rested: guessing did not pay for nearly all of it, which is to be said.
        dropped: messages that were not sent because the conversation is longer than the context.
    """
    notices: list[Notice] = []
    if dropped and pair is not None:
        notices.append(_dropped_notice(dropped, pair))
    inactive = reply.fold.stats.inactive
    if inactive is not None and inactive not in CHOSEN:
        title = translate("cards", "Speculation is not running")
        notices.append(Notice(title, inactive_sentence(inactive, pair), tone=Tone.NOTE))
    draft_inactive = reply.fold.stats.draft_inactive
    if inactive is None and draft_inactive is not None and draft_inactive not in CHOSEN:
        title = translate("cards", "The draft is not at work")
        notices.append(Notice(title, draft_inactive_sentence(draft_inactive, pair), tone=Tone.NOTE))
    choice = reply.fold.stats.choice
    if choice is not None and choice.choice is Choice.ROUNDS_TOO_SLOW:
        notices.append(_slow_notice())
    elif rested:
        notices.append(_rest_notice(choice))
    if reply.error is not None:
        tokens = reply.fold.stats.completion_tokens
        notices.append(broken_notice(reply.error, tokens, pair, loading, remedy, (Action.WRITE_AGAIN, Action.DETAILS)))
    elif reply.fold.end is EndReason.CONTEXT:
        notices.append(_context_notice(reply))
    return notices


def _rest_notice(choice: RoundChoice | None) -> Notice:
    advice = translate(
        "cards", "It is tried again now and then. A fixed draft length keeps it on, even where it makes replies slower."
    )
    return Notice(
        translate("cards", "Speculation rested in this reply"),
        join_sentences([rest_sentence(choice), advice]),
        (Action.KEEP_ON, Action.DISMISS_REST),
        Tone.NOTE,
    )


def _slow_notice() -> Notice:
    return Notice(
        translate("cards", "Speculation is off for a while"),
        translate(
            "cards",
            "Its rounds took far longer than predicted. Another program may be keeping the same device busy: close it. "
            "If this comes again, choose a smaller draft. It is tried once more after some tokens.",
        ),
    )


def broken_notice(
    report: ErrorReport,
    tokens: int,
    pair: LoadedPair | None,
    loading: bool,
    remedy: LoadRequest | None,
    actions: tuple[Action, ...],
) -> Notice:
    """Why a reply ended after so many tokens. `actions` come after those that help, and are left out where only a
    template does."""
    message = message_for(report)
    if report.kind in TEMPLATE_KINDS:
        templates = (Action.USE_CHATML, Action.USE_PLAIN, Action.DETAILS)
        return Notice(message.title, message.text, templates, report=report)
    died = report.kind is ErrorKind.ENGINE_DIED
    short = bool(report.fact("need_bytes"))
    text = _death_words(tokens, pair, loading) if died else message.text
    if died and short:
        text = join_sentences([message.text, text])
    if short and remedy is not None and not loading:
        actions = (Action.LOAD_REMEDY, *actions)
    elif report.kind in ROOM_KINDS or short:
        actions = (Action.LOAD_OPTIONS, *actions)
    return Notice(message.title, text, actions, report=report, remedy=remedy)


def _remedy_words(remedy: LoadRequest, request: LoadRequest | None, report: ErrorReport) -> str:
    """In short where it is one change, what is asked for being known."""
    if remedy.draft is None and request is not None and request.draft is not None:
        return action_words(Action.LOAD_WITHOUT_DRAFT)
    shorter = remedy.ctx is not None and remedy.ctx != report.fact("ctx")
    others = (remedy.kv_type, remedy.gpu_layers, remedy.experts_on_cpu)
    if request is None or others != (request.kv_type, request.gpu_layers, request.experts_on_cpu):
        return action_words(Action.LOAD_REMEDY)
    if shorter:
        return translate("cards", "Use a context of {ctx}").format(ctx=count(remedy.ctx or 0))
    return action_words(Action.LOAD_REMEDY)


def _death_words(tokens: int, pair: LoadedPair | None, loading: bool) -> str:
    if loading:
        state = translate("cards", "It was started again and the pair is loading.")
    elif pair is not None:
        state = translate("cards", "It was started again and the pair is ready.")
    else:
        state = translate("cards", "Its pair is not loaded now.")
    if tokens == 1:
        cut = translate("cards", "The reply was cut after 1 token; nothing else is lost.")
    else:
        cut = translate("cards", "The reply was cut after {tokens} tokens; nothing else is lost.")
    return join_sentences([state, cut.format(tokens=count(tokens))])


def _dropped_notice(dropped: int, pair: LoadedPair) -> Notice:
    title = translate("cards", "The conversation is longer than the context ({ctx} tokens)")
    if dropped == 1:
        text = translate("cards", "The oldest message was not sent to the model. It stays in the conversation.")
    else:
        text = translate(
            "cards", "The {dropped} oldest messages were not sent to the model. They stay in the conversation."
        )
    return Notice(title.format(ctx=count(pair.ctx)), text.format(dropped=count(dropped)), (Action.LOAD_OPTIONS,))


def _context_notice(reply: ReplyTurn) -> Notice:
    stats = reply.fold.stats
    text = translate(
        "cards",
        "The prompt of {prompt} tokens and the reply of {reply} fill it, so the reply stops here. "
        "The next message goes on; a longer context holds more.",
    )
    return Notice(
        translate("cards", "The context is full"),
        text.format(prompt=count(stats.prompt_tokens), reply=count(stats.completion_tokens)),
        (Action.LOAD_OPTIONS,),
    )


def _is_about_draft(report: ErrorReport, draft: str) -> bool:
    return report.kind is ErrorKind.DRAFT_VOCABULARY or report.fact("path") == draft
