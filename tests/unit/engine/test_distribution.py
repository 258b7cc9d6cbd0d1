"""Logits to probabilities: rows by hand for every setting, and a slow reference that looks at everything."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from engine.distribution import Distribution, Logits, distribution, distribution_and_confidence, looked_back
from engine.errors import EngineError, ErrorKind
from engine.types import SamplingSettings
from tests.fakes.table_model import log_of

BARE = SamplingSettings(temperature=1.0, top_k=0, top_p=1.0, min_p=0.0)
FIVE = log_of([0.1, 0.4, 0.05, 0.25, 0.2])  # from likeliest to least: 1, 3, 4, 0, 2


def as_dict(row: Distribution) -> dict[int, float]:
    return dict(zip(row.ids.tolist(), row.probs.tolist(), strict=True))


def normalised(weights: dict[int, float]) -> dict[int, float]:
    total = sum(weights.values())
    return {token: pytest.approx(weight / total, rel=1e-6) for token, weight in sorted(weights.items())}


ROWS = [
    ("bare", {}, {0: 0.1, 1: 0.4, 2: 0.05, 3: 0.25, 4: 0.2}),
    ("temperature 0.5 squares", {"temperature": 0.5}, {0: 0.01, 1: 0.16, 2: 0.0025, 3: 0.0625, 4: 0.04}),
    ("temperature 2 takes roots", {"temperature": 2.0}, {0: 0.1**0.5, 1: 0.4**0.5, 2: 0.05**0.5, 3: 0.5, 4: 0.2**0.5}),
    ("temperature 0 is one-hot", {"temperature": 0.0}, {1: 1.0}),
    ("top-k 1", {"top_k": 1}, {1: 1.0}),
    ("top-k 3", {"top_k": 3}, {1: 0.4, 3: 0.25, 4: 0.2}),
    ("top-k 5 of 5 cuts nothing", {"top_k": 5}, {0: 0.1, 1: 0.4, 2: 0.05, 3: 0.25, 4: 0.2}),
    ("top-k 9 of 5 cuts nothing", {"top_k": 9}, {0: 0.1, 1: 0.4, 2: 0.05, 3: 0.25, 4: 0.2}),
    ("top-p 0 keeps the best", {"top_p": 0.0}, {1: 1.0}),
    ("top-p 0.39 is reached by the best", {"top_p": 0.39}, {1: 1.0}),
    ("top-p 0.41 needs a second", {"top_p": 0.41}, {1: 0.4, 3: 0.25}),
    ("top-p 0.9 is reached by four", {"top_p": 0.9}, {0: 0.1, 1: 0.4, 3: 0.25, 4: 0.2}),
    ("min-p 1 keeps the best", {"min_p": 1.0}, {1: 1.0}),
    ("min-p 0.51 is a share of the best: 0.204", {"min_p": 0.51}, {1: 0.4, 3: 0.25}),
    ("min-p 0.3 is a share of the best: 0.12", {"min_p": 0.3}, {1: 0.4, 3: 0.25, 4: 0.2}),
    # 0.4 / 0.85 = 0.47 and 0.65 / 0.85 = 0.76: after top-k, top-p counts the share of what is left.
    ("top-p after top-k", {"top_k": 3, "top_p": 0.7}, {1: 0.4, 3: 0.25}),
    ("top-p before top-k would keep three", {"top_k": 3, "top_p": 0.75}, {1: 0.4, 3: 0.25}),
    ("min-p after top-p", {"top_p": 0.8, "min_p": 0.51}, {1: 0.4, 3: 0.25}),
    # At temperature 3 the least likely token has half the best's weight; cut first, it is gone.
    (
        "temperature after min-p",
        {"min_p": 0.3, "temperature": 3.0},
        {1: 0.4 ** (1 / 3), 3: 0.25 ** (1 / 3), 4: 0.2 ** (1 / 3)},
    ),
    ("temperature after top-p", {"top_p": 0.41, "temperature": 3.0}, {1: 0.4 ** (1 / 3), 3: 0.25 ** (1 / 3)}),
]


@pytest.mark.parametrize(("settings", "weights"), [row[1:] for row in ROWS], ids=[row[0] for row in ROWS])
def test_each_setting_does_what_it_says(settings: dict[str, float], weights: dict[int, float]) -> None:
    """Rows worked out by hand: what is kept, and with which weights."""
    assert as_dict(distribution(FIVE, replace(BARE, **settings))) == normalised(weights)


PENALTIES = [
    ("a positive logit is divided", [2.0, 1.0], [0], {0: math.e, 1: math.e}),
    ("a negative logit is multiplied", [-1.0, -2.0], [0], {0: math.exp(-2), 1: math.exp(-2)}),
    ("once, however often it occurred", [2.0, 1.0], [0, 0, 0], {0: math.e, 1: math.e}),
    ("no history, no penalty", [2.0, 1.0], [], {0: math.exp(2), 1: math.e}),
    ("only the window counts", [2.0, 2.0, 2.0], [0, 1, 1, 2], {0: math.exp(2), 1: math.e, 2: math.e}),
    ("ids beyond the vocabulary are passed over", [2.0, 1.0], [0, 7], {0: math.e, 1: math.e}),
]


@pytest.mark.parametrize(
    ("logits", "history", "weights"), [row[1:] for row in PENALTIES], ids=[row[0] for row in PENALTIES]
)
def test_the_repeat_penalty(logits: list[float], history: list[int], weights: dict[int, float]) -> None:
    """A penalty of 2 over the last three tokens, by hand."""
    settings = replace(BARE, repeat_penalty=2.0, repeat_window=3)
    assert as_dict(distribution(np.array(logits, np.float32), settings, history)) == normalised(weights)


def test_the_repeat_penalty_comes_before_the_cuts() -> None:
    """The likeliest token, penalised below the second, is what top-k 1 cuts."""
    settings = replace(BARE, top_k=1, repeat_penalty=2.0)
    assert as_dict(distribution(np.array([2.0, 1.5], np.float32), settings, [0])) == {1: 1.0}
    greedy = replace(settings, temperature=0.0)
    assert as_dict(distribution(np.array([2.0, 1.5], np.float32), greedy, [0])) == {1: 1.0}


def test_a_repeat_window_of_zero_looks_back_at_nothing() -> None:
    """As in llama.cpp, where it switches the penalty off."""
    settings = replace(BARE, repeat_penalty=2.0, repeat_window=0)
    assert as_dict(distribution(FIVE, settings, [1, 3])) == as_dict(distribution(FIVE, BARE))


def test_the_logits_are_not_changed() -> None:
    """The row belongs to the decoder; a penalty works on a copy."""
    logits = FIVE.copy()
    distribution(logits, SamplingSettings(repeat_penalty=1.5), [1, 2])
    assert (logits == FIVE).all()


@pytest.mark.parametrize(
    "settings", [BARE, replace(BARE, top_k=2), replace(BARE, min_p=0.01), replace(BARE, top_p=0.9)]
)
def test_impossible_tokens_are_never_candidates(settings: SamplingSettings) -> None:
    """-inf has probability 0, even where top-k has room for it."""
    logits = np.array([-np.inf, 1.0, -np.inf, -np.inf], np.float32)
    assert as_dict(distribution(logits, settings)) == {1: 1.0}


def test_what_underflows_at_a_low_temperature_is_cut() -> None:
    """All probabilities are positive, so an arrival time is never a division by zero."""
    row = distribution(np.array([0.0, 10.0, 9.999], np.float32), replace(BARE, temperature=1e-3))
    assert as_dict(row) == normalised({1: 1.0, 2: math.exp((np.float32(9.999) - 10.0) / 1e-3)})


@pytest.mark.parametrize("vocab", [5, 700, 5000])
@pytest.mark.parametrize(
    "settings",
    [
        BARE,
        replace(BARE, temperature=0.0),
        replace(BARE, top_k=3),
        replace(BARE, top_p=0.9),
        replace(BARE, min_p=0.1),
        SamplingSettings(),
    ],
)
def test_a_logit_that_is_no_number_is_an_error(settings: SamplingSettings, vocab: int) -> None:
    """NaN and +inf anywhere, or nothing possible at all: NON_FINITE_LOGITS, under every setting."""
    rows = [np.full(vocab, -np.inf, np.float32)]
    for value in (np.nan, np.inf):
        for at in (0, vocab // 2, vocab - 1):
            row = np.linspace(-3.0, 3.0, vocab, dtype=np.float32)
            row[at] = value
            rows.append(row)
    for row in rows:
        with pytest.raises(EngineError) as caught:
            distribution(row, settings)
        assert caught.value.report.kind is ErrorKind.NON_FINITE_LOGITS


def test_minus_infinity_alone_is_no_error() -> None:
    """Grammars and models rule tokens out with it; NaN among them is still found."""
    row = np.full(5000, -np.inf, np.float32)
    row[4321] = -5.0
    assert as_dict(distribution(row, SamplingSettings())) == {4321: 1.0}
    row[17] = np.nan
    with pytest.raises(EngineError):
        distribution(row, SamplingSettings())


# ---------------------------------------------------------------- against a reference that looks at everything


def reference(logits: Logits, settings: SamplingSettings, history: list[int]) -> Distribution:
    """The same by sorting the whole vocabulary in double precision."""
    values = logits.astype(np.float64)
    if settings.repeat_penalty != 1.0:
        for token in set(history[-settings.repeat_window :]):
            values[token] *= settings.repeat_penalty if values[token] < 0 else 1.0 / settings.repeat_penalty
        values = values.astype(np.float32).astype(np.float64)
    ids = np.lexsort((np.arange(len(values)), -values))  # likeliest first, the lower id first among equals
    ids = ids[values[ids] > -np.inf]
    if settings.temperature == 0.0:
        return Distribution(ids[:1], np.ones(1))
    if settings.top_k > 0:
        ids = ids[: settings.top_k]
    probs = np.exp(values[ids] - values[ids[0]])
    probs /= probs.sum()
    if settings.top_p < 1.0:
        before = np.concatenate([[0.0], np.cumsum(probs)[:-1]])
        ids = ids[(before < settings.top_p) | (np.arange(len(ids)) == 0)]
    if settings.min_p > 0.0:
        ids = ids[np.exp(values[ids] - values[ids[0]]) >= settings.min_p]
    probs = np.exp((values[ids] - values[ids[0]]) / settings.temperature)
    ids, probs = ids[probs > 0.0], probs[probs > 0.0]
    order = ids.argsort()
    return Distribution(ids[order], probs[order] / probs.sum())


def assert_same(row: Distribution, wanted: Distribution) -> None:
    assert row.ids.tolist() == wanted.ids.tolist()
    assert np.allclose(row.probs, wanted.probs, rtol=1e-5, atol=0.0)
    assert math.isclose(row.probs.sum(), 1.0, rel_tol=1e-12)
    assert (row.probs > 0.0).all()


# Not divisible by the group, smaller than one group, and just about a few of them.
small_vocabularies = st.integers(1, 900)
temperatures = st.sampled_from([0.0, 0.3, 0.8, 1.0, 1.7])
all_settings = st.builds(
    SamplingSettings,
    temperature=temperatures,
    top_k=st.sampled_from([0, 1, 2, 3, 5, 10, 40, 200]),
    # Never where a cumulative sum of equal weights could fall on it but for rounding.
    top_p=st.sampled_from([1.0, 0.9501234, 0.6180339, 0.1234567]),
    min_p=st.sampled_from([0.0, 0.0512345, 0.3141592]),
    repeat_penalty=st.sampled_from([1.0, 1.3]),
    repeat_window=st.integers(1, 80),
)


@given(vocab=small_vocabularies, seed=st.integers(0, 2**32 - 1), steps=st.integers(1, 12), settings=all_settings)
def test_the_shortcuts_agree_with_looking_at_everything(
    vocab: int, seed: int, steps: int, settings: SamplingSettings
) -> None:
    """On rows full of equal logits and impossible tokens: the same candidates, the lower id first among equals."""
    rng = np.random.default_rng(seed)
    logits = rng.integers(-steps, steps + 1, vocab).astype(np.float32)
    logits[rng.random(vocab) < 0.1] = -np.inf
    assume(np.isfinite(logits).any())
    history = rng.integers(0, vocab, 100).tolist()
    assert_same(distribution(logits, settings, history), reference(logits, settings, history))


LARGE_SETTINGS = {
    "default": SamplingSettings(),
    "top-k 1": replace(BARE, top_k=1),
    "top-k 40": replace(BARE, top_k=40),
    "top-k 5,000": replace(BARE, top_k=5000),
    "top-p 0.95": replace(BARE, top_p=0.95),
    "min-p 0.05": replace(BARE, min_p=0.05),
    "min-p, hot": replace(BARE, min_p=0.001, temperature=2.0),
    "top-p of a penalised row": replace(BARE, top_p=0.9, repeat_penalty=1.2),
    "greedy": replace(BARE, temperature=0.0),
    "bare": BARE,
}


def large_row(kind: str, vocab: int, seed: int) -> npt.NDArray[np.float32]:
    rng = np.random.default_rng(seed)
    row = (rng.normal(size=vocab) * 3.0).astype(np.float32)
    match kind:
        case "ties at every place":
            row = np.round(row)
        case "a tie at the k-th place":  # the 30th to the 60th largest are equal
            order = np.argsort(-row)
            row[order[29:60]] = row[order[29]]
        case "mostly impossible":
            row[rng.random(vocab) < 0.9999] = -np.inf
        case "flat":
            row *= 1e-3
        case "peaked in neighbours":  # a whole run of the largest in few groups
            row[1000:1100] += 20.0
    return row


@pytest.mark.parametrize(
    "kind",
    ["normal", "ties at every place", "a tie at the k-th place", "mostly impossible", "flat", "peaked in neighbours"],
)
@pytest.mark.parametrize("vocab", [49_152, 49_153, 151_936, 262_144])
def test_large_vocabularies_agree_with_looking_at_everything(vocab: int, kind: str) -> None:
    """Rows of the sizes that models have, in shapes that mislead a shortcut, under settings of every kind."""
    logits = large_row(kind, vocab, seed=vocab)
    history = list(range(0, 64 * 7, 7))
    for settings in LARGE_SETTINGS.values():
        assert_same(distribution(logits, settings, history), reference(logits, settings, history))


# ---------------------------------------------------------------- looking things up


def test_a_row_answers_for_single_tokens_and_for_many() -> None:
    """Tokens that were cut have probability 0, before, between and after those that were kept."""
    row = Distribution(np.array([2, 5, 9]), np.array([0.2, 0.5, 0.3]))
    assert [row.probability(token) for token in (0, 2, 3, 5, 9, 10)] == [0.0, 0.2, 0.0, 0.5, 0.3, 0.0]
    assert row.at(np.array([0, 2, 3, 5, 9, 10])).tolist() == [0.0, 0.2, 0.0, 0.5, 0.3, 0.0]
    assert row.likeliest() == 5


def test_the_likeliest_of_equals_has_the_lowest_id() -> None:
    """As at temperature 0, so the match rule's guess is the greedy one."""
    row = Distribution(np.array([3, 4, 8]), np.array([0.2, 0.4, 0.4]))
    assert row.likeliest() == 4
    assert distribution(np.array([1.0, 3.0, 3.0], np.float32), replace(BARE, temperature=0.0)).likeliest() == 1


