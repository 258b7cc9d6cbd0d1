"""The Models page in a window, for tests."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from PySide6.QtCore import QPoint, QSize, Qt
from PySide6.QtWidgets import QDialog, QPushButton
from pytestqt.qtbot import QtBot

from app.devices.device import Machine
from app.downloads.state import Download
from tests.fakes.fake_models import PAIRS, FakeParts
from tests.gui.shell import WIDE, Shell, open_shell
from ui.models_cells import CELL, Act, Cell, act_rects
from ui.models_page import ModelsPage
from ui.models_rows import PairRow
from ui.models_table import ModelsTable


class Models:
    """A window that shows the Models page, and what tests do to it again and again."""

    def __init__(self, shell: Shell) -> None:
        self.shell = shell
        self.bot = shell.bot
        self.parts = shell.parts
        self.queue = shell.parts.downloads
        self.control = shell.program.models
        self.page: ModelsPage = shell.window.models_page

    def wait(self, condition: Any) -> None:
        self.shell.wait(condition)

    def settle(self) -> None:
        """Wait until everything that was asked has its answer."""
        self.wait(lambda: self.control.opened and not self.control.scanning and not self.control.drafts.judging)
        self.wait(lambda: self.control.pair_rows()[0].ready == (self.parts.find(PAIRS[0].target.model) is not None))

    def use(self, machine: Machine) -> None:
        """The computer is that one from now on."""
        self.shell.desk.now = machine
        self.shell.program.memory.look()

    def pair(self, place: int) -> PairRow:
        return self.control.pair_rows()[place]

    def choose(self, place: int) -> None:
        assert self.page.pairs.table.choose(PAIRS[place].id)

    def fetch(self, place: int) -> tuple[Download, Download]:
        """Download a pair of which nothing is here; its target and its draft."""
        self.control.fetch_pair(self.pair(place))
        self.wait(lambda: self.pair(place).progress)
        return self.queue.find(PAIRS[place].target.model), self.queue.find(PAIRS[place].draft.model)

    def press(self, act: Act) -> None:
        """The button of the panel."""
        self.page.panels[self.page.tab].buttons.button(act).click()

    def dialog(self) -> QDialog:
        return next(dialog for dialog in self.page.findChildren(QDialog) if dialog.isVisible())

    def dialog_button(self, words: str) -> QPushButton:
        return next(button for button in self.dialog().findChildren(QPushButton) if button.text() == words)


@contextmanager
def open_models(qtbot: QtBot, folder: Path, parts: FakeParts | None = None, size: QSize = WIDE) -> Iterator[Models]:
    """A window on its Models page, with everything found."""
    with open_shell(qtbot, folder, size=size, parts=parts) as shell:
        models = Models(shell)
        models.use(shell.parts.memory.machine)
        models.wait(lambda: shell.program.fits.machine is shell.parts.memory.machine)
        shell.window.rail.chosen.emit("models")
        models.settle()
        yield models


def cells(table: ModelsTable, row: int) -> list[Cell]:
    """The cells of a row as they are shown."""
    return [table.rows.index(row, column).data(CELL) for column in range(table.rows.columnCount())]


def click(models: Models, table: ModelsTable, row: int, act: Act) -> None:
    """Press a painted button."""
    for column in range(table.rows.columnCount()):
        index = table.rows.index(row, column)
        for found, rect in act_rects(index.data(CELL), table.visualRect(index)):
            if found is act:
                models.bot.mouseClick(table.viewport(), Qt.MouseButton.LeftButton, pos=QPoint(rect.center()))
                return
    raise AssertionError(f"row {row} has no button {act}")
