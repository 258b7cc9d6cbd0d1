"""The measure of near ties, which decides whether a difference on real hardware is rounding or a bug."""

from __future__ import annotations

from dataclasses import replace
from math import inf

import numpy as np
import pytest

from engine import noise
from engine.distribution import Logits
from engine.near_ties import chosen, gap
from engine.types import GenerationRequest, Rule, SamplingSettings
from tests.lossless.harness import BARE

ROW = np.array([1.0, 3.0, 2.5, 2.98, -4.0], np.float32)
GREEDY = replace(BARE, temperature=0.0)


def request(sampling: SamplingSettings, rule: Rule = Rule.COUPLED) -> GenerationRequest:
    return GenerationRequest(job=0, prompt="x", sampling=sampling, rule=rule)


def gap_to(other: int, sampling: SamplingSettings, position: int = 0, row: Logits = ROW) -> float | None:
    """Between what the row gives and another token."""
    now = chosen(row, request(sampling), position, [])
    assert now is not None
    return gap(row, request(sampling), position, [], (now, other))


@pytest.mark.parametrize("rule", Rule)
@pytest.mark.parametrize(("other", "size"), [(3, 0.02), (2, 0.5), (0, 2.0)])
def test_greedy_it_is_the_difference_of_two_logits(other: int, size: float, rule: Rule) -> None:
    """Or, for the runner-up, just as much from above; by whatever rule guesses are judged, whichever comes first."""
    greedy = request(GREEDY, rule)
    assert chosen(ROW, greedy, 0, []) == 1
    assert gap(ROW, greedy, 0, [], (1, other)) == pytest.approx(size, abs=1e-5)
    assert gap(ROW, greedy, 0, [], (other, 1)) == pytest.approx(size, abs=1e-5)


@pytest.mark.parametrize("temperature", [0.5, 0.8, 2.0])
def test_at_a_temperature_it_is_the_difference_of_the_scores(temperature: float) -> None:
    """log p + noise of the two, times the temperature, where nothing is cut."""
    settings = replace(BARE, temperature=temperature, seed=4)
    for position in range(20):
        scores = ROW / temperature - np.log(-np.log(noise.uniforms(4, position, np.arange(5))))
        best, other = np.argsort(-scores)[:2]
        assert chosen(ROW, request(settings), position, []) == best
        wanted = (scores[best] - scores[other]) * temperature
        assert gap_to(int(other), settings, position) == pytest.approx(wanted, abs=1e-5)


def test_where_a_cut_decides_it_is_the_distance_from_the_cut() -> None:
    """With top-k 2 token 2 must first pass token 3, and token 1 falls out where it falls below token 2."""
    settings = SamplingSettings(temperature=1.0, top_k=2, top_p=1.0, min_p=0.0, seed=0)
    position = next(
        n for n in range(10_000) if noise.uniforms(0, n, np.array([2]))[0] > 0.999
    )  # 2 wins wherever it may
    assert chosen(ROW, request(settings), position, []) != 2
    assert gap_to(2, settings, position) == pytest.approx(0.48, abs=1e-5)


def test_what_no_rounding_explains_is_infinite() -> None:
    """A token that is impossible, or hopeless."""
    row = ROW.copy()
    row[4] = -np.inf
    assert gap_to(4, GREEDY, row=row) == inf
    assert gap_to(4, GREEDY, row=ROW - np.float32([0, 0, 0, 0, 40])) == inf


def test_a_third_token_counts_with_the_farther_of_the_two() -> None:
    """Where the target, asked again, writes neither, both replies have to be explained."""
    assert gap(ROW, request(GREEDY), 0, [], (3, 2)) == pytest.approx(0.5, abs=1e-5)


def test_match_draws_by_position_and_has_a_gap() -> None:
    """Its draw depends on the seed and the position alone, so a change of the row explains another token."""
    settings = replace(BARE, seed=4)
    now = chosen(ROW, request(settings, Rule.MATCH), 3, [])
    assert now is not None
    other = (now + 1) % 4
    size = gap(ROW, request(settings, Rule.MATCH), 3, [], (now, other))
    assert size is not None
    assert 0 < size < inf


def test_residual_above_temperature_0_has_none() -> None:
    """What it draws depends on what was proposed, so no one token is right."""
    drawn = request(BARE, Rule.RESIDUAL)
    assert chosen(ROW, drawn, 0, []) is None
    assert gap(ROW, drawn, 0, [], (1, 3)) is None


def test_the_penalty_for_repeating_counts() -> None:
    """What decides is what the settings make of the logits."""
    settings = replace(GREEDY, repeat_penalty=1.5)
    assert chosen(ROW, request(settings), 0, [1]) == 3
    assert gap(ROW, request(settings), 0, [1], (3, 2)) == pytest.approx(0.48, abs=1e-5)
