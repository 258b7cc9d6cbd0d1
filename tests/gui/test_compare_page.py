"""What the Compare page shows and says, in every state."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, QSize, Qt
from PySide6.QtGui import QColor, QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QDialog, QFileDialog, QLabel, QTableWidget
from pytestqt.qtbot import QtBot

from app.compare.presets import PRESETS
from app.compare.values import Arm
from app.mix import Mix, MixedReply, MixRow, mix_key
from engine.errors import ErrorKind
from engine.types import EndReason, Inactive
from tests.fakes import tapes
from tests.gui.compares import OTHER, TEXT, compare, off, on, open_compare, pairs
from tests.gui.shell import Shell, ignore_platform, open_shell
from ui.cards import Action
from ui.compare_bar import beginning
from ui.compare_settings import CompareSettings
from ui.main import MIX_FILE
from ui.theme import ThemeChoice, theme, theme_notifier

pytestmark = ignore_platform
LONG = "The keeper counted the ships and wrote the number down.\n" * 60


@pytest.fixture
def shell(qtbot: QtBot, tmp_path: Path) -> Iterator[Shell]:
    with open_shell(qtbot, tmp_path) as opened:
        yield opened
    theme_notifier().choose(ThemeChoice.SYSTEM)


def rows(shell: Shell) -> dict[str, tuple[str, str | None, str]]:
    """The table: off, on and ratio by the row's name."""
    shown = shell.compare.board.table.shown
    assert shown is not None
    return {row.name: (row.off, row.on, row.ratio) for row in shown.rows}


def written(shell: Shell) -> int:
    """Rounds of the reply under way."""
    newest = shell.comparing.compared.newest if shell.comparing.compared is not None else None
    return 0 if newest is None else newest.fold.stats.rounds


def dialog(shell: Shell) -> QDialog:
    return next(dialog for dialog in shell.window.findChildren(QDialog) if dialog.isVisible())


def test_result(shell: Shell) -> None:
    """Speeds, first token, passes and text of both sides, and the answer in words."""
    open_compare(shell)
    compare(shell)
    found = rows(shell)
    outcome = shell.comparing.comparison.outcome
    assert outcome is not None
    tokens = len(tapes.tokens_of(TEXT))
    assert found["Tokens per second (median of 3)"][2] == f"{outcome.ratio:.2f}×"
    assert found["First token"] == ("0.21 s", "0.21 s", "1.00×")
    assert found["Target passes"][:2] == (str(tokens), str(outcome.passes_on))
    assert found["Text"] == (f"identical, all {tokens} tokens", None, "same")
    assert shell.compare.board.table.verdict.text() == f"{outcome.ratio:.2f}× on code: leave it on auto."
    assert not shell.compare.board.table.difference.isVisible()
    assert "SmolLM2 135M Instruct F32 + SmolLM2 135M Instruct Q4_1" in shell.compare.board.caption.text()


def test_before_the_first_run(shell: Shell) -> None:
    """The card says where the answer will come, and the live panel what passes cost, which the load measured."""
    shell.client.load_next(tapes.loading(costs=tapes.COSTS))
    open_compare(shell)
    assert shell.compare.board.table.verdict.text().startswith("Run writes the same reply off and on")
    assert shell.compare.live.curve.isVisible()


def test_bars_compare_the_speeds(shell: Shell) -> None:
    """Once both sides are measured the faster one fills its bar."""
    open_compare(shell)
    compare(shell)
    outcome = shell.comparing.comparison.outcome
    assert outcome is not None
    heads = {arm: pane.head for arm, pane in shell.compare.board.panes.items()}
    assert heads[Arm.ON].share == 1.0
    assert heads[Arm.OFF].share == pytest.approx(outcome.off.tokens_per_s / outcome.on.tokens_per_s)
    assert heads[Arm.OFF].rate == outcome.off.tokens_per_s


