"""What is known of the devices' memory, and when it is asked for."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from app.devices.device import Device, Machine
from app.fit.forecast import Forecast
from app.fit.values import Verdict
from engine.errors import ErrorKind, ErrorReport
from engine.fit import DeviceNeed
from engine.types import LoadedPair
from tests.fakes import tapes
from tests.fakes.devices import GIB, MIB, card, machine, memory
from tests.fakes.fake_client import FakeClient
from tests.fakes.fake_desk import FakeDesk
from tests.fakes.forecasts import fake_forecast
from ui.memory_control import UNWATCHED_MS, WATCHED_MS, MemoryControl

PAIR = tapes.PAIR
NEED = DeviceNeed(weights=4 * GIB)
ENGINE = replace(memory(), ours_bytes=GIB)  # the computer's memory while the engine lives


class Watched:
    """A control on a computer with one card, and the few things that tests do to it."""

    def __init__(self, bot: QtBot, folder: Path) -> None:
        self.bot = bot
        self.client = FakeClient()
        self.client.pid = tapes.ENGINE.pid
        self.desk = FakeDesk(folder)
        self.desk.now = machine(card(12 * GIB), system=ENGINE)
        self.memory = MemoryControl(self.desk, self.client)
        self.changes = 0
        self.memory.changed.connect(self._count)

    def _count(self) -> None:
        self.changes += 1

    def wait(self, condition: Callable[[], object]) -> None:
        self.bot.waitUntil(lambda: bool(condition()), timeout=20_000)

    def read(self, *gpus: Device, system: Device = ENGINE) -> None:
        """Let the devices be as given, and wait until that is known."""
        self.desk.now = machine(*gpus, system=system)
        self.memory.look()
        self.wait(lambda: self.memory.machine == self.desk.now)

    def load(self, after: Machine, forecast: Forecast | None, pair: LoadedPair = PAIR, again: bool = False) -> None:
        self.desk.now = after
        self.memory.on_pair(pair, forecast, again=again)
        self.wait(lambda: self.memory.reading and self.memory.reading.loaded)


@pytest.fixture
def watched(qtbot: QtBot, tmp_path: Path) -> Iterator[Watched]:
    made = Watched(qtbot, tmp_path)
    made.memory.on_engine(tapes.ENGINE)
    made.wait(lambda: made.memory.machine)
    yield made
    made.desk.gate.set()
    made.memory.close()


def held(size: int, free: int | None = None) -> Device:
    """A card that tells that our engine holds so much of it."""
    return replace(card(12 * GIB, 12 * GIB - size if free is None else free), ours_bytes=size)


def forecast(need: DeviceNeed = NEED) -> Forecast:
    return fake_forecast(machine(card(12 * GIB), system=ENGINE), {"card": need})


def test_nothing_before_the_engine_answers(qtbot: QtBot, tmp_path: Path) -> None:
    """Before it is known which devices can be used none is asked; afterwards also where the engine did not start."""
    watched = Watched(qtbot, tmp_path)
    watched.memory.show_watched(True)
    watched.memory.on_pair(None, None)
    assert watched.desk.questions == []
    assert watched.memory.machine is None
    watched.memory.on_engine(ErrorReport(ErrorKind.ENGINE_START_FAILED))
    watched.wait(lambda: watched.memory.machine)
    watched.memory.close()


def test_free_memory_follows(watched: Watched) -> None:
    """What is read is told, and what is as before is not."""
    watched.load(machine(held(5 * GIB), system=ENGINE), None)
    assert watched.memory.measured == {"card": 5 * GIB, "system": GIB}
    changes, asked = watched.changes, len(watched.desk.questions)
    watched.memory.look()
    watched.memory.look()  # while the first is on its way: read once more afterwards
    watched.wait(lambda: len(watched.desk.questions) == asked + 2 and not watched.memory._asking)
    assert watched.changes == changes
    watched.read(held(5 * GIB, 100 * MIB))
    assert watched.changes == changes + 1
    assert watched.memory.short == {"card": 412 * MIB}


def test_pace(watched: Watched) -> None:
    """Every two seconds while the window is seen, every ten while not; at once when it comes into view."""
    pause = watched.memory._pause
    assert (pause.interval(), WATCHED_MS, UNWATCHED_MS) == (UNWATCHED_MS, 2_000, 10_000)
    assert pause.isActive()
    asked = len(watched.desk.questions)
    watched.memory.show_watched(True)
    watched.wait(lambda: len(watched.desk.questions) == asked + 1 and pause.isActive())
    assert pause.interval() == WATCHED_MS
    watched.memory.show_watched(False)
    assert len(watched.desk.questions) == asked + 1


def test_engine_s_process(watched: Watched) -> None:
    """After an unload the engine is another process: then it is asked again, with nothing that was known of the old."""
    watched.load(machine(card(12 * GIB, 8 * GIB), system=ENGINE), forecast())
    assert (watched.desk.questions[-1], watched.desk.held) == (tapes.ENGINE.pid, {"card": 4 * GIB})
    watched.client.pid = None
    watched.memory.on_pair(None, None)
    watched.wait(lambda: watched.memory.reading and not watched.memory.reading.loaded)
    assert (watched.desk.questions[-1], watched.desk.held) == (None, {})
    assert (watched.memory.measured, watched.memory.forecast) == ({}, None)
    asked = len(watched.desk.questions)
    watched.memory.on_pair(None, None)
    assert len(watched.desk.questions) == asked
    watched.client.pid = 7
    watched.memory.on_pair(None, None)
    watched.wait(lambda: len(watched.desk.questions) == asked + 1)
    assert watched.desk.questions[-1] == 7


def test_devices_that_do_not_tell(watched: Watched) -> None:
    """What the load took of them counts as ours from then on, and they are read once more with it."""
    asked = len(watched.desk.questions)
    watched.load(machine(card(12 * GIB, 8 * GIB - MIB), system=ENGINE), forecast())
    assert len(watched.desk.questions) == asked + 2
    assert watched.desk.held == {"card": 4 * GIB + MIB}


def test_each_load_teaches_once(watched: Watched) -> None:
    """From its first reading; not from later ones, nor from the same pair after a crash; from the next load anew."""
    first, after = forecast(), machine(held(4 * GIB), system=ENGINE)
    watched.load(after, first)
    watched.wait(lambda: watched.desk.records)
    watched.read(held(5 * GIB))
    watched.memory.on_pair(None, None)
    watched.load(after, forecast(), replace(PAIR), again=True)
    watched.read(held(6 * GIB))
    assert watched.desk.records == [(first, after)]
    second = forecast()
    watched.load(after, second, replace(PAIR))
    watched.wait(lambda: len(watched.desk.records) == 2)
    watched.load(after, None, replace(PAIR))
    watched.read(held(7 * GIB))
    assert len(watched.desk.records) == 2


def test_a_reading_from_before_the_load(watched: Watched) -> None:
    """What was asked for before the pair was there, or while it was, and told after it had gone, teaches nothing."""
    watched.desk.gate.clear()
    watched.memory.look()
    watched.wait(lambda: len(watched.desk.questions) == 2)
    watched.memory.on_pair(PAIR, forecast())
    watched.memory.on_pair(None, None)
    watched.desk.gate.set()
    watched.wait(lambda: len(watched.desk.questions) == 3 and not watched.memory._asking)
    assert watched.desk.records == []


def test_a_driver_that_hangs(watched: Watched) -> None:
    """It is asked once, however much happens meanwhile; what was read stays, and goes on when it answers."""
    watched.desk.gate.clear()
    asked = len(watched.desk.questions)
    for pair in (PAIR, None, replace(PAIR)):
        watched.memory.look()
        watched.memory.on_pair(pair, None)
        watched.memory.show_watched(pair is not None)
    watched.wait(lambda: len(watched.desk.questions) == asked + 1)
    assert watched.memory.reading is not None
    assert not watched.memory.reading.loaded
    watched.desk.gate.set()
    watched.wait(lambda: watched.memory.reading and watched.memory.reading.loaded)
    assert len(watched.desk.questions) == asked + 2


def test_nothing_can_be_read(watched: Watched) -> None:
    """Then nothing is told any more, and it is tried again."""
    watched.desk.failure = OSError("no /proc")
    watched.memory.look()
    watched.wait(lambda: watched.memory.machine is None)
    assert (watched.memory.reading, watched.memory.low, watched.memory.short) == (None, (), {})
    assert watched.memory._pause.isActive()
    watched.desk.failure = None
    watched.read(card(12 * GIB))


def low(watched: Watched) -> list[str]:
    return [device.id for device, _ in watched.memory.low]


def test_short_memory(watched: Watched) -> None:
    """Told while a pair is loaded and for its devices alone, until it is dismissed or enough."""
    other = card(6 * GIB, 0, name="other")
    watched.read(card(12 * GIB, 0), other)
    assert low(watched) == []
    before = machine(card(12 * GIB), other, system=ENGINE)
    watched.load(machine(held(4 * GIB), other, system=ENGINE), fake_forecast(before, {"card": NEED}))
    assert low(watched) == []
    watched.read(held(4 * GIB, 100 * MIB), other)
    assert low(watched) == ["card"]
    assert watched.memory.short == {"card": 412 * MIB}
    watched.memory.dismiss()
    assert low(watched) == []
    watched.read(held(4 * GIB, 2 * GIB), other)
    watched.read(held(4 * GIB, 50 * MIB), other)
    assert low(watched) == ["card"]
    watched.memory.on_pair(None, None)
    assert low(watched) == []


def test_a_tight_load_is_not_told_again(watched: Watched) -> None:
    """It was known and accepted; less than then is told."""
    tight = fake_forecast(machine(card(12 * GIB, 4 * GIB + 200 * MIB), system=ENGINE), {"card": NEED})
    assert tight.verdict is Verdict.TIGHT
    watched.load(machine(held(4 * GIB, 200 * MIB), system=ENGINE), tight)
    assert low(watched) == []
    assert watched.memory.short == {"card": 312 * MIB}
    watched.read(held(4 * GIB, 100 * MIB))
    assert low(watched) == ["card"]
