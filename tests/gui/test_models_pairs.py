"""The tab of matched pairs: what is here, what is on its way, and what can be done with it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, QSize, Qt
from PySide6.QtGui import QContextMenuEvent
from PySide6.QtWidgets import QApplication, QMenu, QWidget
from pytestqt.qtbot import QtBot

from app.downloads.state import DownloadState
from engine.errors import ErrorKind
from engine.types import KvType, LoadRequest
from tests.fakes.fake_models import DRAFT_05B, PAIRS, TARGET_7B, FakeParts, local
from tests.gui.models import Models, cells, click, open_models
from tests.gui.shell import ignore_platform
from ui.models_cells import CELL, SIDE, Act, Cell, act_rects, text_font, wrapped_lines
from ui.models_page import KV_TYPES

pytestmark = ignore_platform

GB = 1_000_000_000


@pytest.fixture
def models(qtbot: QtBot, tmp_path: Path) -> Iterator[Models]:
    with open_models(qtbot, tmp_path) as opened:
        yield opened


def action(models: Models, place: int) -> Cell:
    return cells(models.page.pairs.table, place)[-1]


def test_pairs_say_what_they_are(models: Models) -> None:
    """A row tells title, kinds, licence, gate, quantisations and sizes, and whether the pair is here."""
    title, quantisation, sizes, _memory, _verdict, ready = cells(models.page.pairs.table, 0)
    assert (title.text, title.small) == ("Qwen2.5-Coder 7B + 0.5B", "Code, FIM · Apache-2.0")
    assert (quantisation.text, sizes.text) == ("Q4_K_M + Q8_0", "4.7 + 0.5 GB")
    assert (ready.text, ready.acts) == ("Ready", (Act.OPEN,))
    assert cells(models.page.pairs.table, 2)[0].small == "Chat · llama3.1 · gated"
    assert action(models, 2).acts == (Act.DOWNLOAD,)


def test_open_loads_and_goes_to_chat(models: Models) -> None:
    """Open loads both files with the context and cache chosen here, and shows the chat."""
    models.page._context.show_value(16_384)
    models.page._kv.show_value(KV_TYPES[1])
    click(models, models.page.pairs.table, 0, Act.OPEN)
    models.wait(lambda: models.shell.loaded)
    request = LoadRequest(str(TARGET_7B.path), str(DRAFT_05B.path), 16_384, KvType.Q8_0)
    assert models.shell.client.loads == [request]
    assert models.shell.chat.isVisible()


def test_open_writes_as_the_card_recommends(models: Models) -> None:
    """The sampling settings of the model's card are those of the next replies; the seed stays the user's."""
    replies = models.shell.replies
    replies.settings = replace(replies.settings, sampling=replace(replies.settings.sampling, seed=77))
    click(models, models.page.pairs.table, 0, Act.OPEN)
    models.wait(lambda: models.shell.loaded)
    recommended = PAIRS[0].sampling
    assert recommended is not None
    assert replies.settings.sampling == replace(recommended, seed=77)


def test_download_fetches_what_is_missing(models: Models) -> None:
    """Download puts both files into the queue, or the one that is not here."""
    click(models, models.page.pairs.table, 4, Act.DOWNLOAD)
    assert [one.model for one in models.queue.snapshot()] == [PAIRS[4].draft.model, PAIRS[4].target.model]
    click(models, models.page.pairs.table, 1, Act.DOWNLOAD)
    assert models.queue.snapshot()[-1].model == PAIRS[1].target.model
    assert len(models.queue.snapshot()) == 3


def test_progress_counts_the_whole_pair(models: Models) -> None:
    """The bar, the bytes, the speed and the time left are those of both files, with what was here before."""
    models.control.fetch_pair(models.pair(1))
    models.queue.run(models.queue.find(PAIRS[1].target.model).id, 5_370_000_000)
    models.wait(lambda: action(models, 1).share)
    cell = action(models, 1)
    assert cell.small == "5.9 of 9.5 GB · 48 MB/s · 1 min 16 s"
    assert cell.share == pytest.approx(0.62, abs=0.01)
    assert cell.acts == (Act.PAUSE, Act.CANCEL)
    assert models.shell.window.status_line.downloads == "Downloading 1 · 48 MB/s"


def test_two_files_at_once_add_up(models: Models) -> None:
    """Two running files of a pair show their speeds together."""
    target, draft = models.fetch(4)
    models.queue.run(target.id, 2 * GB, 30e6)
    models.queue.run(draft.id, GB // 10, 20e6)
    models.wait(lambda: "50 MB/s" in action(models, 4).small)
    assert models.shell.window.status_line.downloads == "Downloading 2 · 50 MB/s"


@pytest.mark.parametrize(
    ("state", "words", "acts"),
    [
        (DownloadState.PAUSED, "Paused · 2.0 of 20.4 GB", (Act.RESUME, Act.CANCEL)),
        (DownloadState.VERIFYING, "Checking what came", (Act.CANCEL,)),
    ],
)
def test_states_of_a_download(models: Models, state: DownloadState, words: str, acts: tuple[Act, ...]) -> None:
    """Each state of a download has its words and its buttons."""
    target, _ = models.fetch(4)
    models.queue.set(target.id, state=state, done_bytes=2 * GB, speed=None)
    models.wait(lambda: action(models, 4).small == words)
    assert action(models, 4).acts == acts


def test_failure_has_its_reason(models: Models) -> None:
    """A failed download says why in its row and in the panel, and is tried again."""
    target, _ = models.fetch(4)
    models.queue.fail(target.id, ErrorKind.HUB_UNREACHABLE, host="huggingface.co", reason="no answer")
    models.choose(4)
    models.wait(lambda: action(models, 4).tone == "warn")
    assert action(models, 4).text == "huggingface.co cannot be reached"
    assert models.page.panels[0].alert.text() == "huggingface.co cannot be reached"
    assert "no answer" in models.page.panels[0].alert_text.text()
    models.press(Act.TRY_AGAIN)
    models.wait(lambda: models.queue.find(PAIRS[4].target.model).state is DownloadState.WAITING)


def test_panel_drives_a_download(models: Models) -> None:
    """Pause, go on and cancel of the panel reach both files of the pair."""
    target, _ = models.fetch(4)
    models.queue.run(target.id, GB)
    models.choose(4)
    for act, states in (
        (Act.PAUSE, {DownloadState.PAUSED}),
        (Act.RESUME, {DownloadState.WAITING}),
        (Act.CANCEL, {DownloadState.CANCELLED}),
    ):
        models.wait(lambda act=act: act in models.page.panels[0].buttons.acts)
        models.press(act)
        if act is Act.CANCEL:
            models.dialog_button("Delete what came").click()
        assert {one.state for one in models.queue.snapshot()} == states
    models.wait(lambda: action(models, 4).acts == (Act.DOWNLOAD,))


def test_queue_can_be_reordered(models: Models) -> None:
    """A pair that waits goes sooner or later past the next one that waits, with both its files."""
    for place in (3, 4, 5):
        models.fetch(place)

    def order() -> list[str]:
        return [one.model.file_name for one in models.queue.snapshot()]

    third, fourth, fifth = order()[0:2], order()[2:4], order()[4:6]
    models.wait(lambda: action(models, 5).text == "Waiting, place 5 in the queue")
    click(models, models.page.pairs.table, 5, Act.UP)
    assert order() == [*third, fourth[0], *fifth, fourth[1]]
    models.wait(lambda: action(models, 5).text == "Waiting, place 4 in the queue")
    click(models, models.page.pairs.table, 5, Act.UP)
    assert order() == [*third, *fifth, *fourth]
    models.wait(lambda: action(models, 3).text == "Waiting, place 1 in the queue")
    click(models, models.page.pairs.table, 3, Act.DOWN)
    assert order() == [fifth[0], *third, fifth[1], *fourth]


def test_shared_draft(models: Models) -> None:
    """A draft on its way for one pair is no download of the others, and stays as long as one of them needs it."""
    draft = PAIRS[4].draft.model
    assert draft == PAIRS[6].draft.model
    models.fetch(4)
    assert models.pair(6).progress is None
    models.fetch(6)
    models.control.cancel_pair(models.pair(4))
    models.wait(lambda: models.pair(4).progress is None)
    assert models.queue.find(draft).state is DownloadState.WAITING
    models.control.cancel_pair(models.pair(6))
    assert models.queue.find(draft).state is DownloadState.CANCELLED


def test_finished_pair_is_ready(models: Models) -> None:
    """When both files are there the folders are looked through again, the pair is ready, the queue empty."""
    target, draft = models.fetch(4)
    found = [
        local(name, "x", 1, path=Path(f"/home/me/models/{one.model.file_name}"))
        for name, one in (("T", target), ("D", draft))
    ]
    models.parts.local = (*models.parts.local, *found)
    for one, here in zip((target, draft), found, strict=True):
        models.queue.set(one.id, state=DownloadState.DONE, done_bytes=one.total_bytes, path=here.path)
    models.wait(lambda: action(models, 4).text == "Ready")
    models.wait(lambda: not models.queue.snapshot())
    assert models.shell.window.status_line.downloads == ""


def test_many_reports_cost_few_looks(models: Models) -> None:
    """However often the downloads report, the page looks at them at a pace of its own."""
    target, _ = models.fetch(4)
    looks: list[int] = []
    models.control.downloads_changed.connect(lambda: looks.append(1))
    for step in range(200):
        models.queue.run(target.id, step * 1_000_000)
    models.wait(lambda: models.queue.snapshot()[-1] in models.control.downloads and looks)
    assert len(looks) <= 3


def test_keyboard(models: Models) -> None:
    """Arrows choose a row, Enter does the main thing, and the row's menu has all the others."""
    table = models.page.pairs.table
    table.setFocus()
    models.choose(0)
    models.bot.keyClick(table, Qt.Key.Key_Down)
    assert table.current.pair == PAIRS[1]
    models.bot.keyClick(table, Qt.Key.Key_Return)
    assert models.queue.snapshot()[0].model == PAIRS[1].target.model
    menu = table.menu_for(models.pair(0))
    words = [entry.text() for entry in menu.actions() if not entry.isSeparator()]
    names = ("Pair", "Download", "Memory on RTX 4070, 12 GB", "Verdict")
    assert words == ["Open", "Show in folder", *(f"Sort by: {name}" for name in names)]


