"""The loop: propose, check in one pass of the target, judge, roll back, repeat.

Invariants, held between rounds:
* the target's cache holds every committed token (prompt and reply) but the last;
* the draft's cache holds a prefix of the committed tokens;
* a round emits at least one token.

Plain decoding is the same loop with nothing proposed.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from dataclasses import dataclass
from time import perf_counter

import numpy as np

from engine.decoder import Decoder, Interrupted, read
from engine.distribution import Distribution, Logits, distribution, looked_back
from engine.drafting import Guess, Proposer
from engine.errors import EngineError
from engine.policy import Policy, RoundPlan
from engine.types import Drafter, Inactive, RoundChoice, SamplingSettings, Source
from engine.verify import AcceptanceRule


@dataclass(frozen=True, slots=True)
class Emitted:
    """A token of the reply with what a reader may want to know.

    Attributes:
        guess: what was proposed here, None where nothing was.
    """

    token: int
    source: Source
    p: Distribution
    guess: Guess | None

    @property
    def q(self) -> Distribution | None:
        """The guess's row."""
        return None if self.guess is None else self.guess.q

    @property
    def rejected(self) -> int | None:
        """The guess that stood here and was not kept."""
        return self.guess.token if self.guess is not None and self.guess.token != self.token else None


@dataclass(frozen=True, slots=True)
class Round:
    """What one round did. Seconds as in `engine.types.DraftRound`."""

    guesses: tuple[Guess, ...]
    verified: int
    accepted: int
    emitted: tuple[Emitted, ...]
    draft_s: float
    verify_s: float
    sample_s: float
    wall_s: float
    choice: RoundChoice | None = None

    @property
    def drafted(self) -> tuple[int, ...]:
        return tuple(guess.token for guess in self.guesses)

    @property
    def drafter(self) -> Drafter | None:
        """Who made the guesses."""
        return self.guesses[0].drafter if self.guesses else None


@dataclass(frozen=True, slots=True)
class DraftingEnded:
    """The draft model is out for the rest of the reply; where `goes_on`, the lookup still proposes."""

    inactive: Inactive
    goes_on: bool