def test_while_a_reply_is_written(shell: Shell) -> None:
    """Which run it is, how far it is, and its tokens as in a chat; the other side keeps its last reply."""
    open_compare(shell, *pairs(1), off(), tapes.held(on(), 6))
    shell.compare.bar.run.click()
    panes = shell.compare.board.panes
    shell.wait(lambda: (reply := panes[Arm.ON].text.reply) and reply.end is None and reply.stats.rounds == 6)
    reply = panes[Arm.ON].text.reply
    assert reply is not None
    shell.wait(lambda: panes[Arm.ON].head.share == reply.stats.completion_tokens / 256)
    assert panes[Arm.ON].head.subtitle == "run 1 of 3 · auto, draft 4, cold cache"
    assert panes[Arm.OFF].head.subtitle == "target alone, cold cache"
    assert panes[Arm.OFF].text.reply is not None
    assert panes[Arm.OFF].text.reply.text == TEXT
    assert len(panes[Arm.ON].text.tokens.starts) == reply.stats.completion_tokens
    assert shell.window.status_line.state == "Comparing: writing with speculation…"
    assert shell.compare.bar.run.text() == "Stop"
    assert shell.compare.live.reply is not None


def test_origin_of_tokens(shell: Shell) -> None:
    """An accepted token has its tint on the side that speculates, and none on the other."""
    open_compare(shell)
    compare(shell)
    for arm, tinted in ((Arm.ON, True), (Arm.OFF, False)):
        tokens = shell.compare.board.panes[arm].text.tokens
        shell.compare.board.panes[arm].text.show_token(1)
        image = tokens.grab().toImage()
        area = tokens.token_area(1)
        colour = image.pixelColor(QPoint(area.left() + 2, area.top() + 2) * image.devicePixelRatio())
        assert (colour == QColor(theme().accepted)) is tinted


def test_live_panel_of_the_side_without(shell: Shell) -> None:
    """It says that this side does not speculate, not that the user switched something off."""
    open_compare(shell, tapes.held(off(), 6))
    shell.compare.bar.run.click()
    shell.wait(lambda: shell.compare.live.note == "This side is written without speculation.")


def test_stopped_after_one_pair(shell: Shell) -> None:
    """The caption claims the runs that were measured, not those that were planned."""
    open_compare(shell, *pairs(2), tapes.held(off(), 6))
    shell.compare.bar.run.click()
    shell.wait(lambda: shell.comparing.comparison.outcome)
    shell.comparing.stop()
    shell.wait(lambda: not shell.comparing.running)
    assert shell.compare.board.caption.text().endswith("1 run · stopped after 1 of 3")


def test_warm_up_is_no_result(shell: Shell) -> None:
    """Stopped in the first measured pair, the page shows texts but no speeds against each other."""
    open_compare(shell, *pairs(1), tapes.held(off(), 6))
    shell.compare.bar.run.click()
    shell.wait(lambda: (shown := shell.comparing.shown(Arm.OFF)) and shown.fold.stats.rounds == 6)
    shell.comparing.stop()
    shell.wait(lambda: not shell.comparing.running)
    assert {(pane.head.rate, pane.head.share) for pane in shell.compare.board.panes.values()} == {(None, 0.0)}
    assert shell.compare.live.ratio == ""
    assert "measured here" not in shell.compare.live.note


def test_the_end_stays_in_sight(shell: Shell) -> None:
    """A long text is followed to its end, until the reader scrolls away."""
    long = " ".join([TEXT] * 4)
    open_compare(shell, off(long), tapes.held(on(long), 60))
    shell.compare.bar.run.click()
    pane = shell.compare.board.panes[Arm.OFF].text
    shell.wait(lambda: pane.reply is not None and pane.reply.end is not None)
    shell.wait(lambda: 0 < pane.verticalScrollBar().maximum() == pane.verticalScrollBar().value())


def test_difference(shell: Shell) -> None:
    """The first token that differs is marked on both sides, explained, and found with a click."""
    long = [f"{text} {TEXT} {TEXT} {TEXT}" for text in (TEXT, OTHER)]
    open_compare(shell, *pairs(2, off_tape=off(long[0]), on_tape=on(long[1])))
    shell.comparing.settings = CompareSettings(repeats=1)
    compare(shell)
    board = shell.compare.board
    outcome = shell.comparing.comparison.outcome
    assert outcome is not None
    assert outcome.difference is not None
    assert rows(shell)["Text"][2] == "a tie"
    assert "evening" in board.table.difference.text()
    assert "tie up to rounding" in board.table.difference.text()
    marked = outcome.difference.index
    assert {pane.text.tokens.marked for pane in board.panes.values()} == {marked}
    board.table.show_difference.click()
    for pane in board.panes.values():
        tokens = pane.text.tokens
        place = tokens.mapTo(pane.text.viewport(), tokens.token_area(marked).center())
        assert pane.text.viewport().rect().contains(place)


