"""What was measured, as text for the terminal."""

from __future__ import annotations

from collections.abc import Sequence

from app.amounts import count
from app.compare.difference import different_pair
from app.compare.measured import Measured, length_word
from app.compare.presets import preset_name
from app.compare.sweep import Policy, SweepOutcome
from app.compare.values import Outcome, Side
from app.compare.words import difference_words, identical_words, stopped_words, verdict_words
from app.messages import choice_sentence
from app.pairs import models_title
from app.table import table
from engine.types import Choice

_NONE = "–"


def heading(measured: Measured) -> str:
    """What was measured, on two lines."""
    request, pair = measured.plan.request, measured.pair
    title, models = measured.title, models_title(pair)
    named = models if title == models else f"{title}: {models}"
    settings = [
        f"draft length {length_word(request)}",
        f"drafters {', '.join(sorted(drafter.value for drafter in request.drafters))}",
        f"rule {request.rule.value}",
        f"temperature {request.sampling.temperature:g}",
        f"seed {request.sampling.seed}",
        f"context {count(pair.ctx)}",
        "1 pair of runs" if measured.plan.repeats == 1 else f"{count(measured.plan.repeats)} pairs of runs",
    ]
    return f"{named}, on {pair.device}\n{', '.join(settings)}\n"


def stopped(measured: Measured) -> list[str]:
    """A line on the pairs of runs that are missing, if any are."""
    words = stopped_words(len(measured.outcome.pairs), measured.plan.repeats)
    return [f"{preset_name(measured.plan.preset)}: {words}."] if words else []


def comparison_table(outcome: Outcome, preset: str) -> str:
    """Off and on, what was accepted, the verdict and the texts."""
    rows = [
        ("", "tokens/s", "least to most", "first token", "passes"),
        ("off", *_speeds(outcome.off), f"{outcome.off.ttft_s:.2f} s", count(outcome.passes_off)),
        ("on", *_speeds(outcome.on), f"{outcome.on.ttft_s:.2f} s", count(outcome.passes_on)),
        ("ratio", f"{outcome.ratio:.2f}", "", f"{outcome.ttft_ratio:.2f}", _ratio(outcome)),
    ]
    lines = [table(rows, numbers=range(1, 5)), *_on(outcome), verdict_words(outcome, preset), *texts(outcome)]
    return "\n".join(lines) + "\n"


def preset_table(measured: Sequence[Measured]) -> str:
    """One row per preset, and a word on each that is not as it should be."""
    rows = [("", "off", "on", "ratio", "least to most", "first token", "accepted", "tokens", "text")]
    rows += [
        (
            preset_name(one.plan.preset),
            f"{one.outcome.off.tokens_per_s:.1f}",
            f"{one.outcome.on.tokens_per_s:.1f}",
            f"{one.outcome.ratio:.2f}",
            _spread([pair.ratio for pair in one.outcome.pairs], 2),
            f"{one.outcome.ttft_ratio:.2f}",
            _percent(one.outcome.on),
            count(one.outcome.on.completion_tokens),
            "same" if one.outcome.difference is None else f"differs at {count(one.outcome.difference.index)}",
        )
        for one in measured
    ]
    words = [verdict_words(one.outcome, one.plan.preset) for one in measured]
    differences = [
        f"{preset_name(one.plan.preset)}: {difference_words(one.outcome.difference)}"
        for one in measured
        if one.outcome.difference is not None
    ]
    missing = [line for one in measured for line in stopped(one)]
    return "\n".join([table(rows, numbers=range(1, 8)), *words, *differences, *missing]) + "\n"


def sweep_table(outcome: SweepOutcome, preset: str) -> str:
    """One row per policy, the best fixed length, and how auto compares with it."""
    rows = [("", "tokens/s", "least to most", "ratio", "accepted")]
    rows += [
        (policy_name(row.policy), *_speeds(row.side), f"{row.ratio:.2f}", _percent(row.side)) for row in outcome.rows
    ]
    best = "off" if outcome.best == 0 else f"draft length {outcome.best}"
    lines = [
        table(rows, numbers=range(1, 5)),
        f"Best fixed: {best}. Auto ÷ best: {outcome.auto_over_best:.2f}.",
        *_choice(outcome.compared),
        verdict_words(outcome.compared, preset),
        *texts(outcome.compared),
    ]
    return "\n".join(lines) + "\n"


def texts(outcome: Outcome) -> list[str]:
    """A word on the texts, and both where they differ."""
    pair = different_pair(outcome.pairs)
    if outcome.difference is None or pair is None:
        return [identical_words(outcome)]
    return [difference_words(outcome.difference), f"\noff:\n{pair.off.text}", f"\non:\n{pair.on.text}"]


def policy_name(policy: Policy) -> str:
    return "off" if policy == 0 else "auto" if policy is None else str(policy)


def _on(outcome: Outcome) -> list[str]:
    on = outcome.on
    if on.acceptance_rate is None or on.tokens_per_round is None:
        return ["Nothing was proposed.", *_choice(outcome)]
    accepted = f"{_percent(on)} of guesses accepted, {on.tokens_per_round:.1f} tokens per round."
    return [accepted, *_choice(outcome)]


def _choice(outcome: Outcome) -> list[str]:
    """What auto thought of it at the end."""
    choice = outcome.choice
    return [] if choice is None or choice.choice is Choice.FIXED else [choice_sentence(choice)]


def _speeds(side: Side) -> tuple[str, str]:
    return f"{side.tokens_per_s:.1f}", f"{side.least_tokens_per_s:.1f} to {side.most_tokens_per_s:.1f}"


def _spread(values: Sequence[float], digits: int) -> str:
    return f"{min(values):.{digits}f} to {max(values):.{digits}f}"


def _ratio(outcome: Outcome) -> str:
    return f"{outcome.passes_on / outcome.passes_off:.2f}"


def _percent(side: Side) -> str:
    return _NONE if side.acceptance_rate is None else f"{100 * side.acceptance_rate:.0f} %"
