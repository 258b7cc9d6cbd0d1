"""What a comparison comes to, in sentences."""

from __future__ import annotations

from app.amounts import count
from app.compare.difference import is_finite
from app.compare.record import Drop
from app.compare.values import Difference, Outcome
from app.translate import join_sentences, translate
from engine.types import Choice

GAIN, LOSS = 1.03, 0.97  # ratios between them are no difference

_AT_REST = (Choice.PROBING, Choice.RESTING, Choice.LOOKING, Choice.CHECKING, Choice.ROUNDS_TOO_SLOW)


def verdict_words(outcome: Outcome, preset: str) -> str:
    """What to do about it. A ratio that is mostly chance, of a short reply say, is told as such."""
    return _verdict(outcome).format(
        ratio=f"{outcome.ratio:.2f}×",
        what=_what(preset),
        tokens=count(min(outcome.off.completion_tokens, outcome.on.completion_tokens)),
    )


def ratio_words(outcome: Outcome) -> str:
    """That a ratio is not one figure divided by the other, "" where it is."""
    if len(outcome.pairs) == 1:
        return ""
    return translate("compare", "Each ratio of a time or a speed is the median of the pairs' ratios.")


def is_gain(outcome: Outcome) -> bool:
    """Speculation made the replies faster, and not by chance."""
    return outcome.ratio > GAIN and _is_sure(outcome)


def is_loss(outcome: Outcome) -> bool:
    """The same of slower."""
    return outcome.ratio < LOSS and _is_sure(outcome)


def _is_sure(outcome: Outcome) -> bool:
    return not (outcome.is_short or outcome.is_scattered or _contradicts(outcome))


def _contradicts(outcome: Outcome) -> bool:
    """The pairs say one thing and the speeds of the sides the opposite, by more than nothing."""
    low, high = sorted((outcome.ratio, outcome.side_ratio))
    return low < 1 < high and (low < LOSS or high > GAIN)


def _verdict(outcome: Outcome) -> str:
    if outcome.is_short:
        return translate("compare", "{ratio} on {what}, but {tokens} tokens are too short to tell.")
    if _contradicts(outcome):
        return translate(
            "compare",
            "{ratio} on {what}, but the two speeds say the opposite: too noisy to tell. Measure with more repeats.",
        )
    if outcome.is_scattered and not LOSS <= outcome.ratio <= GAIN:
        return translate(
            "compare", "{ratio} on {what}: too near to 1 for these runs to tell. Measure with more repeats."
        )
    return _auto(outcome) if is_auto(outcome) else _fixed(outcome.ratio)


def is_auto(outcome: Outcome) -> bool:
    """The draft length was chosen by time."""
    return outcome.choice is not None and outcome.choice.choice is not Choice.FIXED


def identical_words(outcome: Outcome) -> str:
    words = translate("compare", "Both texts are identical, all {tokens} tokens.")
    return words.format(tokens=count(outcome.on.completion_tokens))


def difference_words(difference: Difference) -> str:
    """Where the texts part, with which words, and why as far as that is known."""
    sentence = _parting(difference).format(
        index=count(difference.index), off=_shown(difference.off_text), on=_shown(difference.on_text)
    )
    return join_sentences([sentence, _reason(difference)])


def stopped_words(pairs: int, repeats: int) -> str:
    """That fewer pairs of runs were measured than planned, "" where all were."""
    if pairs == repeats:
        return ""
    return translate("compare", "stopped after {pairs} of {repeats}").format(pairs=count(pairs), repeats=count(repeats))