def test_texts_are_those_of_the_difference(shell: Shell) -> None:
    """Where pairs differ from each other, both sides show the pair that the table speaks of."""
    open_compare(shell, *pairs(1), off(), on(OTHER), *pairs(2))
    compare(shell)
    assert "evening" in shell.compare.board.table.difference.text()
    texts = {arm: pane.text.reply.text for arm, pane in shell.compare.board.panes.items() if pane.text.reply}
    assert texts == {Arm.OFF: TEXT, Arm.ON: OTHER}


def test_difference_found_while_others_are_written(shell: Shell) -> None:
    """Where a difference is known while the comparison goes on, it is shown once that has ended: until then the texts
    are others, and they follow what is written."""
    open_compare(shell, *pairs(1), off(OTHER), on(), tapes.held(off(LONG), 200), on(), *pairs(1))
    shell.compare.bar.run.click()
    table = shell.compare.board.table
    shell.wait(lambda: table.difference.isVisible() and written(shell) == 200)
    shell.wait(lambda: not shell.compare._paint.isActive())
    text = shell.compare.board.panes[Arm.OFF].text
    assert text.verticalScrollBar().value() == text.verticalScrollBar().maximum() > 0
    QTest.mouseClick(table.show_difference, Qt.MouseButton.LeftButton)
    assert text.verticalScrollBar().value() == text.verticalScrollBar().maximum()
    assert "once the comparison has ended" in table.show_difference.toolTip()
    assert table.shown is not None
    assert (table.shown.rows[-1].ratio, table.shown.rows[-1].tone) == ("differs", "")
    shell.client.release()
    shell.wait(lambda: not shell.comparing.running)
    assert table.show_difference.isEnabled()
    assert table.show_difference.toolTip() == "Scroll both texts to the first difference"


def test_nothing_disturbs_a_comparison(shell: Shell) -> None:
    """Another preset, other settings, the earlier runs, another page and another look change nothing of what runs."""
    open_compare(shell)
    compare(shell)
    before = shell.comparing.compared
    assert before is not None
    shell.client.play_next(*pairs(1), off(), tapes.held(on(), 6), *pairs(2))
    shell.compare.bar.run.click()
    shell.wait(lambda: len(shell.client.requests) == 12 and written(shell) == 6)
    page = shell.compare
    page.bar.prompt.preset_chosen.emit(PRESETS[1].id)
    page.settings.changed.emit(CompareSettings(seed=7, repeats=9, max_tokens=16))
    page.board.table.history.click()
    dialog(shell).accept()
    assert not page.bar.export.isEnabled()
    for name in ("chat", "models", "compare"):
        shell.window.rail.chosen.emit(name)
    theme_notifier().choose(ThemeChoice.DARK)
    shell.client.release()
    shell.wait(lambda: not shell.comparing.running)
    after = shell.comparing.compared
    assert after is not None
    assert (after.plan, after.settings) == (before.plan, before.settings)
    assert len(set(shell.client.requests)) == 2  # off and on
    assert page.bar.run.isEnabled()


def test_difference_that_is_no_tie(shell: Shell) -> None:
    """A gap that rounding does not explain is told as a real difference."""
    shell.client.gap = 2.5
    open_compare(shell, *pairs(4, on_tape=on(OTHER)))
    compare(shell)
    assert rows(shell)["Text"][2] == "differs"
    assert "more than rounding explains" in shell.compare.board.table.difference.text()


def test_presets(shell: Shell) -> None:
    """A preset fills the prompt; what is compared knows it by its name, and an own prompt as the user's."""
    open_compare(shell)
    prompt = shell.compare.bar.prompt
    assert prompt.text == PRESETS[0].prompt
    names = [action.text() for action in prompt.menu.actions()]
    assert len(names) == len(PRESETS)
    prompt.menu.actions()[2].trigger()
    assert prompt.text == PRESETS[2].prompt
    compare(shell)
    assert shell.client.requests[0].kind == PRESETS[2].kind
    assert "an edited file" in shell.compare.board.table.verdict.text()
    prompt.set_text("Tell me something.")
    shell.client.play_next(*pairs(4))
    compare(shell)
    assert "this prompt" in shell.compare.board.table.verdict.text()


