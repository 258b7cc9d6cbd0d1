"""Quick clicks on what changes under the mouse do one thing, never two opposite ones."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QEvent, QPoint, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from app.downloads.state import DownloadState
from tests.fakes import tapes
from tests.gui.compares import off, open_compare
from tests.gui.models import Models, open_models
from tests.gui.shell import Shell, ignore_platform, open_shell
from ui.cards import Action
from ui.compare_bar import RunState
from ui.models_cells import CELL, Act, act_rects
from ui.steady_button import SteadyButton

pytestmark = ignore_platform
LEFT = Qt.MouseButton.LeftButton
SLOW_MS = 60_000
GB = 1_000_000_000


@pytest.fixture
def shell(qtbot: QtBot, tmp_path: Path) -> Iterator[Shell]:
    with open_shell(qtbot, tmp_path) as opened:
        yield opened


@pytest.fixture
def models(qtbot: QtBot, tmp_path: Path) -> Iterator[Models]:
    with open_models(qtbot, tmp_path) as opened:
        yield opened


@pytest.fixture(autouse=True)
def hand(qtbot: QtBot) -> Iterator[None]:
    """Clicks are slow until a test says otherwise."""
    as_one(False)
    yield
    as_one(False)


def as_one(clicks: bool) -> None:
    """Whether all clicks from now on are as quick as the halves of a double click."""
    QApplication.setDoubleClickInterval(SLOW_MS if clicks else 0)


def click_thrice(widget: QWidget, place: QPoint | None = None) -> None:
    """As Qt tells it: a click, a double click, a click."""
    place = place or widget.rect().center()
    QTest.mouseClick(widget, LEFT, pos=place)
    QTest.mouseDClick(widget, LEFT, pos=place)
    QTest.mouseClick(widget, LEFT, pos=place)


def hold(widget: QWidget, key: Qt.Key, times: int = 5) -> None:
    """A key that is held down repeats itself."""
    for repeated in range(times):
        QApplication.sendEvent(
            widget, QKeyEvent(QEvent.Type.KeyPress, key, Qt.KeyboardModifier.NoModifier, "", repeated > 0)
        )


@pytest.fixture
def button(qtbot: QtBot) -> SteadyButton:
    """One that means something else after each click; its text counts them."""
    button = SteadyButton("0")
    qtbot.addWidget(button)
    button.mean(0)

    def turn() -> None:
        button.setText(str(int(button.text()) + 1))
        button.mean(button.text())

    button.clicked.connect(turn)
    button.show()
    return button


def test_quick_clicks_count_once(button: SteadyButton) -> None:
    """What follows the click that changed the button, as quickly as a double click, does nothing."""
    QTest.mouseClick(button, LEFT)
    as_one(True)
    click_thrice(button)
    assert button.text() == "1"


def test_slow_clicks_count_each(button: SteadyButton) -> None:
    """Clicks that take their time mean what the button says."""
    for _ in range(3):
        QTest.mouseClick(button, LEFT)
    assert button.text() == "3"


def test_the_same_meaning_in_other_words(button: SteadyButton) -> None:
    """A click counts where only the words changed, as with the language."""
    as_one(True)
    button.mean(0)
    button.setText("7")
    as_one(False)
    QTest.mouseClick(button, LEFT)
    assert button.text() == "8"


def test_just_shown(button: SteadyButton) -> None:
    """A button that has just come takes no click that was meant for what stood there."""
    button.hide()
    button.show()
    as_one(True)
    QTest.mouseClick(button, LEFT)
    assert button.text() == "0"


def test_pressed_as_one_thing_let_go_as_another(button: SteadyButton) -> None:
    """Neither the mouse nor Space clicks on what the button became while it was down."""
    QTest.mousePress(button, LEFT)
    button.mean("another")
    QTest.mouseRelease(button, LEFT)
    QTest.keyPress(button, Qt.Key.Key_Space)
    button.mean("a third")
    QTest.keyRelease(button, Qt.Key.Key_Space)
    assert button.text() == "0"
    QTest.keyClick(button, Qt.Key.Key_Space)
    assert button.text() == "1"


def test_keys_count_at_once(button: SteadyButton) -> None:
    """Space says what it means, however quickly it follows."""
    as_one(True)
    QTest.keyClick(button, Qt.Key.Key_Space)
    QTest.keyClick(button, Qt.Key.Key_Space)
    assert button.text() == "2"


def test_run(shell: Shell) -> None:
    """Three quick clicks on Run begin one comparison and do not stop it."""
    open_compare(shell, tapes.held(off(), 3))
    QTest.mouseClick(shell.compare.bar.chip, LEFT)
    shell.compare.settings.close()
    as_one(True)
    shell.compare.bar.run.click()
    click_thrice(shell.compare.bar.run)
    assert shell.compare.bar.state is RunState.STOP


def stop_when_asked(shell: Shell, requests: int) -> int:
    """Stop the run once it has made its request, which its own thread does. How many there were in all."""
    shell.wait(lambda: len(shell.client.requests) >= requests)
    shell.comparing.stop()
    shell.wait(lambda: not shell.comparing.running)
    return len(shell.client.requests)


def test_enter_held_on_run(shell: Shell) -> None:
    """Enter that is held down on Run, or in the prompt, runs once."""
    open_compare(shell, *[tapes.held(off(), 3)] * 3)
    hold(shell.compare.bar.prompt.edit, Qt.Key.Key_Return)
    first = stop_when_asked(shell, 1)
    hold(shell.compare.bar.prompt.edit, Qt.Key.Key_Return, times=1)
    second = stop_when_asked(shell, 2)
    shell.compare.bar.run.setFocus()
    hold(shell.compare.bar.run, Qt.Key.Key_Return)
    shell.wait(lambda: len(shell.client.requests) >= 3 and not shell.compare.bar.run.isDown())
    assert shell.compare.bar.state is RunState.STOP
    assert (first, second, len(shell.client.requests)) == (1, 2, 3)


def test_stop_in_a_chat(shell: Shell) -> None:
    """Three quick clicks on Stop stop the reply and do not send what is already typed for the next message."""
    shell.load()
    shell.client.play_next(tapes.held(tapes.reply("One two three four five six seven. " * 5), 3))
    reply = shell.send("Count")
    button = shell.chat.transcript.box.button
    shell.wait(lambda: button.text() == "Stop")
    shell.type("And on")
    QTest.mouseClick(button, LEFT)
    shell.wait(lambda: not reply.running and button.text() == "Send")
    as_one(True)
    click_thrice(button)
    assert shell.replies.writing is None
    assert shell.chat.transcript.box.text == "And on"


def test_pause_in_the_panel(models: Models) -> None:
    """Quick clicks on Pause do not go on with what they paused."""
    download, _ = models.fetch(4)
    models.queue.run(download.id, GB)
    models.choose(4)
    buttons = models.page.panels[0].buttons
    models.wait(lambda: buttons.acts == (Act.PAUSE, Act.CANCEL))
    button = buttons.button(Act.PAUSE)
    QTest.mouseClick(button, LEFT)
    models.wait(lambda: Act.RESUME in buttons.acts)
    as_one(True)
    click_thrice(button)
    assert models.queue.find(download.model).state is DownloadState.PAUSED
    as_one(False)
    QTest.mouseClick(button, LEFT)
    assert models.queue.find(download.model).state is DownloadState.WAITING


def test_pause_in_the_table(models: Models) -> None:
    """Nor do those on a button of a row, whichever of them Qt calls a double click; elsewhere a quick click counts."""
    download, _ = models.fetch(4)
    models.queue.run(download.id, GB)
    table = models.page.pairs.table

    def buttons() -> dict[Act, QPoint]:
        index = table.rows.index(4, table.rows.columnCount() - 1)
        return {act: rect.center() for act, rect in act_rects(index.data(CELL), table.visualRect(index))}

    models.wait(lambda: Act.PAUSE in buttons())
    as_one(True)
    QTest.mouseClick(table.viewport(), LEFT, pos=buttons()[Act.PAUSE])
    models.wait(lambda: Act.RESUME in buttons())
    click_thrice(table.viewport(), buttons()[Act.RESUME])
    assert models.queue.find(download.model).state is DownloadState.PAUSED
    QTest.mouseClick(table.viewport(), LEFT, pos=buttons()[Act.CANCEL])
    assert models.dialog().isVisible()


def test_enter_held_on_a_row(models: Models) -> None:
    """Enter that is held down does what the row offers once."""
    table = models.page.pairs.table
    models.choose(4)
    acted: list[Act] = []
    table.acted.connect(lambda act, _row: acted.append(act))
    hold(table, Qt.Key.Key_Return)
    assert acted == [Act.DOWNLOAD]


def test_a_card_that_comes_where_another_was(shell: Shell) -> None:
    """The click after the one that loads does not cancel the load."""
    shell.load()
    shell.pairs.unload()
    shell.wait(lambda: shell.pairs.pair is None and shell.notices)
    shell.client.load_next(tapes.loading(hold_at=0.5))
    as_one(True)
    shell.press(Action.LOAD_STARTER)
    cancel = shell.chat.notices.loading._cancel
    assert cancel.isVisible()
    QTest.mouseClick(cancel, LEFT)
    shell.client.release()
    shell.wait(lambda: shell.loaded)
