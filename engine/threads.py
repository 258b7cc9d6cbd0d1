"""How many threads of the processor compute: what the system lends, and of some numbers the fastest by measurement.

Passes over one token are mostly bound by memory and may be fastest with fewer threads; passes over several compute
more. So the two have numbers of their own, and so have target and draft.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from math import inf
from pathlib import Path
from time import perf_counter
from typing import Final, Protocol

import psutil

from engine.decoder import Decoder

LIMIT_S: Final = 0.3
ROUNDS: Final = 3  # in which every number is tried once; the shortest pass counts
_LEAST_ROUNDS: Final = 2  # fewer say nothing: one disturbed pass would decide
# Another number of threads must be so much faster. Its rounding may differ in the last place (the attention to a long
# text is summed up by thread), so what is as good as the usual number is not worth another text for the same seed.
WORTH: Final = 0.9
HOPELESS: Final = 1.5  # times the best: not tried again
_SEVERAL: Final = 5  # tokens of a usual round
_TOKEN: Final = 0  # any will do


@dataclass(frozen=True, slots=True)
class Cores:
    """What the system lends to this process. 1 <= physical <= logical."""

    physical: int
    logical: int


class Threaded(Decoder, Protocol):
    """A decoder whose passes are computed by threads."""

    def set_threads(self, single: int, several: int) -> None:
        """From the next pass on; for passes over one token, and over the few of a round."""


def lent_cores() -> Cores:
    """Neither cores that the process may not use nor more than a container's quota."""
    process = psutil.Process()
    # macOS binds no process to cores.
    allowed = len(process.cpu_affinity() or ()) if hasattr(process, "cpu_affinity") else 0
    logical = allowed or psutil.cpu_count() or 1
    logical = max(1, int(min(logical, _quota())))
    return Cores(min(psutil.cpu_count(logical=False) or logical, logical), logical)


def candidates(cores: Cores) -> tuple[int, ...]:
    """Numbers of threads worth a try, the usual one first."""
    return tuple(dict.fromkeys((cores.physical, max(1, cores.physical // 2), cores.logical, 1)))


def choose(
    decoder: Threaded, numbers: Sequence[int], limit_s: float = LIMIT_S, clock: Callable[[], float] = perf_counter
) -> tuple[int, int]:
    """Try `numbers` of threads, take the best, the first of them unless another is worth it.

    The cache must be empty, and is afterwards. Takes the limit and one pass at most.

    Returns:
        Threads for passes over one token and over several, as set.

    Raises:
        EngineError: a pass failed.
    """
    end = clock() + limit_s
    shortest = {tokens: dict.fromkeys(numbers, inf) for tokens in (1, _SEVERAL)}
    complete = 0
    tried = list(numbers) if len(numbers) > 1 else []
    # All in turn, so that what disturbs the machine disturbs all of them.
    while tried and complete < ROUNDS and _try(decoder, tried, shortest, end, clock):
        complete += 1
        tried = [n for n in tried if any(seen[n] < HOPELESS * min(seen.values()) for seen in shortest.values())]
    usual = numbers[0]
    single, several = (_best(seen, usual) if complete >= _LEAST_ROUNDS else usual for seen in shortest.values())
    decoder.set_threads(single, several)
    return single, several


def _try(
    decoder: Threaded,
    numbers: Sequence[int],
    shortest: dict[int, dict[int, float]],
    end: float,
    clock: Callable[[], float],
) -> bool:
    """One round; whether it came to its end in time."""
    for number in numbers:
        decoder.set_threads(number, number)
        for tokens, seen in shortest.items():
            begin = clock()
            if begin >= end:
                return False
            decoder.decode([_TOKEN] * tokens, 1)
            seen[number] = min(seen[number], clock() - begin)
            decoder.clear()
    return True


def _best(seen: dict[int, float], usual: int) -> int:
    best = min(seen, key=seen.__getitem__)
    return best if seen[best] < WORTH * seen[usual] else usual


def _quota(membership: Path = Path("/proc/self/cgroup"), root: Path = Path("/sys/fs/cgroup")) -> float:
    """Processors' time that Linux lends to the control groups that this process is in, in processors; else infinite."""
    least = inf
    with suppress(OSError, ValueError):
        for line in membership.read_text().splitlines():
            _, controllers, path = line.split(":", 2)
            if controllers and "cpu" not in controllers.split(","):
                continue
            group = (root / "cpu" if controllers else root) / path.strip("/")
            for folder in (group, *group.parents):
                least = min(least, _lent(folder))
                if folder == root:
                    break
    return least


def _lent(group: Path) -> float:
    """One group's quota; in the files of the second version of control groups or of the first."""
    with suppress(OSError, ValueError):
        quota, period = (group / "cpu.max").read_text().split()
        return int(quota) / int(period)  # "max" where there is none
    with suppress(OSError, ValueError):
        quota = (group / "cpu.cfs_quota_us").read_text()
        if int(quota) > 0:  # -1 where there is none
            return int(quota) / int((group / "cpu.cfs_period_us").read_text())
    return inf