def test_beginning_of_a_prompt() -> None:
    """The folded prompt is drawn from what can be seen of it, however long it is."""
    assert beginning("Write\n\n  a story.") == "Write a story."
    assert len(beginning("word " * 100_000)) <= 500


def test_last_message(shell: Shell) -> None:
    """What was written last in the open chat can be compared."""
    shell.load()
    shell.ask("What is a lighthouse?")
    shell.window.rail.chosen.emit("compare")
    prompt = shell.compare.bar.prompt
    action = prompt.menu.actions()[-1]
    assert action.text() == "Your last message"
    action.trigger()
    assert prompt.text == "What is a lighthouse?"


def test_settings(shell: Shell) -> None:
    """The popover changes what the next comparison is made with, and the chip says it."""
    open_compare(shell, *pairs(2))
    shell.compare.bar.chip.click()
    popover = shell.compare.settings
    assert popover.isVisible()
    popover.temperature.setValue(0.8)
    popover.seed.setValue(7)
    popover.max_tokens.setValue(1_024)
    popover.repeats.setValue(1)
    popover.hide()
    assert shell.compare.bar.chip.text() == "T 0.8 · seed 7 · 1,024 tokens · 1 run"
    compare(shell)
    request = shell.client.requests[0]
    assert (request.sampling.temperature, request.sampling.seed, request.max_tokens) == (0.8, 7, 1_024)
    assert len(shell.client.requests) == 4
    assert "Tokens per second" in rows(shell)


def test_by_keyboard(shell: Shell) -> None:
    """Ctrl+E opens the page, Enter runs, Escape and Ctrl+. stop, arrows walk over the tokens."""
    shell.load()
    shell.client.play_next(*[tapes.held(off(), 6)] * 3)
    shell.bot.keyClick(shell.window, Qt.Key.Key_E, Qt.KeyboardModifier.ControlModifier)
    assert shell.compare.isVisible()
    shell.compare.focus_prompt()
    edit = shell.compare.bar.prompt.edit
    shell.bot.keyClick(edit, Qt.Key.Key_Return)
    assert shell.comparing.running
    shell.bot.keyClick(edit, Qt.Key.Key_Escape)
    shell.wait(lambda: not shell.comparing.running)
    shell.bot.keyClick(edit, Qt.Key.Key_Return)
    shell.bot.keyClick(shell.window, Qt.Key.Key_Period, Qt.KeyboardModifier.ControlModifier)
    shell.wait(lambda: not shell.comparing.running)
    shell.client.play_next(*pairs(4))
    compare(shell)
    tokens = shell.compare.board.panes[Arm.ON].text.tokens
    tokens.setFocus()
    shell.bot.keyClick(tokens, Qt.Key.Key_Right)
    assert shell.compare.board.card.isVisible()
    assert "accepted" in shell.compare.board.card.accessibleName()
    shell.bot.keyClick(tokens, Qt.Key.Key_Escape)
    assert not shell.compare.board.card.isVisible()


def test_keys_on_the_button(shell: Shell) -> None:
    """Enter and Escape do what its tips say, wherever on the page the keyboard is."""
    open_compare(shell, tapes.held(off(), 6))
    run = shell.compare.bar.run
    run.setFocus()
    shell.bot.keyClick(run, Qt.Key.Key_Return)
    shell.wait(lambda: shell.comparing.running)
    shell.bot.keyClick(run, Qt.Key.Key_Escape)
    shell.wait(lambda: not shell.comparing.running)
    shell.client.play_next(tapes.held(off(), 6))
    run.click()
    shell.bot.keyClick(shell.compare.bar.chip, Qt.Key.Key_Escape)
    shell.wait(lambda: not shell.comparing.running)


def test_hovering(shell: Shell) -> None:
    """The mouse over a token explains it, as in a chat."""
    open_compare(shell)
    compare(shell)
    tokens = shell.compare.board.panes[Arm.ON].text.tokens
    shell.compare.board.panes[Arm.ON].text.show_token(1)
    QTest.mouseMove(tokens, tokens.token_area(1).center())
    shell.wait(lambda: shell.compare.board.card.isVisible())


