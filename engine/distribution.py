"""Logits + sampling settings + history -> a distribution. The only place where probabilities are made.

Target and draft rows both go through `distribution`; nothing else applies temperature, top-k, top-p, min-p or
penalties, so the p and q that a rule compares always mean the same thing. Temperature 0 is a one-hot row from the
same function, not another code path.

Vocabularies have 50,000 to 260,000 tokens and a row is shaped for every position of every round, so candidates are
cut before the softmax. For top-k, maxima of strided groups bound the k-th largest logit from below, and only groups
whose maximum reaches that bound are looked at again. For top-p and min-p alone, what lies near the best logit is looked
at first. Over 262,144 logits either takes some 0.1 ms, a partition of the whole row 3 ms.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf, isfinite, log
from typing import Final

import numpy as np
import numpy.typing as npt

from engine.errors import EngineError, ErrorKind
from engine.types import SamplingSettings

Logits = npt.NDArray[np.float32]
Ids = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

_GROUP: Final = 64  # logits per group; 64 balances the number of maxima against what is looked at again
_LEAST: Final = np.finfo(np.float32).min  # of what is possible
_PIECE: Final = 1 << 14  # logits summed at a time
_NEAR: Final = 8.0  # logits below the best that are tried first where only top-p limits
_SLACK: Final = 1e-9  # logits: what min-p nearly cuts is still looked at, so that no rounding decides
_SURE_AMONG: Final = 10  # likeliest tokens, among which a draft is more or less sure of the first


_CERTAIN: Final = np.ones(1)
_CERTAIN.flags.writeable = False


@dataclass(frozen=True, slots=True)
class Distribution:
    """A sparse row of probabilities.

    Attributes:
        ids: [m] int64, ascending.
        probs: [m] float64, all > 0, sum 1.
    """

    ids: Ids
    probs: Floats

    def probability(self, token: int) -> float:
        """Probability of `token`; 0 where it was cut."""
        at = int(self.ids.searchsorted(token))
        return float(self.probs[at]) if at < len(self.ids) and self.ids[at] == token else 0.0

    def at(self, ids: Ids) -> Floats:
        """Probabilities of `ids` [n], 0 where they were cut. Returns [n] float64."""
        where = self.ids.searchsorted(ids)
        where[where == len(self.ids)] = 0
        return np.where(self.ids[where] == ids, self.probs[where], 0.0)

    def likeliest(self) -> int:
        """The most probable token, the lowest id among equals."""
        return int(self.ids[self.probs.argmax()])


def distribution(logits: Logits, settings: SamplingSettings, history: Sequence[int] = ()) -> Distribution:
    """The distribution that `settings` make of one row.

    Order: repeat penalty, top-k, top-p, min-p, temperature, as in llama.cpp.

    Args:
        logits: [vocab] float32; -inf means impossible. Not modified.
        history: all tokens before this position, or at least `looked_back` of them.

    Raises:
        EngineError: NON_FINITE_LOGITS where a logit is NaN or +inf, or all are -inf.
    """
    if _is_penalised(settings, history):
        logits = _penalised(logits, settings, history)
    return _shaped(logits, settings, None)


def distribution_and_confidence(
    logits: Logits, settings: SamplingSettings, history: Sequence[int] = ()
) -> tuple[Distribution, float]:
    """`distribution`, and how sure the row is: the likeliest token's share of the ten likeliest at temperature 1.

    The confidence is a property of the row alone. Deciding whether to propose by the probability of the token that was
    *drawn* would bias the residual rule: unlikely draws would be withheld and the target would draw again in their
    place. Looking for the largest logits is what costs, so both use one cut unless a penalty stands between them.
    """
    ids, values = _largest(logits, max(_SURE_AMONG, settings.top_k if settings.top_k < len(logits) else 0))
    sure = float(1.0 / np.exp(values[:_SURE_AMONG] - values[0]).sum())
    if _is_penalised(settings, history):
        return distribution(logits, settings, history), sure
    return _shaped(logits, settings, (ids, values)), sure


def looked_back(text: Sequence[int], settings: SamplingSettings) -> list[int]:
    """Of all tokens so far, those that the next rows depend on: a list of the caller's own, which may grow."""
    return list(text[-settings.repeat_window :]) if _is_penalised(settings, text) else []


def _is_penalised(settings: SamplingSettings, history: Sequence[int]) -> bool:
    return settings.repeat_penalty != 1.0 and settings.repeat_window > 0 and len(history) > 0


def _shaped(logits: Logits, settings: SamplingSettings, largest: tuple[Ids, Floats] | None) -> Distribution:
    """What follows the penalty. `largest` are the largest logits, at least top-k of them, where they are known."""
    if settings.temperature == 0.0:
        if largest is not None:
            return Distribution(largest[0][:1], _CERTAIN)
        best = int(logits.argmax())  # argmax stops at a NaN, so it is found here too
        _require_finite(logits[best])
        return Distribution(np.array([best]), _CERTAIN)
    if not _is_cut(settings, len(logits)):
        top = logits.max()
        _require_finite(top)
        return _softmax(np.arange(len(logits)), logits.astype(np.float64), top, settings.temperature)
    ids, values = _candidates(logits, settings, largest)
    order = ids.argsort()
    return _softmax(ids[order], values[order], values[0], settings.temperature)


