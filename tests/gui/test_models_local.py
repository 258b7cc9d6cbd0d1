"""The tab of what is on this computer, and what fails."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import QLabel, QWidget
from pytestqt.qtbot import QtBot

from app.model_settings import ModelSettings
from engine.errors import EngineError, ErrorKind, ErrorReport
from engine.types import LoadRequest
from tests.fakes.fake_models import DRAFT_05B, LOCAL, TARGET_7B, FakeParts, local
from tests.gui.models import Models, cells, click, open_models
from tests.gui.shell import WIDE, ignore_platform, open_shell
from tests.gui.test_shell_room import cut
from ui.models_cells import Act
from ui.models_page import LOCAL as LOCAL_TAB
from ui.models_page import SEARCH
from ui.models_rows import LocalRow
from ui.models_words import duration, part_of, two_sizes

pytestmark = ignore_platform

BROKEN = next(model for model in LOCAL if model.problem)


@pytest.fixture
def models(qtbot: QtBot, tmp_path: Path) -> Iterator[Models]:
    with open_models(qtbot, tmp_path) as opened:
        opened.page.show_tab(LOCAL_TAB)
        yield opened


def choose(models: Models, path: Path) -> LocalRow:
    table = models.page.local.table
    assert table.choose(path)
    row: LocalRow = table.current
    return row


def row_of(models: Models, path: Path) -> int:
    place = models.page.local.table.rows.place_of(path)
    assert place is not None
    return place


def test_models_are_told_by_their_headers(models: Models) -> None:
    """Name, architecture, quantisation, size, vocabulary, context and place are seen; a broken one says why."""
    texts = [cell.text for cell in cells(models.page.local.table, row_of(models, TARGET_7B.path))]
    assert texts == ["Qwen2.5 Coder 7B Instruct", "qwen2", "Q4_K_M", "4.7 GB", "152,064", "32,768", "Models folder"]
    broken = cells(models.page.local.table, row_of(models, BROKEN.path))[0]
    assert "only works together with its own target" in broken.small
    choose(models, BROKEN.path)
    assert models.page.panels[LOCAL_TAB].alert.text() == broken.small
    assert models.page.panels[LOCAL_TAB].buttons.acts == (Act.VERIFY, Act.SHOW, Act.REMOVE)
    assert models.page.local.words == "6 models"


def test_use_as_target_and_as_draft(models: Models) -> None:
    """A model becomes a target of its own, and then another one its draft."""
    choose(models, TARGET_7B.path)
    models.press(Act.USE_AS_TARGET)
    models.wait(lambda: models.shell.loaded)
    assert models.shell.client.loads[-1] == LoadRequest(str(TARGET_7B.path), None, 8_192)
    models.shell.window.rail.chosen.emit("models")
    choose(models, DRAFT_05B.path)
    models.press(Act.USE_AS_DRAFT)
    models.wait(lambda: len(models.shell.client.loads) == 2 and models.shell.loaded)
    assert models.shell.client.loads[-1].draft == str(DRAFT_05B.path)


def test_draft_without_a_target(models: Models) -> None:
    """A draft that is chosen first waits in the dialog for its target."""
    choose(models, DRAFT_05B.path)
    models.press(Act.USE_AS_DRAFT)
    dialog = models.shell.open_dialog()
    assert (dialog.target.path, dialog.draft.path) == ("", str(DRAFT_05B.path))
    dialog.reject()


def test_verify(models: Models) -> None:
    """A verification shows how far it is, can be stopped, and says what it found."""
    choose(models, TARGET_7B.path)
    models.parts.gate.clear()
    models.press(Act.VERIFY)
    panel = models.page.panels[LOCAL_TAB]
    models.wait(lambda: panel.words.text() == "Verifying · 1.9 of 4.7 GB")
    models.press(Act.STOP)
    models.wait(lambda: panel.buttons.acts[2] is Act.VERIFY)
    models.parts.gate.set()
    models.press(Act.VERIFY)
    models.wait(lambda: panel.words.text().startswith("Verified"))
    facts = {"path": str(TARGET_7B.path), "sha256": "ab", "expected_sha256": "cd"}
    models.parts.refuse["verify"] = EngineError(ErrorKind.MODEL_CHANGED, **facts)
    models.press(Act.VERIFY)
    models.wait(lambda: "is not the file it should be" in panel.alert.text())


def test_remove_asks_first(models: Models) -> None:
    """Nothing goes to the trash before the user said so; other programs' models offer no removal at all."""
    choose(models, TARGET_7B.path)
    models.press(Act.REMOVE)
    models.dialog_button("Cancel").click()
    assert "remove" not in models.parts.calls
    models.press(Act.REMOVE)
    models.dialog_button("Move to the trash").click()
    models.wait(lambda: TARGET_7B not in models.control.local)
    foreign = next(model for model in LOCAL if not model.removable)
    assert Act.REMOVE not in choose(models, foreign.path).acts


