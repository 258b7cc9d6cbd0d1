"""The joint law of three tokens and how often guesses are kept, through the real loop, for every rule and draft length;
and the bugs that this must catch.

The law finds text that is not the target's, acceptance finds drafts that are lossless but useless. Both look at the
same expensive runs, which is why they share a file: files may run in processes of their own.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import numpy as np
import pytest

from engine.distribution import Floats
from engine.types import Rule, Source
from tests.lossless.harness import DRAFT, TARGET, VOCAB, Setup, real
from tests.lossless.joint import ENOUGH, LEVEL, REPLIES, JointTest
from tests.lossless.planted import BUGS, LENGTH, Planted
from tests.lossless.planted_loop import stale_draft
from tests.lossless.planted_rules import OpenResidual
from tests.lossless.ways import FIXED, WAYS, Way

# A planted bug must fall this low, where one right run in a million gets, at one of these looks. Most do at the first.
CERTAIN = 1e-6
LOOKS = (500, 1_000, 2_000, ENOUGH, REPLIES)

# A right run goes past five standard deviations once in 1.7 million. 4,000 replies judge some 8,000 guesses or more, so
# that five are at most 0.027 of acceptance, 12,000 more than 25,000, and 0.015.
SIGMAS = 5.0

FullRun = Callable[[Rule, int, Way], JointTest]
# Of the tokens looked at, each kind must be this many at least: a third of what they are, or less.
FLOOR = {False: 0.05, True: 0.01}  # by whether lengths are chosen by time


@pytest.fixture(scope="module")
def full_run() -> FullRun:
    """The right code, by rule, draft length and way, each run once.

    At full size at a fixed length, and otherwise as many replies as are enough. For rules whose text does not depend on
    how guesses come about (`test_equality` shows it, id by id) one length stands for all, and the others need no more.
    """

    @cache
    def run(rule: Rule, length: int, way: Way) -> JointTest:
        test = JointTest.of(Setup(real(rule), length, way=way))
        keyed = rule is not Rule.RESIDUAL
        if way is FIXED:
            test.run(ENOUGH if keyed and length != 2 else REPLIES)
        else:
            test.run(ENOUGH // 4 if keyed else ENOUGH)
        return test

    return run


# ---------------------------------------------------------------- the law


@pytest.mark.parametrize("length", [1, 2, 4])
@pytest.mark.parametrize("rule", Rule)
def test_three_tokens_have_the_targets_joint_law(full_run: FullRun, rule: Rule, length: int) -> None:
    """What the loop writes has the law of the target alone, and every kind of token took part in it."""
    test = full_run(rule, length, FIXED)
    assert test.p_value() > LEVEL
    for source in (Source.ACCEPTED, Source.RESAMPLED, Source.BONUS):
        assert test.share(source) >= FLOOR[False], source


@pytest.mark.parametrize("way", WAYS[1:], ids=str)
@pytest.mark.parametrize("rule", Rule)
def test_three_tokens_have_the_targets_joint_law_in_every_way(full_run: FullRun, rule: Rule, way: Way) -> None:
    """Whoever guesses, and though rows, times and what earlier replies taught decide how much is guessed, the law
    stays; every kind of token and every drafter took part, and by time plain rounds did, too."""
    test = full_run(rule, LENGTH, way)
    assert test.p_value() > LEVEL
    for source in (Source.ACCEPTED, Source.RESAMPLED, Source.BONUS, *([Source.PLAIN] if way.by_time else [])):
        assert test.share(source) >= FLOOR[way.by_time], source
    assert test.drafters.keys() == way.drafters
    for drafter in way.drafters:
        assert test.share(drafter) >= FLOOR[way.by_time], drafter


def test_three_tokens_have_the_targets_joint_law_where_an_unsure_draft_stops() -> None:
    """p_min stops the draft after two of the four tokens and leaves the law alone, under the residual rule too."""
    test = JointTest.of(Setup(real(Rule.RESIDUAL), length=3, p_min=0.55))
    assert test.run(ENOUGH) > LEVEL
    for source in (Source.ACCEPTED, Source.RESAMPLED, Source.BONUS, Source.PLAIN):
        assert test.share(source) >= 0.05, source


@pytest.mark.parametrize("planted", BUGS, ids=str)
def test_a_planted_bug_is_caught(planted: Planted) -> None:
    """The same test rejects this bug within as many replies as it takes to pass the right code."""
    test = JointTest.of(planted.setup)
    assert any(test.run(look) < CERTAIN for look in LOOKS)


def test_the_scaffold_of_the_planted_bugs_is_the_real_rule() -> None:
    """With nothing planted it writes the real rule's tokens, so the bugs differ from it in the bug alone."""
    scaffold, rule = (JointTest.of(Setup(maker, LENGTH)) for maker in (OpenResidual, real(Rule.RESIDUAL)))
    assert scaffold.run(1_000) == rule.run(1_000)
    assert (scaffold.counts == rule.counts).all()
    assert scaffold.sources == rule.sources


