"""The words for the devices' memory."""

from __future__ import annotations

from dataclasses import replace

import pytest

from app.devices.device import MemoryUser
from app.memory_words import low_words, short_name, use_in_short, user_words
from tests.fakes.devices import GIB, card, memory, unified


@pytest.mark.parametrize(
    ("name", "short"),
    [
        ("NVIDIA GeForce RTX 4070", "RTX 4070"),
        ("NVIDIA RTX 6000 Ada Generation", "RTX 6000 Ada Generation"),
        ("AMD Radeon RX 7800 XT (RADV NAVI32)", "Radeon RX 7800 XT"),
        ("Intel(R) Arc(TM) A770 Graphics", "Arc A770"),
        ("Apple M2", "Apple M2"),
        ("NVIDIA", "NVIDIA"),
    ],
)
def test_short_names(name: str, short: str) -> None:
    """As people call a card, and never nothing."""
    assert short_name(card(GIB, name=name)) == short
    assert short_name(memory()) == "Memory"


def test_use_in_short() -> None:
    """Used of total; the size alone where nobody tells what is used."""
    device = card(12_000_000_000, 6_000_000_000, name="NVIDIA GeForce RTX 4070")
    assert use_in_short(device) == "RTX 4070 · 6.0 of 12.0 GB"
    assert use_in_short(replace(device, live=False)) == "RTX 4070 · 12.0 GB"


@pytest.mark.parametrize(
    ("user", "words"),
    [
        (MemoryUser(7, "game.exe", 2_000_000_000), "game.exe 2.00 GB"),
        (MemoryUser(7, "game.exe", None), "game.exe"),
        (MemoryUser(7, "", 2_000_000_000), "program 7 2.00 GB"),
    ],
)
def test_other_programs(user: MemoryUser, words: str) -> None:
    """By name where it is told, with a size where it is told."""
    assert user_words(user) == words


def test_low() -> None:
    """What is free, what should be, and who holds the rest."""
    device = replace(card(12_000_000_000, 200_000_000, name="RTX 4070"), ours_bytes=8_000_000_000)
    assert low_words(device, 500_000_000) == (
        "0.20 GB is free on RTX 4070, and 0.50 GB should be. Other programs hold 3.80 GB."
    )
    named = replace(device, users=(MemoryUser(7, "game.exe", 3_000_000_000), MemoryUser(8, "dwm.exe", None)))
    assert low_words(named, 500_000_000).endswith("Other programs hold 3.80 GB, most of all game.exe 3.00 GB.")
    assert low_words(memory(), GIB).startswith("64.42 GB of this computer's memory is free")
    assert "Apple M2" in low_words(unified(12 * GIB, GIB), GIB)