def test_failures_are_told_until_they_are_dismissed(models: Models) -> None:
    """What failed stands above the tables, with its details, until it is dismissed."""
    facts = {"path": str(TARGET_7B.path), "reason": "the disk does not allow it"}
    models.parts.refuse["remove"] = EngineError(ErrorKind.TRASH_FAILED, **facts)
    models.control.remove(TARGET_7B)
    models.wait(lambda: models.page.cards)
    card = models.page.cards[0]
    assert "the disk does not allow it" in card.accessibleDescription()
    card.buttons[1].click()
    models.dialog().accept()
    card.buttons[0].click()
    models.wait(lambda: not models.page.cards)


def test_catalogue_problems_are_told(qtbot: QtBot, tmp_path: Path) -> None:
    """A broken entry of the user's own catalogue is a card, and the others are there."""
    facts = (("path", "/data/models.json"), ("reason", "no target"), ("entry", "mine"))
    parts = FakeParts(problems=(ErrorReport(ErrorKind.CATALOGUE_BROKEN, facts),))
    with open_models(qtbot, tmp_path, parts) as models:
        assert "mine" in models.page.cards[0].accessibleDescription()
        assert models.page.pairs.table.rows.rowCount() == len(parts.pairs)


def test_added_files_are_listed(models: Models, tmp_path: Path) -> None:
    """Files that are added are used where they lie."""
    models.page.acts.add_files([str(tmp_path / "mine.gguf")])
    models.wait(lambda: any(model.path.name == "mine.gguf" for model in models.control.local))
    models.control.add_folder(tmp_path)
    models.wait(lambda: models.parts.settings.folders == (tmp_path,))


def test_downloads_are_listed_here_too(models: Models) -> None:
    """Every download that has not ended stands above the models, with its buttons."""
    target, _ = models.fetch(4)
    queue = models.page.local.queue
    models.wait(lambda: queue.isVisible() and queue.rows.rowCount() == 2)
    models.queue.run(target.id, 1_000_000_000)
    models.wait(lambda: cells(queue, 1)[1].share)
    click(models, queue, 1, Act.CANCEL)
    models.dialog_button("Delete what came").click()
    models.wait(lambda: queue.rows.rowCount() == 1)


def test_scan_is_seen_and_does_not_block(qtbot: QtBot, tmp_path: Path) -> None:
    """While folders are looked through the page says so and shows what was known."""
    parts = FakeParts()
    with open_shell(qtbot, tmp_path, parts=parts) as shell:
        models = Models(shell)
        parts.gate.set()
        shell.window.rail.chosen.emit("models")
        models.settle()
        parts.gate.clear()
        models.page.show_tab(LOCAL_TAB)
        models.control.rescan()
        models.wait(lambda: "looking through the folders" in models.page.local.words)
        assert models.page.local.table.rows.rowCount() == len(LOCAL)
        models.control.rescan()
        parts.gate.set()
        models.wait(lambda: models.page.local.words == "6 models" and parts.calls.count("scan") == 3)


def test_closing_while_scanning(qtbot: QtBot, tmp_path: Path) -> None:
    """Closing the window in the middle of a scan ends the scan, closes the parts and leaves no thread."""
    before = threading.active_count()
    parts = FakeParts()
    with open_shell(qtbot, tmp_path, parts=parts) as shell:
        models = Models(shell)
        shell.window.rail.chosen.emit("models")
        models.settle()
        parts.gate.clear()
        models.control.rescan()
        models.wait(lambda: parts.calls[-1] == "scan")
        shell.program.close()
        assert parts.closed
        # One that was asked of memory may be there until the parts are closed, and a moment longer.
        models.wait(lambda: threading.active_count() <= before)


def test_offline(qtbot: QtBot, tmp_path: Path) -> None:
    """Offline there is a banner, nothing can be searched, catalogue and local models are there; one click ends it."""
    with open_models(qtbot, tmp_path, FakeParts(settings=ModelSettings(offline=True))) as models:
        assert models.page.cards[0].accessibleName() == "Offline mode is on"
        assert models.page.pairs.table.rows.rowCount() == len(models.parts.pairs)
        models.page.show_tab(LOCAL_TAB)
        assert models.page.local.table.rows.rowCount() == len(LOCAL)
        models.page.show_tab(SEARCH)
        assert not models.page.search.field.isEnabled()
        models.page.cards[0].buttons[0].click()
        models.wait(lambda: not models.parts.settings.offline)
        assert not models.page.cards
        assert models.page.search.field.isEnabled()


def test_settings_reach_the_parts(models: Models, tmp_path: Path) -> None:
    """Hub address, ModelScope, offline, speed limit, folders and token are set on the settings page."""
    models.shell.window.rail.chosen.emit("settings")
    card = models.shell.window.settings_page.models
    card.endpoint.setText("https://hf-mirror.com/")
    card.endpoint.editingFinished.emit()
    card.limit.setValue(20)
    card.limit.editingFinished.emit()
    card.modelscope.click()
    card.offline.click()
    card.add(tmp_path)
    wanted = ModelSettings("https://hf-mirror.com", True, True, 20_000_000, (tmp_path,))
    models.wait(lambda: models.parts.settings == wanted)
    assert card.folder_names == [str(tmp_path)]
    card._leave(tmp_path)
    models.wait(lambda: not models.parts.settings.folders)
    assert not card.folder_names
    models.bot.keyClicks(card.token, "hf_secret")
    models.bot.keyClick(card.token, Qt.Key.Key_Return)
    models.wait(lambda: models.parts.token == "hf_secret")
    assert card.token.text() == ""
    models.wait(lambda: card.forget_token.isVisible())
    card.forget_token.click()
    models.wait(lambda: models.parts.token is None)


