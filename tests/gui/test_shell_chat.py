"""Sending, stopping, writing again, and everything that can be clicked while a reply is written."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from pytestqt.qtbot import QtBot

from engine.types import ChatMessage, EndReason, Inactive
from tests.fakes import tapes
from tests.gui.shell import Shell, ignore_platform, open_shell
from ui.flat_button import FlatButton

pytestmark = ignore_platform

STORY = tapes.reply("The lighthouse keeper counted the ships and wrote the number down. " * 6)


@pytest.fixture
def shell(qtbot: QtBot, tmp_path: Path) -> Iterator[Shell]:
    with open_shell(qtbot, tmp_path) as opened:
        opened.load()
        yield opened


def stream(shell: Shell, text: str = "A story") -> None:
    """A reply that stands still in the middle."""
    shell.client.play_next(tapes.held(STORY, 5), STORY)
    reply = shell.send(text)
    shell.wait(lambda: reply.fold.stats.rounds == 5)


def test_conversation_is_sent_whole(shell: Shell) -> None:
    """The second request carries the first turn and its reply, with speculation and the settings as shown."""
    shell.ask("One")
    first = shell.conversation.turns[1].text
    shell.ask("Two")
    assert shell.client.requests[-1].messages == (
        ChatMessage("user", "One"),
        ChatMessage("assistant", first),
        ChatMessage("user", "Two"),
    )
    assert shell.client.requests[-1].speculate
    assert shell.client.requests[-1].draft_length is None


def test_typing_while_writing(shell: Shell) -> None:
    """What is typed while a reply is written stays in the box, and Enter says why it is not sent."""
    stream(shell)
    shell.type("next question")
    shell.enter()
    assert shell.chat.transcript.box.text == "next question"
    assert "still being written" in shell.chat.notices.hint
    shell.client.release()
    shell.wait_for_end()
    assert shell.chat.notices.hint == ""
    shell.enter()
    shell.wait_for_end()
    assert shell.client.requests[-1].messages[-1].content == "next question"


def test_again(shell: Shell) -> None:
    """Again replaces the last reply and sends the same question."""
    first = shell.ask("One")
    shell.bot.keyClick(shell.window, Qt.Key.Key_R, Qt.KeyboardModifier.ControlModifier)
    shell.wait(lambda: len(shell.client.requests) == 2 and shell.replies.writing is None)
    assert shell.client.requests[0].messages == shell.client.requests[1].messages
    assert [type(turn).__name__ for turn in shell.conversation.turns] == ["UserTurn", "ReplyTurn"]
    assert shell.conversation.last_reply is not first


def test_again_without_a_conversation(shell: Shell) -> None:
    """Again in an empty chat does nothing."""
    shell.chat.again()
    assert not shell.client.requests


def test_random_and_fixed_seed(shell: Shell) -> None:
    """A random seed differs from reply to reply and is known; a fixed one is the one asked for."""
    shell.ask("One")
    shell.ask("Two")
    first, second = (request.sampling.seed for request in shell.client.requests)
    assert first != second
    shell.chat.settings.random.setChecked(False)
    shell.chat.settings.seed.setValue(7)
    shell.ask("Three")
    assert shell.client.requests[-1].sampling.seed == 7


def test_settings_reach_the_request(shell: Shell) -> None:
    """Every field of the popover is in the next request, and the system prompt leads its conversation."""
    popover = shell.chat.settings
    button = shell.chat.findChild(FlatButton, "settings")
    assert isinstance(button, FlatButton)
    shell.bot.mouseClick(button, Qt.MouseButton.LeftButton)
    assert popover.isVisible()
    popover.system.setPlainText("Be brief.")
    popover.temperature.setValue(0.2)
    popover.top_k.setValue(12)
    popover.top_p.setValue(0.5)
    popover.min_p.setValue(0.1)
    popover.repeat.setValue(1.1)
    popover.max_tokens.setValue(64)
    popover.draft_length.setValue(6)
    popover.p_min.setValue(0.4)
    popover.hide()
    assert button.text() == "T 0.2 · draft 6"
    shell.ask("Hello")
    request = shell.client.requests[-1]
    sampling = request.sampling
    assert request.messages[0] == ChatMessage("system", "Be brief.")
    assert (sampling.temperature, sampling.top_k, sampling.top_p, sampling.min_p) == (0.2, 12, 0.5, 0.1)
    assert sampling.repeat_penalty == 1.1
    assert (request.max_tokens, request.draft_length, request.p_min) == (64, 6, 0.4)
    shell.chat.new_chat()
    shell.ask("Hello")
    assert shell.client.requests[-1].messages == (ChatMessage("user", "Hello"),)


def test_copy(shell: Shell) -> None:
    """Copy puts the reply as it was written on the clipboard."""
    reply = shell.ask("Hello")
    copy = next(button for button in shell.chat.findChildren(FlatButton) if button.text() == "Copy")
    shell.bot.mouseClick(copy, Qt.MouseButton.LeftButton)
    assert QGuiApplication.clipboard().text() == reply.text


def test_switching_chats_while_writing(shell: Shell) -> None:
    """A reply goes on into its own conversation while another one is looked at and cannot be written in."""
    stream(shell)
    writing = shell.conversation
    shell.chat.new_chat()
    assert shell.conversation is not writing
    shell.type("here?")
    shell.enter()
    assert "is being written in “A story”" in shell.chat.notices.hint
    assert shell.chat.transcript.box.text == "here?"
    shell.client.release()
    shell.wait_for_end()
    assert writing.last_reply is not None
    assert writing.last_reply.fold.end is EndReason.STOP
    assert not shell.conversation.turns
    shell.enter()
    assert shell.conversation.turns[0].text == "here?"


def test_switching_speculation_while_writing(shell: Shell) -> None:
    """The switch speaks of the next message at once; the reply under way goes on as it began."""
    shell.window.top_bar.speculation.toggle()
    shell.client.play_next(tapes.held(tapes.reply("Plain words. " * 9, inactive=Inactive.SWITCHED_OFF), 5), STORY)
    reply = shell.send("A story")
    shell.wait(lambda: reply.fold.stats.rounds == 5)
    shell.window.top_bar.speculation.toggle()
    assert shell.window.top_bar.speculation.subtitle == "auto"
    shell.client.release()
    shell.wait_for_end()
    assert reply.fold.stats.inactive is Inactive.SWITCHED_OFF
    shell.ask("More")
    assert [request.speculate for request in shell.client.requests] == [False, True]


def test_deleting_the_chat_being_written(shell: Shell) -> None:
    """The reply of a deleted chat is stopped; undo brings the chat back with the text so far."""
    stream(shell)
    writing = shell.conversation
    shell.chat.list.remove(writing)
    shell.wait_for_end()
    assert shell.conversation is not writing
    shell.chat.list.undo()
    assert shell.conversation is writing
    assert writing.last_reply is not None
    assert writing.last_reply.fold.end is EndReason.CANCELLED
    assert writing.last_reply.text.startswith("The lighthouse")


def test_unload_while_writing(shell: Shell) -> None:
    """Unload stops the reply and ends the engine; the chat stays and the next load works."""
    stream(shell)
    shell.menu()["Unload"].trigger()
    shell.wait_for_end()
    assert shell.pairs.pair is None
    assert shell.client.pid is None
    assert [notice.title for notice in shell.notices] == ["No pair is loaded"]
    shell.load()
    shell.client.play_next(STORY)
    assert shell.ask("More").fold.end is EndReason.STOP


def test_opening_another_pair_while_writing(shell: Shell) -> None:
    """A new pair stops the reply under way and is then loaded."""
    stream(shell)
    shell.pairs.open(tapes.REQUEST)
    shell.wait(lambda: shell.replies.writing is None and shell.loaded)
    assert len(shell.client.loads) == 2


def test_fifty_quick_stops_and_agains(shell: Shell) -> None:
    """Stop and Again in quick turns leave one reply at the end and nothing running."""
    shell.client.speed = 200
    shell.client.play_next(STORY)
    shell.send("A story")
    for _ in range(50):
        shell.chat.stop()
        shell.chat.stop()
        shell.wait(lambda: shell.replies.writing is None)
        shell.chat.again()
        shell.chat.again()
    shell.wait(lambda: shell.replies.writing is None)
    assert [type(turn).__name__ for turn in shell.conversation.turns] == ["UserTurn", "ReplyTurn"]
    # A reply that is stopped before it began never reaches the engine.
    assert 1 <= len(shell.client.requests) <= 51


def test_random_clicks(shell: Shell) -> None:
    """Whatever is clicked in whatever order while replies come, nothing breaks and each reply has one ending."""
    shell.client.speed = 100
    shell.client.play_next(STORY)
    seed = random.Random(20)
    actions = [
        lambda: shell.chat._send("Hello"),
        shell.chat.stop,
        shell.chat.again,
        shell.chat.new_chat,
        shell.window.top_bar.speculation.toggle,
        lambda: shell.chat.list.remove(seed.choice(shell.chat.conversations.all)),
        shell.chat.list.undo,
        lambda: shell.chat.list.open(seed.choice(shell.chat.conversations.all)),
        shell.client.kill,
        lambda: shell.pairs.open(tapes.REQUEST),
        shell.pairs.cancel,
        lambda: shell.bot.wait(seed.randrange(6)),
    ]
    for _ in range(300):
        seed.choice(actions)()
    shell.chat.stop()
    shell.wait(lambda: shell.replies.writing is None and shell.pairs.loading is None)
    for conversation in shell.chat.conversations.all:
        for turn in conversation.turns:
            assert getattr(turn, "running", False) is False
    shell.load()
    shell.chat.new_chat()
    assert shell.ask("Still there?").text.startswith("The lighthouse")
