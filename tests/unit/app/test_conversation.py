"""Conversations: what they keep, what they send, and what they tell their listeners."""

from __future__ import annotations

import pytest

from app.conversation import TITLE_LENGTH, Conversation, Conversations, ReplyTurn, UserTurn
from engine.errors import ErrorKind, ErrorReport
from engine.protocol import Failed, Finished, PrefillProgress, Started
from engine.types import ChatMessage, EndReason, GenerationRequest, Inactive
from tests.fakes import tapes

REQUEST = GenerationRequest(job=1)


def answered(text: str = "Twelve ships.") -> Conversation:
    """A question and a whole reply."""
    conversation = Conversation()
    conversation.add_user("How many?")
    conversation.begin_reply("Target", REQUEST)
    for event in tapes.reply(text):
        conversation.add_event(event)
    return conversation


def test_events_become_text_and_figures() -> None:
    """A reply's text is the text of its tokens, and its figures come from the same rounds."""
    reply = answered("Twelve ships came home.").last_reply
    assert reply is not None
    assert reply.text == "Twelve ships came home."
    assert reply.fold.stats.completion_tokens == len(reply.fold.tokens)
    assert len(reply.draft_lengths) == reply.fold.stats.rounds
    assert reply.fold.end is EndReason.STOP
    assert not reply.running


def test_prefill_is_shown_until_the_prompt_is_read() -> None:
    """Progress of the prompt is kept while it is read and gone as soon as the reply starts."""
    conversation = Conversation()
    conversation.add_user("Read this.")
    reply = conversation.begin_reply("Target", REQUEST)
    conversation.add_event(PrefillProgress(1, 512, 2048))
    assert reply.prefill == (512, 2048)
    conversation.add_event(Started(1, 2048, 0, 0, 1.5, None))
    assert reply.prefill is None
    assert reply.fold.stats.prompt_tokens == 2048


def test_an_error_ends_the_reply_and_keeps_its_text() -> None:
    """After a failure the reply is over, knows why, and still has every token that came before."""
    conversation = Conversation()
    conversation.add_user("Go on.")
    reply = conversation.begin_reply("Target", REQUEST)
    for event in tapes.reply("Once upon a time")[:-1]:
        conversation.add_event(event)
    report = ErrorReport(ErrorKind.ENGINE_DIED)
    conversation.add_event(Failed(1, report))
    assert reply.text == "Once upon a time"
    assert reply.error is report
    assert reply.fold.end is EndReason.ERROR


def test_tail_belongs_to_the_last_token() -> None:
    """Text that was held back as a possible stop string is part of the reply once it ends."""
    conversation = Conversation()
    conversation.add_user("Go on.")
    reply = conversation.begin_reply("Target", REQUEST)
    for event in tapes.reply("a < b", inactive=Inactive.NO_DRAFT)[:-1]:
        conversation.add_event(event)
    conversation.add_event(Finished(1, EndReason.STOP, " </", 0.1, 1.0))
    assert reply.text == "a < b </"


def test_messages_are_what_the_model_reads() -> None:
    """The system text comes first, turns follow in order, and a reply without text is left out."""
    conversation = answered("Twelve.")
    conversation.system = "Be brief."
    conversation.add_user("And now?")
    conversation.begin_reply("Target", REQUEST)
    assert conversation.messages() == (
        ChatMessage("system", "Be brief."),
        ChatMessage("user", "How many?"),
        ChatMessage("assistant", "Twelve."),
        ChatMessage("user", "And now?"),
    )


def test_listeners_hear_where_it_changed() -> None:
    """Every change is told once, with the first turn that is affected, until the subscription ends."""
    heard: list[int] = []
    conversation = Conversation()
    unsubscribe = conversation.subscribe(heard.append)
    conversation.add_user("One")
    conversation.begin_reply("Target", REQUEST)
    conversation.add_event(Started(1, 3, 0, 0, 0.1, None))
    conversation.drop_last_reply()
    unsubscribe()
    conversation.add_user("Two")
    assert heard == [0, 1, 1, 1]


def test_a_listener_may_leave_while_it_listens() -> None:
    """Ending a subscription inside a notice does not keep others from hearing it."""
    heard: list[str] = []
    conversation = Conversation()
    leave = conversation.subscribe(lambda _: leave())
    conversation.subscribe(lambda _: heard.append("second"))
    conversation.add_user("One")
    assert heard == ["second"]


def test_only_a_reply_can_be_dropped() -> None:
    """Taking away or extending a reply that is not there is refused, and nothing changes."""
    conversation = Conversation()
    conversation.add_user("One")
    with pytest.raises(ValueError, match="does not end with a reply"):
        conversation.drop_last_reply()
    with pytest.raises(ValueError, match="does not end with a reply"):
        conversation.add_event(Started(1, 3, 0, 0, 0.1, None))
    assert [type(turn) for turn in conversation.turns] == [UserTurn]


def test_writing_again_replaces_the_last_reply() -> None:
    """After dropping, the next reply stands in the old one's place and the question stays."""
    conversation = answered()
    old = conversation.last_reply
    conversation.drop_last_reply()
    new = conversation.begin_reply("Target", REQUEST)
    assert [type(turn) for turn in conversation.turns] == [UserTurn, ReplyTurn]
    assert conversation.last_reply is new is not old


def test_title_is_the_first_message_in_one_short_line() -> None:
    """Line breaks become spaces, a long message is cut with an ellipsis, and a name given by the user wins."""
    conversation = Conversation()
    assert conversation.title == ""
    conversation.add_user("Fix   this:\n\n" + "word " * 100)
    assert conversation.title.startswith("Fix this: word")
    assert conversation.title.endswith("…")
    assert len(conversation.title) <= TITLE_LENGTH
    conversation.name = "Repairs"
    assert conversation.title == "Repairs"


def test_an_empty_conversation_is_taken_again() -> None:
    """Starting a new chat twice leaves one empty chat, not two."""
    conversations = Conversations()
    first = conversations.current
    assert conversations.start() is first
    first.add_user("Hello")
    second = conversations.start()
    assert conversations.all == [second, first]


def test_removing_and_restoring() -> None:
    """A removed conversation comes back in its place, and there is always an open one."""
    conversations = Conversations()
    first = conversations.current
    first.add_user("Hello")
    second = conversations.start()
    place = conversations.remove(first)
    assert conversations.current is second
    conversations.restore(first, place)
    assert conversations.all == [second, first]
    assert conversations.current is first
    conversations.remove(second)
    conversations.remove(first)
    assert conversations.current in conversations.all
