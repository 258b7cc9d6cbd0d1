"""The measure of near ties, which decides whether a difference on real hardware is rounding or a bug."""

from __future__ import annotations

from dataclasses import replace
from math import inf

import numpy as np
import pytest

from engine import noise
from engine.types import SamplingSettings
from tests.bench.near_ties import choice, gap
from tests.lossless.harness import BARE

ROW = np.array([1.0, 3.0, 2.5, 2.98, -4.0], np.float32)
GREEDY = replace(BARE, temperature=0.0)


@pytest.mark.parametrize(("other", "size"), [(3, 0.02), (2, 0.5), (0, 2.0)])
def test_greedy_it_is_the_difference_of_two_logits(other: int, size: float) -> None:
    """Or, for the runner-up, just as much from above."""
    assert choice(ROW, GREEDY, 0, []) == 1
    assert gap(ROW, GREEDY, 0, [], other) == pytest.approx(size, abs=1e-5)


@pytest.mark.parametrize("temperature", [0.5, 0.8, 2.0])
def test_at_a_temperature_it_is_the_difference_of_the_scores(temperature: float) -> None:
    """log p + noise of the two, times the temperature, where nothing is cut."""
    settings = replace(BARE, temperature=temperature, seed=4)
    for position in range(20):
        scores = ROW / temperature - np.log(-np.log(noise.uniforms(4, position, np.arange(5))))
        chosen, other = np.argsort(-scores)[:2]
        assert choice(ROW, settings, position, []) == chosen
        wanted = (scores[chosen] - scores[other]) * temperature
        assert gap(ROW, settings, position, [], int(other)) == pytest.approx(wanted, abs=1e-5)


def test_where_a_cut_decides_it_is_the_distance_from_the_cut() -> None:
    """With top-k 2 token 2 must first pass token 3, and token 1 falls out where it falls below token 2."""
    settings = SamplingSettings(temperature=1.0, top_k=2, top_p=1.0, min_p=0.0, seed=0)
    position = next(
        n for n in range(10_000) if noise.uniforms(0, n, np.array([2]))[0] > 0.999
    )  # 2 wins wherever it may
    assert choice(ROW, settings, position, []) != 2
    assert gap(ROW, settings, position, [], 2) == pytest.approx(0.48, abs=1e-5)


def test_what_no_rounding_explains_is_infinite() -> None:
    """A token that is impossible, or hopeless."""
    row = ROW.copy()
    row[4] = -np.inf
    assert gap(row, GREEDY, 0, [], 4) == inf
    assert gap(ROW - np.float32([0, 0, 0, 0, 40]), GREEDY, 0, [], 4) == inf
