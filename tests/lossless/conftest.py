"""The expensive runs, made once and looked at by several tests."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import pytest

from engine.types import Rule
from tests.lossless.harness import REPLIES, JointTest, Setup, real


@pytest.fixture(scope="session")
def full_run() -> Callable[[Rule, int], JointTest]:
    """The right code at full size, by rule and draft length."""

    @cache
    def run(rule: Rule, length: int) -> JointTest:
        test = JointTest.of(Setup(real(rule), length))
        test.run(REPLIES)
        return test

    return run
