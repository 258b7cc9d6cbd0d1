"""Pairs, files, preferences, shortcuts and the end of the window."""

from __future__ import annotations

import gc
import subprocess
import sys
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDropEvent, QImage
from PySide6.QtWidgets import QApplication, QDialog, QLabel, QPushButton, QWidget
from pytestqt.qtbot import QtBot

from app.paths import Paths
from app.preferences import Preferences, read_preferences, write_preferences
from engine.types import FlashAttention, KvType, LoadRequest
from tests.fakes import tapes
from tests.fakes.fake_client import FakeClient
from tests.gui.shell import Shell, ignore_platform, open_shell
from ui.theme import DARK, ThemeChoice, theme, theme_notifier

pytestmark = ignore_platform


@pytest.fixture
def shell(qtbot: QtBot, tmp_path: Path) -> Iterator[Shell]:
    with open_shell(qtbot, tmp_path / "base") as opened:
        yield opened
    theme_notifier().choose(ThemeChoice.SYSTEM)


def gguf(folder: Path, name: str, size: int) -> str:
    file = folder / name
    file.write_bytes(b"x" * size)
    return str(file)


def drop(widget: QWidget, *files: str) -> bool:
    """Drop files as the platform would. Returns whether they were taken."""
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(file) for file in files])
    copy, left, none = Qt.DropAction.CopyAction, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    enter = QDragEnterEvent(QPoint(5, 5), copy, data, left, none)
    QApplication.sendEvent(widget, enter)
    event = QDropEvent(QPointF(5, 5), copy, data, left, none)
    event.setAccepted(False)
    QApplication.sendEvent(widget, event)
    return enter.isAccepted() and event.isAccepted()


def dialog_button(shell: Shell, words: str) -> QPushButton:
    dialog = next(dialog for dialog in shell.window.findChildren(QDialog) if dialog.isVisible())
    return next(button for button in dialog.findChildren(QPushButton) if button.text() == words)


def test_starter_pair_by_keyboard(shell: Shell) -> None:
    """Enter on the first page tries the starter pair."""
    shell.bot.keyClick(shell.window.focusWidget(), Qt.Key.Key_Return)
    shell.wait(lambda: shell.loaded)
    assert shell.client.loads == [tapes.REQUEST]
    assert shell.chat.isVisible()
    assert shell.window.focusWidget() is shell.chat.transcript.box.edit


def test_two_dropped_files(shell: Shell, tmp_path: Path) -> None:
    """Of two dropped files the larger is the target."""
    small, large = gguf(tmp_path, "a.gguf", 10), gguf(tmp_path, "b.GGUF", 20)
    assert drop(shell.window, small, large)
    assert shell.pairs.loading is not None
    shell.wait(lambda: shell.loaded)
    assert shell.client.loads == [LoadRequest(large, small)]


def test_one_dropped_file(shell: Shell, tmp_path: Path) -> None:
    """One file is a target where none is loaded; otherwise the user says what it is."""
    first, second = gguf(tmp_path, "a.gguf", 10), gguf(tmp_path, "b.gguf", 20)
    assert drop(shell.window, first)
    shell.wait(lambda: shell.loaded)
    assert drop(shell.chat.transcript.box.edit.viewport(), second)
    assert shell.chat.transcript.box.text == ""
    dialog_button(shell, "Use as draft").click()
    shell.wait(lambda: len(shell.client.loads) == 2 and shell.loaded)
    assert shell.client.loads[-1] == LoadRequest(first, second)
    drop(shell.window, second)
    dialog_button(shell, "Open as target").click()
    shell.wait(lambda: len(shell.client.loads) == 3 and shell.loaded)
    assert shell.client.loads[-1] == LoadRequest(second)


def test_other_drops(shell: Shell, tmp_path: Path) -> None:
    """Files that are no models load nothing and leave no path in the prompt; a dialog says what can be dropped."""
    shell.load()
    edit = shell.chat.transcript.box.edit
    for file in (gguf(tmp_path, "a.txt", 10), str(tmp_path / "absent.gguf"), str(tmp_path)):
        assert drop(edit.viewport(), file)
        assert edit.toPlainText() == ""
        dialog_button(shell, "Open GGUF files…")
        dialog_button(shell, "Close").click()
    assert shell.client.loads == [tapes.REQUEST]


def test_many_dropped_files(shell: Shell, tmp_path: Path) -> None:
    """Of three files the two largest are proposed, and nothing is loaded before the user says so."""
    files = [gguf(tmp_path, f"{size}.gguf", size) for size in (10, 30, 20)]
    assert drop(shell.window, *files)
    dialog = shell.open_dialog()
    assert (dialog.target.path, dialog.draft.path) == (files[1], files[2])
    assert not shell.client.loads
    dialog.reject()


