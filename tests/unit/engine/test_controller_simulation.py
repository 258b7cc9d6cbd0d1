"""The controller against an oracle, in worlds that neither was made for. The constants were tuned on other seeds."""

from __future__ import annotations

import numpy as np
import pytest

from engine.controller import Controller
from engine.costs import Costs, MeasuredCosts
from engine.policy import FixedLength, Offer, Step
from engine.types import Drafter
from tests.fakes.drafting_worlds import Floats, Score, Signal, World, score

WORLDS = 100  # of each sort
REPLY = 512
MARKS = (256, REPLY)


def played(
    seed: int,
    *,
    drifting: bool = False,
    signal: Signal = Signal.NONE,
    prompt: bool = False,
    marks: tuple[int, ...] = MARKS,
) -> list[Score]:
    world = World(seed, drifting=drifting, signal=signal, prompt=prompt)
    return score(world, Controller(Costs(world.measured()), world.tried()), marks)


@pytest.fixture(scope="module")
def scores() -> dict[bool, list[list[Score]]]:
    """Drifting or not -> by world -> after 256 and 512 tokens. Every other reply has a prompt that the draft has to
    read first."""
    return {
        drifting: [played(seed, drifting=drifting, prompt=bool(seed % 2)) for seed in range(WORLDS)]
        for drifting in (False, True)
    }


@pytest.mark.parametrize("drifting", [False, True], ids=["static", "drifting"])
def test_regret_against_the_oracle_is_at_most_three_percent(
    scores: dict[bool, list[list[Score]]], drifting: bool
) -> None:
    """On average after 256 tokens, of a first reply; half the worlds lose less than two percent."""
    regrets = [early.regret for early, _ in scores[drifting]]
    assert np.mean(regrets) <= 0.03
    assert np.median(regrets) <= 0.02
    assert np.quantile(regrets, 0.9) <= 0.06


def test_no_reply_is_slower_than_off_by_more_than_three_percent(scores: dict[bool, list[list[Score]]]) -> None:
    """Expected times over 512 tokens. Measured, the worst of the 200 is at 1.034, so 1.04 allows for other rounding."""
    against = np.array([late.against_off for drifting in scores.values() for _, late in drifting])
    assert np.quantile(against, 0.98) <= 1.03
    assert against.max() <= 1.04


def test_it_gains_where_there_is_something_to_gain(scores: dict[bool, list[list[Score]]]) -> None:
    """It does not buy its safety by staying off: on average over all worlds it is far faster than plain decoding."""
    assert np.mean([late.against_off for _, late in scores[False]]) <= 0.85


def test_a_fixed_length_loses_what_the_controller_saves() -> None:
    """The measure tells policies apart: four guesses whatever they cost are several times as far from the best."""
    regrets = [score(World(seed, drifting=False), FixedLength(4), (128,))[0].regret for seed in range(40)]
    assert np.mean(regrets) >= 0.15


def seconds(signal: Signal) -> Floats:
    return np.array([played(1000 + seed, signal=signal, marks=(256,))[0].seconds_per_token for seed in range(20)])


def test_confidence_helps_where_it_tells_something_and_does_no_harm_where_it_lies() -> None:
    """Calibrated, boasting or reversed, it is learned within the first reply; one without meaning costs little."""
    without = seconds(Signal.NONE)
    for signal in (Signal.TRUE, Signal.BOASTING, Signal.REVERSED):
        assert np.mean(seconds(signal) / without) <= 0.995
    assert np.mean(seconds(Signal.RANDOM) / without) <= 1.01


@pytest.mark.parametrize("prompt", [False, True], ids=["bare", "prompt"])
@pytest.mark.parametrize(
    ("share", "interruptible"), [(0.02, False), (0.1, False), (0.3, False), (0.1, True), (0.6, True)]
)
def test_a_draft_fifty_times_slower_than_measured_costs_at_most_five_percent(
    share: float, interruptible: bool, prompt: bool
) -> None:
    """Over 512 tokens, for drafts that were measured at 2 to 30 percent of a target pass, or more where a pass can be
    given up. A prompt of up to 2,000 tokens is not read to its end at this pace."""
    for seed in range(5):
        world = World(seed, drifting=False, prompt=prompt)
        world.draft_s, world.draft_token_s, world.draft_read_s = share, 0.1 * share, 0.05 * share
        world.stall, world.interruptible = 50.0, interruptible
        assert score(world, Controller(Costs(world.measured()), world.tried()), (REPLY,))[0].against_off <= 1.05


def test_a_draft_that_stalled_once_is_looked_at_again() -> None:
    """A hiccup in the middle of a good reply costs that reply little, and the next one nothing."""
    costs = Costs(MeasuredCosts(tuple(1 + 0.05 * n for n in range(17)), 0.1, 0.02, 0.01))
    controller = Controller(costs)
    drafted = []
    for number in range(60):
        plan = controller.plan([Offer(Drafter.MODEL, 16)], 400)
        guesses = 0
        while guesses < plan.length:
            plan.passed(1, 0.8 if number == 20 else 0.1)
            guesses += 1
            if plan.step(None) is not Step.MORE:
                break
        controller.saw(plan, guesses, guesses, guesses, costs.verify(guesses + 1))
        drafted.append(guesses)
    assert drafted[20] == 1
    assert min(drafted[30:]) > 2
