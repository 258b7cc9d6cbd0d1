"""A loaded pair while it runs: the parts of what it holds, and whether enough stays free."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

import pytest

from app.devices.device import Device
from app.fit.live import SLACK_BYTES, MarginWatch, as_held
from app.fit.values import DeviceFit
from engine.fit import DeviceNeed
from tests.fakes.devices import GIB, MIB, card

FIT = DeviceFit(card(12 * GIB), DeviceNeed(4 * GIB, GIB, 200 * MIB), DeviceNeed(GIB, GIB, 56 * MIB), 33, 0, GIB, GIB)
MARGINS = {"card": GIB}


@pytest.mark.parametrize("held", [0, GIB, 5 * GIB, 6 * GIB + 1, FIT.need_bytes, 11 * GIB])
def test_parts_sum_up_to_what_is_held(held: int) -> None:
    """Whatever was predicted: parts are filled in their order, and what is beyond them is the engine's own."""
    device = replace(card(12 * GIB, 12 * GIB - held), ours_bytes=held)
    fit = as_held(FIT, device)
    assert fit.need_bytes == held
    assert fit.target.weights == min(held, 4 * GIB)
    if held >= FIT.need_bytes:
        assert (fit.target, fit.draft) == (FIT.target, FIT.draft)
        assert fit.overhead_bytes == GIB + held - FIT.need_bytes


def free(size: int) -> list[Device]:
    return [card(12 * GIB, size)]


def watched(*sizes: int, accepted: Collection[str] = ()) -> list[bool]:
    """Whether the card is told to be low, at each reading of its free bytes."""
    watch, told = MarginWatch(accepted), []
    for size in sizes:
        watch.look(free(size), MARGINS)
        told.append(watch.low == ("card",))
    return told


def test_below_the_margin() -> None:
    """It is low from the first byte that is missing, and well again with a bit more than the margin."""
    assert watched(2 * GIB, GIB, GIB - 1, GIB, GIB + SLACK_BYTES - 1, GIB + SLACK_BYTES, GIB, GIB - 1) == [
        *(False, False, True, True),
        *(True, False, False, True),
    ]


def test_low_from_the_beginning() -> None:
    """A load that took more than it was said to is told of at once."""
    assert watched(GIB // 2) == [True]


def test_a_tight_load_that_was_accepted() -> None:
    """It is not told again; but what is taken after the load is."""
    tight = 600 * MIB
    limit = tight - SLACK_BYTES
    assert watched(tight, tight - 9 * MIB, limit, limit - 1, accepted=["card"]) == [False, False, False, True]
    assert watched(40 * MIB, 30 * MIB, 19 * MIB, accepted=["card"]) == [False, False, True]
    assert watched(2 * GIB, GIB, GIB - 1, accepted=["card"]) == [False, False, True]  # enough at the load, after all


def test_dismissed() -> None:
    """It is silent until there was enough again."""
    watch = MarginWatch()
    watch.look(free(0), MARGINS)
    watch.dismiss()
    told = []
    for size in (0, GIB, GIB - 1, GIB + SLACK_BYTES, GIB - 1):
        watch.look(free(size), MARGINS)
        told.append(watch.low)
    assert told == [(), (), (), (), ("card",)]
    watch.look([], MARGINS)  # the driver hangs: what was low is not well by that
    assert watch.low == ("card",)