def test_sort_and_filter_keep_the_choice(models: Models) -> None:
    """Sorting and filtering move the rows; the chosen pair stays chosen as long as it is seen."""
    table = models.page.pairs.table
    models.choose(3)
    table.sortByColumn(2, Qt.SortOrder.AscendingOrder)
    sizes = [row.pair.target.about_bytes + row.pair.draft.about_bytes for row in table.rows.shown]
    assert sizes == sorted(sizes)
    assert table.current.pair == PAIRS[3]
    models.page._filter.setText("gemma chat")
    assert [row.pair.title for row in table.rows.shown] == ["Gemma 3 12B + 1B"]
    assert table.current.pair == PAIRS[3]
    models.page._filter.setText("nothing of this name")
    assert table.current is None
    models.page._filter.clear()
    assert len(table.rows.shown) == len(PAIRS)


def test_panel_tells_all(models: Models) -> None:
    """The chosen pair's files, sizes, licence, context, sampling, confidence, source, place and note are told."""
    models.choose(1)
    facts = dict(models.page.panels[0].facts.texts)
    assert facts["Licence"] == "Apache-2.0"
    assert facts["Context"] == "32,768 tokens"
    assert facts["Target"] == PAIRS[1].target.model.file_name
    assert facts["Source"] == PAIRS[1].target.model.repo
    assert facts["Lies in"] == str(DRAFT_05B.path.parent)
    assert facts["Sampling"] == "T 0.7, top-p 0.8, top-k 20"
    assert facts["Confidence"] == "high"
    assert models.page.panels[0]._note.text() == PAIRS[1].note


