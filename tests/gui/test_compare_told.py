"""What the Compare page tells: it fits, it is true, and it follows the language."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, QSize, Qt
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from app.compare.values import Arm
from engine.stats import GenerationStats
from engine.types import Choice, Drafter, EndReason, RoundChoice
from tests.fakes import tapes
from tests.gui.compares import OTHER, TEXT, compare, off, on, open_compare, pairs
from tests.gui.shell import Shell, ignore_platform, open_shell
from ui.cards import Action
from ui.generation_settings import GenerationSettingsPopover
from ui.live_panel import LivePanel, LiveReply
from ui.pair_control import Loading

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


def test_ratio_of_the_pairs(shell: Shell) -> None:
    """The table says what its ratio is of."""
    open_compare(shell)
    compare(shell)
    note = shell.compare.board.table.note
    assert note.isVisible()
    assert "median of the pairs" in note.text()


@pytest.mark.parametrize(
    ("text", "ratio", "role"), [("Yes. " * 20, 1.8, "ratio"), (TEXT, 1.8, "ratio-good"), (TEXT, 1.02, "ratio")]
)
def test_green_is_a_gain(qtbot: QtBot, text: str, ratio: float, role: str) -> None:
    """Neither what a short reply seems to gain nor a few per cent are good news."""
    panel = LivePanel()
    qtbot.addWidget(panel)
    stats = GenerationStats(plain=len(tapes.tokens_of(text)), rounds=9)
    panel.show_reply(LiveReply(stats, 10.0 * ratio, off_rate=10.0))
    assert panel._ratio.property("role") == role


def test_focus_stays_on_the_stopped_button(shell: Shell) -> None:
    """Whoever presses Space again and again starts and stops, and opens nothing else."""
    open_compare(shell, tapes.held(off(), 6))
    run, seen = shell.compare.bar.run, []
    shell.comparing.changed.connect(lambda: seen.append(shell.window.focusWidget()))
    run.setFocus()
    shell.bot.keyClick(run, Qt.Key.Key_Space)
    shell.wait(lambda: shell.comparing.running)
    shell.bot.keyClick(run, Qt.Key.Key_Space)
    shell.wait(lambda: not shell.comparing.running)
    assert None in seen
    assert set(seen) <= {run, None}
    assert shell.window.focusWidget() is run


def test_focus_that_was_moved_meanwhile(shell: Shell) -> None:
    """It is not taken back from where the user went."""
    open_compare(shell, tapes.held(off(), 6))
    run = shell.compare.bar.run
    run.setFocus()
    run.click()
    run.click()
    shell.compare.focus_prompt()
    shell.wait(lambda: not shell.comparing.running)
    assert shell.window.focusWidget() is shell.compare.bar.prompt.edit


def test_focus_of_a_load_that_was_cancelled(shell: Shell) -> None:
    """It does not go to another button, neither when Cancel rests nor when its card goes."""
    open_compare(shell)
    area = shell.compare.notices
    area.show_loading(Loading(1))
    cancel = area.loading._cancel
    cancel.setFocus()
    cancel.click()
    assert shell.window.focusWidget() is None
    area.show_loading(None)
    assert shell.window.focusWidget() is None
    area.show_loading(Loading(2))
    cancel.setFocus()
    area.show_loading(None)
    assert shell.window.focusWidget() is None


def test_crash_leaves_the_earlier_result(shell: Shell) -> None:
    """The card says that nothing else is lost, and how far the reply was that is."""
    open_compare(shell)
    compare(shell)
    outcome = shell.comparing.comparison.outcome
    shell.client.play_next(off(), tapes.crashing(on(), 6))
    compare(shell)
    shell.wait(lambda: shell.loaded)
    assert shell.comparing.comparison.outcome is outcome is not None
    text = shell.compare.board.panes[Arm.OFF].text.reply
    assert text is not None
    assert text.text == TEXT
    told = shell.compare.notices.notices[0].text
    assert "nothing else is lost" in told
    assert "after 0 tokens" not in told
    assert "after 80 tokens" not in told


@pytest.mark.parametrize(("fixed", "words"), [(7, "draft 7, cold cache"), (None, "auto, draft 4, cold cache")])
def test_length_is_not_that_of_the_last_round(shell: Shell, fixed: int | None, words: str) -> None:
    """The last rounds are cut short by the tokens left; nothing on the page or in its picture tells their length."""
    rule = Choice.DRAFTING if fixed is None else Choice.FIXED
    usual, cut = (RoundChoice(rule, Drafter.MODEL, length, 1.6) for length in (4, 1))
    tape = tapes.chosen(tapes.reply(TEXT, verify_s=0.04, reason=EndReason.LENGTH), *[usual] * 8, cut)
    open_compare(shell, *pairs(4, on_tape=tape))
    shell.replies.settings = replace(shell.replies.settings, draft_length=fixed)
    compare(shell)
    assert shell.compare.board.panes[Arm.ON].head.subtitle == words
    assert shell.compare.live.curve.chosen == (fixed or 4)
    assert shell.compare.live.auto == ("auto: draft 4, 1.60× predicted" if fixed is None else "")


def test_line_follows_the_language(shell: Shell, tmp_path: Path) -> None:
    """Why nothing was run, what was saved, and that nothing was measured, in the language that is chosen."""
    notices, choose = shell.compare.notices, shell.window.settings_page.language_chosen.emit

    def follows() -> bool:
        words = notices.hint
        choose("zh_CN")
        shell.wait(lambda: notices.hint != words)
        translated = notices.hint.isascii() is False
        choose("en")
        shell.wait(lambda: notices.hint == words)
        return bool(words) and translated

    shell.window.rail.chosen.emit("compare")
    shell.compare.run()
    assert follows()
    open_compare(shell)
    compare(shell)
    shell.compare.exporter.save("md", tmp_path / "x.md")
    shell.wait(lambda: notices.hint)
    assert follows()
    shell.client.play_next(tapes.held(off(), 6))
    shell.compare.run()
    shell.comparing.stop()
    shell.wait(lambda: not shell.comparing.running)
    assert follows()


def test_typing_into_a_popover(shell: Shell) -> None:
    """What is typed right after it opened takes the place of the number that stood there, in both popovers."""
    bar, chat = shell.compare.bar, shell.chat
    shell.window.rail.chosen.emit("compare")
    chosen = GenerationSettingsPopover(chat)
    shell.bot.addWidget(chosen)
    below, above = partial(shell.compare.settings.open_below, bar.chip), partial(chosen.open_above, bar.chip)
    for popover, show in ((shell.compare.settings, below), (chosen, above)):
        show()
        shell.bot.keyClicks(popover.temperature, "0.7")
        assert popover.temperature.value() == 0.7
        popover.hide()


def test_picture(shell: Shell) -> None:
    """It has room around, no buttons, no hole, and says what was written."""
    open_compare(shell, *pairs(4, on_tape=on(OTHER)))
    compare(shell)
    board = shell.compare.board
    table = board.table
    for _ in range(5):  # a text that wraps asks for its height once its width is known, and those around it after that
        QApplication.processEvents()
    sizes = [widget.geometry() for widget in (table, board.mix, *board.panes.values())]
    before = board.picture().toImage()
    QApplication.processEvents()
    assert [widget.geometry() for widget in (table, board.mix, *board.panes.values())] == sizes
    assert before.width() == 2 * (board.width() + 48)
    ground = before.pixel(0, 0)
    assert {before.pixel(x, y) for x in range(0, before.width(), 4) for y in range(0, 46, 4)} == {ground}
    place = table.mapTo(board, QPoint(board.width() - 40, table.height() // 2))
    assert before.pixel(2 * QPoint(24 + board.width() - 40, 24 + place.y())) != ground
    for button in table.buttons:
        assert button.isVisible()
        button.setText("Something else")
    assert board.picture().toImage() == before
    assert " · Code · " in board.caption.text()


def test_prompt_that_is_being_read(shell: Shell) -> None:
    """While a side's prompt is read, the status line and the side itself say so, and no longer."""
    open_compare(shell, tapes.reading())
    shell.compare.bar.run.click()
    line, pane = shell.window.status_line, shell.compare.board.panes[Arm.OFF]
    shell.wait(lambda: line.state == "Comparing: reading the prompt…")
    assert pane.head.subtitle == "warm-up · reading the prompt…"
    shell.client.play_next(tapes.held(off(), 6))
    shell.comparing.stop()
    shell.wait(lambda: not shell.comparing.running)
    shell.compare.bar.run.click()
    shell.wait(lambda: line.state == "Comparing: writing without speculation…")
    shell.wait(lambda: pane.head.subtitle == "warm-up · target alone, cold cache")


