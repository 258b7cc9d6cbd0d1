"""The expensive runs, made once and looked at by several tests."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import pytest

from engine.types import Rule
from tests.lossless.harness import ENOUGH, REPLIES, JointTest, Setup, real


@pytest.fixture(scope="session")
def full_run() -> Callable[[Rule, int], JointTest]:
    """The right code, by rule and draft length.

    At full size, but for rules whose text does not depend on the draft length (`test_equality` shows it, id by id):
    there one length stands for all, and the others are only as many replies as are enough.
    """

    @cache
    def run(rule: Rule, length: int) -> JointTest:
        test = JointTest.of(Setup(real(rule), length))
        test.run(REPLIES if rule is Rule.RESIDUAL or length == 2 else ENOUGH)
        return test

    return run
