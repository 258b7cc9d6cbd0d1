"""The devices' memory in the window: the top bar, what it tells where it is pointed at, the card before it runs out."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QToolTip
from pytestqt.qtbot import QtBot

from app.devices.device import Device, DeviceProblem, DeviceTrouble, Machine, MemoryUser
from app.fit.forecast import Forecast
from engine.errors import ErrorKind, ErrorReport
from engine.fit import DeviceNeed
from tests.fakes import tapes
from tests.fakes.devices import MIB, card, machine, memory
from tests.fakes.fake_client import FakeClient
from tests.fakes.fake_desk import FakeDesk
from tests.fakes.forecasts import fake_forecast
from tests.gui.shell import Shell, ignore_platform, open_shell
from ui.cards import Action
from ui.theme import DARK, LIGHT, ThemeChoice, theme_notifier

pytestmark = ignore_platform

GB = 1_000_000_000
RTX = replace(card(12 * GB, name="NVIDIA GeForce RTX 4070"), id="rtx")
GTX = replace(card(6 * GB, name="NVIDIA GeForce GTX 1660"), id="gtx")
TARGET, DRAFT = DeviceNeed(weights=4 * GB, kv=GB, compute=GB // 2), DeviceNeed(weights=GB // 2)
ENGINE = replace(memory(), ours_bytes=GB)  # the computer's memory while the engine lives
GAME = MemoryUser(77, "game.exe", 2 * GB)


@pytest.fixture
def shell(qtbot: QtBot, tmp_path: Path) -> Iterator[Shell]:
    """On a computer with two cards, of which other programs hold nothing."""
    desk = FakeDesk(tmp_path)
    desk.now = machine(RTX, GTX)
    with open_shell(qtbot, tmp_path, desk=desk) as opened:
        opened.wait(lambda: opened.memory.machine)
        yield opened
        opened.window.settings_page.language_chosen.emit("en")
    theme_notifier().choose(ThemeChoice.SYSTEM)


def forecast() -> Forecast:
    return fake_forecast(machine(RTX, GTX), {"rtx": TARGET, "gtx": DRAFT, "system": DRAFT}, {"rtx": DRAFT})


def holding(device: Device, ours: int, others: int = 0, *users: MemoryUser) -> Device:
    return replace(device, free_bytes=device.total_bytes - ours - others, ours_bytes=ours, users=users)


def read(shell: Shell, *gpus: Device, system: Device = ENGINE) -> None:
    """Let the devices be so, and wait until the window knows."""
    shell.desk.now = machine(*gpus, system=system)
    shell.memory.look()
    shell.wait(lambda: shell.memory.machine == shell.desk.now)


def load(shell: Shell, *gpus: Device) -> None:
    """A pair with a forecast; the devices are as given when it is there."""
    shell.desk.given = forecast()
    shell.desk.now = machine(*gpus, system=ENGINE)
    shell.load()
    shell.wait(lambda: shell.memory.reading and shell.memory.reading.fits)


def told(shell: Shell) -> list[str]:
    """What is told where the top bar's memory is pointed at, line by line."""
    return shell.window.top_bar.memory.accessibleDescription().splitlines()


def colours(shell: Shell) -> dict[str, float]:
    """The bar's parts by their colours, in tenths of a percent."""
    return {colour: round(share, 3) for colour, share in shell.window.top_bar.memory.bar._segments}


def titles(shell: Shell) -> list[str]:
    return [notice.title for notice in shell.notices]


def test_bar_without_a_pair(shell: Shell) -> None:
    """The main card in words, and in the bar what other programs hold of it; both follow."""
    box = shell.window.top_bar.memory
    assert box.isVisible()
    assert (box.words, box.accessibleName()) == ("RTX 4070 · 0.0 of 12.0 GB",) * 2
    read(shell, holding(RTX, 0, 3 * GB), GTX)
    assert box.words == "RTX 4070 · 3.0 of 12.0 GB"
    assert colours(shell) == {LIGHT.other_programs: 0.25}


