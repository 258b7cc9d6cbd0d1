"""What the Compare page says, worked out from what is the case now."""

from __future__ import annotations

from dataclasses import replace

from app.amounts import count
from app.compare.measured import engine_build
from app.compare.presets import preset_name
from app.compare.values import Arm, Difference, Outcome, Side, Step
from app.compare.words import LOSS, difference_words, is_gain, is_loss, ratio_words, stopped_words, verdict_words
from app.messages import choice_note, inactive_sentence
from app.pairs import models_title
from app.translate import translate
from engine.costs import MeasuredCosts
from engine.types import EngineInfo, GenerationRequest, Inactive, LoadedPair
from ui.compare_control import CompareControl
from ui.compare_pane import PaneHead
from ui.compare_settings import settings_words
from ui.compare_table import Row, TableText
from ui.compared import Compared, Written
from ui.live_panel import LiveReply
from ui.pair_control import PairControl

SLOW_START = 1.15  # first token on ÷ off that is worth a warning
NONE = "–"


def run_words(step: Step, repeats: int) -> str:
    """Which reply is being written."""
    if step.number == 0:
        return translate("compare", "warm-up")
    return translate("compare", "run {number} of {count}").format(number=step.number, count=repeats)


def subtitle(arm: Arm, request: GenerationRequest, pair: LoadedPair, shown: Written | None) -> str:
    """What a side is."""
    if arm is Arm.OFF:
        return translate("compare", "target alone, cold cache")
    if pair.inactive is not None:
        return translate("compare", "lookup alone, cold cache")
    length = round_length(request, shown)
    if request.draft_length is not None:
        words = translate("compare", "draft {length}, cold cache")
    elif length is None:
        words = translate("compare", "auto, cold cache")
    elif not length:
        words = translate("compare", "auto, resting, cold cache")
    else:
        words = translate("compare", "auto, draft {length}, cold cache")
    return words.format(length=length)


def round_length(request: GenerationRequest, shown: Written | None) -> int | None:
    """How many guesses a round has: as it was set, as chosen last while the reply is written, and as usual afterwards,
    for the last rounds are cut short by the tokens left. None while that is not known."""
    if request.draft_length is not None:
        return request.draft_length
    choice = shown.fold.stats.choice if shown is not None else None
    if shown is None or choice is None:
        return None
    return choice.length if shown.fold.end is None else shown.usual_length


def pane_head(control: CompareControl, arm: Arm) -> PaneHead:
    """What stands above a side now. While a reply is written its bar says how much of it there is; once both sides are
    measured the faster one fills its bar."""
    compared, step, outcome = control.compared, control.step, control.comparison.outcome
    if compared is None:
        return PaneHead()
    shown, request = control.shown(arm), compared.plan.request
    words = subtitle(arm, request, compared.pair, shown)
    if step is not None and step.arm is arm:
        words = translate("compare", "reading the prompt…") if control.reading else words
        words = f"{run_words(step, compared.plan.repeats)} · {words}"
    if not control.running and outcome is not None:
        mine, other = (outcome.off, outcome.on) if arm is Arm.OFF else (outcome.on, outcome.off)
        share = mine.tokens_per_s / max(mine.tokens_per_s, other.tokens_per_s)
        bar = translate("compare", "{share} % of the faster side's speed").format(share=f"{100 * share:.0f}")
        return PaneHead(words, mine.tokens_per_s, share, bar)
    if shown is None or not control.running:  # where nothing was measured a warm-up is no result
        return PaneHead(words)
    tokens, most = shown.fold.stats.completion_tokens, request.max_tokens or 1
    bar = translate("compare", "{tokens} of at most {most} tokens").format(tokens=count(tokens), most=count(most))
    return PaneHead(words, shown.rate, 1.0 if shown.fold.end is not None else tokens / most, bar)


def live_figures(
    control: CompareControl, pairs: PairControl
) -> tuple[LiveReply | None, MeasuredCosts | None, int | None]:
    """For the live panel: the reply with its reasons, what passes cost, and how many guesses a round has."""
    live, compared, costs = control.live(), control.compared, pairs.costs
    if live is None or compared is None:
        return live, costs, None
    inactive, choice = live.stats.inactive, live.stats.choice
    costs = live.stats.costs or costs
    if inactive is Inactive.SWITCHED_OFF:
        reason = translate("compare", "This side is written without speculation.")
        return replace(live, reason=reason), costs, None
    if inactive is not None:
        return replace(live, reason=inactive_sentence(inactive, pairs.pair)), costs, None
    if choice is None:
        return live, costs, None
    length = round_length(compared.plan.request, control.shown(control.live_arm))
    return replace(live, auto=choice_note(replace(choice, length=length or choice.length))), costs, length


