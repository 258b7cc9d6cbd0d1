"""A speed limit that all downloads share."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

from app.downloads.interrupt import Interrupt

_BURST_S = 0.25
_SHORTEST_WAIT_S = 0.001
_LONGEST_WAIT_S = 0.5  # so that a changed limit is noticed


class Throttle:
    """A bucket of bytes that fills at the limit. Thread-safe."""

    def __init__(self, limit: int | None = None, clock: Callable[[], float] = time.monotonic) -> None:
        """`limit` in bytes a second, None for none."""
        self._clock = clock
        self._lock = threading.Lock()
        self._limit = limit
        self._level = 0.0  # below 0: taken in advance
        self._filled_at = clock()

    @property
    def limit(self) -> int | None:
        return self._limit

    @limit.setter
    def limit(self, limit: int | None) -> None:
        with self._lock:
            self._limit = limit
            self._level = min(self._level, 0.0) if limit else 0.0

    def take(self, amount: int, interrupt: Interrupt) -> None:
        """Wait until `amount` bytes may have come. Raises InterruptedDownload."""
        with self._lock:
            if not self._limit:
                return
            self._fill(self._limit)
            self._level -= amount
        while (wait := self._missing()) > _SHORTEST_WAIT_S:  # what is less stays owed
            interrupt.sleep(min(wait, _LONGEST_WAIT_S))

    def _missing(self) -> float:
        """Seconds until the bucket is no longer below 0."""
        with self._lock:
            if not self._limit:
                return 0.0
            self._fill(self._limit)
            return -self._level / self._limit

    def _fill(self, limit: int) -> None:
        now = self._clock()
        self._level = min(self._level + (now - self._filled_at) * limit, _BURST_S * limit)
        self._filled_at = now