# ---------------------------------------------------------------- acceptance


def overlap() -> Floats:
    """The sum of min(p, q) after each token: what the residual rule keeps, and no rule can keep more."""
    return np.minimum(TARGET, DRAFT).sum(axis=1)


def same_winner() -> Floats:
    """How probable it is that two races on the same noise have the same winner, after each token.

    Token i wins both iff E_j > E_i max(p_j / p_i, q_j / q_i) for all others, and the E are independent, exponential:
    the sum over i of 1 / sum over j of max(p_j / p_i, q_j / q_i).
    """
    p, q = TARGET, DRAFT
    ratios = np.maximum(p[:, None, :] / p[:, :, None], q[:, None, :] / q[:, :, None])  # [context, i, j]
    return (1.0 / ratios.sum(axis=2)).sum(axis=1)


def target_agrees_with_likeliest() -> Floats:
    """p of the draft's likeliest token, after each token."""
    return TARGET[np.arange(len(TARGET)), DRAFT.argmax(axis=1)]


CHANCES = {
    Rule.COUPLED: same_winner(),
    Rule.RESIDUAL: overlap(),
    Rule.MATCH: target_agrees_with_likeliest(),
}


@pytest.mark.parametrize("length", [1, 2, 4])
@pytest.mark.parametrize("rule", Rule)
def test_guesses_are_kept_as_often_as_the_tables_say(full_run: FullRun, rule: Rule, length: int) -> None:
    """Acceptance is the overlap of p and q, the chance of a common winner, or p of the draft's best, to 5 sigma."""
    test = full_run(rule, length, FIXED)
    assert test.verified.sum() > 8_000
    assert abs(test.acceptance_error(CHANCES[rule])) < SIGMAS


@pytest.mark.parametrize("way", WAYS[1:], ids=str)
@pytest.mark.parametrize("rule", Rule)
def test_guesses_are_kept_as_often_as_the_tables_say_in_every_way(full_run: FullRun, rule: Rule, way: Way) -> None:
    """The draft model's by the formulas above. The lookup's under every rule as often as the target writes them: a row
    all on one token overlaps with the target's by p of that token."""
    test = full_run(rule, LENGTH, way)
    if way.models:
        assert test.verified.sum() > 1_000
        assert abs(test.acceptance_error(CHANCES[rule])) < SIGMAS
    if way.looks:
        assert test.looked.tossed > 20  # fewest by time beside a model, and how few depends on what it thinks of both
        assert abs(test.looked.error) < SIGMAS


def test_the_coupled_rule_keeps_its_guarantee(full_run: FullRun) -> None:
    """By formula and as measured, it keeps between S / (2 - S), the paper's bound, and S = sum of min(p, q)."""
    test = full_run(Rule.COUPLED, 2, FIXED)
    measured = test.accepted[:VOCAB] / test.verified[:VOCAB]
    assert (test.verified[:VOCAB] > 3_000).all()  # so five standard deviations are less than 0.045
    for chances, slack in ((same_winner(), 0.0), (measured, 0.045)):
        assert (chances >= overlap() / (2.0 - overlap()) - slack).all()
        assert (chances <= overlap() + slack).all()


@pytest.mark.parametrize("rule", Rule)
def test_a_stale_draft_is_caught_by_its_acceptance(rule: Rule) -> None:
    """A draft that lags a token behind writes the right law, which no joint test can fault, but is rarely right."""
    test = JointTest.of(Setup(real(rule), length=2, draft=stale_draft))
    assert test.run(ENOUGH) > LEVEL
    assert abs(test.acceptance_error(CHANCES[rule])) > 2 * SIGMAS
