"""How near a tie was where two replies part: the measure of what a different rounding could have done."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import inf

import numpy as np

from engine.distribution import Logits, distribution
from engine.types import SamplingSettings
from engine.verify import Coupled

_LARGEST = 16.0  # logits; whatever needs more is no tie by any measure
_STEPS = 24  # of bisection: finer than single precision


def choice(row: Logits, settings: SamplingSettings, position: int, history: Sequence[int]) -> int:
    """What the coupled rule writes at a position of the reply, from the logits [vocab]."""
    return Coupled(settings.seed).draw(distribution(row, settings, history), position)


def gap(row: Logits, settings: SamplingSettings, position: int, history: Sequence[int], other: int) -> float:
    """The smallest change to a single logit with which the row gives `other` instead of what it gives.

    Either `other` rises or the chosen token falls, whichever needs less. Greedy this is the difference of the two
    logits; at a temperature it is that of log p plus noise, times the temperature, or the distance of one of the two
    from where top-k, top-p or min-p cuts, if that decides. Infinite where more than 16 is needed.
    """
    chosen = choice(row, settings, position, history)

    def moved(token: int, by: float) -> int:
        changed = row.copy()
        changed[token] = np.float32(float(row[token]) + by)
        return choice(changed, settings, position, history)

    rise = _smallest(lambda by: moved(other, by) == other)
    fall = _smallest(lambda by: moved(chosen, -by) == other)
    return min(rise, fall)


def _smallest(enough: Callable[[float], bool]) -> float:
    """The smallest positive number for which `enough` holds, found by doubling and then by bisection."""
    high = 1e-5
    while not enough(high):
        high *= 2
        if high > _LARGEST:
            return inf
    low = 0.0
    for _ in range(_STEPS):
        middle = (low + high) / 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high
