"""Bugs, planted one at a time into the real code. Most are taken from defects that other programs shipped.

A test of losslessness that has never failed proves nothing: `test_joint` must reject every one of these.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import deepcopy
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from engine.distribution import Distribution, Floats, Logits, distribution
from engine.drafting import ChainedDrafter, Guess, LookupDrafter, ModelDrafter
from engine.errors import EngineError
from engine.lookup import Lookup
from engine.policy import RoundPlan
from engine.speculate import Speculator
from engine.types import Rule
from engine.verify import AcceptanceRule, Coupled, Match, Residual, pick
from tests.fakes.table_model import TableModel, log_of
from tests.lossless.harness import (
    BOTH,
    CERTAIN_FIRST,
    CUT,
    DRAFT,
    LOOKUP,
    VOCAB,
    Setup,
    breaking_draft,
    padded_draft,
    real,
    short_target,
)

# ---------------------------------------------------------------- the residual rule


class OpenResidual(Residual):
    """`Residual` cut into steps that a bug can replace; with none replaced it gives the same tokens."""

    def __init__(self, seed: int) -> None:
        super().__init__(seed)
        self.spent: dict[int, float] = {}  # the draft's uniforms by position

    def guess(self, q: Distribution, position: int) -> int:
        self.spent[position] = self._draft.random()
        return pick(q, self.spent[position])

    def answer(self, p: Distribution, q: Distribution, guess: int, position: int) -> int:
        u = self.acceptance_uniform(position)
        if self.keeps(u, p.probability(guess), q.probability(guess)):
            return guess
        weights = self.left(p, q, guess)
        if weights.sum() <= 0.0:
            weights = p.probs
        return self.instead(Distribution(p.ids, weights / weights.sum()), u, position)

    def acceptance_uniform(self, position: int) -> float:
        return self._accept.random()

    def keeps(self, u: float, p: float, q: float) -> bool:
        return u * q < p

    def left(self, p: Distribution, q: Distribution, guess: int) -> Floats:
        return np.maximum(p.probs - q.at(p.ids), 0.0)

    def instead(self, row: Distribution, u: float, position: int) -> int:
        return pick(row, self._resample.random())


class ResamplesFromTarget(OpenResidual):
    def left(self, p: Distribution, q: Distribution, guess: int) -> Floats:
        return p.probs


class ResidualTurnedRound(OpenResidual):
    def left(self, p: Distribution, q: Distribution, guess: int) -> Floats:
        return np.maximum(q.at(p.ids) - p.probs, 0.0)


class ResidualIsTargetWithoutGuess(OpenResidual):
    def left(self, p: Distribution, q: Distribution, guess: int) -> Floats:
        return np.where(p.ids == guess, 0.0, p.probs)


class ResidualByArgmax(OpenResidual):
    def instead(self, row: Distribution, u: float, position: int) -> int:
        return row.likeliest()


class KeepsWhereTargetIsSurer(OpenResidual):
    def keeps(self, u: float, p: float, q: float) -> bool:
        return p >= q


class KeepsByTargetAlone(OpenResidual):
    def keeps(self, u: float, p: float, q: float) -> bool:
        return u < p


class OneUniformPerRound(OpenResidual):
    shared: float | None = None

    def guess(self, q: Distribution, position: int) -> int:
        self.shared = None
        return super().guess(q, position)

    def acceptance_uniform(self, position: int) -> float:
        if self.shared is None:
            self.shared = self._accept.random()
        return self.shared


class AcceptanceReusesDraftsUniform(OpenResidual):
    def acceptance_uniform(self, position: int) -> float:
        return self.spent[position]


class ResampleReusesDraftsUniform(OpenResidual):
    def instead(self, row: Distribution, u: float, position: int) -> int:
        return pick(row, self.spent[position])


class ResampleReusesAcceptanceUniform(OpenResidual):
    def instead(self, row: Distribution, u: float, position: int) -> int:
        return pick(row, u)


class GreedyDraft(OpenResidual):
    """The draft offers its likeliest token, yet q says it was drawn."""

    def guess(self, q: Distribution, position: int) -> int:
        return q.likeliest()


class DraftCutUnseen(OpenResidual):
    """The draft draws from its two likeliest tokens, yet q is the whole row."""

    def guess(self, q: Distribution, position: int) -> int:
        two = np.sort(q.probs.argsort()[-2:])
        return pick(Distribution(q.ids[two], q.probs[two]), self._draft.random())


# ---------------------------------------------------------------- any rule


class TypicalAcceptance:
    """Keeps any guess that the target finds probable enough."""

    def __init__(self, rule: AcceptanceRule) -> None:
        self._rule = rule

    def guess(self, q: Distribution, position: int) -> int:
        return self._rule.guess(q, position)

    def answer(self, p: Distribution, q: Distribution, guess: int, position: int) -> int:
        answer = self._rule.answer(p, q, guess, position)
        return guess if p.probability(guess) > 0.2 else answer

    def draw(self, p: Distribution, position: int) -> int:
        return self._rule.draw(p, position)


class KeyedByRound:
    """Noise keyed by the position in the round instead of that in the reply."""

    def __init__(self, rule: AcceptanceRule) -> None:
        self._rule = rule
        self._start = 0
        self._guessing = False

    def guess(self, q: Distribution, position: int) -> int:
        if not self._guessing:
            self._start, self._guessing = position, True
        return self._rule.guess(q, position - self._start)

    def answer(self, p: Distribution, q: Distribution, guess: int, position: int) -> int:
        self._guessing = False
        return self._rule.answer(p, q, guess, position - self._start)

    def draw(self, p: Distribution, position: int) -> int:
        self._guessing = False
        return self._rule.draw(p, position - self._start)


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

    def decode(self, tokens: Sequence[int], outputs: int) -> Logits:
        super().decode(tokens, outputs)
        lagging = [self.tokens[0], *self.tokens[:-1]]
        return self._rows[lagging[len(lagging) - outputs :]]


def stale_draft() -> StaleDraft:
    return StaleDraft(log_of(np.vstack([DRAFT, CERTAIN_FIRST])))


# ---------------------------------------------------------------- the lookup


class KeepsWhatIsImpossible(OpenResidual):
    """Keeps a guess that the target's settings have cut, as its ratio of probabilities is no number to compare."""

    def keeps(self, u: float, p: float, q: float) -> bool:
        return p == 0.0 or super().keeps(u, p, q)


