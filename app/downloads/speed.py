"""Bytes per second of a download, smoothed."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable

WINDOW_S = 8.0
LEAST_S = 0.5  # shorter ones say nothing


class SpeedMeter:
    """Over a moving window. One thread adds, others may ask while they hold the same lock."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._steps: deque[tuple[float, int]] = deque()
        self._began = clock()

    def add(self, amount: int) -> None:
        """So many bytes have come just now."""
        now = self._clock()
        if self._steps and now - self._steps[-1][0] < 0.1:  # a few dozen steps are enough
            then, before = self._steps.pop()
            self._steps.append((then, before + amount))
        else:
            self._steps.append((now, amount))

    def speed(self) -> float | None:
        """None before there is anything to say; falls to 0 when nothing comes any more."""
        now = self._clock()
        while self._steps and now - self._steps[0][0] > WINDOW_S:
            self._steps.popleft()
        seconds = min(WINDOW_S, now - self._began)
        return sum(amount for _, amount in self._steps) / seconds if seconds >= LEAST_S else None
