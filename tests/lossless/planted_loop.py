"""Bugs in the loop and in its drafters: which row is whose, and which guesses are made at all."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import deepcopy
from dataclasses import replace
from math import inf
from typing import Any

import numpy as np

from engine.distribution import Distribution, Logits, distribution
from engine.drafting import ChainedDrafter, Guess, LookupDrafter, ModelDrafter
from engine.errors import EngineError
from engine.lookup import Lookup
from engine.policy import FixedLength, RoundPlan
from engine.speculate import Speculator
from engine.types import Drafter
from engine.verify import AcceptanceRule, Residual
from tests.fakes.table_model import TableModel, log_of
from tests.lossless.harness import CERTAIN_FIRST, DRAFT, VOCAB

# ---------------------------------------------------------------- the loop


class RowsOffByOne(Speculator):
    """Each guess is judged by the row after it."""

    def _check(self, guesses: list[Guess]) -> Logits:
        rows = super()._check(guesses)
        return rows[[min(at + 1, len(guesses)) for at in range(len(rows))]]


class BonusFromDraft(Speculator):
    def _check(self, guesses: list[Guess]) -> Logits:
        rows = super()._check(guesses)
        if guesses:
            rows[-1] = log_of(DRAFT)[guesses[-1].token]
        return rows


class BonusFromStaleContext(Speculator):
    def _check(self, guesses: list[Guess]) -> Logits:
        rows = super()._check(guesses)
        if guesses:
            rows[-1] = rows[-2]
        return rows


class DropsGuessesWhenTheTargetFails(Speculator):
    """Where a pass over several tokens fails, it goes on plainly and leaves what was drawn unjudged."""

    def _check(self, guesses: list[Guess]) -> Logits:
        try:
            return self.target.decode([self.committed[-1], *(guess.token for guess in guesses)], len(guesses) + 1)
        except EngineError:
            guesses.clear()
            return super()._check(guesses)


# ---------------------------------------------------------------- the drafter


class WithholdsByDrawnToken(ModelDrafter):
    """Stops where the token that was drawn is improbable, instead of where the row is unsure."""

    def propose(self, committed: list[int], *rest: Any) -> list[Guess]:
        guesses = super().propose(committed, *rest)
        unsure = (at for at, guess in enumerate(guesses) if guess.q.probability(guess.token) < 0.3)
        return guesses[: next(unsure, len(guesses))]


class DrawsByOtherSettings(ModelDrafter):
    """Draws at a higher temperature than the reply's, and reports q at the reply's."""

    def propose(self, committed: list[int], *rest: Any) -> list[Guess]:
        told = self._settings
        self._settings = replace(told, temperature=1.5 * told.temperature)
        guesses = super().propose(committed, *rest)
        self._settings = told
        rows = log_of(np.vstack([DRAFT, CERTAIN_FIRST]))
        contexts = [committed[-1], *(guess.token for guess in guesses)]
        return [
            replace(guess, q=distribution(rows[context], told))
            for guess, context in zip(guesses, contexts, strict=False)
        ]


class GuessesPadding(ModelDrafter):
    """Guesses ids that the target cannot read, so that its pass fails."""

    def propose(
        self, committed: list[int], plan: RoundPlan, position: int, vocab_size: int, cancelled: Callable[[], bool]
    ) -> list[Guess]:
        return super().propose(committed, plan, position, self.decoder.vocab_size, cancelled)


class DropsGuessesWhenItFails(ModelDrafter):
    """Where the draft fails in the middle of a proposal, what it had drawn by then is not judged."""

    def propose(self, committed: list[int], *rest: Any) -> list[Guess]:
        guesses = super().propose(committed, *rest)
        return guesses if self.ended is None else []


class StaleDraft(TableModel):
    """Its rows lag one token behind. Slow, but lossless: q is still what the guess was drawn from."""

    def decode(self, tokens: Sequence[int], outputs: int, limit_s: float = inf) -> Logits:
        super().decode(tokens, outputs, limit_s)
        lagging = [self.tokens[0], *self.tokens[:-1]]
        return self._rows[lagging[len(lagging) - outputs :]]


def stale_draft() -> StaleDraft:
    return StaleDraft(log_of(np.vstack([DRAFT, CERTAIN_FIRST])))


# ---------------------------------------------------------------- the lookup


class TellsItsConfidence(LookupDrafter):
    """Its row tells how sure the lookup is instead of what it proposes: that one token, always."""

    def propose(self, committed: list[int], *rest: Any) -> list[Guess]:
        return [replace(guess, q=_unsure_of(guess.token)) for guess in super().propose(committed, *rest)]


def _unsure_of(token: int) -> Distribution:
    return Distribution(np.arange(VOCAB), np.where(np.arange(VOCAB) == token, 0.7, 0.1))


class ProposesWhatTheRuleDrew(LookupDrafter):
    """Proposes only where it sees that the number with which the rule is going to judge is a low one."""

    rule: AcceptanceRule

    def propose(self, committed: list[int], *rest: Any) -> list[Guess]:
        assert isinstance(self.rule, Residual)
        kept = deepcopy(self.rule._accept).random() < 0.5
        guesses = super().propose(committed, *rest)
        return guesses if kept else []


def tells_its_confidence(lookup: Lookup, rule: AcceptanceRule) -> LookupDrafter:
    return TellsItsConfidence(lookup, 1, lambda token: False)


def proposes_what_the_rule_drew(lookup: Lookup, rule: AcceptanceRule) -> LookupDrafter:
    drafter = ProposesWhatTheRuleDrew(lookup, 1, lambda token: False)
    drafter.rule = rule
    return drafter


class PrefersTheLookup(ChainedDrafter):
    """Asks both, and takes the lookup's guess in place of the draft's where they differ."""

    def propose(self, committed: list[int], *rest: Any) -> list[Guess]:
        looked = self._lookup.propose(committed, *rest)
        drafted = self._model.propose(committed, *rest)
        if looked and drafted and looked[0].token != drafted[0].token:
            return looked[:1]
        return drafted[:1]


class PrefersTheModel(ChainedDrafter):
    """Asks the draft too where the lookup proposes, and takes the draft's guess where it differs."""

    def propose(self, committed: list[int], plan: RoundPlan, *rest: Any) -> list[Guess]:
        guesses = super().propose(committed, plan, *rest)
        if plan.drafter is Drafter.MODEL:
            return guesses
        one = FixedLength(1).plan(self._model.offers(committed), plan.length + 1)
        drafted = self._model.propose(committed, one, *rest)
        return drafted if guesses and drafted and drafted[0].token != guesses[0].token else guesses
