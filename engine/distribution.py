"""Logits + sampling settings + history -> a distribution. The only place where probabilities are made.

Target and draft rows both go through `distribution`; nothing else applies temperature, top-k, top-p, min-p or
penalties, so the p and q that a rule compares always mean the same thing. Temperature 0 is a one-hot row from the
same function, not another code path.

Vocabularies have 50,000 to 260,000 tokens and a row is shaped for every position of every round, so candidates are
cut before the softmax: maxima of strided groups bound the k-th largest logit from below, and only groups whose
maximum reaches that bound are looked at again. Over 262,144 logits this takes some 0.1 ms, a partition of the whole
row 3 ms.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from engine.errors import EngineError, ErrorKind
from engine.types import SamplingSettings

Logits = npt.NDArray[np.float32]
Ids = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

_GROUP: Final = 64  # logits per group; 64 balances the number of maxima against what is looked at again
_FIRST_CUT: Final = 256  # candidates tried first where only top-p or min-p limits them


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
        history: all tokens before this position; only the last `repeat_window` count.

    Raises:
        EngineError: NON_FINITE_LOGITS where a logit is NaN or +inf, or all are -inf.
    """
    if settings.repeat_penalty != 1.0 and settings.repeat_window > 0 and history:
        logits = _penalised(logits, settings, history)
    if settings.temperature == 0.0:
        best = int(logits.argmax())  # argmax stops at a NaN, so it is found here too
        _require_finite(logits[best])
        return Distribution(np.array([best]), np.ones(1))
    ids, values = _candidates(logits, settings)
    # Differences first: a logit divided by a tiny temperature overflows, and inf - inf is no number.
    weights = np.exp((values - values.max()) / settings.temperature)
    weights /= weights.sum()
    alive = weights > 0.0  # what underflows at a low temperature was never going to be drawn
    if not alive.all():
        ids, weights = ids[alive], weights[alive]
    if _is_cut(settings, len(logits)):  # else they are in order already
        order = ids.argsort()
        ids, weights = ids[order], weights[order]
    return Distribution(ids, weights)


def confidence(logits: Logits) -> float:
    """Probability of the likeliest token among the ten likeliest at temperature 1.

    A property of the row alone. Deciding whether to propose by the probability of the token that was *drawn* would
    bias the residual rule: unlikely draws would be withheld and the target would draw again in their place.

    Args:
        logits: [vocab] float32.
    """
    _, values = _largest(logits, 10)
    return float(1.0 / np.exp(values - values[0]).sum())


def _penalised(logits: Logits, settings: SamplingSettings, history: Sequence[int]) -> Logits:
    seen = np.unique(np.asarray(history[-settings.repeat_window :], dtype=np.int64))
    seen = seen[seen < len(logits)]
    logits = logits.copy()
    values = logits[seen]
    logits[seen] = np.where(values > 0, values / settings.repeat_penalty, values * settings.repeat_penalty)
    return logits


def _is_cut(settings: SamplingSettings, vocab: int) -> bool:
    return 0 < settings.top_k < vocab or settings.top_p < 1.0 or settings.min_p > 0.0


def _candidates(logits: Logits, settings: SamplingSettings) -> tuple[Ids, Floats]:
    """Ids [m] and logits [m] float64 that survive top-k, top-p and min-p: likeliest first, or all in order."""
    vocab = len(logits)
    if not _is_cut(settings, vocab):
        _require_finite(logits.max())
        return np.arange(vocab), logits.astype(np.float64)
    if 0 < settings.top_k < vocab:
        ids, values = _largest(logits, settings.top_k)
        total = float(np.exp(values - values[0]).sum())
        return _nucleus(ids, values, total, settings)
    # Only top-p and min-p limit: nearly always a few hundred candidates hold them, so grow from there.
    top = logits.max()
    _require_finite(top)
    total = float(np.exp(logits - top).sum(dtype=np.float64))
    cut = _FIRST_CUT
    while True:
        ids, values = _largest(logits, cut)
        kept, kept_values = _nucleus(ids, values, total, settings)
        if len(kept) < len(ids) or len(ids) < cut:  # enough, or nothing more is possible
            return kept, kept_values
        cut *= 16


def _nucleus(ids: Ids, values: Floats, total: float, settings: SamplingSettings) -> tuple[Ids, Floats]:
    """Cut likeliest-first candidates to top-p of `total` (sum of exp(value - best)) and to min-p."""
    weights = np.exp(values - values[0])
    keep = len(ids)
    if settings.top_p < 1.0:
        keep = int(np.searchsorted(np.cumsum(weights), settings.top_p * total)) + 1
    if settings.min_p > 0.0:
        keep = min(keep, int(np.count_nonzero(weights >= settings.min_p)))
    keep = max(keep, 1)
    return ids[:keep], values[:keep]


def _largest(logits: Logits, k: int) -> tuple[Ids, Floats]:
    """The k largest logits, largest first, the lower id first among equals; -inf is never among them.

    Returns:
        ids [<= k] int64 and values [<= k] float64.
    """
    vocab = len(logits)
    groups = vocab // _GROUP
    if groups <= k:
        candidates = np.arange(vocab)
        values = logits
    else:
        # Group j holds ids j, j + groups, j + 2 groups …: reducing over axis 0 runs over contiguous memory.
        body = logits[: groups * _GROUP].reshape(_GROUP, groups)
        maxima = body.max(axis=0)  # [groups]; NaN propagates
        if np.isnan(maxima).any():
            raise EngineError(ErrorKind.NON_FINITE_LOGITS)
        bound = np.partition(maxima, groups - k)[groups - k]
        columns = np.flatnonzero(maxima >= bound)
        ids = (columns + np.arange(_GROUP)[:, None] * groups).ravel()
        candidates = np.concatenate([ids, np.arange(groups * _GROUP, vocab)])
        values = logits[candidates]
        alive = ~(values < bound)  # a NaN in the tail stays, to be found below
        candidates, values = candidates[alive], values[alive]
    # Candidates are in ascending order of id, so a stable sort puts the lower id first among equals.
    order = np.argsort(-values, kind="stable")[:k]
    chosen, best = candidates[order], values[order].astype(np.float64)
    _require_finite(best[0])
    if np.isnan(best[-1]) or np.isnan(values).any():
        raise EngineError(ErrorKind.NON_FINITE_LOGITS)
    possible = best > -np.inf
    return (chosen, best) if possible.all() else (chosen[possible], best[possible])


def _require_finite(best: np.floating) -> None:
    if not np.isfinite(best):
        raise EngineError(ErrorKind.NON_FINITE_LOGITS)
