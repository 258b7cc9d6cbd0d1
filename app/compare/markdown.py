"""A comparison as Markdown, for an issue or a note."""

from __future__ import annotations

from app.amounts import count
from app.compare.measured import Measured, engine_build
from app.compare.presets import preset_name
from app.compare.values import Side
from app.compare.words import difference_words, identical_words, ratio_words, stopped_words, verdict_words
from app.pairs import model_title
from app.translate import translate
from engine.types import Drafter, GenerationRequest

_NONE = "–"


def markdown_text(measured: Measured) -> str:
    """A heading, one table, and everything that a reader needs to measure the same."""
    outcome = measured.outcome
    difference = outcome.difference
    lines = [
        f"## {_escaped(measured.title)}",
        "",
        verdict_words(outcome, measured.plan.preset),
        "",
        _row("", translate("compare", "Off"), translate("compare", "On"), translate("compare", "Ratio")),
        "| --- | ---: | ---: | ---: |",
        _row(
            translate("compare", "Tokens per second (median of {runs})").format(runs=count(len(outcome.pairs))),
            _speed(outcome.off),
            _speed(outcome.on),
            f"{outcome.ratio:.2f}×",
        ),
        _row(
            translate("compare", "First token"),
            f"{outcome.off.ttft_s:.2f} s",
            f"{outcome.on.ttft_s:.2f} s",
            f"{outcome.ttft_ratio:.2f}×",
        ),
        _row(
            translate("compare", "Target passes"),
            count(outcome.passes_off),
            count(outcome.passes_on),
            f"{outcome.passes_on / outcome.passes_off:.2f}×",
        ),
        _row(translate("compare", "Guesses accepted"), _NONE, _percent(outcome.on.acceptance_rate), ""),
        "",
        *filter(None, [ratio_words(outcome)]),
        identical_words(outcome) if difference is None else _escaped(difference_words(difference)),
        "",
        *(f"- {name}: {_escaped(value)}" for name, value in _facts(measured)),
    ]
    return "\n".join(lines) + "\n"


def _facts(measured: Measured) -> list[tuple[str, str]]:
    request, pair = measured.plan.request, measured.pair
    measured_pairs = len(measured.outcome.pairs)
    stopped = stopped_words(measured_pairs, measured.plan.repeats)
    return [
        (translate("compare", "Target"), model_title(pair.target)),
        (translate("compare", "Draft"), _NONE if pair.draft is None else model_title(pair.draft)),
        (translate("compare", "Prompt"), preset_name(measured.plan.preset)),
        (
            translate("compare", "Settings"),
            translate(
                "compare",
                "draft length {length}, drafters {drafters}, rule {rule}, temperature {temperature}, seed {seed}, "
                "context {ctx}",
            ).format(
                length=_length(request),
                drafters=_drafters(request),
                rule=request.rule.value,
                temperature=f"{request.sampling.temperature:g}",
                seed=request.sampling.seed,
                ctx=count(pair.ctx),
            ),
        ),
        (translate("compare", "Runs"), ", ".join(filter(None, (count(measured_pairs), stopped)))),
        (translate("compare", "Device"), pair.device),
        (translate("compare", "Engine"), f"llama-cpp-python {engine_build(measured.engine)}"),
    ]


def _length(request: GenerationRequest) -> str:
    return translate("compare", "auto") if request.draft_length is None else count(request.draft_length)


def _drafters(request: GenerationRequest) -> str:
    if request.drafters == {Drafter.LOOKUP}:
        return translate("compare", "lookup")
    if request.drafters == {Drafter.MODEL}:
        return translate("compare", "model")
    return translate("compare", "lookup, model")


def _speed(side: Side) -> str:
    return f"{side.tokens_per_s:.1f} ({side.least_tokens_per_s:.1f}–{side.most_tokens_per_s:.1f})"


def _percent(rate: float | None) -> str:
    return _NONE if rate is None else f"{100 * rate:.0f} %"


def _row(*cells: str) -> str:
    return f"| {' | '.join(cells)} |"


def _escaped(text: str) -> str:
    """Names and words of a reply may hold what Markdown reads as a mark."""
    return "".join(f"\\{char}" if char in "\\`*_[]<>#|~" else char for char in text)
