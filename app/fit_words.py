"""The words for verdicts, for what makes a pair fit, and for devices that do not answer. They name no button and no
option, so that the window and the command line can both use them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import assert_never

from app.amounts import count
from app.amounts import size as amount
from app.devices.device import Device, DeviceKind, DeviceProblem, DeviceTrouble
from app.fit.values import Advice, AdviceKind, FitReport, NotMeasured, PairSettings, Verdict
from app.model_values import Here
from app.translate import join_sentences, translate


def gigabytes(size_bytes: float) -> str:
    """Bytes as "8.55 GB": billions, two digits, for sums that people check."""
    return f"{size_bytes / 1e9:,.2f} GB"


def tokens_in_short(tokens: int) -> str:
    """8192 as "8k", as everybody calls it, and 5376 as "5.3k", as everybody reads that."""
    if tokens < 1000:
        return str(tokens)
    return f"{tokens // 1024}k" if tokens % 1024 == 0 else f"{tokens // 100 / 10:g}k"


def device_name(device: Device) -> str:
    return device.name or translate("fit", "this computer's memory")


def verdict_in_short(report: FitReport) -> str:
    """For a table; names the context length."""
    asked, largest = tokens_in_short(report.settings.ctx), tokens_in_short(report.largest_ctx)
    if report.verdict is Verdict.FITS and _past_training(report):
        return translate("fit", "Fits at {asked}").format(asked=asked)
    if report.verdict is Verdict.FITS:
        return translate("fit", "Fits, up to {largest}").format(largest=largest)
    if report.largest_ctx:
        return translate("fit", "Not at {asked}; {largest} fits").format(asked=asked, largest=largest)
    if report.verdict is Verdict.TIGHT:
        return translate("fit", "Tight at {asked}").format(asked=asked)
    size = amount(report.placement.over_bytes)
    return translate("fit", "Too big by {size} at {asked}").format(size=size, asked=asked)


def verdict_sentence(report: FitReport) -> str:
    """The verdict, which always names the context length, and what would fit instead."""
    match report.verdict:
        case Verdict.FITS:
            text = translate("fit", "It fits with a context of {ctx} tokens.")
        case Verdict.TIGHT:
            text = translate(
                "fit",
                "It is tight with a context of {ctx} tokens: {size} of the safety margin are missing, and memory may "
                "run out while a reply is written.",
            )
        case Verdict.TOO_BIG:
            text = translate("fit", "With a context of {ctx} tokens it is too big by {size}, the margin included.")
    size = gigabytes(report.placement.over_bytes)
    return join_sentences([text.format(ctx=count(report.settings.ctx), size=size), *_instead(report)])


def _past_training(report: FitReport) -> bool:
    """It fits, and the target was trained with less: the largest context that is looked for ends there."""
    return report.verdict is Verdict.FITS and 0 < report.largest_ctx < report.settings.ctx


def _instead(report: FitReport) -> list[str]:
    sentences = []
    if _past_training(report):
        sentences.append(
            translate("fit", "The target was trained with {largest} tokens; beyond them its text gets worse.").format(
                largest=count(report.largest_ctx)
            )
        )
    elif report.largest_ctx:
        sentences.append(translate("fit", "Up to {largest} tokens fit.").format(largest=count(report.largest_ctx)))
    if 0 < report.fitting_layers < report.layers:
        cards = [part for part in report.placement.devices if part.device.kind is not DeviceKind.SYSTEM]
        if len(cards) > 1:
            text = translate("fit", "{fitting} of {layers} layers would fit on the graphics cards.")
        else:
            text = translate("fit", "{fitting} of {layers} layers would fit on the graphics card.")
        sentences.append(text.format(fitting=report.fitting_layers, layers=report.layers))
    return sentences


def method_sentence(report: FitReport) -> str:
    """Where the figures come from."""
    match report.not_measured:
        case None:
            return translate("fit", "Measured by llama.cpp from the files' headers.")
        case NotMeasured.NOT_ASKED:
            return translate("fit", "Estimated from the files' headers.")
        case NotMeasured.FAILED:
            return translate("fit", "Estimated: llama.cpp did not measure it, so it may not load either.")
        case _:
            assert_never(report.not_measured)


def not_here_sentence(here: Here) -> str:
    """What was judged without its file; "" where all is on this computer."""
    match here:
        case Here.NOTHING:
            return translate("fit", "Nothing has been downloaded yet.")
        case Here.TARGET:
            return translate("fit", "The draft has not been downloaded yet.")
        case Here.DRAFT:
            return translate("fit", "The target has not been downloaded yet.")
        case Here.READY | Here.TO_BE_MADE:
            return ""
        case _:
            assert_never(here)


def advice_words(advice: Advice) -> tuple[str, str]:
    """What to change, and what that saves or costs; of what does not suffice only that."""
    what, effect = _way_words(advice)
    if advice.verdict is Verdict.FITS:
        return what, effect
    return what, translate("fit", "saves {size}, not enough").format(size=gigabytes(advice.saves_bytes))


def _way_words(advice: Advice) -> tuple[str, str]:
    settings = advice.settings
    saves = translate("fit", "saves {size}").format(size=gigabytes(advice.saves_bytes))
    match advice.kind:
        case AdviceKind.CONTEXT:
            return translate("fit", "Context {ctx}").format(ctx=count(settings.ctx)), saves
        case AdviceKind.KV_TYPE:
            return translate("fit", "KV cache {type}").format(type=settings.kv_type.value), saves
        case AdviceKind.UBATCH:
            what = translate("fit", "Read prompts in pieces of {size} tokens").format(size=settings.ubatch)
            return what, translate("fit", "{saves}, prompts take longer").format(saves=saves)
        case AdviceKind.SMALLER_DRAFT:
            what = translate("fit", "{draft} as the draft").format(draft=advice.draft_title)
            return what, translate("fit", "{saves}, fewer guesses are right").format(saves=saves)
        case AdviceKind.NO_DRAFT:
            what = translate("fit", "No draft")
            return what, translate("fit", "{saves}, no speculation").format(saves=saves)
        case AdviceKind.EXPERTS:
            return translate("fit", "Experts in the computer's memory"), _speed(advice)
        case AdviceKind.LAYERS:
            return _layers(settings.gpu_layers, advice.layers), _speed(advice)
        case _:
            assert_never(advice.kind)


def _layers(gpu_layers: int, layers: int) -> str:
    if gpu_layers == 0:
        return translate("fit", "no layers on the GPU")
    return translate("fit", "{fitting} of {layers} layers on the GPU").format(fitting=gpu_layers, layers=layers)


def _speed(advice: Advice) -> str:
    return translate("fit", "about {speed}× speed").format(speed=f"{advice.speed or 1.0:.1f}")


def proposal_sentence(proposed: PairSettings, report: FitReport) -> str:
    """The best settings that fit, as far as they differ from those of the report."""
    changes = changes_words(proposed, report.settings, report.layers)
    return translate("fit", "The best that fits: {changes}.").format(changes=changes)


def ways_heading(advice: Sequence[Advice]) -> str:
    """Whether one of them suffices or none."""
    if any(one.verdict is Verdict.FITS for one in advice):
        return translate("fit", "Ways to make it fit")
    return translate("fit", "Ways to need less")


def nothing_fits_sentence() -> str:
    return translate("fit", "No settings make it fit. Choose a smaller model, or close other programs.")


def changes_words(settings: PairSettings, asked: PairSettings, layers: int) -> str:
    """What is other than what was asked for: "context 4,096, KV cache q8_0". `layers` has the target."""
    changes = []
    if settings.ctx != asked.ctx:
        changes.append(translate("fit", "context {ctx}").format(ctx=count(settings.ctx)))
    if settings.kv_type is not asked.kv_type:
        changes.append(translate("fit", "KV cache {type}").format(type=settings.kv_type.value))
    if settings.flash_attention is not asked.flash_attention:
        changes.append(translate("fit", "flash attention {mode}").format(mode=settings.flash_attention.value))
    if settings.ubatch != asked.ubatch and settings.ubatch:
        changes.append(translate("fit", "prompts in pieces of {size} tokens").format(size=settings.ubatch))
    if settings.experts_on_cpu and not asked.experts_on_cpu:
        changes.append(translate("fit", "experts in the computer's memory"))
    if settings.gpu_layers != asked.gpu_layers:
        changes.append(_layers(settings.gpu_layers, layers))
    if asked.with_draft and not settings.with_draft:
        changes.append(translate("fit", "no draft"))
    return ", ".join(changes)


def unused_sentence(device: Device) -> str:
    """Why a card that is there does not count."""
    text = translate("fit", "{device} is not used: this build of the engine does not see it.")
    return text.format(device=device.name)


def problem_sentence(problem: DeviceProblem) -> str:
    """Why a card is missing among the devices."""
    match problem.trouble:
        case DeviceTrouble.DRIVER:
            text = translate("fit", "NVIDIA's driver does not work: {detail}. Its cards are left out.")
        case DeviceTrouble.HANGS:
            text = translate("fit", "NVIDIA's driver does not answer. Its cards are left out; a restart may help.")
        case DeviceTrouble.CARD_LOST:
            text = translate("fit", "A graphics card does not answer: {detail}. It is left out.")
        case _:
            assert_never(problem.trouble)
    return text.format(detail=problem.detail)
