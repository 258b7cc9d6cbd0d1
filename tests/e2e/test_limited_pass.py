"""A pass that takes too long is given up."""

from __future__ import annotations

from tests.conftest import StarterFiles
from tests.fakes.limited_pass import given_up


def test_a_pass_over_its_limit_ends_early_and_leaves_the_cache_as_it_was(starter: StarterFiles) -> None:
    """On a processor, in the middle of the pass; what is computed next is as if it had never been tried."""
    seen = given_up(starter.target)
    assert seen.overdue == 5
    assert seen.given_up_s < 0.8 * seen.usual_s
    assert seen.held == [100] * 5
    assert seen.same