def _softmax(ids: Ids, values: Floats, top: np.floating, temperature: float) -> Distribution:
    """Of candidates in ascending order of id; `top` is their largest value."""
    # Differences first: a logit divided by a tiny temperature overflows, and inf - inf is no number.
    weights = values - top
    weights /= temperature
    np.exp(weights, out=weights)
    weights /= weights.sum()
    if weights.min() > 0.0:
        return Distribution(ids, weights)
    alive = weights > 0.0  # what underflows at a low temperature was never going to be drawn
    return Distribution(ids[alive], weights[alive])


def _penalised(logits: Logits, settings: SamplingSettings, history: Sequence[int]) -> Logits:
    seen = np.unique(np.asarray(history[-settings.repeat_window :], dtype=np.int64))
    seen = seen[seen < len(logits)]
    logits = logits.copy()
    values = logits[seen]
    logits[seen] = np.where(values > 0, values / settings.repeat_penalty, values * settings.repeat_penalty)
    return logits


def _is_cut(settings: SamplingSettings, vocab: int) -> bool:
    return 0 < settings.top_k < vocab or settings.top_p < 1.0 or settings.min_p > 0.0


def _candidates(
    logits: Logits, settings: SamplingSettings, largest: tuple[Ids, Floats] | None
) -> tuple[Ids, Floats]:
    """Ids [m] and logits [m] float64 that survive top-k, top-p and min-p, one of which cuts; likeliest first."""
    if 0 < settings.top_k < len(logits):
        ids, values = largest or _largest(logits, settings.top_k)
        ids, values = ids[: settings.top_k], values[: settings.top_k]
        return _nucleus(ids, values, None, settings)
    # Only top-p and min-p limit. Min-p says how far below the best to look; top-p nearly always ends near the best.
    top = logits.max()
    _require_finite(top)
    total = _total(logits, top)
    reach = _SLACK - log(settings.min_p) if settings.min_p > 0.0 else inf
    for near in (_NEAR, 2 * _NEAR, inf):
        ids, values = _within(logits, float(top) - min(near, reach))
        kept, kept_values = _nucleus(ids, values, total, settings)
        if near >= reach or len(kept) < len(ids):
            break
    return kept, kept_values


def _total(logits: Logits, top: np.floating) -> float:
    """Sum of exp(logit - top). A piece at a time: fresh memory for all of a large row costs more than the sum."""
    pieces = (logits[start : start + _PIECE] for start in range(0, len(logits), _PIECE))
    return sum(float(np.exp(piece - top).sum(dtype=np.float64)) for piece in pieces)


def _within(logits: Logits, bound: float) -> tuple[Ids, Floats]:
    """All logits from `bound` on, or from just below; largest first, the lower id first among equals; never -inf."""
    below = np.nextafter(np.float32(bound), np.float32(-inf))
    ids = (logits >= max(below, _LEAST)).nonzero()[0]
    values = logits[ids].astype(np.float64)
    order = np.argsort(-values, kind="stable")
    return ids[order], values[order]


def _nucleus(ids: Ids, values: Floats, total: float | None, settings: SamplingSettings) -> tuple[Ids, Floats]:
    """Cut likeliest-first candidates to top-p of `total` (sum of exp(value - best), None: theirs) and to min-p."""
    weights = np.exp(values - values[0])
    keep = len(ids)
    if settings.top_p < 1.0:
        sums = weights.cumsum()
        keep = int(sums.searchsorted(settings.top_p * (sums[-1] if total is None else total))) + 1
    if settings.min_p > 0.0:
        keep = min(keep, int(np.count_nonzero(weights >= settings.min_p)))
    keep = max(keep, 1)
    return ids[:keep], values[:keep]


def _largest(logits: Logits, k: int) -> tuple[Ids, Floats]:
    """The k largest logits, largest first, the lower id first among equals; -inf is never among them.

    Returns:
        ids [<= k] int64 and values [<= k] float64.
    """
    groups = len(logits) // _GROUP
    if groups <= k:
        _require_finite(logits.max())
        ids, values = _within(logits, -inf)
        return ids[:k], values[:k]
    # Group j holds ids j, j + groups, j + 2 groups …: reducing over axis 0 runs over contiguous memory.
    body, rest = logits[: groups * _GROUP].reshape(_GROUP, groups), logits[groups * _GROUP :]
    maxima = body.max(axis=0)  # [groups]; NaN propagates
    _require_finite(np.maximum(maxima.max(), rest.max()) if len(rest) else maxima.max())
    bound = max(np.partition(maxima, groups - k)[groups - k], _LEAST)
    columns = (maxima >= bound).nonzero()[0]
    body = body[:, columns]
    rows, at = (body >= bound).nonzero()  # row by row, so in ascending order of id
    ids, logits = rows * groups + columns[at], body[rows, at]
    if len(rest):
        near = (rest >= bound).nonzero()[0]
        ids, logits = np.concatenate([ids, groups * _GROUP + near]), np.concatenate([logits, rest[near]])
    order = (-logits).argsort(kind="stable")[:k]
    return ids[order], logits[order].astype(np.float64)


def _require_finite(best: np.floating) -> None:
    if not isfinite(best):
        raise EngineError(ErrorKind.NON_FINITE_LOGITS)
