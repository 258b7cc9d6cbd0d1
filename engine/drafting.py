"""Proposes tokens, and keeps the exact rows they were drawn from: by a draft model, by looking up text that repeats, or
by both."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from time import perf_counter
from typing import Final, Protocol

import numpy as np

from engine.adoption import Adoption
from engine.costs import SHORT_READ
from engine.decoder import Decoder, Interrupted, Overdue
from engine.distribution import Distribution, Ids, distribution, distribution_and_confidence, looked_back
from engine.errors import EngineError
from engine.lookup import Lookup, Match
from engine.policy import Offer, RoundPlan, Step
from engine.types import MAX_DRAFT_LENGTH, MAX_MATCH, Drafter, Inactive, SamplingSettings
from engine.verify import AcceptanceRule

COPYING: Final = 5  # tokens that agreed
NOTHING_MASKED: Final[Ids] = np.empty(0, np.int64)


@dataclass(frozen=True, slots=True)
class Guess:
    """One proposed token and the distribution q it was drawn from.

    Attributes:
        confidence: how sure the drafter was before it drew: the likeliest token's share of the model's row before the
            sampling settings, None where nobody asked; for the lookup a value that grows with the match.
        match: see `engine.types.TokenEvent`.
    """

    token: int
    q: Distribution
    drafter: Drafter
    confidence: float | None
    match: int = 0


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

    def offers(self, committed: list[int]) -> list[Offer]:
        """What could be proposed after `committed`, prompt and reply so far; the preferred drafter first."""

    def propose(
        self, committed: list[int], plan: RoundPlan, position: int, vocab_size: int, cancelled: Callable[[], bool]
    ) -> list[Guess]:
        """Guesses for the tokens after `committed`, all of the plan's drafter, as many as the plan allows or fewer.

        Args:
            committed: as the offers were made for.
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
    wait for it. A draft that can go on from what the target has read copies that instead, where it is quicker.
    """

    rest: Proposer | None = None

    def __init__(
        self,
        decoder: Decoder,
        settings: SamplingSettings,
        rule: AcceptanceRule,
        masked: Ids = NOTHING_MASKED,
        adoption: Adoption | None = None,
    ) -> None:
        """`masked` are ids that the draft must not propose, as they mean something else to it than to the target.
        `adoption` is for a draft that can go on from what the target has read."""
        self.decoder = decoder
        self.ended: Inactive | None = None
        self._settings = settings
        self._rule = rule
        self._masked = masked
        self._adoption = adoption

    @property
    def spent_s(self) -> float:
        return self.decoder.spent_s

    def offers(self, committed: list[int]) -> list[Offer]:
        room = self.decoder.ctx - len(committed) + 1  # the last guess is never read
        if room <= 0:
            self.ended = Inactive.DRAFT_CONTEXT_FULL
            return []
        unread = len(committed) - len(self.decoder.tokens)
        adoption = self._adopting(unread)
        return [Offer(Drafter.MODEL, room, unread, None if adoption is None else adoption.seconds())]

    def propose(
        self,
        committed: list[int],
        plan: RoundPlan,
        position: int,
        vocab_size: int,
        cancelled: Callable[[], bool],
        ahead: Callable[[int], Offer | None] = lambda guess: None,
    ) -> list[Guess]:
        """See `Proposer.propose`. The cache holds a prefix of `committed`, at least one token short.

        Args:
            ahead: told each guess; gives what another drafter could do after it.
        """
        if plan.length <= 0:
            return []
        adoption = self._adopting(len(committed) - len(self.decoder.tokens))
        if adoption is not None and not adoption.bring(self.decoder):
            self._adoption = None  # the plan was made for a copy: the next one will know what reading takes
            return []
        begin = perf_counter()
        *before, pending = parts(committed[len(self.decoder.tokens) :], self.decoder.chunk)
        for part in before:
            if cancelled():
                raise Interrupted
            try:
                self.decoder.decode(part, 0, plan.limit_s(len(part)))
            except EngineError:
                self.ended = Inactive.DRAFT_FAILED
                return []
            except Overdue:
                plan.passed(len(part), perf_counter() - begin)
                return []
            now = perf_counter()
            if not plan.passed(len(part), now - begin):
                return []
            begin = now
        history = looked_back(committed, self._settings)
        guesses: list[Guess] = []
        while True:
            try:
                row = self._row(pending, history, vocab_size, plan)
            except Overdue:
                plan.passed(len(pending), perf_counter() - begin)
                return guesses
            except EngineError:
                # What was drawn so far must still be judged: dropping it could favour some draws over others.
                self.ended = Inactive.DRAFT_FAILED
                return guesses
            if row is None:
                return guesses
            q, sure = row
            now = perf_counter()
            plan.passed(len(pending), now - begin)
            begin = now
            step = plan.step(sure)
            if step is Step.DROP:
                return guesses
            token = self._rule.guess(q, position + len(guesses))
            guesses.append(Guess(token, q, Drafter.MODEL, sure))
            offer = ahead(token)
            if step is Step.LAST or (offer is not None and plan.gives_way(offer)):
                return guesses
            history.append(token)
            pending = [token]

    def _adopting(self, unread: int) -> Adoption | None:
        """For so many tokens that the draft has not read; None where it should read them itself."""
        return self._adoption if self._adoption is not None and self._adoption.pays(unread) else None

    def _row(
        self, pending: list[int], history: list[int], vocab_size: int, plan: RoundPlan
    ) -> tuple[Distribution, float | None] | None:
        """Read `pending` and shape the row after it; None where the draft has nothing to propose.

        What is masked is impossible from the start: q is the law of the tokens that are left, and a guess is drawn from
        it. Withholding masked tokens after they were drawn would let the draw decide.

        Returns:
            The row, and its confidence where the plan heeds it.
        """
        logits = self.decoder.decode(pending, 1, plan.limit_s(len(pending)))[0][:vocab_size]  # [vocab]
        if self._masked.size:
            best = logits[self._masked].max()
            logits[self._masked] = -np.inf
            if np.isfinite(best) and logits.max() == -np.inf:  # a row of which nothing is left
                return None
        if plan.heeds:
            return distribution_and_confidence(logits, self._settings, history)
        return distribution(logits, self._settings, history), None

    def settle(self, agreed: int) -> None:
        if len(self.decoder.tokens) > agreed and not self.decoder.truncate(agreed):
            self.ended = Inactive.DRAFT_ROLLBACK


def parts(tokens: list[int], chunk: int) -> list[list[int]]:
    """`tokens`, at least one, as they are read: in passes of at most `chunk`, and much at once only after two short
    passes, so that a draft that became far too slow shows it before it has cost much."""
    if len(tokens) <= min(SHORT_READ, chunk):
        return [tokens]
    begun = 1 + min(SHORT_READ - 1, chunk)
    longer = (tokens[at : at + chunk] for at in range(begun, len(tokens), chunk))
    return [tokens[:1], tokens[1:begun], *longer]


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
        self._match: Match | None = None

    def offers(self, committed: list[int]) -> list[Offer]:
        """As far ahead as the text agreed backwards; after a few tokens it is being copied, and all may follow. No room
        where nothing is found, so that it is known that something is looked for."""
        self._lookup.extend(committed[len(self._lookup) :])
        self._match = match = self._lookup.find()
        if match is None or match.length < self._least:
            return [Offer(Drafter.LOOKUP, 0, passes=False)]
        room = match.length if match.length < COPYING else MAX_DRAFT_LENGTH
        return [Offer(Drafter.LOOKUP, room, passes=False, confidences=_sureness(match, room))]

    def propose(
        self, committed: list[int], plan: RoundPlan, position: int, vocab_size: int, cancelled: Callable[[], bool]
    ) -> list[Guess]:
        """See `Proposer.propose`."""
        match = self._match
        if match is None:
            return []
        guesses: list[Guess] = []
        following = self._lookup.follow(match, plan.length)
        for token, sure in zip(following, _sureness(match, len(following)), strict=True):
            if token >= vocab_size:  # a prompt may hold what the target cannot write
                break
            q = Distribution(np.array([token]), np.ones(1))
            guesses.append(Guess(token, q, Drafter.LOOKUP, sure, match.length))
            if self._ends(token):
                break
        return guesses

    def ahead(self, guess: int) -> Offer | None:
        """What could be proposed after one guess more, where that is certainly being copied. Until `forget`."""
        self._lookup.extend((guess,))
        match = self._lookup.find()
        if match is None or match.length < max(COPYING, self._least) or self._ends(guess):
            return None
        sure = _sureness(match, MAX_DRAFT_LENGTH)
        return Offer(Drafter.LOOKUP, MAX_DRAFT_LENGTH, passes=False, confidences=sure)

    def forget(self, length: int) -> None:
        """What lies beyond `length` tokens were guesses."""
        self._lookup.truncate(length)

    def settle(self, agreed: int) -> None:
        """Only the reply itself is looked at, so there is nothing to forget."""


_SURENESS: Final = tuple(agreed / (agreed + 1) for agreed in range(MAX_MATCH + MAX_DRAFT_LENGTH))


def _sureness(match: Match, guesses: int) -> tuple[float, ...]:
    """Of each guess: grows with the tokens that agree before it, those that were guessed before it counted, as it only
    matters if they were right. What it is worth is learned."""
    return _SURENESS[match.length : match.length + guesses]


class ChainedDrafter:
    """The lookup where it finds a match, and the draft model otherwise; the plan may choose the model all the same.

    As soon as the model's own guesses are a copy of earlier text, the plan may let the lookup go on in the next round.
    """

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

    def offers(self, committed: list[int]) -> list[Offer]:
        return [*self._lookup.offers(committed), *self._model.offers(committed)]

    def propose(
        self, committed: list[int], plan: RoundPlan, position: int, vocab_size: int, cancelled: Callable[[], bool]
    ) -> list[Guess]:
        """See `Proposer.propose`. Which of the two it is depends on the text, on times and on what was learned."""
        if plan.drafter is Drafter.LOOKUP:
            return self._lookup.propose(committed, plan, position, vocab_size, cancelled)
        try:
            return self._model.propose(committed, plan, position, vocab_size, cancelled, self._lookup.ahead)
        finally:
            self._lookup.forget(len(committed))

    def settle(self, agreed: int) -> None:
        self._model.settle(agreed)
