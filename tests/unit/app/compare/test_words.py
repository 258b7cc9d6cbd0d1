"""What to do about a comparison, in a sentence."""

from __future__ import annotations

import pytest

from app.compare.figures import outcome_of
from app.compare.presets import PRESETS, preset_name, preset_of
from app.compare.values import Outcome
from app.compare.words import identical_words, is_gain, ratio_words, verdict_words
from engine.types import Choice, RoundChoice
from tests.unit.app.compare.replies import LONG, pair

FIXED = RoundChoice(Choice.FIXED, length=4)
DRAFTING = RoundChoice(Choice.DRAFTING, length=4, ratio=1.5)
RESTING = RoundChoice(Choice.RESTING, ratio=0.8)


def outcome(ratio: float, choice: RoundChoice, text: str = LONG) -> Outcome:
    return outcome_of([pair(text, text, off_s=ratio, on_s=1.0, choice=choice)])


@pytest.mark.parametrize(
    ("ratio", "choice", "wanted"),
    [
        (1.8, DRAFTING, "1.80× on code: leave it on auto."),
        (1.0, DRAFTING, "1.00× on code: no gain and no loss. Auto may stay on."),
        (0.99, RESTING, "0.99× on code: guessing does not pay here, and auto keeps it off."),
        (0.8, RESTING, "0.80× on code: slower than off. Switch it off for this kind of text."),
        (1.8, FIXED, "1.80× on code: this draft length pays."),
        (1.0, FIXED, "1.00× on code: no gain and no loss with this draft length."),
        (0.8, FIXED, "0.80× on code: slower than off. Choose auto, or switch it off."),
    ],
)
def test_the_verdict_names_ratio_kind_and_what_to_do(ratio: float, choice: RoundChoice, wanted: str) -> None:
    assert verdict_words(outcome(ratio, choice), "code") == wanted


def test_a_short_reply_is_too_short_to_tell() -> None:
    """However fast it was."""
    short = outcome(1.8, DRAFTING, "one two three")
    assert verdict_words(short, "code") == "1.80× on code, but 3 tokens are too short to tell."


@pytest.mark.parametrize(
    ("ratios", "told"), [((1.06,), True), ((0.94, 0.95, 1.02), True), ((1.05, 1.06, 1.08), False), ((1.3,), False)]
)
def test_runs_that_do_not_agree_are_told_as_such(ratios: tuple[float, ...], told: bool) -> None:
    """One pair says little of a few per cent, and several that lie on both sides of 1 do not say more."""
    scattered = outcome_of([pair(LONG, LONG, off_s=ratio, on_s=1.0, choice=DRAFTING) for ratio in ratios])
    assert ("for these runs to tell" in verdict_words(scattered, "code")) == told


def test_an_own_prompt_is_one() -> None:
    assert "on this prompt" in verdict_words(outcome(1.8, DRAFTING), "")
    assert preset_name("") == "Own prompt"


def test_identical_texts_are_told_with_their_length() -> None:
    assert identical_words(outcome(1.0, FIXED)) == "Both texts are identical, all 80 tokens."


def test_every_preset_has_a_name_and_a_place_in_sentences() -> None:
    """And is found by its id; ids are those of the command line."""
    assert [preset.id for preset in PRESETS] == [
        "code", "json", "edit", "translate", "summary", "chat", "story", "table",
    ]  # fmt: skip
    names = {preset_name(preset.id) for preset in PRESETS}
    verdicts = {verdict_words(outcome(1.8, DRAFTING), preset.id) for preset in PRESETS}
    assert len(names) == len(verdicts) == len(PRESETS)
    assert not any("own prompt" in name.lower() for name in names)
    assert all(preset_of(preset.id) is preset for preset in PRESETS)
    assert preset_of("poem") is None


def test_medians_that_contradict_each_other() -> None:
    """Where the pairs say a gain and the two speeds beside it a loss, nothing is claimed."""
    speeds = ((3.0, 3.4), (5.0, 4.0), (4.7, 5.3))  # off, on
    told = outcome_of([pair(LONG, LONG, off_s=60 / off, on_s=60 / on, choice=DRAFTING) for off, on in speeds])
    assert told.ratio > 1.1
    assert told.on.tokens_per_s < told.off.tokens_per_s
    assert "too noisy to tell" in verdict_words(told, "code")
    assert not is_gain(told)


def test_ratio_is_of_the_pairs() -> None:
    """Who divides the two speeds by each other may get another number, and reads why; one pair has only one."""
    one = pair(LONG, LONG, off_s=1.8, on_s=1.0, choice=DRAFTING)
    assert "median of the pairs" in ratio_words(outcome_of([one] * 3))
    assert ratio_words(outcome_of([one])) == ""