def test_history(shell: Shell) -> None:
    """Earlier runs of the pair are listed with date, build, prompt and figures."""
    open_compare(shell, *pairs(4))
    shell.compare.board.table.history.click()
    assert dialog(shell).findChild(QTableWidget) is None
    dialog(shell).accept()
    compare(shell)
    shell.wait(lambda: len(shell.program.compared.runs) == 1)
    shell.compare.board.table.history.click()
    table = dialog(shell).findChild(QTableWidget)
    assert table is not None
    assert [table.item(0, column).text() for column in (1, 2, 8)] == ["Code", "auto", "0.3.36 (CPU)"]
    dialog(shell).accept()


def test_history_that_is_open(qtbot: QtBot, tmp_path: Path) -> None:
    """It gets the run that ends meanwhile, and fits into the smallest window."""
    with open_shell(qtbot, tmp_path, size=QSize(720, 420)) as shell:
        open_compare(shell, *pairs(4))
        shell.compare.board.table.history.click()
        shown = dialog(shell)
        compare(shell)
        shell.wait(lambda: shown.findChild(QTableWidget))
        shown.accept()
        shell.compare.board.table.history.click()
        assert shell.window.size().expandedTo(dialog(shell).minimumSizeHint()) == QSize(720, 420)
        dialog(shell).accept()


def test_without_a_pair(shell: Shell) -> None:
    """The cards do not speak of a pair that is not there."""
    shell.window.rail.chosen.emit("compare")
    assert "this pair" not in shell.compare.board.mix.empty.text()
    shell.compare.board.table.history.click()
    assert any("No pair is loaded" in label.text() for label in dialog(shell).findChildren(QLabel))
    dialog(shell).accept()


def became_slower(shell: Shell) -> None:
    """A comparison, and another with a slower reply."""
    open_compare(shell, *pairs(4))
    compare(shell)
    shell.wait(lambda: shell.program.compared.runs)
    slow = tapes.reply(TEXT, verify_s=0.4, reason=EndReason.LENGTH)
    shell.client.play_next(*pairs(4, on_tape=slow))
    compare(shell)


def test_pair_that_became_slower(shell: Shell) -> None:
    """More than a fifth lost against its own runs is told, until it is dismissed."""
    became_slower(shell)
    notices = shell.compare.notices
    shell.wait(lambda: notices.notices)
    assert notices.notices[0].title == "This pair was faster before"
    assert "earlier runs with the same settings" in notices.notices[0].text
    notices.press(Action.DISMISS_DROP)
    assert notices.notices == []


def test_drop_of_another_pair(shell: Shell) -> None:
    """What the last pair lost is not said of the next one."""
    became_slower(shell)
    shell.wait(lambda: shell.compare.notices.notices)
    shell.client.load_next(tapes.loading(replace(tapes.PAIR, draft=None, inactive=Inactive.NO_DRAFT)))
    shell.pairs.open(tapes.REQUEST)
    shell.wait(lambda: shell.loaded)
    assert shell.compare.notices.notices == []


def test_drop_that_is_late(shell: Shell) -> None:
    """It is not told once another comparison has begun."""
    became_slower(shell)
    shell.program.compared.dismiss_drop()
    shell.wait(lambda: len(shell.program.compared.runs) == 2)
    assert shell.program.compared.drop is None


def test_own_mix(shell: Shell, tmp_path: Path) -> None:
    """The card has a row for each kind of text."""
    mix = Mix(tmp_path / "data" / MIX_FILE)
    mix.add(mix_key(tapes.REQUEST), MixedReply("code", 9_000, 0, 100.0, 179.0))
    mix.add(mix_key(tapes.REQUEST), MixedReply("chat", 4_000, 2_480, 80.0, 80.0))
    mix.add(mix_key(tapes.REQUEST), MixedReply("code", 3_000, 0, 100.0, 130.0, fixed=True))
    mix.close()
    open_compare(shell)
    card = shell.compare.board.mix
    shell.wait(lambda: card.texts)
    assert card.texts == [
        ("Code", "1.79×"),
        ("Open chat", "1.00× · auto kept it off 62 % of the time"),
        ("Code, fixed length", "1.30×"),
    ]
    assert not card.empty.isVisible()


def test_own_mix_of_nothing(shell: Shell) -> None:
    """The card says what it is for while there is none."""
    open_compare(shell)
    assert shell.compare.board.mix.empty.isVisible()


