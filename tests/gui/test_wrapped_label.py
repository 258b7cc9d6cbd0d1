"""Long words break, and are read and copied as they are."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from pytestqt.qtbot import QtBot

from ui.wrapped_label import BREAK, WrappedLabel, breakable


def test_where_a_word_may_break() -> None:
    """After what divides names, and in a piece that is long itself; short words stay whole."""
    name = "/home/ann/models/" + "x" * 40 + ".gguf"
    assert breakable(f"No room for {name}.").replace(BREAK, "") == f"No room for {name}."
    assert breakable(name).split(BREAK)[:4] == ["/", "home/", "ann/", "models/"]
    assert max(map(len, breakable(name).split(BREAK))) == 16
    assert BREAK not in breakable("Nothing was written; export it under another-name.md")


def test_long_word_fits(qtbot: QtBot) -> None:
    """The label needs no more width than a piece of the word."""
    label = WrappedLabel("n" * 200)
    qtbot.addWidget(label)
    assert label.minimumSizeHint().width() < 300
    assert label.text() == "n" * 200


def test_copied_as_it_was_set(qtbot: QtBot) -> None:
    """A path from a card can be pasted into a terminal."""
    path = "/home/ann/models/" + "x" * 40
    label = WrappedLabel(path)
    qtbot.addWidget(label)
    label.setTextInteractionFlags(
        Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard
    )
    label.show()
    label.setFocus()
    qtbot.keyClick(label, Qt.Key.Key_A, Qt.KeyboardModifier.ControlModifier)
    qtbot.keyClick(label, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    assert QGuiApplication.clipboard().text() == path