def test_open_files_dialog(shell: Shell, tmp_path: Path) -> None:
    """The dialog loads what it shows, with its options, once both files are there."""
    target, draft = gguf(tmp_path, "t.gguf", 20), gguf(tmp_path, "d.gguf", 10)
    dialog = shell.window.pair_actions.open_files()
    load = dialog_button(shell, "Load")
    assert not load.isEnabled()
    dialog.target.edit.setText(target)
    assert load.isEnabled()
    dialog.draft.edit.setText(draft + "x")
    assert not load.isEnabled()
    dialog.draft.edit.setText(draft)
    wanted = LoadRequest(target, draft, 4_096, KvType.Q8_0, FlashAttention.ON, 12, 3, 2)
    dialog.options.show_request(wanted)
    load.click()
    shell.wait(lambda: shell.loaded)
    assert shell.client.loads == [wanted]


def test_load_options_of_the_loaded_pair(shell: Shell) -> None:
    """Load options opens the dialog filled with what is loaded."""
    shell.load()
    shell.menu()["Load options…"].trigger()
    dialog = shell.open_dialog()
    assert dialog.target.path == tapes.REQUEST.target
    assert dialog.draft.path == tapes.REQUEST.draft
    dialog.reject()


def test_load_options_keep_what_fits(shell: Shell, tmp_path: Path) -> None:
    """Settings that were proposed because they fit, odd ones among them, come back from the dialog as they went in."""
    files = [tmp_path / "t.gguf", tmp_path / "d.gguf"]
    for file in files:
        file.touch()
    proposed = LoadRequest(
        *map(str, files), ctx=5_376, ubatch=96, gpu_layers=20, experts_on_cpu=True, split=(14.0, 6.0)
    )
    dialog = shell.window.pair_actions.open_files(proposed)
    with shell.bot.waitSignal(dialog.chosen) as chosen:
        next(button for button in dialog.findChildren(QPushButton) if button.text() == "Load").click()
    assert chosen.args == [proposed]


def test_recent_pairs(shell: Shell) -> None:
    """The menu offers the other pairs of this session by name, and opens them with their options."""
    other = replace(tapes.REQUEST, draft=None, ctx=2_048)
    shell.client.load_next(tapes.loading(replace(tapes.PAIR, draft=None)), tapes.loading())
    shell.pairs.open(other)
    shell.wait(lambda: shell.loaded)
    shell.load()
    shell.menu()["SmolLM2 135M Instruct F32"].trigger()
    shell.wait(lambda: len(shell.client.loads) == 3 and shell.loaded)
    assert shell.client.loads[-1] == other


def test_menu_without_a_pair(shell: Shell) -> None:
    """What needs a pair cannot be chosen before there is one."""
    menu = shell.menu()
    assert not menu["Unload"].isEnabled()
    assert not menu["Change draft…"].isEnabled()
    assert not menu["Load options…"].isEnabled()
    assert menu["Open GGUF files…"].isEnabled()


def test_theme_is_remembered(qtbot: QtBot, tmp_path: Path) -> None:
    """A chosen theme counts at once and after the next start."""
    with open_shell(qtbot, tmp_path) as shell:
        shell.window.rail.chosen.emit("settings")
        assert shell.window.settings_page.isVisible()
        shell.window.settings_page.theme_chosen.emit("dark")
        assert theme() is DARK
    theme_notifier().choose(ThemeChoice.LIGHT)
    with open_shell(qtbot, tmp_path):
        assert theme() is DARK
    theme_notifier().choose(ThemeChoice.SYSTEM)


def test_language_changes_at_once(shell: Shell) -> None:
    """Chinese is in every part of the window as soon as it is chosen, and English again afterwards."""
    shell.load()
    shell.window.settings_page.language_chosen.emit("zh_CN")
    try:
        shell.wait(lambda: shell.window.status_line.state == "引擎就绪 · CPU · n_ctx 8,192")
        latin = [label.text() for label in shell.window.findChildren(QLabel) if label.isVisible() and english(label)]
        assert not latin
    finally:
        shell.window.settings_page.language_chosen.emit("en")
    shell.wait(lambda: shell.window.status_line.state == "Engine ready · CPU · n_ctx 8,192")


def english(label: QLabel) -> bool:
    """Whether a label has English words that are neither names nor units."""
    words = [word for word in label.text().split() if word.isascii() and word.isalpha() and word.islower()]
    return len(words) > 1


