"""Whether pairs fit: columns, panel, ways to make them fit, headers that are fetched, answers that come late."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, QSize, Qt
from pytestqt.qtbot import QtBot

from app.fit.values import AdviceKind
from app.model_settings import ModelSettings
from engine.errors import ErrorKind
from engine.types import KvType
from tests.fakes.devices import machine
from tests.fakes.devices import memory as devices_memory
from tests.fakes.fake_fits import FakeFits, fresh_fits, rtx_4070
from tests.fakes.fake_models import CODE, CODER, PAIRS, TARGET_7B, FakeParts, pair
from tests.gui.models import Models, cells, click, open_models
from tests.gui.shell import ignore_platform
from ui import models_headers
from ui.fit_values import Fit
from ui.models_cells import Act, Cell
from ui.models_page import CONTEXTS, KV_TYPES, LOCAL
from ui.models_page import PAIRS as PAIRS_TAB
from ui.theme import ThemeChoice, theme, theme_notifier
from ui.way_button import WayButton

pytestmark = ignore_platform

HERE = {half.model.file_name for one in PAIRS[:2] for half in (one.target, one.draft)}
GATED, FAR = PAIRS[2].target.model, PAIRS[3].target.model


@pytest.fixture
def models(qtbot: QtBot, tmp_path: Path) -> Iterator[Models]:
    with open_models(qtbot, tmp_path) as opened:
        wait_for_fits(opened)
        yield opened


def wait_for_fits(models: Models) -> None:
    """Until all is answered, and shown: the table is told some ten times a second."""
    fits = models.shell.program.fits
    models.wait(lambda: all((one := fits.fit(pair.id)) and not one.waiting for pair in models.parts.pairs))
    models.wait(lambda: fits.is_done)
    if models.page.tab == PAIRS_TAB:
        models.wait(lambda: all(row.fit == fits.fit(row.pair.id) for row in models.page.pairs.table.rows.shown))


def fit(models: Models, place: int) -> Fit:
    found = models.shell.program.fits.fit(PAIRS[place].id)
    assert found is not None
    return found


def memory(models: Models, place: int) -> Cell:
    return cells(models.page.pairs.table, place)[3]


def verdict(models: Models, place: int) -> Cell:
    return cells(models.page.pairs.table, place)[4]


def ways(models: Models) -> list[WayButton]:
    return models.page.panels[models.page.tab].fit.ways


def way(models: Models, kind: AdviceKind) -> WayButton:
    models.wait(lambda: any(one.advice.kind is kind for one in ways(models)))
    return next(one for one in ways(models) if one.advice.kind is kind)


def test_rows_tell_what_is_needed(models: Models) -> None:
    """Each pair has a bar of its parts and a verdict that names the context; both say the same in words."""
    models.wait(lambda: all(verdict(models, place).tone for place in range(len(PAIRS))))
    heads = [column.name() for column in models.page.pairs.table.rows.columns]
    assert heads == ["Pair", "Quantisation", "Download", "Memory on RTX 4070, 12 GB", "Verdict", ""]
    told = [(verdict(models, place).text, verdict(models, place).tone) for place in (0, 1, 4)]
    assert told[0] == ("Fits, up to 32k", "good")
    assert (told[1][0].partition(";")[0], told[1][1]) == ("Not at 8k", "caution")
    assert (told[2][0].partition(" by")[0], told[2][1]) == ("Too big", "warn")
    assert verdict(models, 4).small.endswith("of 65 layers would fit")
    t = theme()
    colours = [colour for colour, _share in memory(models, 0).segments]
    assert colours == [
        t.target_weights, t.target_cache, t.draft_weights, t.draft_cache, t.buffers, t.other_programs
    ]  # fmt: skip
    assert [colour for colour, _share in memory(models, 4).segments] == colours  # far too big, and yet all are seen
    assert sum(share for _colour, share in memory(models, 4).segments) == pytest.approx(1)
    for words in ("NVIDIA GeForce RTX 4070", "Target weights", "Other programs 0.90 GB", "Safety margin"):
        assert words in memory(models, 0).words


def test_both_columns_sort(models: Models) -> None:
    """By verdict, the largest context first; by the share of the memory that is needed."""
    table = models.page.pairs.table
    table.sortByColumn(4, Qt.SortOrder.AscendingOrder)
    ranks = [row.fit.report.verdict.rank for row in table.rows.shown]
    assert ranks == sorted(ranks)
    fitting = [row.fit.report.largest_ctx for row in table.rows.shown if row.fit.report.verdict.rank == 0]
    assert fitting == sorted(fitting, reverse=True)
    table.sortByColumn(3, Qt.SortOrder.DescendingOrder)
    assert table.rows.shown[0].pair.id == PAIRS[4].id


def test_panel_counts_up(models: Models) -> None:
    """The panel's rows sum up to what is needed; other programs are named; the words tell where figures come from."""
    models.choose(1)
    card = models.page.panels[0].fit
    models.wait(lambda: ways(models))
    (block,) = card.blocks
    rows = dict(block.rows.texts)
    assert list(rows)[:2] == ["Target weights", "Target KV cache, 8,192 tokens"]
    needed = float(block.sum.partition(" of ")[0])
    assert needed == pytest.approx(sum(float(size.removesuffix(" GB")) for size in rows.values()), abs=0.05)
    assert block.sum.endswith(" of 12.00 GB")
    tips = [name.toolTip() for name, _value in block.rows._rows]
    assert any("firefox 0.41 GB<br>Xorg 0.29 GB" in tip for tip in tips)
    assert "Measured by llama.cpp" in card.words
    assert "The target has not been downloaded yet." in card.words
    models.choose(5)
    models.wait(lambda: "Nothing has been downloaded yet." in card.words)


