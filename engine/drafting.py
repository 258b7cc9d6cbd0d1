"""Proposes tokens from a draft model and keeps the exact rows they were drawn from."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import numpy as np

from engine.decoder import Decoder, read
from engine.distribution import Distribution, Ids, confidence, distribution
from engine.errors import EngineError
from engine.types import SamplingSettings
from engine.verify import AcceptanceRule

NOTHING_MASKED: Final[Ids] = np.empty(0, np.int64)


@dataclass(frozen=True, slots=True)
class Guess:
    """One proposed token and the distribution q it was drawn from."""

    token: int
    q: Distribution


class ModelDrafter:
    """Drafts with a second model.

    After a round in which everything was kept, the draft has not seen its own last guess; it then takes two tokens
    in its next pass instead of one, so catching up costs no pass of its own. The same way it reads the prompt: late,
    when it first drafts, so that the first token of a reply does not wait for it.

    Attributes:
        failed: the draft could not decode, or its logits were not finite. A draft can only cost time, never text: the
            reply goes on without it.
    """

    def __init__(
        self,
        decoder: Decoder,
        settings: SamplingSettings,
        rule: AcceptanceRule,
        p_min: float,
        masked: Ids = NOTHING_MASKED,
    ) -> None:
        """`masked` are ids that the draft must not propose, as they mean something else to it than to the target."""
        self.decoder = decoder
        self._settings = settings
        self._rule = rule
        self._p_min = p_min
        self._masked = masked
        self.failed = False

    def room(self, committed: int) -> int:
        """How many tokens can be proposed after `committed` ones before the draft's context is full."""
        return self.decoder.ctx - committed + 1

    def propose(
        self, committed: list[int], length: int, position: int, vocab_size: int, cancelled: Callable[[], bool]
    ) -> list[Guess]:
        """Up to `length` guesses for the tokens after `committed`.

        Args:
            committed: prompt and reply so far; the cache holds a prefix of it, at least one token short.
            position: of the first guess in the reply.
            vocab_size: the target's. A draft padded further must not guess beyond it: the target could not read such
                a guess, and going on without it would leave a decision to the token that was drawn.

        Raises:
            Interrupted: cancelled while reading the prompt.
        """
        pending = committed[len(self.decoder.tokens) :]
        if len(pending) > self.decoder.chunk:
            try:
                for _ in read(self.decoder, pending[:-1], cancelled):
                    pass
            except EngineError:
                self.failed = True
                return []
            pending = pending[-1:]
        history = list(committed) if self._settings.repeat_penalty != 1.0 else []
        guesses: list[Guess] = []
        while True:
            try:
                q = self._row(pending, history, vocab_size)
            except EngineError:
                # What was drawn so far must still be judged: dropping it could favour some draws over others.
                self.failed = True
                return guesses
            if q is None:
                return guesses
            token = self._rule.guess(q, position + len(guesses))
            guesses.append(Guess(token, q))
            if len(guesses) == length:
                return guesses
            history.append(token)
            pending = [token]

    def _row(self, pending: list[int], history: list[int], vocab_size: int) -> Distribution | None:
        """Read `pending` and shape the row after it; None where the draft has nothing to propose or is too unsure.

        What is masked is impossible from the start: q is the law of the tokens that are left, and a guess is drawn from
        it. Withholding masked tokens after they were drawn would let the draw decide.
        """
        logits = self.decoder.decode(pending, 1)[0][:vocab_size]  # [vocab]
        if self._masked.size:
            best = logits[self._masked].max()
            logits[self._masked] = -np.inf
            if np.isfinite(best) and logits.max() == -np.inf:  # a row of which nothing is left
                return None
        if self._p_min > 0.0 and confidence(logits) < self._p_min:
            return None
        return distribution(logits, self._settings, history)

    def settle(self, agreed: int) -> bool:
        """Forget what differs from the reply: keep `agreed` tokens. False if the model cannot."""
        return len(self.decoder.tokens) <= agreed or self.decoder.truncate(agreed)
