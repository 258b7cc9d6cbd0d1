"""The parts of a memory bar."""

from __future__ import annotations

import pytest

from app.fit.values import DeviceFit
from engine.fit import DeviceNeed
from tests.fakes.devices import GIB, card
from tests.gui.shell import prepared_application
from ui.memory_parts import memory_segments, memory_words
from ui.theme import theme


@pytest.mark.usefixtures("qapp")
def test_parts_are_shares_of_the_device() -> None:
    """A bar has what the pair needs and what other programs hold; what nobody needs has no part and no word."""
    prepared_application()
    target, draft = DeviceNeed(weights=4 * GIB, kv=GIB, compute=GIB), DeviceNeed(weights=GIB)
    fit = DeviceFit(card(16 * GIB, free=14 * GIB), target, draft, 33, 0, GIB, GIB)
    t = theme()
    assert memory_segments(fit) == (
        (t.target_weights, 4 / 16),
        (t.target_cache, 1 / 16),
        (t.draft_weights, 1 / 16),
        (t.buffers, 2 / 16),
        (t.other_programs, 2 / 16),
    )
    assert memory_words(fit).splitlines() == [
        "Target weights 4.29 GB",
        "Target KV cache 1.07 GB",
        "Draft weights 1.07 GB",
        "Buffers and the engine itself 2.15 GB",
        "Other programs 2.15 GB",
    ]