def test_a_way_counts_for_its_pair(models: Models) -> None:
    """A way that is pressed is set for this pair alone, in panel, row and load, and can be taken back."""
    models.choose(1)
    button = way(models, AdviceKind.KV_TYPE)
    assert button.accessibleName().startswith("KV cache q8_0, saves ")
    button.setFocus()
    models.bot.keyClick(button, Qt.Key.Key_Space)
    models.wait(lambda: verdict(models, 1).tone == "good")
    assert verdict(models, 1).small == "KV cache q8_0"
    card = models.page.panels[0].fit
    assert "Set for this one: KV cache q8_0." in card.words
    assert not card.ways
    assert fit(models, 0).settings.kv_type is KvType.F16
    row = models.page.pairs.table.current
    models.page.acts.on_pair(Act.OPEN, replace(row, target=TARGET_7B))
    models.wait(lambda: models.shell.client.loads)
    assert models.shell.client.loads[-1].kv_type is KvType.Q8_0
    models.shell.window.rail.chosen.emit("models")
    card.back.click()
    models.wait(lambda: verdict(models, 1).text.startswith("Not at 8k"))
    assert not card.back.isVisible()


def test_without_a_draft_only_the_target_is_loaded(models: Models) -> None:
    """No draft, taken as a way, is a load without one."""
    models.choose(1)
    way(models, AdviceKind.NO_DRAFT).click()
    models.page.acts.on_pair(Act.OPEN, replace(models.page.pairs.table.current, target=TARGET_7B))
    models.wait(lambda: models.shell.client.loads)
    assert models.shell.client.loads[-1].draft is None


def test_smaller_draft_is_another_row(qtbot: QtBot, tmp_path: Path) -> None:
    """A smaller draft as a way leads to the pair that has it, even where the filter hides that."""
    large = pair(
        "coder-14b-large", "Qwen2.5-Coder 14B + 1.5B", (f"{CODER}-14B-Instruct-GGUF", "Q4_K_M", 8.99),
        (f"{CODER}-1.5B-Instruct-GGUF", "Q4_K_M", 1.12), kinds=CODE,
    )  # fmt: skip
    with open_models(qtbot, tmp_path, FakeParts(pairs=(*PAIRS, large))) as models:
        models.page._filter.setText("1.5b")
        assert models.page.pairs.table.choose(large.id)
        button = way(models, AdviceKind.SMALLER_DRAFT)
        assert button.accessibleName().startswith("0.5B Q8_0 as the draft")
        button.click()
        assert models.page.pairs.table.current.pair.id == PAIRS[1].id