@pytest.mark.parametrize("kind", ["png", "json", "md"])
def test_export(shell: Shell, tmp_path: Path, kind: str) -> None:
    """The comparison as a picture at twice the size, as figures, and as a table."""
    open_compare(shell)
    assert not shell.compare.bar.export.isEnabled()
    compare(shell)
    assert shell.compare.bar.export.isEnabled()
    shell.compare.bar.export_wanted.emit(kind)
    chooser = shell.window.findChild(QFileDialog)
    assert chooser is not None
    file = tmp_path / f"result.{kind}"
    chooser.fileSelected.emit(str(file))
    chooser.reject()
    shell.wait(file.exists)
    shell.wait(lambda: shell.compare.notices.hint == f"Saved as result.{kind}")
    if kind == "png":
        assert QImage(str(file)).width() == 2 * (shell.compare.board.width() + 48)
    elif kind == "json":
        outcome = shell.comparing.comparison.outcome
        assert outcome is not None
        assert json.loads(file.read_text())["ratio"] == outcome.ratio
    else:
        assert "| Target passes |" in file.read_text()


def test_picture_keeps_the_own_mix_private(shell: Shell) -> None:
    """What is shown to others does not depend on what the user writes, and the page stays as it is."""
    open_compare(shell)
    compare(shell)
    board = shell.compare.board
    before = board.picture().toImage()
    board.mix.setStyleSheet("background: #123456")
    assert board.picture().toImage() == before
    assert board.mix.isVisible()


def test_export_that_fails(shell: Shell, tmp_path: Path) -> None:
    """A folder that is not there is told, and nothing is half written."""
    open_compare(shell)
    compare(shell)
    shell.compare.exporter.save("md", tmp_path / "gone" / "x.md")
    notices = shell.compare.notices
    shell.wait(lambda: notices.notices)
    assert "x.md" in notices.notices[0].title
    assert "another folder" in notices.notices[0].text
    notices.press(Action.DISMISS_EXPORT)
    assert notices.notices == []


def test_export_tells_its_last_file(shell: Shell, tmp_path: Path) -> None:
    """A file that was written takes the card of the last failure away, and a failure the line of the last success."""
    open_compare(shell)
    compare(shell)
    shell.compare.exporter.save("md", tmp_path / "gone" / "x.md")
    shell.wait(lambda: shell.compare.notices.notices)
    shell.compare.exporter.save("md", tmp_path / "x.md")
    shell.wait(lambda: shell.compare.notices.hint)
    assert shell.compare.notices.notices == []
    shell.compare.exporter.save("md", tmp_path / "gone" / "x.md")
    shell.wait(lambda: shell.compare.notices.notices)
    assert shell.compare.notices.hint == ""


def test_target_without_a_template(shell: Shell) -> None:
    """The error is told in place with the choice that helps, which the chat then knows too."""
    open_compare(shell, tapes.failing(ErrorKind.NO_CHAT_TEMPLATE))
    compare(shell)
    shell.client.play_next(*pairs(4))
    shell.compare.notices.press(Action.USE_CHATML)
    shell.wait(lambda: not shell.comparing.running)
    assert shell.comparing.comparison.outcome is not None
    assert shell.replies.chat_format.value == "chatml"
    assert shell.compare.notices.notices == []


def test_error_is_told(shell: Shell) -> None:
    """Why a comparison ended early stands on the page until the next begins."""
    open_compare(shell, off("Yes."))
    compare(shell)
    assert shell.compare.notices.notices[0].title == "The reply is too short to measure"
    shell.client.play_next(*pairs(4))
    compare(shell)
    assert shell.compare.notices.notices == []


def test_engine_that_died(shell: Shell) -> None:
    """One card says what became of the pair and of the reply, until it is dismissed."""
    open_compare(shell, off(), tapes.crashing(on(), 6))
    compare(shell)
    shell.wait(lambda: shell.loaded)
    notices = shell.compare.notices
    assert [notice.title for notice in notices.notices] == ["The engine stopped unexpectedly"]
    assert notices.notices[0].text.startswith("It was started again and the pair is ready. The reply was cut after")
    notices.press(Action.DISMISS_ERROR)
    assert notices.notices == []