def test_bar_with_a_pair(shell: Shell) -> None:
    """What the engine holds is divided as it was predicted; what is beyond goes to the engine itself, and the sum is
    what was read."""
    load(shell, holding(RTX, 6 * GB + GB // 2, 2 * GB), holding(GTX, 5 * GB))
    t = LIGHT
    assert shell.window.top_bar.memory.words == "RTX 4070 · 8.5 of 12.0 GB"
    assert colours(shell) == {
        t.target_weights: 0.333,
        t.target_cache: 0.083,
        t.draft_weights: 0.042,
        t.buffers: 0.083,
        t.other_programs: 0.167,
    }


def test_measured_beside_predicted(shell: Shell) -> None:
    """For each device: the predicted parts, what is held, what others hold and who, what is free and what should be."""
    load(shell, holding(RTX, 6 * GB + 20_000_000, 3 * GB, GAME, MemoryUser(78, "dwm.exe", None)), GTX)
    assert told(shell)[:12] == [
        "RTX 4070 12.00 GB",
        "The engine holds 6.02 GB; predicted were 6.00 GB.",
        "Target weights 4.00 GB",
        "Target KV cache 1.00 GB",
        "Draft weights 0.50 GB",
        "Buffers and the engine itself 0.50 GB",
        "Other programs 3.00 GB",
        "among them game.exe 2.00 GB, dwm.exe",
        "Free 2.98 GB",
        "Safety margin 0.54 GB",
        "GTX 1660 6.00 GB",
        "What the engine holds here is not told; predicted were 0.50 GB.",
    ]
    assert told(shell)[16] == "Memory 68.72 GB"
    shell.wait(lambda: shell.desk.records)
    assert shell.desk.records == [(shell.memory.forecast, shell.desk.now)]


def test_tip_by_keyboard_goes_on(shell: Shell) -> None:
    """Enter opens what pointing shows, and its figures follow while it is open."""
    box = shell.window.top_bar.memory
    box.setFocus()
    shell.bot.keyClick(box, Qt.Key.Key_Return)
    shell.wait(QToolTip.isVisible)
    read(shell, holding(RTX, 0, 3 * GB), GTX)
    shell.wait(lambda: "3.00 GB" in QToolTip.text())
    QToolTip.hideText()


def test_without_a_gpu(qtbot: QtBot, tmp_path: Path) -> None:
    """The computer's memory, whole while the pair's parts are not known."""
    with open_shell(qtbot, tmp_path) as shell:
        shell.desk.now = machine()
        shell.load()
        read(shell, system=replace(memory(14 * GB, 20 * GB), ours_bytes=2 * GB))
        assert shell.window.top_bar.memory.words == "Memory · 6.0 of 20.0 GB"
        assert colours(shell) == {LIGHT.target_weights: 0.1, LIGHT.other_programs: 0.2}
        assert "The engine 2.00 GB" in told(shell)


def test_nothing_that_was_not_read(qtbot: QtBot, tmp_path: Path) -> None:
    """No figure before the devices were read, none after they could not be, and of a card that only the engine knows
    its size alone."""
    desk = FakeDesk(tmp_path)
    desk.now = machine(replace(RTX, live=False))
    desk.gate.clear()
    with open_shell(qtbot, tmp_path, desk=desk) as shell:
        box = shell.window.top_bar.memory
        shell.wait(lambda: desk.questions)
        assert not box.isVisible()
        desk.gate.set()
        shell.wait(box.isVisible)
        assert (box.words, box.bar.isVisible()) == ("RTX 4070 · 12.0 GB", False)
        assert "Nobody tells what is free there now; when the engine started it was 12.00 GB." in told(shell)
        assert not [line for line in told(shell)[:2] if line.startswith("Free")]
        desk.failure = OSError("no /proc")
        shell.memory.look()
        shell.wait(lambda: not box.isVisible())


def test_language_and_theme(shell: Shell) -> None:
    """Both are followed at once, with nothing read anew."""
    load(shell, holding(RTX, 6 * GB, 5 * GB + GB // 2), GTX)
    assert titles(shell) == ["Memory is running short"]
    shell.desk.gate.clear()
    shell.window.settings_page.theme_chosen.emit("dark")
    assert colours(shell)[DARK.target_weights] == 0.333
    shell.window.settings_page.language_chosen.emit("zh_CN")
    shell.wait(lambda: shell.window.top_bar.memory.words == "RTX 4070 · 11.5 / 12.0 GB")
    assert "引擎占用 6.00 GB；预计为 6.00 GB。" in told(shell)
    assert titles(shell) == ["内存即将不足"]


def test_warning(shell: Shell) -> None:
    """It comes when less than the margin stays free, names who holds the rest, follows in the same card, and goes when
    there is enough; it hinders nothing and takes no hint away."""
    load(shell, holding(RTX, 6 * GB), GTX)
    assert titles(shell) == []
    read(shell, holding(RTX, 6 * GB, 6 * GB - 300 * MIB, GAME), GTX)
    assert titles(shell) == ["Memory is running short"]
    text = shell.notices[0].text
    assert "0.31 GB is free on RTX 4070, and 0.54 GB should be." in text
    assert "most of all game.exe 2.00 GB" in text
    (_, before), = shell.chat.notices._cards
    shell.chat.notices.show_hint("a hint")
    read(shell, holding(RTX, 6 * GB, 6 * GB - 200 * MIB, GAME), GTX)
    (_, after), = shell.chat.notices._cards
    assert after is before
    assert "0.21 GB is free" in after.accessibleDescription()
    assert shell.chat.notices.hint == "a hint"
    assert not shell.ask("Hello").running
    read(shell, holding(RTX, 6 * GB, 3 * GB), GTX)
    assert titles(shell) == []


def test_warning_s_buttons(shell: Shell) -> None:
    """Dismiss lasts until there was enough again; Load options opens the options of what is loaded."""
    load(shell, holding(RTX, 6 * GB, 6 * GB), GTX)
    shell.press(Action.LOAD_OPTIONS)
    assert shell.open_dialog().target.path == tapes.REQUEST.target
    shell.open_dialog().reject()
    shell.press(Action.DISMISS_MEMORY)
    read(shell, holding(RTX, 6 * GB, 6 * GB - MIB), GTX)
    assert titles(shell) == []
    read(shell, holding(RTX, 6 * GB), GTX)
    read(shell, holding(RTX, 6 * GB, 6 * GB), GTX)
    assert titles(shell) == ["Memory is running short"]


def test_unload(shell: Shell) -> None:
    """The pair's parts and the card go with it."""
    load(shell, holding(RTX, 6 * GB, 6 * GB), GTX)
    shell.desk.now = machine(holding(RTX, 0, 6 * GB), GTX)
    shell.pairs.unload()
    shell.wait(lambda: shell.memory.reading and not shell.memory.reading.loaded)
    assert colours(shell) == {LIGHT.other_programs: 0.5}
    assert titles(shell) == ["No pair is loaded"]
    assert not [line for line in told(shell) if "predicted" in line]
    assert shell.desk.questions[-1] is None


def test_crash(shell: Shell) -> None:
    """The pair that comes back is shown as before, and nothing more is learned of it."""
    load(shell, holding(RTX, 6 * GB), GTX)
    shell.client.kill()
    shell.wait(lambda: shell.loaded and shell.pairs.came_back)
    shell.wait(lambda: shell.memory.reading and shell.memory.reading.fits and not shell.memory._asking)
    read(shell, holding(RTX, 6 * GB, GB), GTX)
    assert "The engine holds 6.00 GB; predicted were 6.00 GB." in told(shell)
    assert len(shell.desk.records) == 1


def test_troubles_of_devices(shell: Shell) -> None:
    """They are told where the bar is pointed at; and on the first page, where no card is used although one is there."""
    hangs, page = DeviceProblem(DeviceTrouble.HANGS), shell.window.first_start

    def become(now: Machine) -> None:
        shell.desk.now = now
        shell.memory.look()
        shell.wait(lambda: shell.memory.machine == now)

    become(Machine((RTX,), memory(), (GTX,), (hangs,)))
    assert [line.split(".")[0] for line in told(shell)[-2:]] == [
        "NVIDIA's driver does not answer",
        "NVIDIA GeForce GTX 1660 is not used: this build of the engine does not see it",
    ]
    assert page.trouble == ""
    become(Machine((), memory(), (GTX,)))
    assert page.trouble.startswith("NVIDIA GeForce GTX 1660 is not used")
    become(Machine((), memory()))
    assert page.trouble == ""


def test_engine_that_does_not_start(qtbot: QtBot, tmp_path: Path) -> None:
    """The memory is shown all the same."""
    client = FakeClient(engine=ErrorReport(ErrorKind.ENGINE_START_FAILED))
    with open_shell(qtbot, tmp_path, client) as shell:
        shell.wait(shell.window.top_bar.memory.isVisible)


def test_less_is_read_while_nobody_looks(shell: Shell) -> None:
    """A window that is hidden or minimised asks every ten seconds."""
    pause = shell.memory._pause
    assert pause.interval() == 2_000
    shell.window.showMinimized()
    assert pause.interval() == 10_000
    shell.window.showNormal()
    assert pause.interval() == 2_000
    shell.window.hide()
    assert pause.interval() == 10_000