@pytest.mark.parametrize("tab", [0, 1, 2])
@pytest.mark.parametrize("width", [720, 940, 1_440])
def test_nothing_is_cut(qtbot: QtBot, tmp_path: Path, width: int, tab: int) -> None:
    """At every width all buttons, fields and words have the room they need, whatever the models are called."""
    long = local("A model with a name of very many words " * 5, "Q4_K_M", 10**10)
    parts = FakeParts(local=(*LOCAL, replace(long, architecture="an-architecture-of-a-long-name")))
    with open_models(qtbot, tmp_path, parts, size=QSize(width, 620)) as models:
        models.fetch(4)
        models.page.show_tab(tab)
        models.page.search.searched.emit("coder")
        models.wait(lambda: models.control.search.repos)
        models.page.search.table.choose(models.parts.repos[0].id)
        models.page.local.table.choose(long.path)
        scrolled = (models.page.panels[tab].widget(), models.page._scroll.widget())  # as high as they like
        models.wait(lambda: not [part for part in cut(models.page) if part not in scrolled])


def test_everything_has_a_name(models: Models) -> None:
    """On every tab, whatever takes the focus has an accessible name or its own text; Tab reaches all of it."""
    models.fetch(2)
    for tab in (0, 1, 2):
        models.page.show_tab(tab)
        nameless = [
            widget
            for widget in models.page.findChildren(QWidget)
            if widget.isVisible() and widget.focusPolicy() & Qt.FocusPolicy.TabFocus
            if not widget.accessibleName() and not getattr(widget, "text", str)()
        ]
        assert not nameless


def test_page_is_not_drawn_where_it_is_not_seen(qtbot: QtBot, tmp_path: Path) -> None:
    """Before the page is opened nothing is asked of disks and hubs."""
    with open_shell(qtbot, tmp_path, size=WIDE) as shell:
        shell.load()
        assert shell.parts.calls == []


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (two_sizes(4_680_000_000, 530_000_000), "4.7 + 0.5 GB"),
        (two_sizes(19_800_000_000, 20_000_000), "19.8 + 0.1 GB"),
        (two_sizes(540_000_000, 98_000_000), "540 + 98 MB"),
        (part_of(0, 9_500_000_000), "0.0 of 9.5 GB"),
        (part_of(12_000_000, 540_000_000), "12 of 540 MB"),
        (part_of(12_000_000, 0), "12 MB"),
        (duration(0.4), "1 s"),
        (duration(75), "1 min 15 s"),
        (duration(7_320), "2 h 2 min"),
    ],
)
def test_figures_in_words(words: str, expected: str) -> None:
    """Sizes of two files, parts of sizes and times read as people write them."""
    assert words == expected


def test_names_are_shown_without_control_characters(qtbot: QtBot, tmp_path: Path) -> None:
    """Line breaks and what turns the direction of text are shown as escapes, in rows and in the panel."""
    odd = local("two\nlines\u202egnp", "Q8_0", 10**9, path=Path("/home/me/models/a\nb.gguf"))
    with open_models(qtbot, tmp_path, FakeParts(local=(*LOCAL, odd))) as models:
        models.page.show_tab(LOCAL_TAB)
        choose(models, odd.path)
        cell = cells(models.page.local.table, row_of(models, odd.path))[0]
        panel = models.page.panels[LOCAL_TAB]
        shown = (cell.text, cell.small, cell.tip, panel.heading.text(), dict(panel.facts.texts)["File"])
        assert all(text.isprintable() for text in shown)
        assert cell.text == r"two\nlines\u202egnp"


def test_filter_counts(models: Models) -> None:
    """With a filter it is told how many of all models are seen."""
    models.page._filter.setText("coder")
    assert models.page.local.words == "3 of 6 models"
    models.page._filter.clear()
    assert models.page.local.words == "6 models"


def test_removing_a_loaded_model_says_so(models: Models) -> None:
    """Before a loaded model goes to the trash that is said, and Enter means no."""
    choose(models, TARGET_7B.path)
    models.press(Act.USE_AS_TARGET)
    models.wait(lambda: models.shell.loaded)
    pair = models.shell.program.pairs.pair
    assert pair is not None
    assert models.page.acts.loaded_files()[0] == pair.target.path
    models.page.acts.loaded_files = lambda: [str(TARGET_7B.path)]  # the tape has a path of its own
    models.shell.window.rail.chosen.emit("models")
    choose(models, TARGET_7B.path)
    models.press(Act.REMOVE)
    assert any("It is loaded now" in label.text() for label in models.dialog().findChildren(QLabel))
    assert models.dialog_button("Cancel").isDefault()
    models.dialog().reject()
