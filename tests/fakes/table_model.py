"""A language model given by a table: a first-order Markov chain with the shape of `engine.decoder.Decoder`.

Its law is known in closed form, so what the loop makes of it can be compared with what it should be. It fails as
llama.cpp does, when it is told to.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import inf
from typing import Self

import numpy as np
import numpy.typing as npt

from engine.decoder import CacheState, Overdue
from engine.distribution import Logits
from engine.errors import EngineError, ErrorKind


class TableModel:
    """The row after a token depends on that token alone.

    Attributes:
        tokens, chunk, spent_s: see `Decoder`.
        fed: every batch that was decoded, in order.
        refusals: so many of the next truncations that would forget something are refused.
        fails_from: calls to `decode` fail from this number on; None never.
        most_saved: tokens of which a copy is made.
        strange: what another decoder saved does not fit into it.
        most_outputs: batches that ask for more rows fail, as where memory for them is short; None never.
    """

    def __init__(self, logits: npt.ArrayLike, *, ctx: int = 4096, chunk: int = 512, cost_s: float = 0.0) -> None:
        """A model whose row after token t is `logits[t]`.

        Args:
            logits: [tokens, vocab]; more rows than columns make tokens that can be read but never written.
            cost_s: what one call to `decode` adds to `spent_s`.
        """
        self.tokens: list[int] = []
        self.chunk = chunk
        self.spent_s = 0.0
        self.fed: list[tuple[int, ...]] = []
        self.refusals = 0
        self.fails_from: int | None = None
        self.most_saved = ctx
        self.strange = False
        self.most_outputs: int | None = None
        self._rows = np.asarray(logits, np.float32)  # [tokens, vocab]
        self._ctx = ctx
        self._cost_s = cost_s
        self._calls = 0

    @classmethod
    def of(cls, probabilities: npt.ArrayLike, *, ctx: int = 4096, chunk: int = 512, cost_s: float = 0.0) -> Self:
        """A model that writes after token t by row `probabilities[t]` (at temperature 1, nothing cut)."""
        return cls(log_of(probabilities), ctx=ctx, chunk=chunk, cost_s=cost_s)

    @property
    def vocab_size(self) -> int:
        return self._rows.shape[1]

    @property
    def ctx(self) -> int:
        return self._ctx

    def decode(self, tokens: Sequence[int], outputs: int, limit_s: float = inf) -> Logits:
        """See `Decoder.decode`. Raises ValueError where the real one would refuse a misuse."""
        count = len(tokens)
        if not 0 < count <= self.chunk or not 0 <= outputs <= count:
            raise ValueError(f"{count} tokens with {outputs} outputs")
        number, self._calls = self._calls, self._calls + 1
        self.spent_s += min(self._cost_s, limit_s)
        if self._cost_s > limit_s:
            raise Overdue
        if (
            (self.fails_from is not None and number >= self.fails_from)
            or (self.most_outputs is not None and outputs > self.most_outputs)
            or len(self.tokens) + count > self._ctx
        ):
            raise EngineError(ErrorKind.DECODE_FAILED, code=1)
        if min(tokens) < 0 or max(tokens) >= len(self._rows):
            raise EngineError(ErrorKind.DECODE_FAILED, code=-1)
        self.fed.append(tuple(tokens))
        self.tokens.extend(tokens)
        return self._rows[list(tokens[count - outputs :])]

    def truncate(self, length: int) -> bool:
        """See `Decoder.truncate`."""
        if length >= len(self.tokens):
            return True
        if self.refusals > 0:
            self.refusals -= 1
            return False
        del self.tokens[length:]
        return True

    def clear(self) -> None:
        """See `Decoder.clear`."""
        self.tokens.clear()

    def can_save(self) -> bool:
        """See `Decoder.can_save`."""
        return len(self.tokens) <= self.most_saved

    def save(self) -> CacheState | None:
        """See `Decoder.save`."""
        return CacheState(tuple(self.tokens), None) if self.can_save() else None

    def restore(self, state: CacheState) -> bool:
        """See `Decoder.restore`."""
        self.clear()
        if self.strange or len(state.tokens) > self._ctx:
            return False
        self.tokens.extend(state.tokens)
        return True


def log_of(probabilities: npt.ArrayLike) -> npt.NDArray[np.float32]:
    """Logits of probabilities; -inf for 0."""
    with np.errstate(divide="ignore"):
        return np.log(np.asarray(probabilities, np.float64)).astype(np.float32)
