"""Bugs, planted one at a time into the real code. Most are taken from defects that other programs shipped.

A test of losslessness that has never failed proves nothing: `test_joint` must reject every one of these, at a fixed
length and in those other ways that change what the bug can do or how seldom it comes up.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from engine.types import Rule
from engine.verify import Coupled, Match, Residual
from tests.lossless import planted_auto as auto
from tests.lossless import planted_loop as loop
from tests.lossless import planted_rules as rules
from tests.lossless.harness import CUT, RuleMaker, Setup, breaking_draft, padded_draft, real, short_target
from tests.lossless.ways import AUTO, AUTO_CHAIN, AUTO_LOOKUP, CHAIN, FIXED, LOOKUP, Way

LENGTH = 2  # at which every bug below shows; with one guess a round some are none


@dataclass(frozen=True, slots=True)
class Planted:
    """A bug under its name."""

    name: str
    setup: Setup

    def __str__(self) -> str:
        return self.name


def _plant(name: str, rule: RuleMaker, ways: tuple[Way, ...] = (FIXED,), **parts: Any) -> Iterator[Planted]:
    for way in ways:
        yield Planted(f"{way}: {name}", Setup(rule, LENGTH, way=way, **parts))


def _residual(name: str, ways: tuple[Way, ...] = (FIXED,), **parts: Any) -> Iterator[Planted]:
    return _plant(f"residual: {name}", real(Rule.RESIDUAL), ways, **parts)


def _everywhere(name: str, **parts: Any) -> Iterator[Planted]:
    for rule in Rule:
        yield from _plant(f"{rule.value}: {name}", real(rule), **parts)


_MODEL = (FIXED, AUTO)
_LOOKUPS = (LOOKUP, AUTO_LOOKUP)
_CHAINS = (CHAIN, AUTO_CHAIN)

BUGS = [
    *_plant("residual: resamples from p instead of the residual", rules.ResamplesFromTarget, (FIXED, *_LOOKUPS)),
    *_plant("residual: residual is q - p", rules.ResidualTurnedRound),
    *_plant("residual: residual is p without the guess", rules.ResidualIsTargetWithoutGuess),
    *_plant("residual: residual by argmax", rules.ResidualByArgmax),
    *_plant("residual: keeps iff p >= q", rules.KeepsWhereTargetIsSurer),
    *_plant("residual: keeps iff u < p", rules.KeepsByTargetAlone, _MODEL),
    *_plant("residual: one uniform per round", rules.OneUniformPerRound, (FIXED, CHAIN)),
    *_plant("residual: acceptance reuses the draft's uniform", rules.AcceptanceReusesDraftsUniform, _MODEL),
    *_plant("residual: resample reuses the draft's uniform", rules.ResampleReusesDraftsUniform, _MODEL),
    *_plant("residual: resample reuses the acceptance uniform", rules.ResampleReusesAcceptanceUniform, (FIXED, LOOKUP)),
    *_plant("residual: greedy draft, softmax q", rules.GreedyDraft, _MODEL),
    *_plant("residual: draft after top-k, raw q", rules.DraftCutUnseen),
    *_plant("residual: typical acceptance", lambda s: rules.TypicalAcceptance(Residual(s)), (FIXED, LOOKUP)),
    *_plant("coupled: typical acceptance", lambda s: rules.TypicalAcceptance(Coupled(s)), (FIXED, CHAIN)),
    *_plant("match: typical acceptance", lambda s: rules.TypicalAcceptance(Match(s)), (FIXED, AUTO_CHAIN)),
    *_everywhere("target row off by one", speculator=loop.RowsOffByOne),
    *_residual("target row off by one", (AUTO, LOOKUP, AUTO_CHAIN), speculator=loop.RowsOffByOne),
    *_everywhere("bonus drawn from the draft", speculator=loop.BonusFromDraft),
    *_residual("bonus drawn from the draft", (CHAIN,), speculator=loop.BonusFromDraft),
    *_everywhere("bonus from a stale context", speculator=loop.BonusFromStaleContext),
    *_residual("bonus from a stale context", (AUTO_LOOKUP, CHAIN), speculator=loop.BonusFromStaleContext),
    *_plant("coupled: keyed by position in the round", lambda s: rules.KeyedByRound(Coupled(s)), (FIXED, AUTO, CHAIN)),
    *_plant("match: keyed by position in the round", lambda s: rules.KeyedByRound(Match(s))),
    *_residual(
        "withholds a guess by the drawn token's probability",
        (FIXED, AUTO, CHAIN),
        drafter=loop.WithholdsByDrawnToken,
    ),
    *_residual("the draft draws by other settings than q tells", drafter=loop.DrawsByOtherSettings),
    *_residual(
        "drops guesses beyond the target's vocabulary",
        draft=padded_draft,
        drafter=loop.GuessesPadding,
        speculator=loop.DropsGuessesWhenTheTargetFails,
    ),
    *_residual(
        "drops its guesses when the target fails on a batch",
        p_min=0.55,
        target=short_target,
        speculator=loop.DropsGuessesWhenTheTargetFails,
    ),
    *_residual(
        "drops its guesses when the draft fails",
        draft=breaking_draft,
        drafter=loop.DropsGuessesWhenItFails,
        drafting_ends=True,
    ),
    *_plant("keeps a guess that is impossible", rules.KeepsWhatIsImpossible, (*_LOOKUPS, AUTO_CHAIN), settings=CUT),
    *_plant("keeps a guess unjudged", rules.KeepsTheSure, (*_LOOKUPS, *_CHAINS)),
    *_residual("q tells the lookup's confidence", _LOOKUPS, lookup=loop.tells_its_confidence),
    *_residual("the lookup proposes what the rule drew", _LOOKUPS, lookup=loop.proposes_what_the_rule_drew),
    *_residual("the lookup's guess replaces a draft's that differs", (CHAIN,), chain=loop.PrefersTheLookup),
    *_residual("a draft's guess replaces the lookup's that differs", (CHAIN,), chain=loop.PrefersTheModel),
    *_residual("stops by the number that is going to judge", (AUTO,), drafter=auto.StopsByTheAcceptanceNumber),
    *_residual("stops by the number that is going to be drawn with", (AUTO,), drafter=auto.StopsByTheNoise),
    *_residual("stops by what the target is going to draw", (AUTO, AUTO_CHAIN), drafter=auto.StopsByTheTargetsDraw),
]
