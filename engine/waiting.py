"""OpenMP's threads wait for each other awake where the cores are theirs, and asleep where other programs take them.

The threads of a pass meet hundreds of times. GNU's OpenMP lets one that waits look 300,000 times for its partners
before it sleeps: the fastest way on a quiet computer, and lost time for both programs where another one has a partner's
core. It reads that number once; some threads more that never do anything are the switch (`engine.openmp`). Figures in
docs/adr/0017.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Final

import psutil

from engine.openmp import IdleTeam, is_gnu

_PERIOD_S: Final = 0.5
# Processors that others take of those that our threads need. While our threads stay awake they share a core with
# whoever wants it all, so that one gets half of it; while they sleep it gets what it wants. Both limits are some two
# thirds of a core wanted.
_CROWDED: Final = 0.42
_QUIET: Final = 0.55
_BUSY: Final = ("user", "nice", "system", "irq", "softirq", "steal")  # of psutil's times, as far as the system has them


class Crowd:
    """Whether other programs take processors that our threads need.

    Attributes:
        threads: as many compute.
        crowded: by what was seen last.
    """

    def __init__(self, processors: int) -> None:
        """`processors` is how many this process may use."""
        self.threads = processors
        self.crowded = False
        self._processors = processors

    def see(self, others: float) -> None:
        """`others` is how many of them other programs have used for some time."""
        taken = others - (self._processors - self.threads)
        self.crowded = taken > (_QUIET if self.crowded else _CROWDED)


class Watch:
    """Looks twice a second, while there is work, at what others do, and lets OpenMP's threads wait accordingly.

    Does nothing where OpenMP is another one than GNU's, or the user has settled how it waits.
    """

    def __init__(self, environment: Mapping[str, str], spent: Callable[[], float] | None = None) -> None:
        """`spent` tells how many seconds others have spent so far on the processors that this process may use."""
        processors = _own_processors()
        self._spent = spent or partial(spent_by_others, processors)
        self._crowd = Crowd(len(processors))
        self._team: IdleTeam | None = None
        self._working, self._resting = threading.Event(), threading.Event()
        if is_gnu() and not environment.keys() & {"OMP_WAIT_POLICY", "GOMP_SPINCOUNT"}:
            threading.Thread(target=self._run, name="watch", daemon=True).start()

    def expect(self, threads: int) -> None:
        """So many compute from now on."""
        self._crowd.threads = threads

    @contextmanager
    def working(self) -> Iterator[None]:
        """Inside, passes are computed."""
        self._resting.clear()
        self._working.set()
        try:
            yield
        finally:
            self._working.clear()
            self._resting.set()

    def _run(self) -> None:
        while True:
            self._working.wait()
            before, begin = self._spent(), time.monotonic()
            if self._resting.wait(_PERIOD_S):
                continue  # what others do now takes nothing away
            self._crowd.see((self._spent() - before) / (time.monotonic() - begin))
            if self._crowd.crowded and self._team is None:
                self._team = IdleTeam()
            elif not self._crowd.crowded and self._team is not None:
                self._team.close()
                self._team = None


def spent_by_others(processors: Sequence[int]) -> float:
    """Seconds so far on these processors, by other processes than this."""
    spent = psutil.cpu_times(percpu=True)
    busy = sum(getattr(spent[number], kind, 0.0) for number in processors for kind in _BUSY)
    return busy - time.process_time()


def _own_processors() -> list[int]:
    """Their numbers."""
    known = range(len(psutil.cpu_times(percpu=True)))
    allowed = os.sched_getaffinity(0) if hasattr(os, "sched_getaffinity") else known
    return [number for number in known if number in allowed]
