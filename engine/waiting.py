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
from contextlib import contextmanager, suppress
from typing import Final, NoReturn

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
        crowded: by what was seen last.
    """

    def __init__(self) -> None:
        self.crowded = False

    def see(self, others: float, spare: int) -> None:
        """Other programs have used so many processors for some time, our threads leave so many free (below 0 where
        there are more threads than processors)."""
        self.crowded = others - spare > (_QUIET if self.crowded else _CROWDED)


class Watch:
    """Looks twice a second, while there is work, at what others do, and lets OpenMP's threads wait accordingly.

    Does nothing where OpenMP is another one than GNU's, the user has settled how it waits, or the system does not tell
    what its processors do.
    """

    def __init__(self, environment: Mapping[str, str], spent: Callable[[Sequence[int]], float] | None = None) -> None:
        """`spent` tells how many seconds others have spent so far on processors, by their numbers."""
        self._spent = spent or spent_by_others
        self._threads = 0
        self._working, self._resting = threading.Event(), threading.Event()
        if is_gnu() and not environment.keys() & {"OMP_WAIT_POLICY", "GOMP_SPINCOUNT"}:
            threading.Thread(target=self._run, name="watch", daemon=True).start()

    def expect(self, threads: int) -> None:
        """So many compute from now on."""
        self._threads = threads

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
        with suppress(OSError, RuntimeError):
            self._look(_own_processors())

    def _look(self, processors: Sequence[int]) -> NoReturn:
        crowd, team = Crowd(), None
        while True:
            self._working.wait()
            before, begin = self._spent(processors), time.monotonic()
            if self._resting.wait(_PERIOD_S):
                continue  # what others do now takes nothing away
            others = (self._spent(processors) - before) / (time.monotonic() - begin)
            crowd.see(others, len(processors) - self._threads)
            if crowd.crowded and team is None:
                team = IdleTeam()
            elif not crowd.crowded and team is not None:
                team.close()
                team = None


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