def table_text(outcome: Outcome | None, preset: str) -> TableText:
    """The card of the result, with dashes before there is one."""
    runs = 0 if outcome is None else len(outcome.pairs)
    speed = translate("compare", "Tokens per second")
    if runs > 1:
        speed = translate("compare", "Tokens per second (median of {runs})").format(runs=runs)
    names = (
        speed,
        translate("compare", "First token"),
        translate("compare", "Target passes"),
        translate("compare", "Text"),
    )
    if outcome is None:
        rows = (*(Row(name, NONE, NONE, NONE) for name in names[:3]), Row(names[3], NONE, None, NONE))
        words = translate("compare", "Run writes the same reply off and on, in turn; the answer comes here.")
        return TableText(words, "muted", rows)
    off, on = outcome.off, outcome.on
    passes, tone = outcome.passes_on / outcome.passes_off, _tone(outcome)
    rows = (
        Row(
            names[0],
            _speed(off, runs),
            _speed(on, runs),
            _times(outcome.ratio),
            tone,
            translate("compare", "The median of the pairs' ratios; in brackets the slowest and the fastest run"),
        ),
        Row(
            names[1],
            f"{off.ttft_s:.2f} s",
            f"{on.ttft_s:.2f} s",
            _times(outcome.ttft_ratio),
            "warn" if outcome.ttft_ratio > SLOW_START else "",
            translate("compare", "From the request to the first token, with a cold cache"),
        ),
        Row(
            names[2],
            count(outcome.passes_off),
            count(outcome.passes_on),
            _times(passes),
            "good" if passes < LOSS else "",
            translate("compare", "How often the target was computed for one reply"),
        ),
        _text_row(names[3], outcome),
    )
    difference = difference_words(outcome.difference) if outcome.difference is not None else ""
    return TableText(verdict_words(outcome, preset), tone, rows, difference, ratio_words(outcome))


def _text_row(name: str, outcome: Outcome) -> Row:
    difference = outcome.difference
    if difference is None:
        words = translate("compare", "identical, all {tokens} tokens")
        words = words.format(tokens=count(outcome.on.completion_tokens))
        return Row(name, words, None, translate("compare", "same"), "good")
    words = translate("compare", "differs from token {number} on").format(number=count(difference.index + 1))
    return Row(name, words, None, *_verdict_of(difference))


def _verdict_of(difference: Difference) -> tuple[str, str]:
    if difference.near_tie:
        return translate("compare", "a tie"), "caution"
    if difference.by_chance:
        return translate("compare", "by chance"), ""
    return translate("compare", "differs"), "" if difference.gap is None else "warn"  # it may be a tie, too


def _speed(side: Side, runs: int) -> str:
    if runs == 1:
        return f"{side.tokens_per_s:.1f}"
    return f"{side.tokens_per_s:.1f} ({side.least_tokens_per_s:.1f}–{side.most_tokens_per_s:.1f})"


def _times(ratio: float) -> str:
    return f"{ratio:.2f}×"


def _tone(outcome: Outcome) -> str:
    """Colour of the ratio: none where it may be chance."""
    return "good" if is_gain(outcome) else "warn" if is_loss(outcome) else ""


def caption(compared: Compared, outcome: Outcome | None, engine: EngineInfo | None) -> str:
    """What was compared where, for whoever sees a picture of it. `outcome` is None until the end."""
    pair, build = compared.pair, "" if engine is None else f"llama-cpp-python {engine_build(engine)}"
    settings, stopped = compared.settings, ""
    if outcome is not None:
        stopped = stopped_words(len(outcome.pairs), settings.repeats)
        settings = replace(settings, repeats=len(outcome.pairs))
    prompt = preset_name(compared.plan.preset)
    return " · ".join(filter(None, (models_title(pair), pair.device, build, prompt, settings_words(settings), stopped)))
