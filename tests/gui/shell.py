"""The whole window on a fake client, for tests."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

import pytest
from PySide6.QtCore import QEvent, QSize, Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QApplication, QDialog, QPlainTextEdit
from pytestqt.qtbot import QtBot

from app.conversation import Conversation, ReplyTurn
from app.paths import Paths
from engine.types import LoadRequest
from tests.fakes import tapes
from tests.fakes.fake_client import FakeClient
from tests.fakes.fake_desk import FakeDesk
from tests.fakes.fake_models import FakeParts
from ui.cards import Action, Notice
from ui.main import Program, prepare
from ui.open_files import OpenFilesDialog
from ui.worker import Report, Ticket

PATIENCE_MS = 20_000
WIDE = QSize(1_440, 900)


def find_starter(ticket: Ticket, report: Report) -> LoadRequest:
    return tapes.REQUEST


class Shell:
    """A program with its window, and the few things that tests do to it again and again."""

    def __init__(self, qtbot: QtBot, program: Program, client: FakeClient, parts: FakeParts, desk: FakeDesk) -> None:
        self.bot = qtbot
        self.program = program
        self.client = client
        self.parts = parts
        self.desk = desk
        self.window = program.window
        self.chat = program.window.chat
        self.pairs = program.pairs
        self.replies = program.replies
        self.comparing = program.comparing
        self.compare = program.window.compare
        self.memory = program.memory

    def wait(self, condition: Callable[[], object]) -> None:
        self.bot.waitUntil(lambda: bool(condition()), timeout=PATIENCE_MS)

    def load(self) -> None:
        """Load the starter pair and wait for it."""
        self.pairs.open_starter()
        self.wait(lambda: self.loaded)

    def type(self, text: str) -> None:
        edit = self.chat.transcript.box.edit
        if text.isascii():
            self.bot.keyClicks(edit, text)
        else:
            edit.insertPlainText(text)  # as an input method does; there are no keys for it

    def enter(self) -> None:
        self.bot.keyClick(self.chat.transcript.box.edit, Qt.Key.Key_Return)

    def send(self, text: str) -> ReplyTurn:
        """Type it and press Enter. Returns the reply that begins."""
        self.type(text)
        self.enter()
        reply = self.conversation.last_reply
        assert reply is not None
        return reply

    def ask(self, text: str) -> ReplyTurn:
        """The same, and wait for the reply's end."""
        reply = self.send(text)
        self.wait_for_end()
        return reply

    def wait_for_end(self) -> None:
        """Wait until the reply has ended and the prompt offers Send again."""
        self.wait(lambda: self.replies.writing is None and self.chat.transcript.box.button.text() == "Send")

    @property
    def loaded(self) -> bool:
        """Whether a pair is there and no other one is coming."""
        return self.pairs.pair is not None and self.pairs.loading is None

    @property
    def conversation(self) -> Conversation:
        return self.chat.conversations.current

    @property
    def notices(self) -> list[Notice]:
        return self.chat.notices.notices

    def menu(self) -> dict[str, QAction]:
        """The entries of the pair's menu as they are now."""
        return {action.text(): action for action in self.window.top_bar.pair.actions_shown}

    def open_dialog(self) -> OpenFilesDialog:
        """The dialog for files that is open now."""
        return next(dialog for dialog in self.window.findChildren(OpenFilesDialog) if dialog.isVisible())

    def details_text(self) -> str:
        """What the details dialog shows; closes it."""
        dialog = next(dialog for dialog in self.window.findChildren(QDialog) if dialog.isVisible())
        text = dialog.findChild(QPlainTextEdit)
        assert isinstance(text, QPlainTextEdit)
        words = text.toPlainText()
        dialog.accept()
        return words

    def press(self, action: Action) -> None:
        self.chat.notices.press(action)


# What the offscreen platform says of every dialog and popover; nothing is lost by it.
ignore_platform = pytest.mark.qt_log_ignore("This plugin does not support", extend=True)


@cache
def prepared_application() -> QApplication:
    """The one application, styled once."""
    application = QApplication.instance()
    assert isinstance(application, QApplication)
    prepare(application)
    application.setDoubleClickInterval(0)  # presses of tests follow each other faster than a hand's
    return application


@contextmanager
def open_shell(
    qtbot: QtBot,
    folder: Path,
    client: FakeClient | None = None,
    size: QSize | None = WIDE,
    parts: FakeParts | None = None,
    desk: FakeDesk | None = None,
) -> Iterator[Shell]:
    """A visible window of that size, or the one it chooses itself; closed in the right order at the end."""
    prepared_application()
    client, parts = client or FakeClient(), parts or FakeParts()
    desk = desk or FakeDesk(folder, client.check)
    program = Program(Paths(folder), client, find_starter, parts, desk)
    try:
        if size is not None:
            program.window.resize(size)
        with qtbot.waitExposed(program.window, timeout=PATIENCE_MS):
            program.window.show()
        yield Shell(qtbot, program, client, parts, desk)
    finally:
        parts.gate.set()
        desk.gate.set()
        program.close()
        program.window.deleteLater()
        QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
