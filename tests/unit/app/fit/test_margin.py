"""What is left free, and what is learned of it."""

from __future__ import annotations

import json
import threading
from dataclasses import replace
from pathlib import Path

import pytest

from app.devices.device import Device
from app.fit.history import FitHistory
from app.fit.margin import default_margin_bytes, margin_bytes, overhead_bytes
from engine.fit import Backend
from tests.fakes.devices import GIB, MIB, card, memory, unified

SCREEN = replace(card(12 * GIB), draws=True)


@pytest.mark.parametrize(
    ("device", "platform", "margin"),
    [
        (card(12 * GIB), "linux", 512 * MIB),
        (card(24 * GIB), "linux", 24 * GIB // 25),
        (SCREEN, "linux", 1024 * MIB),
        (SCREEN, "win32", 1280 * MIB),
        (replace(SCREEN, backend=Backend.VULKAN), "linux", 1280 * MIB),
        (card(GIB), "win32", 256 * MIB),
        (memory(), "linux", 1024 * MIB),
        (unified(48 * GIB, GIB), "darwin", 1024 * MIB),
    ],
)
def test_defaults(device: Device, platform: str, margin: int) -> None:
    """More where a screen is drawn and where the backend grows while it runs, never more than a quarter."""
    assert default_margin_bytes(device, platform) == margin


def test_overheads() -> None:
    """A card counts its driver's context, but not where the engine counted with it in place."""
    assert overhead_bytes(card(12 * GIB), with_gpu=True) == 457 * MIB
    assert overhead_bytes(replace(card(12 * GIB), live=False), with_gpu=True) == 0
    assert overhead_bytes(replace(card(GIB), backend=Backend.VULKAN), with_gpu=True) == 128 * MIB
    assert overhead_bytes(unified(GIB, GIB), with_gpu=True) == 128 * MIB
    assert 0 < overhead_bytes(memory(), with_gpu=False) < overhead_bytes(memory(), with_gpu=True)
    for device in (memory(), unified(GIB, GIB)):
        vocabulary = [overhead_bytes(device, with_gpu=True, tokens=tokens) for tokens in (0, 262_144)]
        assert vocabulary[1] - vocabulary[0] == 262_144 * 136
    assert overhead_bytes(card(GIB), with_gpu=True, tokens=262_144) == 457 * MIB


@pytest.mark.parametrize(("learned", "change"), [(0, 0), (100, 100), (-100, -100), (-9, -9), (20, 20)])
def test_what_loads_took_corrects_the_margin(learned: int, change: int) -> None:
    """By the difference, upwards and downwards."""
    device = card(12 * GIB)
    assert margin_bytes(device, learned * MIB) == default_margin_bytes(device) + change * MIB


def test_the_correction_has_limits() -> None:
    """Half of the margin stays, and no more than a quarter of the device is added."""
    device = card(12 * GIB)
    assert margin_bytes(device, -20 * GIB) == default_margin_bytes(device) // 2
    assert margin_bytes(device, 20 * GIB) == default_margin_bytes(device) + 3 * GIB


def test_history(tmp_path: Path) -> None:
    """The worst of the last eight loads counts, each device for itself, also after a restart."""
    history = FitHistory(tmp_path / "state")
    assert history.learned_bytes("a") == 0
    history.record("a", predicted=100, measured=150)
    history.record("a", predicted=100, measured=90)
    history.record("b", predicted=100, measured=70)
    assert (FitHistory(tmp_path / "state").learned_bytes("a"), history.learned_bytes("b")) == (50, -30)
    for _ in range(7):
        history.record("a", predicted=100, measured=110)
    assert history.learned_bytes("a") == 10


def test_history_forgets_old_devices(tmp_path: Path) -> None:
    """It does not grow for ever, and what is in use is kept."""
    history = FitHistory(tmp_path)
    history.record("in use", predicted=0, measured=5)
    for number in range(31):
        history.record(str(number), predicted=0, measured=1)
    history.record("in use", predicted=0, measured=2)
    history.record("31", predicted=0, measured=1)
    assert [history.learned_bytes(device_id) for device_id in ("in use", "0", "1", "31")] == [5, 0, 1, 1]
    assert len(json.loads((tmp_path / "fit.json").read_text())) == 32


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "[]",
        "3",
        "[" * 100_000,
        '{"a": 5}',
        '{"a": ["x", null, true, 1e9]}',
        '{"a": [1' + "0" * 40 + "]}",
        "\udcff",
    ],
)
def test_damaged_history(tmp_path: Path, text: str) -> None:
    """Nothing is learned from it, nothing fails, and the next load is remembered."""
    (tmp_path / "fit.json").write_bytes(text.encode("utf-8", errors="surrogateescape"))
    history = FitHistory(tmp_path)
    assert history.learned_bytes("a") == 0
    history.record("a", predicted=1, measured=3)
    assert history.learned_bytes("a") == 2


def test_history_that_cannot_be_written(tmp_path: Path) -> None:
    """It costs the memory, never the program."""
    (tmp_path / "state").write_text("a file")
    history = FitHistory(tmp_path / "state")
    history.record("a", predicted=1, measured=3)
    assert history.learned_bytes("a") == 0


def test_history_from_many_threads(tmp_path: Path) -> None:
    """No load is lost and the file is whole."""
    history = FitHistory(tmp_path)
    threads = [
        threading.Thread(target=history.record, args=(str(number),), kwargs={"predicted": 0, "measured": number})
        for number in range(1, 9)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [history.learned_bytes(str(number)) for number in range(1, 9)] == list(range(1, 9))