def test_other_settings_leave_no_verdict(models: Models) -> None:
    """Another context or cache blanks every row until its own answer is there, and answers for others are dropped."""
    table = models.page.pairs.table
    models.parts.gate.clear()
    models.page._context.setCurrentIndex(CONTEXTS.index(32_768))
    assert {cells(table, place)[4].text for place in range(len(PAIRS))} == {"…"}
    models.wait(lambda: models.page.panels[0].fit.words == "It is being worked out…")
    models.page._context.setCurrentIndex(CONTEXTS.index(4_096))
    models.page._kv.setCurrentIndex(KV_TYPES.index(KvType.Q8_0))
    models.parts.gate.set()
    wait_for_fits(models)
    models.wait(lambda: all(verdict(models, place).text != "…" for place in range(len(PAIRS))))
    settings = {(row.fit.report.settings.ctx, row.fit.report.settings.kv_type) for row in table.rows.shown}
    assert settings == {(4_096, KvType.Q8_0)}


def test_arithmetic_comes_first(qtbot: QtBot, tmp_path: Path) -> None:
    """All pairs are estimated before llama.cpp is asked of one; the chosen pair is first each time."""
    parts = FakeParts(memory=FakeFits(fits=fresh_fits()))
    parts.memory.answers.clear()
    with open_models(qtbot, tmp_path, parts) as models:
        models.wait(lambda: not any(fit(models, place).fetching for place in range(len(PAIRS))))
        parts.memory.answers.set()  # all headers are there, so that all pairs could be asked of at once
        wait_for_fits(models)
        asked = [question.asks for question in parts.memory.questions]
        first = asked.index(True)
        assert not any(asked[:first])
        assert len({question.target for question in parts.memory.questions[:first]}) == len(PAIRS)
        assert parts.memory.questions[0].advises
        assert parts.memory.questions[first].advises


def test_memory_that_moves(models: Models) -> None:
    """A figure that moved by more than 32 MiB changes the verdicts, which stay until then; less changes nothing."""
    before, fits = models.parts.memory.machine, models.shell.program.fits
    asked = len(models.parts.memory.questions)
    less = machine(rtx_4070(11.09), system=before.system)
    models.use(less)
    models.wait(lambda: models.shell.program.memory.machine is less)
    assert fits.machine is before
    assert len(models.parts.memory.questions) == asked
    models.parts.gate.clear()
    full = machine(rtx_4070(2.0), system=before.system)
    models.use(full)
    models.wait(lambda: fits.machine is full)
    assert verdict(models, 0).text == "Fits, up to 32k"
    models.parts.gate.set()
    models.wait(lambda: verdict(models, 0).text.startswith("Too big"))


def test_nothing_is_asked_behind_the_page(models: Models) -> None:
    """Another page in front, and no figures are asked for; when it is back they are."""
    fits = models.shell.program.fits
    models.shell.window.rail.chosen.emit("settings")
    asked = len(models.parts.memory.questions)
    fits.use_base(2_048, KvType.F16)
    assert len(models.parts.memory.questions) == asked
    models.shell.window.rail.chosen.emit("models")
    wait_for_fits(models)
    assert fit(models, 0).report.settings.ctx == 2_048


def test_two_cards(qtbot: QtBot, tmp_path: Path) -> None:
    """With several cards each that is used has its block, and a row names the one that decides."""
    second = replace(rtx_4070(7.6), id="GPU-2", name="NVIDIA GeForce RTX 3060 Ti", total_bytes=8_000_000_000)
    computer = FakeFits(machine=machine(rtx_4070(), second))
    with open_models(qtbot, tmp_path, FakeParts(memory=computer)) as models:
        wait_for_fits(models)
        models.choose(5)
        card = models.page.panels[0].fit
        models.wait(lambda: len(card.blocks) == 2)
        assert memory(models, 5).small == "RTX 4070"
        heading = models.page.pairs.table.rows.columns[3].name
        assert heading() == "Memory"
        alone = machine(system=devices_memory(14_000_000_000, 16_000_000_000))
        models.use(alone)
        models.wait(lambda: models.shell.program.fits.machine is alone)
        assert heading() == "Memory, 16 GB"


