"""NVIDIA's cards, by a driver that works, half works, hangs or is not there."""

from __future__ import annotations

import os

import pytest

from app.devices.device import DeviceTrouble, OwnUse
from app.devices.nvml import Nvml
from tests.fakes.devices import GIB, Card, FakeNvml, Process

OURS, OTHER = 999_999_001, os.getpid()


def test_card_with_its_users() -> None:
    """Name, sizes, and who holds what; our own engine is no other program, and what it holds can be had."""
    driver = FakeNvml(
        Card(
            sizes=[4 * GIB],
            compute=[Process(OURS, 5 * GIB), Process(OTHER, 2 * GIB)],
            graphics=[Process(OTHER, GIB), Process(999_999_002, None)],
        )
    )
    (device,) = Nvml(driver).read(OwnUse(OURS)).devices
    assert (device.name, device.total_bytes, device.free_bytes) == ("NVIDIA GeForce RTX 4070", 12 * GIB, 4 * GIB)
    assert device.ours_bytes == 5 * GIB
    assert device.available_bytes == 9 * GIB
    assert device.others_bytes == 3 * GIB
    assert [(user.pid, user.size_bytes) for user in device.users] == [(OTHER, 2 * GIB), (999_999_002, None)]
    assert "python" in device.users[0].name
    assert device.users[1].name == ""


def test_windows_tells_no_sizes_per_program() -> None:
    """Where the driver names programs without sizes, what the last load took is known by us."""
    driver = FakeNvml(Card(sizes=[4 * GIB], compute=[Process(OURS, None), Process(OTHER, None)]))
    (device,) = Nvml(driver).read(OwnUse(OURS, {"GPU-1": 6 * GIB})).devices
    assert device.ours_bytes == 6 * GIB
    assert [user.size_bytes for user in device.users] == [None]


def test_screens() -> None:
    """A card draws, does not, or may: then it counts as if it did."""
    cards = [Card(draws=True), Card(draws=False), Card(draws=None)]
    assert [device.draws for device in Nvml(FakeNvml(*cards)).read(OwnUse()).devices] == [True, False, True]


def test_divided_card() -> None:
    """Of a divided card only its instances can be used, and not every place is taken."""
    parts = [Card("NVIDIA H100 MIG 1g.10gb", 10 * GIB, [9 * GIB], "MIG-1"), None, Card("b", uuid="MIG-2")]
    driver = FakeNvml(Card("NVIDIA H100", 80 * GIB, instances=parts), Card(uuid="GPU-2"))
    assert [device.id for device in Nvml(driver).read(OwnUse()).devices] == ["MIG-1", "MIG-2", "GPU-2"]


def test_no_driver_is_no_problem() -> None:
    """Most computers have none."""
    for failure in (FakeNvml.NVMLError_LibraryNotFound, FakeNvml.NVMLError_DriverNotLoaded):
        driver = FakeNvml(Card())
        driver.failure = failure("none")
        found = Nvml(driver).read(OwnUse())
        assert (found.devices, found.problems) == ((), ())


@pytest.mark.parametrize(
    "failure", [FakeNvml.NVMLError("Driver/library version mismatch"), OSError("damaged"), AttributeError("no call")]
)
def test_broken_driver_is_told_and_tried_again(failure: Exception) -> None:
    """What the driver says is kept; once it works again, so do the cards."""
    driver = FakeNvml(Card())
    nvml = Nvml(driver)
    assert len(nvml.read(OwnUse()).devices) == 1
    driver.failure = failure
    (problem,) = nvml.read(OwnUse()).problems
    assert (problem.trouble, problem.detail) == (DeviceTrouble.DRIVER, str(failure))
    driver.failure = None
    assert len(nvml.read(OwnUse()).devices) == 1
    assert driver.starts == 2


def test_lost_card_does_not_take_the_others_along() -> None:
    """One card has fallen off the bus, one has no memory of its own, the third works."""
    driver = FakeNvml(Card(lost=True), Card(shares_memory=True), Card(uuid="GPU-3"))
    found = Nvml(driver).read(OwnUse())
    assert [device.id for device in found.devices] == ["GPU-3"]
    assert [problem.trouble for problem in found.problems] == [DeviceTrouble.CARD_LOST]


def test_hanging_driver() -> None:
    """It costs the limit once and nothing while it still hangs; when it answers again, it is asked again."""
    driver = FakeNvml(Card())
    driver.hangs = True
    nvml = Nvml(driver, limit_s=0.05)
    for _ in range(3):
        assert [problem.trouble for problem in nvml.read(OwnUse()).problems] == [DeviceTrouble.HANGS]
    assert (driver.questions, driver.starts) == (1, 0)
    driver.hangs = False
    driver.answers.set()
    while not nvml.read(OwnUse()).devices:  # until the hanging call has come back
        pass
    assert driver.starts >= 1


def test_the_real_library_never_raises() -> None:
    """Whatever this computer has, there is an answer."""
    found = Nvml().read(OwnUse())
    assert all(device.total_bytes >= device.free_bytes > 0 for device in found.devices)
