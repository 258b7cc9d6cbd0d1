"""What a load took, and what is learned from it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from app.devices.device import Device, Machine, OwnUse
from app.devices.devices import Devices
from app.devices.nvml import Nvml
from app.fit.desk import FitDesk
from app.fit.forecast import Forecast
from app.fit.taken import taken_by_device, taken_bytes, untold
from app.paths import Paths
from engine.fit import DeviceNeed
from tests.fakes.devices import GIB, MIB, AmdCard, FakeNvml, card, machine, memory, unified, write_amd_cards
from tests.fakes.forecasts import fake_forecast

WEIGHTS = DeviceNeed(weights=4 * GIB)
ENGINE = replace(memory(), ours_bytes=GIB)  # the computer's memory while the engine lives


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[FitDesk]:
    made = FitDesk(Paths(tmp_path))
    yield made
    made.close()


def learned(desk: FitDesk, forecast: Forecast, after: Machine, device_id: str = "card") -> int:
    desk.record(forecast, after)
    return desk.history.learned_bytes(device_id)


def test_what_a_load_took() -> None:
    """By the driver's word where it tells it per program, else by what is free no more."""
    before = card(12 * GIB, 11 * GIB)
    assert taken_bytes(before, card(12 * GIB, 4 * GIB)) == 7 * GIB
    assert taken_bytes(before, replace(card(12 * GIB, 2 * GIB), ours_bytes=6 * GIB)) == 6 * GIB
    assert taken_bytes(before, card(12 * GIB, 12 * GIB)) == 0


def test_what_was_given_back_for_the_load_counts() -> None:
    """The pair that was loaded before made room for this one."""
    before = replace(card(12 * GIB, 3 * GIB), ours_bytes=8 * GIB)
    assert taken_bytes(before, card(12 * GIB, 6 * GIB)) == 5 * GIB


def test_shared_memory_of_a_gpu() -> None:
    """What the driver keeps for the engine is missing from the free memory and from the engine's own; the larger
    counts."""
    before = unified(12 * GIB, 10 * GIB)
    assert taken_bytes(before, replace(unified(12 * GIB, 6 * GIB), ours_bytes=GIB)) == 4 * GIB
    assert taken_bytes(before, replace(unified(12 * GIB, 8 * GIB), ours_bytes=3 * GIB)) == 3 * GIB


def test_only_the_devices_of_the_pair() -> None:
    """Neither a card on which it has nothing, nor one that only the engine knows, nor one that is gone."""
    devices = [card(12 * GIB, 11 * GIB, name) for name in ("used", "other", "gone", "engine's")]
    before = machine(*devices[:3], replace(devices[3], live=False), system=ENGINE)
    now = [replace(device, free_bytes=7 * GIB) for device in devices]
    after = machine(*now[:2], replace(now[3], live=False), system=ENGINE)
    forecast = fake_forecast(before, {"used": WEIGHTS, "gone": WEIGHTS, "engine's": WEIGHTS})
    taken = taken_by_device(forecast.report.placement, before, after)
    assert taken == {"used": 4 * GIB}
    assert untold(taken, after) == {"used": 4 * GIB}
    told = replace(after, gpus=(replace(now[0], ours_bytes=4 * GIB), *after.gpus[1:]))
    assert untold(taken, told) == {}


def test_a_load_teaches(desk: FitDesk) -> None:
    """The difference to what was predicted, upwards and downwards."""
    before = machine(card(12 * GIB))
    forecast = fake_forecast(before, {"card": WEIGHTS})

    def after(taken: int) -> Machine:
        return machine(replace(card(12 * GIB, 12 * GIB - taken), ours_bytes=taken), system=ENGINE)

    assert learned(desk, forecast, after(4 * GIB - 50 * MIB)) == -50 * MIB
    assert learned(desk, forecast, after(4 * GIB + 70 * MIB)) == 70 * MIB


@pytest.mark.parametrize("device", [memory(10 * GIB, 16 * GIB), unified(12 * GIB, 10 * GIB)], ids=["system", "unified"])
def test_untouched_weights_teach_nothing(desk: FitDesk, device: Device) -> None:
    """Weights that are mapped are counted when they are touched: less than predicted is no reason to leave less free,
    more is one to leave more."""
    gpus = () if device.id == "system" else (device,)
    before = Machine(gpus, device if not gpus else memory(10 * GIB, 16 * GIB))
    forecast = fake_forecast(before, {device.id: WEIGHTS})

    def after(ours: int) -> Machine:
        system = replace(before.system, ours_bytes=ours)
        return Machine(tuple(replace(gpu, ours_bytes=ours) for gpu in gpus), system)

    assert learned(desk, forecast, after(GIB), device.id) == 0
    assert learned(desk, forecast, after(5 * GIB), device.id) == GIB


def test_weights_that_stand_twice_teach_nothing(desk: FitDesk) -> None:
    """Pages of a file whose weights were copied into another order are given up where memory is short."""
    before = machine(system=memory(10 * GIB, 16 * GIB))
    forecast = fake_forecast(before, {"system": WEIGHTS})
    after = machine(system=replace(before.system, ours_bytes=7 * GIB, mapped_bytes=3 * GIB))
    assert learned(desk, forecast, after, "system") == 0


def test_what_the_engine_holds_is_known_to_all(tmp_path: Path) -> None:
    """Whoever asks the desk for the devices gets it with what the last load took of those that do not tell."""
    drm = write_amd_cards(tmp_path / "drm", AmdCard(used=str(6 * GIB)))
    desk = FitDesk(Paths(tmp_path), Devices(Nvml(FakeNvml()), drm, lambda own: memory()))
    desk.held = {"0000:03:00.0": 5 * GIB}
    assert desk.machine(None, OwnUse(7)).main.available_bytes == 15 * GIB
    desk.close()


def test_an_engine_that_died_teaches_nothing(desk: FitDesk) -> None:
    """Its memory is free already when the devices are read."""
    forecast = fake_forecast(machine(card(12 * GIB)), {"card": WEIGHTS})
    assert learned(desk, forecast, machine(card(12 * GIB))) == 0
    assert not (desk.history.learned_bytes("system"))