def test_other_drafts(models: Models) -> None:
    """Below the pairs every other model of this computer is listed: can draft first, and why others cannot."""
    models.choose(0)
    table = models.page.pairs.drafts.table
    models.wait(lambda: table.rows.rowCount() == len(models.parts.local) - 1)
    models.wait(lambda: all(row.verdict for row in table.rows.shown))
    verdicts = [cells(table, row)[1].text for row in range(table.rows.rowCount())]
    assert verdicts == ["can draft"] * 2 + ["cannot draft"] * 3
    reasons = [cells(table, row)[2].text for row in range(table.rows.rowCount())]
    assert all(reasons)
    table.setFocus()
    table.setCurrentIndex(table.rows.index(1, 0))
    models.bot.keyClick(table, Qt.Key.Key_Return)
    models.wait(lambda: models.shell.loaded)
    assert models.shell.client.loads[-1].draft == table.rows.row(1).path
    assert models.shell.client.loads[-1].target == str(TARGET_7B.path)


def test_drafts_for_a_target_that_is_not_here(models: Models) -> None:
    """Of a target that is not here the header is fetched only when that is asked for."""
    models.choose(4)
    card = models.page.pairs.drafts
    assert card.compare_button.isVisible()
    judged = models.parts.calls.count("judge")
    card.compare_button.click()
    models.wait(lambda: card.table.isVisible() and not models.control.drafts.judging)
    assert models.parts.calls.count("judge") == judged + 1
    assert len(card.table.rows.shown) == len(models.parts.local)