def drop_words(drop: Drop) -> str:
    """What a pair lost against its own history, and what may be the cause."""
    sentences = [_loss(drop)] if drop.slower else []
    if drop.fewer_accepted:
        sentences.append(
            translate("compare", "The target keeps {now} % of the guesses; it kept {before} % before.").format(
                now=_percent(drop.now.acceptance_rate), before=_percent(drop.acceptance_rate)
            )
        )
    if drop.off_slower:
        words = translate(
            "compare",
            "Without speculation it lost {percent} %, so the computer is slower: look for heat, power saving and other "
            "programs.",
        )
        sentences.append(words.format(percent=_lost(drop.now.off_tokens_per_s, drop.off_tokens_per_s)))
    if drop.engine == drop.now.engine:
        sentences.append(translate("compare", "The engine is the same, {engine}.").format(engine=drop.engine))
    else:
        words = translate("compare", "The engine was {before} then and is {now} now.")
        sentences.append(words.format(before=drop.engine, now=drop.now.engine))
    return join_sentences(sentences)


def _loss(drop: Drop) -> str:
    words = translate(
        "compare",
        "{now} tokens/s with speculation are {percent} % less than the {before} of earlier runs with the same settings "
        "(median of {runs}).",
    )
    return words.format(
        now=f"{drop.now.on_tokens_per_s:.1f}",
        before=f"{drop.on_tokens_per_s:.1f}",
        percent=_lost(drop.now.on_tokens_per_s, drop.on_tokens_per_s),
        runs=count(drop.runs),
    )


def _lost(now: float, before: float) -> str:
    return f"{100 * (1 - now / before):.0f}"


def _percent(rate: float | None) -> str:
    return "–" if rate is None else f"{100 * rate:.0f}"


def _auto(outcome: Outcome) -> str:
    if outcome.ratio > GAIN:
        return translate("compare", "{ratio} on {what}: leave it on auto.")
    if outcome.ratio >= LOSS and outcome.choice is not None and outcome.choice.choice in _AT_REST:
        return translate("compare", "{ratio} on {what}: guessing does not pay here, and auto keeps it off.")
    if outcome.ratio >= LOSS:
        return translate("compare", "{ratio} on {what}: no gain and no loss. Auto may stay on.")
    return translate("compare", "{ratio} on {what}: slower than off. Switch it off for this kind of text.")


def _fixed(ratio: float) -> str:
    if ratio > GAIN:
        return translate("compare", "{ratio} on {what}: this draft length pays.")
    if ratio >= LOSS:
        return translate("compare", "{ratio} on {what}: no gain and no loss with this draft length.")
    return translate("compare", "{ratio} on {what}: slower than off. Choose auto, or switch it off.")


def _what(preset: str) -> str:
    """The kind of text within a sentence."""
    match preset:
        case "code":
            return translate("compare", "code")
        case "json":
            return translate("compare", "JSON data")
        case "edit":
            return translate("compare", "an edited file")
        case "translate":
            return translate("compare", "a translation")
        case "summary":
            return translate("compare", "a summary")
        case "chat":
            return translate("compare", "open chat")
        case "story":
            return translate("compare", "a story")
        case "table":
            return translate("compare", "a table")
        case _:
            return translate("compare", "this prompt")


def _parting(difference: Difference) -> str:
    if difference.off_text == difference.on_text:
        return translate("compare", "After {index} equal tokens the same text is cut into other tokens.")
    if difference.off_text is None:
        return translate("compare", "After {index} equal tokens the text of off ends, and on goes on with “{on}”.")
    if difference.on_text is None:
        return translate("compare", "After {index} equal tokens the text of on ends, and off goes on with “{off}”.")
    return translate("compare", "After {index} equal tokens the texts part: off wrote “{off}”, on wrote “{on}”.")


def _shown(word: str | None) -> str:
    """A word within a line."""
    return (word or "").replace("\n", "↵")


def _reason(difference: Difference) -> str:
    if difference.by_chance:
        return translate("compare", "The rule draws anew with speculation, so both are equally right.")
    if difference.near_tie is None:
        return ""
    if not is_finite(difference.gap):
        return translate("compare", "The target was far from a tie there, so rounding does not explain it.")
    if difference.near_tie:
        words = translate(
            "compare", "The target had the two {gap} apart: a tie up to rounding, which any speculation may turn."
        )
    else:
        words = translate("compare", "The target had the two {gap} apart, which is more than rounding explains.")
    return words.format(gap=f"{difference.gap:.3f}")