@given(st.lists(st.floats(-20, 20, width=32), min_size=1, max_size=300), st.integers(0, 2**32 - 1))
def test_confidence_is_the_best_of_the_ten_likeliest(values: list[float], seed: int) -> None:
    """It is a property of the row: between a tenth and one, and the same however the ids are arranged."""
    row = np.array(values, np.float32)
    best = np.sort(row.astype(np.float64))[::-1][:10]
    assert confidence(row) == pytest.approx(1.0 / np.exp(best - best[0]).sum())
    assert 0.1 <= confidence(row) <= 1.0
    assert confidence(np.random.default_rng(seed).permutation(row)) == pytest.approx(confidence(row))


def confidence(row: Logits, settings: SamplingSettings = BARE, history: Sequence[int] = ()) -> float:
    return distribution_and_confidence(row, settings, history)[1]


@given(seed=st.integers(0, 2**32 - 1), vocab=st.sampled_from([3, 700, 5000]), settings=all_settings)
def test_a_shared_cut_changes_neither_the_row_nor_the_confidence(
    seed: int, vocab: int, settings: SamplingSettings
) -> None:
    """Whatever top-k is, and whether a penalty comes between; the penalty does not make a draft unsure."""
    rng = np.random.default_rng(seed)
    logits = np.round(rng.normal(size=vocab) * 4.0).astype(np.float32)
    history = rng.integers(0, vocab, 100).tolist()
    row, sure = distribution_and_confidence(logits, settings, history)
    alone = distribution(logits, settings, history)
    assert row.ids.tolist() == alone.ids.tolist()
    assert row.probs.tolist() == alone.probs.tolist()
    assert sure == confidence(logits)


@given(size=st.integers(0, 200), settings=all_settings)
def test_the_end_of_the_text_is_all_that_a_penalty_needs(size: int, settings: SamplingSettings) -> None:
    """What it looks back at is as much as the whole text, at most a window long, and nobody else's list."""
    logits = np.linspace(3.0, -3.0, 300, dtype=np.float32)
    text = np.random.default_rng(size).integers(0, 300, size).tolist()
    end = looked_back(text, settings)
    assert as_dict(distribution(logits, settings, end)) == as_dict(distribution(logits, settings, text))
    assert len(end) <= settings.repeat_window
    assert end is not text