# headers


def far(**changes: object) -> FakeParts:
    """Parts that have the headers of the first two pairs only."""
    return FakeParts(memory=FakeFits(kept=set(HERE), **changes))  # type: ignore[arg-type]


def test_headers_are_fetched_once(qtbot: QtBot, tmp_path: Path) -> None:
    """Rows wait for their headers; each is fetched once, whoever shares it, and then they have their verdict."""
    parts = far()
    parts.hub.clear()
    with open_models(qtbot, tmp_path, parts) as models:
        models.wait(lambda: verdict(models, 1).tone == "caution")
        assert verdict(models, 3).text == "…"
        models.choose(3)
        assert models.page.panels[0].fit.words == "Its header is being fetched, some megabytes…"
        parts.hub.set()
        wait_for_fits(models)
        models.wait(lambda: verdict(models, 3).tone == "good")
        assert len(parts.memory.fetched) == len(set(parts.memory.fetched)) == 9


def test_refused_headers_wait_for_a_token(qtbot: QtBot, tmp_path: Path) -> None:
    """A header that is refused is told with its reason and asked for again when there is a token, not before."""
    parts = far(problems={GATED.file_name: ErrorKind.REPO_GATED})
    with open_models(qtbot, tmp_path, parts) as models:
        models.wait(lambda: verdict(models, 2).text == "not known yet")
        assert "asks you to accept its licence" in verdict(models, 2).tip
        wait_for_fits(models)
        assert parts.memory.fetched.count(GATED.file_name) == 1
        models.choose(2)
        assert models.page.panels[0].fit.words.startswith("It is not known yet.")
        parts.memory.problems = {}
        models.control.use_token("hf_secret")
        models.wait(lambda: verdict(models, 2).tone == "good")


def test_offline_asks_nobody(qtbot: QtBot, tmp_path: Path) -> None:
    """Offline what is kept has its verdict, the rest says why not, and online it is fetched."""
    parts = far()
    parts.settings = ModelSettings(offline=True)
    with open_models(qtbot, tmp_path, parts) as models:
        models.wait(lambda: verdict(models, 1).tone == "caution" and verdict(models, 3).text == "not known yet")
        assert "Offline mode is on" in verdict(models, 3).tip
        assert not parts.memory.fetched
        models.control.go_online()
        models.wait(lambda: verdict(models, 3).tone == "good")


def test_one_failure_of_the_connection_is_enough(qtbot: QtBot, tmp_path: Path) -> None:
    """A hub that cannot be reached is not asked for every header, but again when the page is opened anew."""
    parts = far()
    names = {half.model.file_name for one in PAIRS for half in (one.target, one.draft)}
    parts.memory.problems = dict.fromkeys(names, ErrorKind.HUB_UNREACHABLE)
    with open_models(qtbot, tmp_path, parts) as models:
        models.wait(lambda: verdict(models, 6).text == "not known yet")
        wait_for_fits(models)
        assert len(parts.memory.fetched) <= 2
        parts.memory.problems = {}
        models.shell.window.rail.chosen.emit("settings")
        models.shell.window.rail.chosen.emit("models")
        models.wait(lambda: verdict(models, 6).tone == "good")


