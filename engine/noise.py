"""Noise as a function of (seed, position in the reply, token id), not of the order in which it is asked for.

Gumbel-max sampling picks argmax(log p + g); with E = exp(-g), exponentially distributed, that is argmin(E / p), a
race that the token with the smallest arrival time wins. When target and draft run the same race at the same position
they mostly pick the same token (Daliri, Musco, Suresh 2024, "Coupling without communication and drafter-invariant
speculative decoding"), and the target's pick does not depend on the draft at all: one seed, one text.

The hash is the finaliser of SplitMix64 (Steele, Lea, Flood 2014), applied to counter-based keys.
"""

from __future__ import annotations

from math import log
from typing import Final

import numpy as np
import numpy.typing as npt

from engine.distribution import Distribution, Floats, Ids

_MASK: Final = (1 << 64) - 1
_GOLDEN: Final = 0x9E3779B97F4A7C15
_MIX_1: Final = 0xBF58476D1CE4E5B9
_MIX_2: Final = 0x94D049BB133111EB
_UNIT: Final = 2.0**-53

_U64_GOLDEN = np.uint64(_GOLDEN)
_U64_MIX_1 = np.uint64(_MIX_1)
_U64_MIX_2 = np.uint64(_MIX_2)
_SHIFT_30, _SHIFT_27, _SHIFT_31, _SHIFT_11 = (np.uint64(n) for n in (30, 27, 31, 11))

_FEW: Final = 8  # rows up to this size are raced one by one: a dozen calls of numpy cost more than they do
_SMALL: Final = 256  # rows up to this size are raced directly


def _mix(value: int) -> int:
    value &= _MASK
    value = ((value ^ (value >> 30)) * _MIX_1) & _MASK
    value = ((value ^ (value >> 27)) * _MIX_2) & _MASK
    return value ^ (value >> 31)


def _key(seed: int, position: int) -> int:
    return _mix(_mix(seed + _GOLDEN) + (position + 1) * _GOLDEN)


def uniform(seed: int, position: int) -> float:
    """One number in (0, 1) for a position, independent of `race` at the same position."""
    return ((_mix(_key(seed, position) ^ _MASK) >> 11) + 0.5) * _UNIT


def uniforms(seed: int, position: int, ids: Ids) -> Floats:
    """One number in (0, 1) per token id. ids [m] int64; returns [m] float64."""
    with np.errstate(over="ignore"):  # wrapping is the point
        x = ids.astype(np.uint64) * _U64_GOLDEN + np.uint64(_key(seed, position))
        x ^= x >> _SHIFT_30
        x *= _U64_MIX_1
        x ^= x >> _SHIFT_27
        x *= _U64_MIX_2
        x ^= x >> _SHIFT_31
    return ((x >> _SHIFT_11).astype(np.float64) + 0.5) * _UNIT


def arrivals(row: Distribution, seed: int, position: int) -> Floats:
    """Arrival time of every candidate, [m] float64: -log(u) / p. The smallest wins."""
    return -np.log(uniforms(seed, position, row.ids)) / row.probs


def _arrival(key: int, token: int, prob: float) -> float:
    """As `arrivals`, of one token."""
    return -log(((_mix(token * _GOLDEN + key) >> 11) + 0.5) * _UNIT) / prob


def race(row: Distribution, seed: int, position: int) -> int:
    """The token that `row` draws at this position: exactly distributed as `row` over seeds."""
    if len(row.ids) == 1:
        return int(row.ids[0])
    if len(row.ids) <= _FEW:
        key = _key(seed, position)
        runners: list[tuple[int, float]] = list(zip(row.ids.tolist(), row.probs.tolist(), strict=True))
        return min(runners, key=lambda runner: _arrival(key, *runner))[0]
    if len(row.ids) <= _SMALL:
        return int(row.ids[arrivals(row, seed, position).argmin()])
    # A logarithm per token of a whole vocabulary costs a millisecond. -log(u) >= 1 - u, so whoever cannot beat the
    # favourite's arrival with the bound cannot beat it at all; a handful remain.
    u = uniforms(seed, position, row.ids)
    favourite = row.probs.argmax()
    to_beat = -np.log(u[favourite]) / row.probs[favourite]
    rivals: npt.NDArray[np.intp] = np.flatnonzero((1.0 - u) <= to_beat * row.probs)
    return int(row.ids[rivals[(-np.log(u[rivals]) / row.probs[rivals]).argmin()]])