def test_live_panel_can_be_hidden(shell: Shell, tmp_path: Path) -> None:
    """Ctrl+Shift+L hides the live panel and shows it again; that is remembered."""
    shell.load()
    keys = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier
    assert shell.chat.live.isVisible()
    shell.bot.keyClick(shell.window, Qt.Key.Key_L, keys)
    assert not shell.chat.live.isVisible()
    assert read_preferences(tmp_path / "base" / "state") == Preferences(live_panel=False)
    shell.bot.keyClick(shell.window, Qt.Key.Key_L, keys)
    assert shell.chat.live.isVisible()


def test_shortcuts(shell: Shell) -> None:
    """Speculation, a new chat, the prompt and the list of shortcuts are one key away."""
    shell.load()
    control, shift = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier
    assert shell.replies.speculate
    shell.bot.keyClick(shell.window, Qt.Key.Key_S, control | shift)
    assert not shell.replies.speculate
    shell.ask("Hello")
    shell.bot.keyClick(shell.window, Qt.Key.Key_N, control)
    assert not shell.conversation.turns
    shell.window.top_bar.pair.setFocus()
    shell.bot.keyClick(shell.window, Qt.Key.Key_L, control)
    assert shell.window.focusWidget() is shell.chat.transcript.box.edit
    shell.bot.keyClick(shell.window, Qt.Key.Key_F1)
    dialog = next(dialog for dialog in shell.window.findChildren(QDialog) if dialog.isVisible())
    assert "Ctrl+Shift+S" in [label.text() for label in dialog.findChildren(QLabel)]
    dialog.accept()


def test_everything_has_a_name(shell: Shell) -> None:
    """Every visible widget that takes the focus has an accessible name or its own text."""
    shell.load()
    shell.ask("Hello")
    nameless = [
        widget
        for widget in shell.window.findChildren(QWidget)
        if widget.isVisible() and widget.focusPolicy() & Qt.FocusPolicy.TabFocus
        if not widget.accessibleName() and not getattr(widget, "text", str)()
    ]
    assert not nameless


def test_closing_while_writing(qtbot: QtBot, tmp_path: Path) -> None:
    """Closing the window in a reply cancels it, closes the client and leaves no thread."""
    before = threading.active_count()
    client = FakeClient(replies=[tapes.held(tapes.reply("One two three four five six seven. " * 5), 3)])
    with open_shell(qtbot, tmp_path, client) as shell:
        shell.load()
        reply = shell.send("Count")
        shell.wait(lambda: reply.fold.stats.rounds == 3)
        shell.window.close()
        assert not shell.replies.ready
    assert client.closed
    assert not shell.program.worker.running
    shell.wait(lambda: threading.active_count() <= before)


def test_closing_while_loading(qtbot: QtBot, tmp_path: Path) -> None:
    """Closing the window in a load ends the load."""
    client = FakeClient(loads=[tapes.loading(hold_at=0.5)])
    with open_shell(qtbot, tmp_path, client) as shell:
        shell.pairs.open_starter()
        shell.wait(lambda: shell.pairs.loading and shell.pairs.loading.done_bytes)
    assert client.closed
    assert not shell.program.worker.running


def test_window_does_not_import_llama_cpp() -> None:
    """The process of the window never has llama_cpp in it: a fault there would take the chats along."""
    code = "import sys; import ui.main; sys.exit('llama_cpp' in sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_a_closed_window_leaves_nothing_behind(qtbot: QtBot, tmp_path: Path) -> None:
    """Parts of pages that were never seen go with it too; each would be styled again at every change of the theme."""
    before = len(QApplication.topLevelWidgets())
    with open_shell(qtbot, tmp_path):
        pass
    gc.collect()
    assert len(QApplication.topLevelWidgets()) == before


def settled_picture(qtbot: QtBot, window: QWidget) -> QImage:
    """Once it stays the same for some turns of the event loop; a page lays itself out over several."""
    picture, same = window.grab().toImage(), 0
    while same < 4:
        qtbot.wait(30)
        before, picture = picture, window.grab().toImage()
        same = same + 1 if picture == before else 0
    return picture


def test_a_changed_theme_looks_as_one_from_the_start(qtbot: QtBot, tmp_path: Path) -> None:
    """Every page looks after a change of the theme as it does where the program starts in it."""
    pictures: list[list[QImage]] = []
    for theme_name in ("dark", "light"):
        folder = tmp_path / theme_name
        write_preferences(Paths(folder).state, Preferences(theme=theme_name))
        with open_shell(qtbot, folder) as shell:
            shell.load()
            shell.wait(shell.window.top_bar.memory.isVisible)  # it is read by a thread, some time
            theme_notifier().choose(ThemeChoice.DARK)
            pages = []
            for name in ("chat", "compare"):
                shell.window.rail.chosen.emit(name)
                pages.append(settled_picture(qtbot, shell.window))
            pictures.append(pages)
    theme_notifier().choose(ThemeChoice.SYSTEM)
    assert pictures[0] == pictures[1]
