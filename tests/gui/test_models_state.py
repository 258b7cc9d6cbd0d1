"""What the Models page and its settings tell of downloads, settings and tokens is true at each moment."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from app.downloads.state import DownloadState
from app.model_settings import ModelSettings
from engine.errors import EngineError, ErrorKind, ErrorReport
from tests.fakes.fake_models import PAIRS, FakeParts
from tests.gui.models import Models, open_models
from ui.models_page import PAIRS as PAIRS_TAB
from ui.models_rows import Progress
from ui.models_settings import ModelSettingsCard
from ui.models_words import parameters_words, progress_words

GATED = 2  # the place of the gated pair


@pytest.fixture
def models(qtbot: QtBot, tmp_path: Path) -> Iterator[Models]:
    with open_models(qtbot, tmp_path) as models:
        yield models


def settings_card(models: Models) -> ModelSettingsCard:
    models.shell.window.rail.chosen.emit("settings")
    return models.shell.window.settings_page.models


def refused(number: int) -> ErrorReport:
    return ErrorReport(ErrorKind.FILE_MISSING, (("path", f"/models/{number}.gguf"),))


def test_wrong_address_is_refused_at_its_field(models: Models) -> None:
    """What is no address of a hub, or has a password in it, is said so below the field; the one before counts."""
    card = settings_card(models)
    for wrong in ("http://me:secret@hub.example", "ftp://hub.example", "nonsense"):
        card.endpoint.setText(wrong)
        card.endpoint.editingFinished.emit()
        assert "https://huggingface.co still counts" in card.endpoint_answer.text()
        assert card.endpoint_answer.isVisible()
        assert models.control.settings == ModelSettings()
    card.endpoint.setText("https://hub.example")
    card.endpoint.editingFinished.emit()
    assert not card.endpoint_answer.isVisible()
    models.wait(lambda: models.parts.settings.endpoint == "https://hub.example")


def test_settings_that_were_not_kept_are_told_in_their_card(models: Models) -> None:
    """What could not be written is said on the settings page, and the choice goes back."""
    models.parts.refuse["use_settings"] = EngineError(ErrorKind.DISK_FULL, path="/data/settings.json")
    card = settings_card(models)
    card.modelscope.click()
    models.wait(card.answer.isVisible)
    assert not card.modelscope.isChecked()
    assert not models.control.problems
    card.modelscope.click()
    models.wait(lambda: models.parts.settings.modelscope)
    assert not card.answer.isVisible()


def test_bad_token_is_told_at_its_field(models: Models) -> None:
    """A token that cannot be one is refused where it was typed, and nowhere else."""
    facts = {"name": "The token", "value": "…", "reason": "it is not a line of letters and digits"}
    models.parts.refuse["use_token"] = EngineError(ErrorKind.SETTING_INVALID, **facts)
    card = settings_card(models)
    card.token.setText("hf wrong")
    card.token.returnPressed.emit()
    models.wait(lambda: facts["reason"] in card.token_answer.text())
    assert not models.control.problems


def test_a_token_is_answered_at_once(models: Models) -> None:
    """While a keyring takes its time settings and gated pair say that the token is being kept, then that it is."""
    models.choose(GATED)
    gated, card = models.page.panels[PAIRS_TAB].gated, models.shell.window.settings_page.models
    models.parts.gate.clear()
    gated.token_given.emit("hf_mine")
    assert gated.answer == card.token_answer.text() == "Keeping the token…"
    assert not gated.isEnabled()
    models.parts.gate.set()
    models.wait(lambda: card.token_answer.text() == "The token is kept.")
    assert gated.isEnabled()


def test_problems_are_few_and_new(models: Models) -> None:
    """The same problem is one card, the newest is the first, three at most are shown, each can be dismissed."""
    for number in (1, 2, 3, 4, 2):
        models.control.show_problem(refused(number))
    assert models.control.problems == [refused(2), refused(4), refused(3)]
    assert len(models.page.cards) == 3
    models.page.cards[0].buttons[0].click()
    assert models.control.problems == [refused(4), refused(3), refused(1)]


def test_pair_waits_while_its_draft_comes_for_another(models: Models) -> None:
    """A pair whose target waits says at which place, although the draft that it shares is on its way."""
    _target, draft = models.fetch(4)
    target, _draft = models.fetch(6)
    models.queue.run(draft.id, 1_000)
    models.wait(lambda: models.queue.find(PAIRS[4].draft.model).state is DownloadState.RUNNING)
    models.wait(lambda: models.pair(6).progress.place == 2)
    assert progress_words(models.pair(6).progress).startswith("Waiting, place 2 in the queue")
    assert target.id in models.pair(6).progress.ids


def test_shared_draft_goes_on_while_a_pair_is_paused(models: Models) -> None:
    """Pausing a pair leaves the draft that another one needs; when that is paused too, nothing comes any more."""
    first, draft = models.fetch(4)
    models.fetch(6)
    for one in (first, draft):
        models.queue.run(one.id, 1_000)
    models.wait(lambda: models.pair(4).progress.state is DownloadState.RUNNING)
    models.control.pause_pair(models.pair(4))
    models.wait(lambda: models.pair(4).progress.state is DownloadState.PAUSED)
    assert models.queue.find(PAIRS[4].draft.model).state is DownloadState.RUNNING
    models.control.pause_pair(models.pair(6))
    assert models.queue.find(PAIRS[4].draft.model).state is DownloadState.PAUSED


def test_shared_draft_alone_is_not_cancelled(models: Models) -> None:
    """When only the draft is missing, and another pair needs it, this pair has no buttons for it."""
    first, draft = models.fetch(4)
    models.fetch(6)
    models.queue.set(first.id, state=DownloadState.DONE)
    models.queue.run(draft.id, 1_000)
    models.wait(lambda: models.pair(4).acts == ())
    models.control.cancel_pair(models.pair(4))
    assert models.queue.find(PAIRS[4].draft.model).state is DownloadState.RUNNING


def test_bytes_that_stand_still_have_no_speed(models: Models) -> None:
    """When nothing comes any more, and so nobody says anything, the speed and the time left go away."""
    target, _draft = models.fetch(4)
    models.queue.run(target.id, 1_000_000_000)
    models.wait(lambda: "/s" in progress_words(models.pair(4).progress))
    models.queue.set(target.id, silently=True, speed=0.0)
    models.wait(lambda: "/s" not in progress_words(models.pair(4).progress))


def test_words_of_a_download() -> None:
    """Before the first byte a download connects; offline it is paused; small models have thousands of parameters."""
    assert progress_words(Progress(DownloadState.RUNNING, ("1",), 0, 10**9, 0.0)) == "Connecting…"
    offline = Progress(DownloadState.FAILED, ("1",), 10**9, 2 * 10**9, error=ErrorReport(ErrorKind.OFFLINE))
    assert progress_words(offline) == "Paused while offline · 1.0 of 2.0 GB"
    assert [parameters_words(n) for n in (0, 72_000, 999_900, 494_000_000)] == ["–", "72 K", "1 M", "494 M"]


@pytest.mark.parametrize("limit", [300_000, 1_500_000, 20_000_000])
def test_speed_limit_is_shown_as_it_is(qtbot: QtBot, tmp_path: Path, limit: int) -> None:
    """A limit below or between whole megabytes is shown, and stays when its field is left."""
    with open_models(qtbot, tmp_path, FakeParts(settings=ModelSettings(speed_limit=limit))) as models:
        card = settings_card(models)
        assert card.limit.text() == f"{limit / 1e6:g} MB/s"
        card.limit.editingFinished.emit()
        assert models.control.settings.speed_limit == limit


def test_folder_that_is_not_there(models: Models, tmp_path: Path) -> None:
    """A folder that does not exist is refused with words, in the settings and on the page."""
    card = settings_card(models)
    card.add(tmp_path / "nowhere")
    assert "nowhere" in card.folder_answer.text()
    models.control.add_folder(tmp_path / "nowhere")
    assert models.control.problems[0].kind is ErrorKind.FILE_MISSING
    assert not models.control.settings.folders
    card.add(tmp_path)
    assert card.folder_answer.text() == ""
    assert models.control.settings.folders == (tmp_path,)


def test_licence_is_accepted_at_the_hub_that_is_set(qtbot: QtBot, tmp_path: Path) -> None:
    """Before a gated pair is downloaded, its panel names the hub that is asked."""
    parts = FakeParts(settings=ModelSettings(endpoint="https://hub.example"))
    with open_models(qtbot, tmp_path, parts) as models:
        models.choose(GATED)
        assert models.page.panels[PAIRS_TAB].gated.url.startswith("https://hub.example/meta-llama/")
