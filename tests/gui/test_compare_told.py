"""What the Compare page tells: it fits, it is true, and it follows the language."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, QSize
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from tests.gui.compares import compare, open_compare
from tests.gui.shell import Shell, ignore_platform, open_shell
from ui.cards import Action

pytestmark = ignore_platform
NAME = "n" * 200


@pytest.fixture
def shell(qtbot: QtBot, tmp_path: Path) -> Iterator[Shell]:
    with open_shell(qtbot, tmp_path, size=QSize(900, 600)) as opened:
        yield opened


def right_edge(shell: Shell, widget: QWidget) -> int:
    """In pixels of the page."""
    QApplication.processEvents()
    return widget.mapTo(shell.compare, QPoint(widget.width(), 0)).x()


def test_long_name_that_was_saved(shell: Shell, tmp_path: Path) -> None:
    """However long a name is, the buttons stay on the page."""
    open_compare(shell)
    compare(shell)
    shell.compare.exporter.save("md", tmp_path / f"{NAME}.md")
    shell.wait(lambda: shell.compare.notices.hint == f"Saved as {NAME}.md")
    assert right_edge(shell, shell.compare.bar.export) <= shell.compare.width()


def test_long_name_that_was_not_saved(shell: Shell, tmp_path: Path) -> None:
    """The same of the card that says why not."""
    open_compare(shell)
    compare(shell)
    shell.compare.exporter.save("md", tmp_path / "gone" / f"{NAME}.md")
    shell.wait(lambda: shell.compare.notices.notices)
    button = shell.compare.notices.button(Action.DISMISS_EXPORT)
    assert button is not None
    for widget in (button, shell.compare.bar.run):
        assert right_edge(shell, widget) <= shell.compare.width()
