"""How often guesses are kept, against what the tables say: this finds drafts that are lossless but useless."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from engine.distribution import Floats
from engine.types import Rule
from tests.lossless.harness import DRAFT, ENOUGH, LEVEL, TARGET, VOCAB, JointTest, Setup, real
from tests.lossless.planted import stale_draft

# A right run goes past five standard deviations once in 1.7 million. 4,000 replies judge some 8,000 guesses or more, so
# that five are at most 0.027 of acceptance, 12,000 more than 25,000, and 0.015.
SIGMAS = 5.0

FullRun = Callable[[Rule, int], JointTest]


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
