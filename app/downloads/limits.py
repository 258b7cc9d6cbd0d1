"""How patient a download is, and how careful."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass

from app.downloads.interrupt import Interrupt

MIB = 1 << 20


@dataclass(frozen=True, slots=True)
class Limits:
    """Times in seconds.

    Attributes:
        tries: without a byte, before a source is given up; data makes them count anew.
        first_wait, longest_wait: between tries; each wait is twice the one before, give or take a half.
        longest_asked: a server that asks for a longer pause than this is given up instead.
        connect, stall: how long nothing may happen before and after a connection stands.
        margin_bytes: what a download leaves free on the disk.
        checkpoint_bytes, checkpoint_s: how much may be fetched again after a crash.
        sleep: the wait itself.
    """

    tries: int = 5
    first_wait: float = 1.0
    longest_wait: float = 30.0
    longest_asked: float = 120.0
    connect: float = 15.0
    stall: float = 30.0
    margin_bytes: int = 256 * MIB
    checkpoint_bytes: int = 256 * MIB
    checkpoint_s: float = 5.0
    sleep: Callable[[Interrupt, float], None] = Interrupt.sleep

    def wait_before(self, attempt: int) -> float:
        """The wait before the second try (attempt 1) and so on."""
        wait = min(self.longest_wait, self.first_wait * 2.0 ** (attempt - 1))
        return wait * random.uniform(0.5, 1.5)  # so that a server that comes back is not run over


USUAL_LIMITS = Limits()