class KeepsTheSure(OpenResidual):
    """Keeps a guess whose row is all on it, as if it had been certain to the target too."""

    def keeps(self, u: float, p: float, q: float) -> bool:
        return q == 1.0 or super().keeps(u, p, q)


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


# ---------------------------------------------------------------- the list

LENGTH = 2  # at which every bug below shows; with one guess a round some are none


@dataclass(frozen=True, slots=True)
class Planted:
    """A bug under its name."""

    name: str
    setup: Setup


def _residual(name: str, rule: type[OpenResidual]) -> Planted:
    return Planted(f"residual: {name}", Setup(rule, LENGTH))


def _everywhere(name: str, **parts: type[Speculator]) -> list[Planted]:
    return [Planted(f"{rule.value}: {name}", Setup(real(rule), LENGTH, **parts)) for rule in Rule]


BUGS = [
    _residual("resamples from p instead of the residual", ResamplesFromTarget),
    _residual("residual is q - p", ResidualTurnedRound),
    _residual("residual is p without the guess", ResidualIsTargetWithoutGuess),
    _residual("residual by argmax", ResidualByArgmax),
    _residual("keeps iff p >= q", KeepsWhereTargetIsSurer),
    _residual("keeps iff u < p", KeepsByTargetAlone),
    _residual("one uniform per round", OneUniformPerRound),
    _residual("acceptance reuses the draft's uniform", AcceptanceReusesDraftsUniform),
    _residual("resample reuses the draft's uniform", ResampleReusesDraftsUniform),
    _residual("resample reuses the acceptance uniform", ResampleReusesAcceptanceUniform),
    _residual("greedy draft, softmax q", GreedyDraft),
    _residual("draft after top-k, raw q", DraftCutUnseen),
    Planted("residual: typical acceptance", Setup(lambda seed: TypicalAcceptance(Residual(seed)), LENGTH)),
    Planted("coupled: typical acceptance", Setup(lambda seed: TypicalAcceptance(Coupled(seed)), LENGTH)),
    Planted("match: typical acceptance", Setup(lambda seed: TypicalAcceptance(Match(seed)), LENGTH)),
    *_everywhere("target row off by one", speculator=RowsOffByOne),
    *_everywhere("bonus drawn from the draft", speculator=BonusFromDraft),
    *_everywhere("bonus from a stale context", speculator=BonusFromStaleContext),
    Planted("coupled: keyed by position in the round", Setup(lambda s: KeyedByRound(Coupled(s)), LENGTH)),
    Planted("match: keyed by position in the round", Setup(lambda s: KeyedByRound(Match(s)), LENGTH)),
    Planted(
        "residual: withholds a guess by the drawn token's probability",
        Setup(real(Rule.RESIDUAL), LENGTH, drafter=WithholdsByDrawnToken),
    ),
    Planted(
        "residual: the draft draws by other settings than q tells",
        Setup(real(Rule.RESIDUAL), LENGTH, drafter=DrawsByOtherSettings),
    ),
    Planted(
        "residual: drops guesses beyond the target's vocabulary",
        Setup(
            real(Rule.RESIDUAL),
            LENGTH,
            draft=padded_draft,
            drafter=GuessesPadding,
            speculator=DropsGuessesWhenTheTargetFails,
        ),
    ),
    Planted(
        "residual: drops its guesses when the target fails on a batch",
        Setup(real(Rule.RESIDUAL), LENGTH, p_min=0.55, target=short_target, speculator=DropsGuessesWhenTheTargetFails),
    ),
    Planted(
        "residual: drops its guesses when the draft fails",
        Setup(real(Rule.RESIDUAL), LENGTH, draft=breaking_draft, drafter=DropsGuessesWhenItFails, drafting_ends=True),
    ),
    Planted("lookup: keeps a guess that is impossible", Setup(KeepsWhatIsImpossible, LENGTH, CUT, drafters=LOOKUP)),
    Planted("lookup: keeps a guess unjudged", Setup(KeepsTheSure, LENGTH, drafters=LOOKUP)),
    Planted(
        "lookup: q tells the confidence",
        Setup(
            real(Rule.RESIDUAL),
            LENGTH,
            drafters=LOOKUP,
            lookup=lambda lookup, rule: TellsItsConfidence(lookup, 1, lambda token: False),
        ),
    ),
    Planted(
        "lookup: proposes what the rule drew",
        Setup(real(Rule.RESIDUAL), LENGTH, drafters=LOOKUP, lookup=proposes_what_the_rule_drew),
    ),
    Planted(
        "chain: the lookup's guess replaces a draft's that differs",
        Setup(real(Rule.RESIDUAL), LENGTH, drafters=BOTH, chain=PrefersTheLookup),
    ),
]
