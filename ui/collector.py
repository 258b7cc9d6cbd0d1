"""Python's cyclic garbage is collected on the main thread only."""

from __future__ import annotations

import gc
from typing import Final

from PySide6.QtCore import QObject, QTimer

_PAUSE_MS: Final = 500


class Collector(QObject):
    """From now on nothing collects but this, on the main thread that made it.

    By itself Python collects in whichever thread happens to allocate. Closed windows and dialogs are cyclic garbage,
    and a worker's thread that collects them destroys Qt objects while the main thread sends them events: SIGSEGV, seen
    with the threads of the Models page.
    """

    def __init__(self) -> None:
        super().__init__()
        gc.disable()
        self._timer = QTimer(self)
        self._timer.setInterval(_PAUSE_MS)
        self._timer.timeout.connect(collect_if_due)
        self._timer.start()


def collect_if_due() -> None:
    """What Python would have collected by now, by its own thresholds. They are counted while collecting is off too."""
    counts, thresholds = gc.get_count(), gc.get_threshold()
    due = [generation for generation in range(len(counts)) if counts[generation] > thresholds[generation]]
    if due:
        gc.collect(due[-1])
