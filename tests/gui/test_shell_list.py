"""The list of conversations."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLineEdit, QListView
from pytestqt.qtbot import QtBot

from tests.gui.shell import Shell, ignore_platform, open_shell

pytestmark = ignore_platform


@pytest.fixture
def shell(qtbot: QtBot, tmp_path: Path) -> Iterator[Shell]:
    """Three conversations, the newest empty."""
    with open_shell(qtbot, tmp_path) as opened:
        opened.load()
        opened.ask("About ships")
        opened.chat.new_chat()
        opened.ask("About 港口 and gulls")
        opened.chat.new_chat()
        yield opened


def shown(shell: Shell) -> list[str]:
    model = shell.chat.list.model
    return [str(model.index(row).data()) for row in range(model.rowCount())]


def view(shell: Shell) -> QListView:
    found = shell.chat.list.findChild(QListView)
    assert isinstance(found, QListView)
    return found


def test_newest_first(shell: Shell) -> None:
    """Conversations stand newest first under the words they began with, and a second empty one is not made."""
    assert shown(shell) == ["New chat", "About 港口 and gulls", "About ships"]
    shell.chat.new_chat()
    assert len(shown(shell)) == 3


def test_choosing_by_mouse_and_keyboard(shell: Shell) -> None:
    """A click or Enter opens a conversation with its text and figures."""
    rows = view(shell)
    place = rows.visualRect(shell.chat.list.model.index(2)).center()
    shell.bot.mouseClick(rows.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert shell.conversation.title == "About ships"
    assert shell.chat.live.reply is not None
    assert shell.chat.live.reply.stats is shell.conversation.last_reply.fold.stats  # type: ignore[union-attr]
    shell.bot.keyClick(rows, Qt.Key.Key_Up)
    shell.bot.keyClick(rows, Qt.Key.Key_Return)
    assert shell.conversation.title == "About 港口 and gulls"


def test_search(shell: Shell) -> None:
    """Every word must be in the title or in the text, upper case or lower."""
    field = shell.chat.list.findChild(QLineEdit)
    assert isinstance(field, QLineEdit)
    field.setText("SHIPS about")
    assert shown(shell) == ["About 港口 and gulls", "About ships"]  # both replies tell of ships
    field.setText("港口")
    assert shown(shell) == ["About 港口 and gulls"]
    field.setText("absent")
    assert shown(shell) == []
    field.clear()
    assert len(shown(shell)) == 3


def test_rename(shell: Shell) -> None:
    """F2 renames the chosen conversation; an empty name gives the first words back."""
    rows = view(shell)
    rows.setCurrentIndex(shell.chat.list.model.index(1))
    rows.setFocus()
    for name, title in (("  Gulls  ", "Gulls"), ("", "About 港口 and gulls")):
        shell.bot.keyClick(rows, Qt.Key.Key_F2)
        editor = rows.viewport().findChild(QLineEdit)
        assert isinstance(editor, QLineEdit)
        editor.setText(name)
        shell.bot.keyClick(editor, Qt.Key.Key_Return)
        shell.wait(lambda title=title: shown(shell)[1] == title and rows.viewport().findChild(QLineEdit) is None)


def test_delete_and_undo(shell: Shell) -> None:
    """A deleted conversation comes back to its place, opened; the last one leaves an empty one behind."""
    second = shell.chat.conversations.all[1]
    shell.chat.list.remove(second)
    assert shown(shell) == ["New chat", "About ships"]
    shell.chat.list.undo()
    assert shown(shell) == ["New chat", "About 港口 and gulls", "About ships"]
    assert shell.conversation is second
    for conversation in list(shell.chat.conversations.all):
        shell.chat.list.remove(conversation)
    assert shown(shell) == ["New chat"]
    assert not shell.conversation.turns


def test_no_single_key_deletes(shell: Shell) -> None:
    """Delete and Backspace alone delete nothing."""
    rows = view(shell)
    rows.setCurrentIndex(shell.chat.list.model.index(1))
    rows.setFocus()
    for key in (Qt.Key.Key_Delete, Qt.Key.Key_Backspace):
        shell.bot.keyClick(rows, key)
    assert len(shown(shell)) == 3
    shell.bot.keyClick(rows, Qt.Key.Key_Backspace, Qt.KeyboardModifier.ControlModifier)
    assert len(shown(shell)) == 2
