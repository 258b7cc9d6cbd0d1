"""The repeat penalty looks back over drafted tokens too, on both sides; the law is then no longer a chain's."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from itertools import product
from typing import Any

import numpy as np
import pytest

from engine import drafting, speculate
from engine.distribution import Distribution, Floats, Logits, distribution
from engine.types import Rule, SamplingSettings
from tests.lossless.harness import BARE, TARGET, VOCAB, Setup, real
from tests.lossless.joint import ENOUGH, LEVEL, WINDOW, JointTest, window_start
from tests.lossless.ways import Way, in_every_way

# The window is shorter than a reply, so tokens must also leave it again.
SETTINGS = replace(BARE, repeat_penalty=1.4, repeat_window=2)
LENGTH = 2


def penalised(probabilities: Floats, recent: Sequence[int]) -> Floats:
    """By hand: the logarithms of probabilities are never positive, so the penalty multiplies them."""
    logits = np.log(probabilities)
    logits[list(set(recent))] *= SETTINGS.repeat_penalty
    weights = np.exp(logits)
    return weights / weights.sum()


@cache
def law(start: int) -> Floats:
    """Exact law of the three tokens from number `start` on, [64]; the first of all is certain."""
    law = np.zeros(VOCAB**WINDOW)
    for at, path in enumerate(product(range(VOCAB), repeat=start - 1 + WINDOW)):
        history, total = [0], 1.0  # the prompt's token is in nobody's vocabulary, so it is never penalised
        for token in path:
            total *= penalised(TARGET[history[-1]], history[-SETTINGS.repeat_window :])[token]
            history.append(token)
        law[at % len(law)] += total
    return law


def joint_test(setup: Setup) -> JointTest:
    return JointTest(setup, law(window_start(setup)))


@in_every_way
def test_a_repeat_penalty_keeps_the_joint_law(way: Way) -> None:
    """With a penalty over the last two tokens, guesses among them, 1,000 replies have the exact law under the rule that
    looks at the draft's row."""
    assert joint_test(Setup(real(Rule.RESIDUAL), LENGTH, SETTINGS, way=way)).run(ENOUGH // 4) > LEVEL


def test_a_repeat_penalty_keeps_the_joint_law_under_the_coupled_rule() -> None:
    """The other ways write the same tokens (`test_equality`)."""
    assert joint_test(Setup(real(Rule.COUPLED), LENGTH, SETTINGS)).run(ENOUGH) > LEVEL


@pytest.mark.parametrize("rule", Rule)
def test_a_history_without_the_drafted_tokens_is_caught(rule: Rule, monkeypatch: pytest.MonkeyPatch) -> None:
    """Half the replies show a target whose penalty forgets the guesses of the round."""
    lengths: list[int] = []

    class Forgetful(speculate.Speculator):
        def _judge(self, rows: Any, guesses: list[drafting.Guess]) -> Any:
            lengths[:] = [len(self.committed)]
            return super()._judge(rows, guesses)

    def forgetful(logits: Logits, settings: SamplingSettings, history: Sequence[int] = ()) -> Distribution:
        return distribution(logits, settings, history[: lengths[0]])

    monkeypatch.setattr(speculate, "distribution", forgetful)
    test = joint_test(Setup(real(rule), LENGTH, SETTINGS, speculator=Forgetful))
    assert test.run(2_000) < 1e-6
