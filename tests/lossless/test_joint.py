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
from tests.lossless.harness import DRAFT, ENOUGH, LEVEL, REPLIES, TARGET, VOCAB, JointTest, Setup, real
from tests.lossless.planted import BUGS, LENGTH, OpenResidual, Planted, stale_draft

# A planted bug must fall this low, where one right run in a million gets, at one of these looks. Most do at the first.
CERTAIN = 1e-6
LOOKS = (1_000, 2_000, ENOUGH, REPLIES)

# A right run goes past five standard deviations once in 1.7 million. 4,000 replies judge some 8,000 guesses or more, so
# that five are at most 0.027 of acceptance, 12,000 more than 25,000, and 0.015.
SIGMAS = 5.0

FullRun = Callable[[Rule, int], JointTest]


@pytest.fixture(scope="module")
def full_run() -> FullRun:
    """The right code, by rule and draft length, each run once.

    At full size, but for rules whose text does not depend on the draft length (`test_equality` shows it, id by id):
    there one length stands for all, and the others are only as many replies as are enough.
    """

    @cache
    def run(rule: Rule, length: int) -> JointTest:
        test = JointTest.of(Setup(real(rule), length))
        test.run(REPLIES if rule is Rule.RESIDUAL or length == 2 else ENOUGH)
        return test

    return run


# ---------------------------------------------------------------- the law


@pytest.mark.parametrize("length", [1, 2, 4])
@pytest.mark.parametrize("rule", Rule)
def test_three_tokens_have_the_targets_joint_law(full_run: FullRun, rule: Rule, length: int) -> None:
    """What the loop writes has the law of the target alone, and every kind of token took part in it."""
    test = full_run(rule, length)
    assert test.p_value() > LEVEL
    for source in (Source.ACCEPTED, Source.RESAMPLED, Source.BONUS):
        assert test.share(source) >= 0.05, source


def test_three_tokens_have_the_targets_joint_law_where_an_unsure_draft_stops() -> None:
    """p_min stops the draft after two of the four tokens and leaves the law alone, under the residual rule too."""
    test = JointTest.of(Setup(real(Rule.RESIDUAL), length=3, p_min=0.55))
    assert test.run(ENOUGH) > LEVEL
    for source in (Source.ACCEPTED, Source.RESAMPLED, Source.BONUS, Source.PLAIN):
        assert test.share(source) >= 0.05, source


@pytest.mark.parametrize("rule", Rule)
def test_three_tokens_have_the_targets_joint_law_where_lengths_are_chosen_by_time(rule: Rule) -> None:
    """Rows, times and what earlier rounds showed decide how much is guessed, and the law stays."""
    test = JointTest.of(Setup(real(rule), length=3, by_time=True))
    assert test.run(ENOUGH) > LEVEL
    for source in (Source.ACCEPTED, Source.RESAMPLED, Source.BONUS):
        assert test.share(source) >= 0.05, source


@pytest.mark.parametrize("planted", BUGS, ids=lambda planted: planted.name)
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
    test = full_run(rule, length)
    assert test.verified.sum() > 8_000
    assert abs(test.acceptance_error(CHANCES[rule])) < SIGMAS


def test_the_coupled_rule_keeps_its_guarantee(full_run: FullRun) -> None:
    """By formula and as measured, it keeps between S / (2 - S), the paper's bound, and S = sum of min(p, q)."""
    test = full_run(Rule.COUPLED, 2)
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
