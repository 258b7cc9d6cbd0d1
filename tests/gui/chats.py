"""Conversations and transcripts for tests of the chat."""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtGui import QColor, QImage
from pytestqt.qtbot import QtBot

from app.conversation import Conversation, ReplyTurn
from engine.protocol import Finished, Started
from engine.types import Drafter, DraftRound, EndReason, GenerationRequest, Rejected, Source, TokenEvent
from tests.fakes import tapes
from ui.reply_view import ReplyView
from ui.token_view import TokenView
from ui.transcript import Transcript

REQUEST = GenerationRequest(job=1)


def token(
    text: str,
    source: Source = Source.ACCEPTED,
    *,
    index: int = 0,
    p: float = 0.7,
    q: float | None = 0.5,
    rejected: Rejected | None = None,
    position: int = 0,
    match: int = 0,
) -> TokenEvent:
    """By the lookup where there is a match, and otherwise by the draft model."""
    drafter = Drafter.LOOKUP if match else Drafter.MODEL
    judged = source in (Source.ACCEPTED, Source.RESAMPLED)
    return TokenEvent(
        index, 100 + index, text, source, drafter if judged else None, p, q, rejected, 0, position, match
    )


def tokens(*texts: str) -> list[TokenEvent]:
    return [token(text, index=index) for index, text in enumerate(texts)]


def one_round(found: Iterable[TokenEvent], drafted: int = 5) -> DraftRound:
    """A round with exactly these tokens."""
    every = tuple(found)
    accepted = sum(event.source is Source.ACCEPTED for event in every)
    return DraftRound(1, 0, tuple(range(drafted)), accepted, accepted, every, 0.01, 0.03, 0.001, 0.05)


def conversation(*replies: str, question: str = "A question") -> Conversation:
    """Questions and whole replies in turn."""
    made = Conversation()
    for text in replies:
        add_reply(made, text, question)
    return made


def add_reply(made: Conversation, text: str, question: str = "A question") -> ReplyTurn:
    made.add_user(question)
    turn = made.begin_reply("Target 7B", REQUEST)
    for event in tapes.reply(text):
        made.add_event(event)
    return turn


def running(*events: DraftRound) -> Conversation:
    """A question and a reply that goes on."""
    made = Conversation()
    made.add_user("A question")
    made.begin_reply("Target 7B", REQUEST)
    made.add_event(Started(1, 3, 0, 0, 0.1, None))
    for event in events:
        made.add_event(event)
    return made


def finish(made: Conversation, tail: str = "") -> None:
    made.add_event(Finished(1, EndReason.STOP, tail, 0.2, 1.0))


def shown(qtbot: QtBot, made: Conversation, width: int = 844, height: int = 700) -> Transcript:
    """A transcript on the screen with this conversation in it."""
    transcript = Transcript()
    qtbot.addWidget(transcript, before_close_func=lambda widget: widget.close_down())
    transcript.resize(width, height)
    with qtbot.waitExposed(transcript):
        transcript.show()
    transcript.show_conversation(made)
    return transcript


def settled(qtbot: QtBot, transcript: Transcript) -> None:
    """Wait until everything is shown and nothing is left to do in idle time."""
    qtbot.waitUntil(lambda: not transcript.busy)


def reply_view(transcript: Transcript, index: int = -1) -> ReplyView:
    view = transcript.stack.views[index]
    assert isinstance(view, ReplyView)
    return view


def pixel(view: TokenView, image: QImage, index: int, dx: int = 2, dy: int = 2) -> QColor:
    """The colour near the upper left corner of a token's tint."""
    area = view.token_area(index)
    ratio = image.devicePixelRatio()
    return image.pixelColor(round((area.left() + dx) * ratio), round((area.top() + dy) * ratio))
