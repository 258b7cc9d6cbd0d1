"""Proposes tokens, and keeps the exact rows they were drawn from: by a draft model, by looking up text that repeats, or
by both."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, Protocol

import numpy as np

from engine.decoder import Decoder, read
from engine.distribution import Distribution, Ids, confidence, distribution
from engine.errors import EngineError
from engine.lookup import Lookup
from engine.types import Drafter, Inactive, SamplingSettings
from engine.verify import AcceptanceRule

NOTHING_MASKED: Final[Ids] = np.empty(0, np.int64)


@dataclass(frozen=True, slots=True)
class Guess:
    """One proposed token and the distribution q it was drawn from.

    Attributes:
        confidence: how sure the drafter was before it drew: the likeliest token's share of the model's row before the
            sampling settings, or for the lookup a value that grows with the match.
        match: see `engine.types.TokenEvent`.
    """

    token: int
    q: Distribution
    drafter: Drafter
    confidence: float
    match: int = 0


@dataclass(frozen=True, slots=True)
class Plan:
    """How many tokens each drafter may propose in a round; one with 0 is not asked."""

    model: int
    lookup: int

    def within(self, most: int) -> Plan:
        return Plan(min(self.model, most), min(self.lookup, most))


class Proposer(Protocol):
    """What proposes tokens for one reply.

    Whether a position is proposed may depend on rows, on times and on the text, never on the token that was drawn at
    that very position: withholding some draws would bias the residual rule.
    """

    @property
    def ended(self) -> Inactive | None:
        """Why the draft model is out for the rest of the reply. That costs time, never text: the reply goes on."""

    @property
    def rest(self) -> Proposer | None:
        """What still proposes once the draft model is out."""

    @property
    def spent_s(self) -> float:
        """Seconds inside a draft model so far."""

    def propose(
        self, committed: list[int], plan: Plan, position: int, vocab_size: int, cancelled: Callable[[], bool]
    ) -> list[Guess]:
        """Guesses for the tokens after `committed`, all of one drafter, as many as the plan allows or fewer.

        Args:
            committed: prompt and reply so far.
            position: of the first guess in the reply.
            vocab_size: the target's, which could not read a guess beyond it. Going on without such a guess once it was
                drawn would leave a decision to the token.

        Raises:
            Interrupted: cancelled while reading the prompt.
        """

    def settle(self, agreed: int) -> None:
        """A round is over: forget what lies beyond the first `agreed` tokens of the prompt and the reply."""


class ModelDrafter:
    """Drafts with a second model.

    After a round in which everything was kept, the draft has not seen its own last guess; it then takes two tokens
    in its next pass instead of one, so catching up costs no pass of its own. The same way it reads the prompt, and
    rounds in which another drafter proposed: late, when it next drafts, so that the first token of a reply does not
    wait for it.
    """

    rest: Proposer | None = None

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
        self.ended: Inactive | None = None
        self._settings = settings
        self._rule = rule
        self._p_min = p_min
        self._masked = masked

    @property
    def spent_s(self) -> float:
        return self.decoder.spent_s

    def propose(
        self, committed: list[int], plan: Plan, position: int, vocab_size: int, cancelled: Callable[[], bool]
    ) -> list[Guess]:
        """See `Proposer.propose`. The cache holds a prefix of `committed`, at least one token short."""
        room = self.decoder.ctx - len(committed) + 1  # the last guess is never read
        if room <= 0:
            self.ended = Inactive.DRAFT_CONTEXT_FULL
        length = min(plan.model, room)
        if length <= 0:
            return []
        pending = committed[len(self.decoder.tokens) :]
        if len(pending) > self.decoder.chunk:
            try:
                for _ in read(self.decoder, pending[:-1], cancelled):
                    pass
            except EngineError:
                self.ended = Inactive.DRAFT_FAILED
                return []
            pending = pending[-1:]
        history = list(committed) if self._settings.repeat_penalty != 1.0 else []
        guesses: list[Guess] = []
        while True:
            try:
                row = self._row(pending, history, vocab_size)
            except EngineError:
                # What was drawn so far must still be judged: dropping it could favour some draws over others.
                self.ended = Inactive.DRAFT_FAILED
                return guesses
            if row is None:
                return guesses
            q, sure = row
            token = self._rule.guess(q, position + len(guesses))
            guesses.append(Guess(token, q, Drafter.MODEL, sure))
            if len(guesses) == length:
                return guesses
            history.append(token)
            pending = [token]

    def _row(self, pending: list[int], history: list[int], vocab_size: int) -> tuple[Distribution, float] | None:
        """Read `pending` and shape the row after it; None where the draft has nothing to propose or is too unsure.

        What is masked is impossible from the start: q is the law of the tokens that are left, and a guess is drawn from
        it. Withholding masked tokens after they were drawn would let the draw decide.

        Returns:
            The row and its confidence.
        """
        logits = self.decoder.decode(pending, 1)[0][:vocab_size]  # [vocab]
        if self._masked.size:
            best = logits[self._masked].max()
            logits[self._masked] = -np.inf
            if np.isfinite(best) and logits.max() == -np.inf:  # a row of which nothing is left
                return None
        sure = confidence(logits)
        return None if sure < self._p_min else (distribution(logits, self._settings, history), sure)

    def settle(self, agreed: int) -> None:
        if len(self.decoder.tokens) > agreed and not self.decoder.truncate(agreed):
            self.ended = Inactive.DRAFT_ROLLBACK


class LookupDrafter:
    """Proposes what came next where the end of the text stood before. It needs no model.

    A guess is a function of the text alone and its row says so: all of it on that token. So under every rule it is kept
    exactly as often as the target would have written it.
    """

    rest: Proposer | None = None
    ended: Inactive | None = None
    spent_s = 0.0

    def __init__(self, lookup: Lookup, least: int, ends: Callable[[int], bool]) -> None:
        """A match shorter than `least` tokens proposes nothing, and nothing is proposed after a token that `ends`.

        What the lookup holds must be a prefix of the reply's prompt.
        """
        self._lookup = lookup
        self._least = least
        self._ends = ends

    def propose(
        self, committed: list[int], plan: Plan, position: int, vocab_size: int, cancelled: Callable[[], bool]
    ) -> list[Guess]:
        """See `Proposer.propose`. As far ahead as the text agreed backwards."""
        self._lookup.extend(committed[len(self._lookup) :])
        match = self._lookup.find() if plan.lookup > 0 else None
        if match is None or match.length < self._least:
            return []
        guesses: list[Guess] = []
        for token in self._lookup.follow(match, min(plan.lookup, match.length)):
            if token >= vocab_size:  # a prompt may hold what the target cannot write
                break
            q = Distribution(np.array([token]), np.ones(1))
            guesses.append(Guess(token, q, Drafter.LOOKUP, match.length / (match.length + 1), match.length))
            if self._ends(token):
                break
        return guesses

    def settle(self, agreed: int) -> None:
        """Only the reply itself is looked at, so there is nothing to forget."""


class ChainedDrafter:
    """The lookup where it finds a match, and the draft model otherwise."""

    def __init__(self, lookup: LookupDrafter, model: ModelDrafter) -> None:
        self.rest: Proposer | None = lookup
        self._lookup = lookup
        self._model = model

    @property
    def ended(self) -> Inactive | None:
        return self._model.ended

    @property
    def spent_s(self) -> float:
        return self._model.spent_s

    def propose(
        self, committed: list[int], plan: Plan, position: int, vocab_size: int, cancelled: Callable[[], bool]
    ) -> list[Guess]:
        """See `Proposer.propose`. Which of the two it is depends on the text alone."""
        guesses = self._lookup.propose(committed, plan, position, vocab_size, cancelled)
        return guesses or self._model.propose(committed, plan, position, vocab_size, cancelled)

    def settle(self, agreed: int) -> None:
        self._model.settle(agreed)