def test_self_draft(models: Models) -> None:
    """Size, time and space are told before a draft is made; it can be stopped; a finished one is found."""
    models.choose(0)
    card = models.page.pairs.drafts
    card.make_button.click()
    dialog = models.dialog()
    models.wait(lambda: dialog.make.isEnabled())
    assert dialog.words.text() == "3.1 GB, made in about 41 s. 214.0 GB are free at /home/me/models."
    models.parts.gate.clear()
    dialog.make.click()
    models.wait(lambda: "1.0 of 3.1 GB" in card.note)
    models.control.drafts.stop_making()
    assert models.control.drafts.making is None
    models.parts.gate.set()
    models.control.drafts.make(replace(models.parts.plan_draft(TARGET_7B, "Q4_0")))
    models.wait(lambda: any(model.name == "Made" for model in models.control.local))


def test_self_draft_needs_space(qtbot: QtBot, tmp_path: Path) -> None:
    """Where the space is too small that is said, and nothing can be made."""
    with open_models(qtbot, tmp_path, FakeParts(free_bytes=GB)) as models:
        models.choose(0)
        models.page.pairs.drafts.make_button.click()
        dialog = models.dialog()
        models.wait(lambda: "too little" in dialog.words.text())
        assert not dialog.make.isEnabled()
        dialog.reject()


def test_menu_key(models: Models) -> None:
    """The key for menus opens the menu of the chosen row, the mouse that of the row under it."""
    table = models.page.pairs.table
    models.choose(0)
    place = table.visualRect(table.currentIndex()).bottomLeft()
    for reason, words in ((QContextMenuEvent.Reason.Keyboard, "Open"), (QContextMenuEvent.Reason.Mouse, "Download")):
        below = place + QPoint(4, 8)  # on the next row
        QApplication.sendEvent(table.viewport(), QContextMenuEvent(reason, below, table.mapToGlobal(below)))
        menu = next(menu for menu in table.findChildren(QMenu) if menu.isVisible())
        assert menu.actions()[0].text() == words
        menu.close()
        models.wait(lambda: not table.findChildren(QMenu))


def test_keys_move_rows_only(models: Models) -> None:
    """Left, right, Home and End never move an unseen column; Ctrl+Tab goes from tab to tab."""
    table = models.page.pairs.table
    table.setFocus()
    models.choose(1)
    keys = {Qt.Key.Key_Right: 1, Qt.Key.Key_Left: 1, Qt.Key.Key_End: len(PAIRS) - 1, Qt.Key.Key_Home: 0}
    for key, row in keys.items():
        models.bot.keyClick(table, key)
        assert (table.currentIndex().row(), table.currentIndex().column()) == (row, 0)
    models.bot.keyClick(table, Qt.Key.Key_Tab, Qt.KeyboardModifier.ControlModifier)
    assert models.page.tab == 1
    assert models.page.local.table.hasFocus()


def test_tab_reaches_everything(models: Models) -> None:
    """Tab goes to the tabs, the filter, the context, the cache, the button that adds files, and back to the table."""
    page = models.page
    page.setFocus()
    assert page.pairs.table.hasFocus()
    reached = []
    for _ in range(40):
        models.bot.keyClick(models.shell.window.focusWidget(), Qt.Key.Key_Tab)
        reached.append(models.shell.window.focusWidget())
    wanted = (page._tabs.button(0), page._filter, page._context, page._kv, page._add, page.pairs.table)
    assert not [widget for widget in wanted if widget not in reached]


