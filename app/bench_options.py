"""The options of `draftlight bench`, and the plans that they make."""

from __future__ import annotations

import argparse
from dataclasses import replace
from typing import Final

from app import options
from app.compare.presets import PRESETS, Preset, preset_of
from app.compare.values import LEAST_TOKENS, ComparePlan
from engine.types import MAX_DRAFT_LENGTH, ChatMessage, GenerationRequest, SamplingSettings

DEFAULT_PROMPT = """Write a Python module with a class LinkedList: append, prepend, insert, remove, find, reverse, \
__len__ and __iter__. Give every method a docstring and type annotations."""

_SWEEP = "0-8"
_ALL = "all"
_MAX_REPEATS: Final = 1_000  # days of work; every reply is kept to the end


def add(parser: argparse.ArgumentParser) -> None:
    options.add_model_options(parser)
    options.add_anyway(parser)
    prompt = options.add_prompt_options(parser, required=False)
    prompt.add_argument(
        "--preset",
        metavar="A,B,...",
        type=_presets,
        default=(),
        help=f"prompts of several kinds: {', '.join(preset.id for preset in PRESETS)}; or all",
    )
    options.add_reply_options(parser, max_tokens=128, least_tokens=LEAST_TOKENS, temperature=0.0)
    options.add_speculation_options(parser, switch=False)
    parser.add_argument(
        "--sweep",
        metavar="LENGTHS",
        nargs="?",
        type=_lengths,
        const=_lengths(_SWEEP),
        help="measure fixed draft lengths and auto, all in turns; a --draft-length does not count then "
        f"(without a list: {_SWEEP})",
    )
    parser.add_argument(
        "--repeats",
        metavar="N",
        type=options.whole(1, _MAX_REPEATS),
        default=5,
        help="measured pairs of runs (default: %(default)s)",
    )


def plans(arguments: argparse.Namespace, recommended: SamplingSettings | None) -> list[ComparePlan]:
    """One per prompt, all with one seed; `recommended` as for `options.generation_request`. Raises EngineError where
    the prompt's file cannot be read."""
    request = replace(options.generation_request(arguments, DEFAULT_PROMPT, recommended), cold=True)
    if arguments.sweep is not None:
        request = replace(request, draft_length=None)
    if not arguments.preset:
        return [ComparePlan(request, arguments.repeats)]
    return [
        ComparePlan(_of_preset(request, preset, raw=arguments.raw), arguments.repeats, preset.id)
        for preset in arguments.preset
    ]


def _of_preset(request: GenerationRequest, preset: Preset, *, raw: bool) -> GenerationRequest:
    if raw:
        return replace(request, kind=preset.kind, prompt=preset.prompt)
    return replace(request, kind=preset.kind, messages=(ChatMessage("user", preset.prompt),))


def _presets(text: str) -> tuple[Preset, ...]:
    """A type for argparse: ids, each once, in their order; all stands for every one."""
    found: dict[str, Preset] = {}
    for name in text.split(","):
        preset = preset_of(name)
        if preset is None and name != _ALL:
            names = ", ".join(preset.id for preset in PRESETS)
            raise argparse.ArgumentTypeError(f"{name!r} is none of {names}, and not {_ALL}")
        found.update((one.id, one) for one in (PRESETS if preset is None else (preset,)))
    return tuple(found.values())


def _lengths(text: str) -> tuple[int, ...]:
    """A type for argparse: numbers and ranges as "1,2,4-8", ascending and each once. 0 is off, which is measured in
    any case, so it is left out."""
    found = {length for part in text.split(",") for length in _range(part)}
    found.discard(0)
    if not found:
        raise argparse.ArgumentTypeError(f"{text!r} names no draft length above 0")
    return tuple(sorted(found))


def _range(part: str) -> range:
    """A type for argparse: a number, or a range as "4-8"."""
    length = options.whole(0, MAX_DRAFT_LENGTH)
    first, dash, last = part.partition("-")
    if not dash:
        return range(length(first), length(first) + 1)
    if not first or not last:
        raise argparse.ArgumentTypeError(f"the range {part!r} has no {'end' if first else 'beginning'}")
    if length(first) > length(last):
        raise argparse.ArgumentTypeError(f"the range {part!r} ends below its beginning")
    return range(length(first), length(last) + 1)
