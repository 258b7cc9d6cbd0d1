"""The window on small screens, and the way through it by keyboard."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, QSize, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from tests.fakes import tapes
from tests.gui.shell import Shell, ignore_platform, open_shell
from ui.flat_button import FlatButton

pytestmark = ignore_platform


@pytest.fixture
def shell(qtbot: QtBot, tmp_path: Path) -> Iterator[Shell]:
    with open_shell(qtbot, tmp_path) as opened:
        yield opened


def resize(shell: Shell, width: int, height: int) -> None:
    shell.window.resize(width, height)
    shell.wait(lambda: shell.window.size() == QSize(width, height))


def cut(parent: QWidget) -> list[QWidget]:
    """The visible parts that have less room than they need, or stand outside."""
    parts = [part for part in parent.findChildren(QWidget) if part.isVisible()]
    narrow = [part for part in parts if part.width() < part.minimumSizeHint().width()]
    return narrow + [part for part in parts if not part.parentWidget().rect().contains(part.geometry())]


def name(widget: QWidget | None) -> str:
    assert widget is not None
    return widget.accessibleName() or getattr(widget, "text", str)()


def walk(shell: Shell, key: Qt.Key) -> list[str]:
    """What has the focus after each press of `key`, from the prompt to the prompt."""
    shell.chat.focus_prompt()
    names: list[str] = []
    while names[-1:] != ["Message"]:
        assert len(names) < 40
        shell.bot.keyClick(shell.window.focusWidget(), key)
        names.append(name(shell.window.focusWidget()))
    return names


def test_first_size_fits_the_screen(qtbot: QtBot, tmp_path: Path) -> None:
    """A new window is no larger than the screen and leaves room for its title bar; half a screen is enough for it."""
    with open_shell(qtbot, tmp_path, size=None) as shell:
        screen = shell.window.screen().availableSize()
        assert shell.window.width() <= screen.width()
        assert shell.window.height() <= screen.height() - 40
        resize(shell, 900, 470)


def test_size_is_remembered(qtbot: QtBot, tmp_path: Path) -> None:
    """The next window is as large as the last one was."""
    with open_shell(qtbot, tmp_path, size=QSize(750, 500)) as shell:
        shell.window.close()
    with open_shell(qtbot, tmp_path, size=None) as shell:
        assert shell.window.size() == QSize(750, 500)


def test_tab_goes_everywhere_and_back(shell: Shell) -> None:
    """Tab leads from the prompt to every part of the window and to the prompt again, Shift+Tab the other way."""
    shell.load()
    shell.type("Hello")
    forward = walk(shell, Qt.Key.Key_Tab)
    assert {"Search chats", "New chat", "Chats", "Tokens", "Send", "Speculation"} <= set(forward)
    assert walk(shell, Qt.Key.Key_Backtab) == [*reversed(forward[:-1]), "Message"]


def test_sides_make_room(shell: Shell) -> None:
    """Where the window is narrow the live panel goes first, then the list; both come back."""
    shell.load()
    assert shell.chat.live.isVisible()
    resize(shell, 900, 500)
    assert not shell.chat.live.isVisible()
    assert shell.chat.list.isVisible()
    resize(shell, 720, 500)
    assert not shell.chat.list.isVisible()
    resize(shell, 1_440, 900)
    assert shell.chat.live.isVisible()
    assert shell.chat.list.isVisible()


@pytest.mark.parametrize("width", [720, 900, 1_100, 1_440])
def test_nothing_is_cut(shell: Shell, width: int) -> None:
    """Long names of models lose their middle instead of pushing other words out of a bar."""
    target = replace(tapes.TARGET, name="A model with a name of many words " * 4)
    draft = replace(tapes.DRAFT, name="A draft with a name of many words " * 3)
    shell.client.load_next(tapes.loading(replace(tapes.PAIR, target=target, draft=draft)))
    shell.load()
    shell.ask("Hello")
    resize(shell, width, 480)
    for part in (shell.window.top_bar, shell.chat.transcript.legend, shell.window.status_line):
        shell.wait(lambda part=part: not cut(part))
    button = shell.window.top_bar.pair
    assert target.name.strip() in button.toolTip()
    assert draft.name.strip() in button.toolTip()


@pytest.mark.parametrize("place", [QPoint(-300, -300), QPoint(500, 500)], ids=["upper left", "lower right"])
def test_settings_open_on_the_screen(shell: Shell, place: QPoint) -> None:
    """The settings of the replies open wholly on the screen, wherever the window is."""
    shell.load()
    resize(shell, 760, 480)
    shell.window.move(place)
    button = shell.chat.findChild(FlatButton, "settings")
    assert isinstance(button, FlatButton)
    button.click()
    popover = shell.chat.settings
    assert popover.isVisible()
    frame = 2  # pixels that the offscreen platform adds
    screen = QGuiApplication.primaryScreen().availableGeometry().adjusted(-frame, -frame, frame, frame)
    assert screen.contains(popover.geometry())
    popover.hide()
