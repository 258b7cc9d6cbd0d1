"""Garbage is collected where Qt objects may die: on the main thread."""

from __future__ import annotations

import gc
import threading
import weakref

from pytestqt.qtbot import QtBot

from ui.collector import Collector


class Ring:
    """A cycle that tells which thread took it apart."""

    def __init__(self, told: list[threading.Thread]) -> None:
        self.itself = self
        weakref.finalize(self, lambda: told.append(threading.current_thread()))


def test_a_busy_thread_collects_nothing(qtbot: QtBot) -> None:
    """However much another thread allocates, cycles are taken apart by the main thread, soon and by itself."""
    collector = Collector()
    told: list[threading.Thread] = []

    def allocate() -> None:
        rings = [Ring(told) for _ in range(3_000)]
        del rings
        kept = [[number] for number in range(20_000)]
        assert kept

    busy = threading.Thread(target=allocate)
    busy.start()
    busy.join()
    assert told == []
    assert not gc.isenabled()
    qtbot.waitUntil(lambda: len(told) == 3_000)
    assert set(told) == {threading.main_thread()}
    collector.deleteLater()
