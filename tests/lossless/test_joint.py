"""The joint law of three tokens, through the real loop, for every rule and draft length; and the bugs it must catch."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from engine.types import Rule, Source
from tests.lossless.harness import ENOUGH, LEVEL, REPLIES, JointTest, Setup, real
from tests.lossless.planted import BUGS, LENGTH, OpenResidual, Planted

# A planted bug must fall this low, where one right run in a million gets, at one of these looks. Most do at the first.
CERTAIN = 1e-6
LOOKS = (1_000, 2_000, ENOUGH, REPLIES)


@pytest.mark.parametrize("length", [1, 2, 4])
@pytest.mark.parametrize("rule", Rule)
def test_three_tokens_have_the_targets_joint_law(
    full_run: Callable[[Rule, int], JointTest], rule: Rule, length: int
) -> None:
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