def test_engine_that_died_again(shell: Shell) -> None:
    """The pair does not come back, and one card says so."""
    open_compare(shell, tapes.crashing(off(), 6))
    compare(shell)
    shell.wait(lambda: shell.loaded)
    shell.client.play_next(tapes.crashing(off(), 6))
    compare(shell)
    shell.wait(lambda: shell.pairs.refusal)
    assert len(shell.compare.notices.notices) == 1


def test_error_of_another_pair(shell: Shell) -> None:
    """Why the last pair was not measured is not said of the next one."""
    open_compare(shell, off("Yes."))
    compare(shell)
    assert shell.compare.notices.notices
    shell.pairs.open(tapes.REQUEST)
    shell.wait(lambda: shell.loaded)
    assert shell.compare.notices.notices == []


@pytest.mark.parametrize("size", [QSize(720, 420), QSize(900, 600), QSize(1_440, 900)])
def test_sizes(qtbot: QtBot, tmp_path: Path, size: QSize) -> None:
    """Nothing is wider than the window; the live panel makes room first."""
    with open_shell(qtbot, tmp_path, size=size) as shell:
        open_compare(shell)
        compare(shell)
        shell.wait(lambda: shell.compare.board.width() > 0)
        assert shell.compare.board.width() <= shell.compare.width()
        assert shell.compare.live.isVisible() is (shell.compare.width() >= 1_040)
        for pane in shell.compare.board.panes.values():
            assert pane.text.height() >= 90


def test_window_becomes_narrow(shell: Shell) -> None:
    """Whatever the window was before, nothing of the page lies outside of it."""
    open_compare(shell)
    compare(shell)
    shell.compare.board.mix.show_rows([MixRow("code", 1.79, 0.0, 9_000), MixRow("chat", 1.0, 0.62, 4_000)])
    inside = shell.compare.bar.parentWidget()
    assert inside is not None
    for width in range(1_440, 719, -40):
        shell.window.resize(width, 700)
        QApplication.processEvents()
        shell.wait(lambda: inside.width() == inside.parentWidget().width())


def test_tab_goes_around(shell: Shell) -> None:
    """The Tab key passes every control of the page and comes back to the prompt."""
    open_compare(shell)
    compare(shell)
    shell.window.activateWindow()
    edit = shell.compare.bar.prompt.edit
    edit.setFocus()
    passed = []
    for _ in range(40):
        shell.bot.keyClick(shell.window.focusWidget(), Qt.Key.Key_Tab)
        passed.append(shell.window.focusWidget())
        if passed[-1] is edit:
            break
    bar = shell.compare.bar
    assert {bar.prompt.presets, bar.chip, bar.run, bar.export, shell.compare.board.table.history, edit} <= set(passed)


def test_panel_button(shell: Shell) -> None:
    """The live panel is hidden and shown here as on the page of chats."""
    open_compare(shell)
    assert shell.compare.live.isVisible()
    shell.bot.keyClick(
        shell.window, Qt.Key.Key_L, Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier
    )
    assert not shell.compare.live.isVisible()


def test_language_and_theme_change_while_it_runs(shell: Shell) -> None:
    """Both may change at any time; words and colours follow."""
    open_compare(shell, off(), tapes.held(on(), 6))
    shell.compare.bar.run.click()
    panes = shell.compare.board.panes
    shell.wait(lambda: (reply := panes[Arm.ON].text.reply) and reply.stats.rounds == 6)
    shell.window.settings_page.theme_chosen.emit(ThemeChoice.DARK.value)
    shell.window.settings_page.language_chosen.emit("zh_CN")
    shell.wait(lambda: shell.compare.bar.run.text() == "停止")
    shell.window.settings_page.language_chosen.emit("en")
    shell.comparing.stop()
    shell.wait(lambda: not shell.comparing.running)
    shell.wait(lambda: shell.compare.bar.run.text() == "Run")


def test_every_control_has_a_name(shell: Shell) -> None:
    """Screen readers know every control of the page."""
    open_compare(shell)
    compare(shell)
    page = shell.compare
    named = [page.bar.prompt.edit, page.bar.chip, page.bar.prompt.presets, *page.settings._fields]
    named += [page.board.table, page.board.mix, *page.board.panes.values()]
    named += [pane.text.tokens for pane in page.board.panes.values()]
    assert all(widget.accessibleName() for widget in named)