def test_painted_buttons_act_on_release(models: Models) -> None:
    """A press that is drawn away does nothing; a second quick press counts where the same button is below it."""
    table = models.page.pairs.table
    index = table.rows.index(0, table.rows.columnCount() - 1)
    _act, rect = act_rects(index.data(CELL), table.visualRect(index))[0]
    acted: list[Act] = []
    table.acted.disconnect()
    table.acted.connect(lambda act, _row: acted.append(act))
    left = Qt.MouseButton.LeftButton
    models.bot.mousePress(table.viewport(), left, pos=rect.center())
    assert not acted
    models.bot.mouseRelease(table.viewport(), left, pos=QPoint(20, rect.center().y()))
    assert not acted
    models.bot.mouseClick(table.viewport(), left, pos=rect.center())
    assert acted == [Act.OPEN]
    models.bot.mouseDClick(table.viewport(), left, pos=rect.center())
    models.bot.mouseRelease(table.viewport(), left, pos=rect.center())
    assert acted == [Act.OPEN, Act.OPEN]


def test_much_that_came_is_not_deleted_at_once(models: Models) -> None:
    """Before more than 100 MB are deleted the user is asked, and Enter means no."""
    target, _ = models.fetch(4)
    models.queue.run(target.id, GB)
    models.wait(lambda: action(models, 4).acts == (Act.PAUSE, Act.CANCEL) and action(models, 4).share)
    click(models, models.page.pairs.table, 4, Act.CANCEL)
    assert models.dialog_button("Keep it").isDefault()
    models.bot.keyClick(models.dialog(), Qt.Key.Key_Return)
    assert models.queue.find(PAIRS[4].target.model).state is DownloadState.RUNNING


def test_drafts_have_a_button(models: Models) -> None:
    """A model that can draft has a button for it, and the whole reason is seen."""
    models.choose(0)
    table = models.page.pairs.drafts.table
    models.wait(lambda: table.rows.rowCount() and all(row.verdict for row in table.rows.shown))
    click(models, table, 0, Act.USE_AS_DRAFT)
    models.wait(lambda: models.shell.loaded)
    assert cells(table, 2)[2].wraps


def test_filter_without_a_match(models: Models) -> None:
    """A filter that nothing matches says so, and the empty panel says what it is for."""
    assert not models.page.pairs.card.nothing
    models.page._filter.setText("nothing of this name")
    assert models.page.pairs.card.nothing == "Nothing matches the filter."
    assert models.page.panels[0].hint.isVisible()
    models.page._filter.clear()
    assert not models.page.pairs.card.nothing


@pytest.mark.parametrize("size", [QSize(720, 420), QSize(1_024, 600)])
def test_everything_is_reached_in_small_windows(qtbot: QtBot, tmp_path: Path, size: QSize) -> None:
    """However small the window is, tables, drafts and panels are there and no two of them overlap."""
    with open_models(qtbot, tmp_path, size=size) as models:
        models.fetch(4)
        for tab, parts in enumerate((models.page.pairs, models.page.local)):
            models.page.show_tab(tab)
            assert parts.table.choose((PAIRS[0].id, TARGET_7B.path)[tab])
            models.wait(lambda parts=parts: parts.drafts.isVisible())
            assert models.page.panels[tab].isVisible()

            def crossing(parts: QWidget = parts) -> bool:
                seen = [part.geometry() for part in parts.children() if isinstance(part, QWidget) and part.isVisible()]
                return any(a.intersects(b) for place, a in enumerate(seen) for b in seen[:place])

            models.wait(lambda crossing=crossing: not crossing())
            drafts = parts.drafts.table
            models.wait(lambda drafts=drafts: drafts.rows.rowCount() and all(row.verdict for row in drafts.rows.shown))
            for row in range(drafts.rows.rowCount()):
                area, reason = drafts.visualRect(drafts.rows.index(row, 2)), cells(drafts, row)[2].text
                lines = wrapped_lines(reason, text_font(12), area.width() - 2 * SIDE, area.height() // 15)
                assert " ".join(lines) == reason
            table = parts.table
            models.wait(lambda table=table: table.height() >= table.minimumSizeHint().height() > 100)
