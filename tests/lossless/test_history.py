"""The repeat penalty looks back over drafted tokens too, on both sides; the law is then no longer a chain's."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np
import pytest

from engine import drafting, speculate
from engine.distribution import Distribution, Floats, Logits, distribution
from engine.types import Rule, SamplingSettings
from tests.lossless.harness import BARE, ENOUGH, LEVEL, TARGET, VOCAB, WINDOW, JointTest, Setup, real

# The window is shorter than a reply, so tokens must also leave it again.
SETTINGS = replace(BARE, repeat_penalty=1.4, repeat_window=2)
LENGTH = 2


def penalised(probabilities: Floats, recent: Sequence[int]) -> Floats:
    """By hand: the logarithms of probabilities are never positive, so the penalty multiplies them."""
    logits = np.log(probabilities)
    logits[list(set(recent))] *= SETTINGS.repeat_penalty
    weights = np.exp(logits)
    return weights / weights.sum()


def law() -> Floats:
    """Exact law of the three tokens after the certain first, [64]."""
    probability = []
    for path in product(range(VOCAB), repeat=WINDOW):
        history, total = [0], 1.0  # the prompt's token is in nobody's vocabulary, so it is never penalised
        for token in path:
            total *= penalised(TARGET[history[-1]], history[-SETTINGS.repeat_window :])[token]
            history.append(token)
        probability.append(total)
    return np.array(probability)


@pytest.mark.parametrize("rule", [Rule.COUPLED, Rule.RESIDUAL])
def test_a_repeat_penalty_keeps_the_joint_law(rule: Rule) -> None:
    """With a penalty over the last two tokens, drafted ones among them, 4,000 replies have the exact law."""
    test = JointTest(Setup(real(rule), LENGTH, SETTINGS), law())
    assert test.run(ENOUGH) > LEVEL


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
    test = JointTest(Setup(real(rule), LENGTH, SETTINGS, speculator=Forgetful), law())
    assert test.run(2_000) < 1e-6