def test_faults_that_pass_are_tried_again(qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A lost connection, or another page in the place of one model, heals by itself while the page is seen."""
    monkeypatch.setattr(models_headers, "FIRST_PAUSE_MS", 10)
    parts = far()
    parts.memory.problems = {FAR.file_name: ErrorKind.DOWNLOAD_NOT_GGUF}
    with open_models(qtbot, tmp_path, parts) as models:
        models.wait(lambda: parts.memory.fetched.count(FAR.file_name) > 2)
        parts.memory.problems = dict.fromkeys([FAR.file_name], ErrorKind.HUB_UNREACHABLE)
        models.wait(lambda: "reached" in verdict(models, 3).tip)
        parts.memory.problems = {}
        models.wait(lambda: verdict(models, 3).text not in ("…", "not known yet"))


def test_hostile_header(qtbot: QtBot, tmp_path: Path) -> None:
    """What nobody can measure says so with the reason, by the model's own name, and holds nothing else up."""
    parts = far(foreign={FAR.file_name})
    with open_models(qtbot, tmp_path, parts) as models:
        wait_for_fits(models)
        models.wait(lambda: verdict(models, 3).text == "cannot be measured")
        assert FAR.file_name in verdict(models, 3).tip
        models.choose(3)
        models.wait(lambda: FAR.file_name in models.page.panels[0].fit.words)
        models.wait(lambda: verdict(models, 6).tone == "good")


def test_unmeasured_is_estimated(qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where llama.cpp dies of a header that the arithmetic knows, the verdict is there and says how it came to be."""
    fits = fresh_fits()
    monkeypatch.setattr(fits._desk.dry_loads, "refuses", True)
    with open_models(qtbot, tmp_path, FakeParts(memory=FakeFits(fits=fits))) as models:
        wait_for_fits(models)
        models.wait(lambda: "llama.cpp did not measure it" in verdict(models, 0).tip)
        assert verdict(models, 0).tone == "good"


# the other tab, and how it looks


def test_local_target_on_its_own(models: Models) -> None:
    """A model of this computer is judged as a target on its own, and a way counts when it is loaded."""
    models.use(machine(rtx_4070(5.2), system=models.parts.memory.machine.system))
    models.page.show_tab(LOCAL)
    models.page.local.table.choose(TARGET_7B.path)
    card = models.page.panels[LOCAL].fit
    way(models, AdviceKind.CONTEXT).click()
    models.wait(lambda: "Set for this one: context" in card.words and card.blocks)
    assert "Draft weights" not in dict(card.blocks[0].rows.texts)
    models.page.panels[LOCAL].buttons.button(Act.USE_AS_TARGET).click()
    models.wait(lambda: models.shell.client.loads)
    assert models.shell.client.loads[-1].ctx < 8_192


def test_columns_give_way(qtbot: QtBot, tmp_path: Path) -> None:
    """The narrower the window the fewer columns; the verdict stays beside the title and the buttons."""
    with open_models(qtbot, tmp_path, size=QSize(720, 700)) as models:
        wait_for_fits(models)
        table = models.page.pairs.table

        def seen() -> list[str]:
            return [column.name() for place, column in enumerate(table.rows.columns) if not table.isColumnHidden(place)]

        assert seen() == ["Pair", "Verdict", ""]
        models.shell.window.resize(QSize(1_240, 700))
        models.wait(lambda: seen() == ["Pair", "Memory on RTX 4070, 12 GB", "Verdict", ""])
        models.wait(lambda: verdict(models, 0).tone)
        click(models, table, 0, Act.OPEN)
        models.wait(lambda: models.shell.loaded)


def test_language_and_theme(models: Models) -> None:
    """Both are followed at once by columns, panel and ways."""
    models.choose(1)
    way(models, AdviceKind.KV_TYPE)
    models.shell.window.settings_page.language_chosen.emit("zh_CN")
    panel = models.page.panels[0]
    models.wait(lambda: panel.kicker.text() == "放得下吗？")
    assert verdict(models, 1).text.startswith("8k")
    assert any("KV 缓存" in one.accessibleName() for one in ways(models))
    models.shell.window.settings_page.language_chosen.emit("en")
    for choice in (ThemeChoice.LIGHT, ThemeChoice.DARK):
        theme_notifier().choose(choice)
        assert memory(models, 1).segments[0][0] == theme().target_weights
        shot = panel.fit.blocks[0]._bar.grab().toImage()
        assert shot.pixelColor(QPoint(20, 6)).name() == theme().target_weights
