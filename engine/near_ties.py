"""How near the target was to writing another token: the measure of what a different rounding could have done."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import inf
from typing import Final

import numpy as np

from engine.distribution import Logits, distribution
from engine.types import GenerationRequest, Rule
from engine.verify import make_rule

_LARGEST: Final = 16.0  # logits; whatever needs more is no tie by any measure
_STEPS: Final = 24  # of bisection: finer than single precision


def chosen(row: Logits, request: GenerationRequest, position: int, history: Sequence[int]) -> int | None:
    """What the target writes at a position of the reply, from its logits [vocab] there; None where that depends on
    what was proposed before, as of the residual rule above temperature 0.

    Args:
        history: all tokens before, the prompt's too.
    """
    if request.rule is Rule.RESIDUAL and request.sampling.temperature > 0:
        return None
    rule = make_rule(request.rule, request.sampling.seed)
    return rule.draw(distribution(row, request.sampling, history), position)


def gap(
    row: Logits, request: GenerationRequest, position: int, history: Sequence[int], tokens: tuple[int, int]
) -> float | None:
    """The smallest change to a single logit with which the row gives one of the two tokens instead of the other, or
    instead of a third that it gives; None as `chosen`, infinite where more than 16 is needed.

    Either the one rises or the chosen one falls, whichever needs less. Greedy this is the difference of the two
    logits; with the coupled rule at a temperature it is that of log p plus noise, times the temperature, or the
    distance of one of the two from where top-k, top-p or min-p cuts, if that decides.
    """
    now = chosen(row, request, position, history)
    if now is None:
        return None

    def moved(token: int, by: float) -> int | None:
        changed = row.copy()
        changed[token] = np.float32(float(row[token]) + by)
        return chosen(changed, request, position, history)

    def to(other: int) -> float:
        if other == now:
            return 0.0
        rise = _smallest(lambda by: moved(other, by) == other)
        fall = _smallest(lambda by: moved(now, -by) == other)
        return min(rise, fall)

    return max(map(to, tokens))


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