def test_draft_length_that_is_off(shell: Shell) -> None:
    """Where auto takes the place of the length that was set, the page says so, and only there."""
    open_compare(shell)
    shell.replies.settings = replace(shell.replies.settings, draft_length=0)
    compare(shell)
    assert "measured with auto" in shell.compare.notices.hint
    shell.replies.settings = replace(shell.replies.settings, draft_length=None)
    shell.client.play_next(*pairs(4))
    compare(shell)
    assert shell.compare.notices.hint == ""


def test_sentences_in_chinese(shell: Shell) -> None:
    """They follow each other without a blank."""
    shell.window.rail.chosen.emit("compare")
    empty = shell.compare.board.mix.empty
    words = empty.text()
    shell.window.settings_page.language_chosen.emit("zh_CN")
    shell.wait(lambda: empty.text() != words)
    chinese = empty.text()
    shell.window.settings_page.language_chosen.emit("en")
    shell.wait(lambda: empty.text() == words)
    assert "。" in chinese
    assert "。 " not in chinese


def test_folder_that_is_gone(shell: Shell, tmp_path: Path) -> None:
    """The card names it and says what can be done, whatever the reason is."""
    open_compare(shell)
    compare(shell)
    notices = shell.compare.notices
    shell.compare.exporter.save("md", tmp_path / "gone" / "x.md")
    shell.wait(lambda: notices.notices)
    assert f"The folder {tmp_path / 'gone'} is not there" in notices.notices[0].text
    assert "No such file" not in notices.notices[0].text
    notices.press(Action.DISMISS_EXPORT)
    shell.compare.exporter.save("md", tmp_path / f"{NAME}{NAME}.md")
    shell.wait(lambda: notices.notices)
    assert f"in {tmp_path}" in notices.notices[0].text
    assert "under another name" in notices.notices[0].text