@dataclass(slots=True)
class Speculator:
    """One reply's loop. Runs on the engine's main thread.

    Attributes:
        target: its cache holds all of `committed` but the last token.
        committed: prompt and reply so far; grows.
        drafter: None decodes plainly.
        policy: asked before each round how much is proposed, and by whom.
        budget: tokens that may still be emitted.
        ends: whether a token ends the reply; judging stops there.
        cancelled: read between rounds and between chunks.
        emitted: tokens of the reply so far.
        ended: the last of them was an ending token.
    """

    target: Decoder
    committed: list[int]
    drafter: Proposer | None
    rule: AcceptanceRule
    settings: SamplingSettings
    policy: Policy
    budget: int
    ends: Callable[[int], bool]
    cancelled: Callable[[], bool]
    emitted: int = 0
    ended: bool = False

    def first(self, row: Logits) -> Round:
        """The token after the prompt, from the logits [vocab] with which reading the prompt ended."""
        begin = perf_counter()
        emitted, _ = self._judge([row], [])
        self._commit(emitted)
        wall = perf_counter() - begin
        return Round((), 0, 0, emitted, 0.0, 0.0, wall, wall)

    def rounds(self) -> Generator[Round | DraftingEnded, None, None]:
        """Rounds until the budget is used up or an ending token is emitted.

        The consumer may stop at any round; it then has to cut the caches back to what it kept.

        Raises:
            EngineError: the target failed to decode or its logits are not finite.
            Interrupted: the reply was cancelled.
        """
        while self.budget > 0 and not self.ended:
            if self.cancelled():
                raise Interrupted
            begin = perf_counter()
            plan, guesses, draft_s = self._propose()
            proposed = perf_counter()
            before = self.target.spent_s
            rows = self._check(guesses)
            checked = perf_counter()
            verify_s = self.target.spent_s - before
            emitted, verified = self._judge(rows, guesses)
            sample_s = (perf_counter() - checked) + (proposed - begin - draft_s)
            self._commit(emitted)
            drafting_ended = self._roll_back()
            wall_s = perf_counter() - begin
            accepted = sum(e.source is Source.ACCEPTED for e in emitted)
            choice = None
            if plan is not None:
                self.policy.saw(plan, len(guesses), verified, accepted, wall_s - (proposed - begin))
                choice = self.policy.verdict
            yield Round(tuple(guesses), verified, accepted, emitted, draft_s, verify_s, sample_s, wall_s, choice)
            if drafting_ended is not None:
                yield drafting_ended

    def _propose(self) -> tuple[RoundPlan | None, list[Guess], float]:
        """The plan where there is a drafter, its guesses, and seconds inside the draft model."""
        drafter = self.drafter
        if drafter is None:
            return None, [], 0.0
        plan = self.policy.plan(drafter.offers(self.committed), self.budget)
        if plan.drafter is None:
            return plan, [], 0.0
        before = drafter.spent_s
        guesses = drafter.propose(self.committed, plan, self.emitted, self.target.vocab_size, self.cancelled)
        return plan, guesses, drafter.spent_s - before

    def _check(self, guesses: list[Guess]) -> Logits:
        """One target pass over the last token and the guesses.

        Returns:
            Logits [len(guesses) + 1, vocab].
        """
        tokens = [self.committed[-1], *(guess.token for guess in guesses)]
        try:
            return self.target.decode(tokens, len(tokens))
        except EngineError:
            if not guesses:
                raise
            # A batch of several can fail where one token passes (no free cache cells in a row). Its guesses must still
            # be judged: how many there are depends on what was drawn, so dropping them would favour some draws.
            return np.stack([self.target.decode([token], 1)[0].copy() for token in tokens])

    def _judge(self, rows: Logits | list[Logits], guesses: list[Guess]) -> tuple[tuple[Emitted, ...], int]:
        """Walk along the guesses until one is not kept or ends the reply.

        Returns:
            The tokens of the round and how many guesses were judged.
        """
        emitted: list[Emitted] = []
        history = looked_back(self.committed, self.settings)
        for at, guess in enumerate(guesses):
            p = distribution(rows[at], self.settings, history)
            token = self.rule.answer(p, guess.q, guess.token, self.emitted + at)
            if token != guess.token:
                emitted.append(Emitted(token, Source.RESAMPLED, p, guess))
                return tuple(emitted), at + 1
            emitted.append(Emitted(token, Source.ACCEPTED, p, guess))
            if self.ends(token):
                return tuple(emitted), at + 1
            history.append(token)
        p = distribution(rows[len(guesses)], self.settings, history)
        token = self.rule.draw(p, self.emitted + len(guesses))
        emitted.append(Emitted(token, Source.BONUS if guesses else Source.PLAIN, p, None))
        return tuple(emitted), len(guesses)

    def _commit(self, emitted: tuple[Emitted, ...]) -> None:
        self.committed.extend(e.token for e in emitted)
        self.emitted += len(emitted)
        self.budget -= len(emitted)
        self.ended = self.ends(emitted[-1].token)

    def _roll_back(self) -> DraftingEnded | None:
        """Make both caches hold what was committed, short of the last token. Says why drafting is over if it is."""
        keep = len(self.committed) - 1
        if len(self.target.tokens) > keep and not self.target.truncate(keep):
            # The cache is wrong now. Read everything again and leave it alone from here on.
            self.target.clear()
            for _ in read(self.target, self.committed[:keep], self.cancelled):
                pass
            self.drafter = None
            return DraftingEnded(Inactive.TARGET_ROLLBACK, goes_on=False)
        if self.drafter is None:
            return None
        self.drafter.settle(keep)
        ended = self.drafter.ended
        if ended is None:
            return None
        self.drafter = self.drafter.rest
        return DraftingEnded(ended, goes_on=self.drafter is not None)
