"""What screen readers are told of the parts of the window."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QEvent
from PySide6.QtGui import QAccessible
from PySide6.QtWidgets import QApplication, QComboBox, QPushButton, QToolButton, QWidget
from pytestqt.qtbot import QtBot

from tests.gui.shell import Shell, ignore_platform, open_shell
from ui.accessible import announce_as
from ui.flat_button import FlatButton
from ui.models_page import LOCAL

pytestmark = ignore_platform
Role, Text = QAccessible.Role, QAccessible.Text


@pytest.fixture
def shell(qtbot: QtBot, tmp_path: Path) -> Iterator[Shell]:
    with open_shell(qtbot, tmp_path) as opened:
        yield opened


def told(widget: QWidget) -> tuple[Role, str]:
    """Role and name."""
    found = QAccessible.queryAccessibleInterface(widget)
    return found.role(), found.text(Text.Name)


def called(widget: QWidget) -> str:
    """The name that a label gives, where one does, or else the own one."""
    found = QAccessible.queryAccessibleInterface(widget)
    labels = [other for other, kind in found.relations() if kind is QAccessible.RelationFlag.Label]
    return (labels[0] if labels else found).text(Text.Name)


def test_tabs_of_the_models_page(shell: Shell) -> None:
    """They are tabs, one of them chosen, and a screen reader can press them."""
    shell.window.rail.chosen.emit("models")
    page = shell.window.models_page
    buttons = page._tabs.buttons()
    assert [told(button) for button in buttons] == [
        (Role.PageTab, "Matched pairs"),
        (Role.PageTab, "On this computer"),
        (Role.PageTab, "Search the hub"),
    ]
    QAccessible.queryAccessibleInterface(buttons[LOCAL]).actionInterface().doAction("Press")
    assert page.tab == LOCAL
    states = [QAccessible.queryAccessibleInterface(button).state() for button in buttons]
    assert [bool(state.selected) for state in states] == [False, True, False]
    assert not any(state.checkable for state in states)


def test_pages_of_the_rail(shell: Shell) -> None:
    """They are tabs too."""
    found = [told(button) for button in shell.window.rail.findChildren(QToolButton)]
    assert found == [(Role.PageTab, name) for name in ("Chat", "Compare", "Models", "Settings")]


def test_ways_to_show_a_reply(shell: Shell) -> None:
    """One of two."""
    legend = shell.chat.transcript.legend
    assert told(legend.tokens) == (Role.RadioButton, "Tokens")
    assert QAccessible.queryAccessibleInterface(legend.tokens).state().checked
    assert not QAccessible.queryAccessibleInterface(legend.rendered).state().checked


@pytest.mark.parametrize("page", ["chat", "compare", "models", "settings"])
def test_combo_boxes_say_what_is_chosen_with_them(shell: Shell, page: str) -> None:
    """None is called by its value, in pages, popovers and dialogs."""
    shell.load()
    shell.window.rail.chosen.emit(page)
    shell.window.pair_actions.open_files()
    combos = shell.window.findChildren(QComboBox)
    assert combos
    for combo in combos:
        assert called(combo)
        assert called(combo) != combo.currentText()


def test_nothing_else_is_called_a_check_box(shell: Shell) -> None:
    """Of the buttons that can be checked only those that are on or off alone are."""
    buttons = [*shell.window.findChildren(QPushButton), *shell.window.findChildren(FlatButton)]
    assert not [told(button) for button in buttons if button.isCheckable() and told(button)[0] is Role.CheckBox]


def test_interfaces_go_with_their_buttons(shell: Shell) -> None:
    """Those that are made here live and die with their buttons, as those of Qt do."""
    for _ in range(50):
        button = QPushButton("A tab", shell.window)
        announce_as(button, "tab")
        assert told(button) == (Role.PageTab, "A tab")
        button.deleteLater()
        QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    gc.collect()
    assert told(shell.window.rail.findChildren(QToolButton)[0]) == (Role.PageTab, "Chat")
