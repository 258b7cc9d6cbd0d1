"""The tab that searches the hub, and models that ask for a licence."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLineEdit
from pytestqt.qtbot import QtBot

from app.downloads.state import DownloadState
from engine.errors import EngineError, ErrorKind
from tests.fakes.fake_models import PAIRS, FakeParts, local
from tests.gui.models import Models, cells, click, open_models
from tests.gui.shell import ignore_platform
from ui.models_cells import GAP, SIDE, Act, act_rects, text_font, wrapped_lines
from ui.models_page import PAIRS as PAIRS_TAB
from ui.models_page import SEARCH

pytestmark = ignore_platform

REPO = "bartowski/Qwen2.5-Coder-14B-Instruct-GGUF"
GATED = PAIRS[2].target.model.repo
FACTS = {"repo": GATED, "url": f"https://huggingface.co/{GATED}", "token": "none"}


@pytest.fixture
def models(qtbot: QtBot, tmp_path: Path) -> Iterator[Models]:
    with open_models(qtbot, tmp_path) as opened:
        opened.page.show_tab(SEARCH)
        yield opened


def search(models: Models, words: str) -> None:
    field = models.page.search.field
    field.setText(words)
    models.bot.keyClick(field, Qt.Key.Key_Return)


def look_at(models: Models, repo: str) -> None:
    """Search for it and choose it."""
    search(models, repo.rpartition("/")[2])
    models.wait(lambda: models.page.search.table.choose(repo))
    models.wait(lambda: models.control.search.models)


def test_search_and_download(models: Models) -> None:
    """What is found tells downloads, likes, licence and date; a repository its quantisations, sizes and drafts."""
    search(models, "coder 14b")
    models.wait(lambda: models.page.search.table.rows.rowCount() == 3)
    texts = [cell.text for cell in cells(models.page.search.table, 0)]
    assert texts == ["Qwen2.5-Coder-14B-Instruct-GGUF", "214,503", "187", "Apache-2.0", "2026-03-12"]
    look_at(models, REPO)
    panel = models.page.panels[SEARCH]
    assert cells(panel.table, 2)[0].text == "Q4_K_M"
    assert cells(panel.table, 2)[0].small == "9.0 GB"
    assert panel.drafts == "Qwen2.5-Coder-0.5B-Instruct Q8_0"
    click(models, panel.table, 2, Act.DOWNLOAD)
    models.wait(lambda: cells(panel.table, 2)[1].text == "Waiting, place 1 in the queue")
    assert models.queue.snapshot()[0].model == models.control.search.models[2].model


def test_drafts_on_this_computer(models: Models) -> None:
    """For a repository's model the drafts of this computer are compared by its header when that is asked for."""
    look_at(models, REPO)
    card = models.page.search.drafts
    models.wait(lambda: card.compare_button.isVisible())
    card.compare_button.click()
    models.wait(lambda: card.table.rows.rowCount() == len(models.parts.local) and not models.control.drafts.judging)
    assert [cells(card.table, row)[1].text for row in range(3)] == ["can draft"] * 3


def test_gated_repository_is_marked(models: Models) -> None:
    """A gated repository says so in its licence."""
    search(models, "llama")
    models.wait(lambda: models.page.search.table.rows.rowCount() == 1)
    assert cells(models.page.search.table, 0)[3].text == "llama3.1 · gated"


def test_nothing_found(models: Models) -> None:
    """A search without results says so."""
    search(models, "no such model")
    models.wait(lambda: "knows no GGUF models" in models.page.search.words)


def test_unreachable_hub(models: Models) -> None:
    """A hub that does not answer is a card with the reason; Try again asks once more."""
    facts = {"host": "huggingface.co", "reason": "Its name is not known to the network"}
    models.parts.refuse["search"] = EngineError(ErrorKind.HUB_UNREACHABLE, **facts)
    search(models, "coder")
    models.wait(lambda: models.page.search.failed)
    card = models.page.search.failed
    assert card is not None
    assert "Its name is not known to the network" in card.accessibleDescription()
    card.buttons[0].click()
    models.wait(lambda: models.page.search.table.rows.rowCount() == 3)
    assert models.page.search.failed is None


def test_late_answers_are_dropped(models: Models) -> None:
    """The answer to an earlier question never replaces the one to the last."""
    models.parts.gate.clear()
    search(models, "llama")
    search(models, "coder 14b")
    assert models.page.search.words == "Asking the hub…"
    models.parts.gate.set()
    models.wait(lambda: not models.control.search.searching)
    assert [repo.id for repo in models.control.search.repos] == [repo.id for repo in models.parts.repos[:3]]


def test_repository_that_is_refused(models: Models) -> None:
    """Where the list of a repository is gated the panel says where to accept, and takes a token."""
    models.parts.refuse["models"] = EngineError(ErrorKind.REPO_GATED, **FACTS)
    search(models, "llama")
    models.wait(lambda: models.page.search.table.choose(GATED))
    gated = models.page.panels[SEARCH].gated
    models.wait(gated.isVisible)
    assert gated.url == FACTS["url"]
    gated.token_given.emit("hf_mine")
    models.wait(lambda: models.control.search.models)
    models.wait(lambda: not gated.isVisible())


def test_gated_pair(models: Models) -> None:
    """A gated pair says what to accept where before its download; a token makes what was refused go on."""
    models.page.show_tab(PAIRS_TAB)
    models.choose(2)
    gated = models.page.panels[PAIRS_TAB].gated
    assert gated.isVisible()
    for download in models.fetch(2):
        models.queue.fail(download.id, ErrorKind.REPO_GATED, **FACTS)
    models.wait(lambda: cells(models.page.pairs.table, 2)[-1].text == "The licence must be accepted")
    field = gated.findChild(QLineEdit)
    assert isinstance(field, QLineEdit)
    assert field.echoMode() is QLineEdit.EchoMode.Password
    models.bot.keyClicks(field, "hf_mine")
    models.bot.keyClick(field, Qt.Key.Key_Return)
    models.wait(lambda: models.parts.token == "hf_mine")
    models.wait(lambda: {one.state for one in models.queue.snapshot()} == {DownloadState.WAITING})
    models.wait(lambda: not gated.isVisible())
    assert field.text() == ""


def test_token_that_is_there_asks_for_nothing(qtbot: QtBot, tmp_path: Path) -> None:
    """Whoever has a token is not asked for one."""
    with open_models(qtbot, tmp_path, FakeParts(token="hf_mine")) as models:
        models.choose(2)
        models.wait(lambda: not models.page.panels[PAIRS_TAB].gated.isVisible())


def test_rows_of_the_panel_have_room(models: Models) -> None:
    """What is here can be used at once; why a download failed is read in its row."""
    look_at(models, REPO)
    table = models.page.panels[SEARCH].table
    model = models.control.search.models[0].model
    models.control.fetch(model)
    models.queue.fail(models.queue.find(model).id, ErrorKind.HUB_UNREACHABLE, host="huggingface.co", reason="no answer")
    models.wait(lambda: cells(table, 0)[1].tone == "warn")
    cell, area = cells(table, 0)[1], table.visualRect(table.rows.index(0, 1))
    room = act_rects(cell, area)[0][1].left() - area.left() - SIDE - GAP
    lines = wrapped_lines(cell.text, text_font(12), room, 3)
    assert " ".join(lines) == "huggingface.co cannot be reached"
    here = local("x", "Q8_0", 10**9)
    models.control.search.here = {models.control.search.models[1].model: here}
    models.control.search.changed.emit()
    assert cells(table, 1)[1].acts == (Act.USE_AS_TARGET,)
