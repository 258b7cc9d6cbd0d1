"""`draftlight bench`: speculation off and on, in turns, in one run on one machine."""

from __future__ import annotations

import argparse
from contextlib import closing
from dataclasses import asdict, replace

from app import options
from app.amounts import count
from app.benchmark import PairOfRuns, Run, Side, ratio_of, side_of
from app.command import Outcome, chosen_pair, load
from app.engine_client import EngineClient
from app.learned import LearnedPairs
from app.machine import engine_document, machine_document, versions
from app.pairs import PairChoice
from app.paths import Paths
from app.reply_document import Document, pair_document, pair_title, stats_document
from app.terminal import EXIT_INTERRUPTED, Terminal
from engine.errors import EngineError, ErrorKind
from engine.protocol import Started
from engine.stats import FoldedEvent, ReplyFold
from engine.types import EndReason, EngineInfo, GenerationRequest, LoadedPair

DEFAULT_PROMPT = """Write a Python module with a class LinkedList: append, prepend, insert, remove, find, reverse, \
__len__ and __iter__. Give every method a docstring and type annotations."""

_LEAST_TOKENS = 8  # fewer give no speed worth the name


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> argparse.ArgumentParser:
    parser = commands.add_parser(
        "bench",
        help="measure what speculation buys",
        description="Write the same reply with speculation off and on, in turns, from cold caches and one seed, "
        "after a warm-up of each that does not count. Tells the median speeds, their ratio, and whether the two "
        "texts are the same.",
        allow_abbrev=False,
    )
    options.add_model_options(parser)
    options.add_anyway(parser)
    options.add_prompt_options(parser, required=False)
    options.add_reply_options(parser, max_tokens=128, temperature=0.0)
    options.add_speculation_options(parser, switch=False)
    parser.add_argument(
        "--repeats", metavar="N", type=options.whole(1), default=5, help="measured pairs of runs (default: %(default)s)"
    )
    return parser


def run(arguments: argparse.Namespace, paths: Paths, terminal: Terminal) -> Outcome:
    """Raises EngineError."""
    choice = chosen_pair(arguments, paths, terminal)
    request = replace(options.generation_request(arguments, DEFAULT_PROMPT, choice.sampling), cold=True)
    with closing(EngineClient(paths.logs, LearnedPairs(paths.state))) as client:
        info = client.info()
        pair = load(arguments, choice, paths, terminal, client)
        pairs: list[PairOfRuns] = []
        for number in range(arguments.repeats + 1):  # the first pair warms up
            what = f"run {number} of {arguments.repeats}" if number else "warm-up"
            sides = []
            for speculate in (False, True):
                terminal.progress(f"{what}, speculation {'on' if speculate else 'off'}")
                reply = _reply(replace(request, speculate=speculate), terminal, client)
                if reply is None:
                    return Outcome(EXIT_INTERRUPTED, {"finish_reason": EndReason.CANCELLED.value})
                sides.append(reply)
            if number:
                pairs.append(PairOfRuns(*sides))
    off, on = side_of([pair.off for pair in pairs]), side_of([pair.on for pair in pairs])
    document = _document(arguments, choice, request, info, pair, pairs, off, on)
    if not arguments.json:
        terminal.answer(_table(pair_title(pair, choice), request, pair, pairs, off, on))
    return Outcome(document=document)


def _reply(request: GenerationRequest, terminal: Terminal, client: EngineClient) -> Run | None:
    """One measured reply; None if it was cancelled. Raises EngineError where there is nothing to measure."""
    reply = ReplyFold()
    for event in terminal.follow(client.generate(request)):
        if isinstance(event, FoldedEvent):
            reply.add(event)
        if isinstance(event, Started) and request.speculate and event.inactive is not None:
            raise EngineError(ErrorKind.SPECULATION_INACTIVE, inactive=event.inactive.value)
    if reply.end is EndReason.CANCELLED:
        return None
    if reply.stats.completion_tokens < _LEAST_TOKENS:
        raise EngineError(ErrorKind.REPLY_TOO_SHORT, completion_tokens=reply.stats.completion_tokens)
    return Run.of(reply)


def _document(
    arguments: argparse.Namespace,
    choice: PairChoice,
    request: GenerationRequest,
    info: EngineInfo,
    pair: LoadedPair,
    pairs: list[PairOfRuns],
    off: Side,
    on: Side,
) -> Document:
    different = next((runs for runs in pairs if runs.first_difference is not None), None)
    return {
        "off": asdict(off),
        "on": asdict(on),
        "ratio": ratio_of(pairs),
        "pairs": [
            {
                "off": stats_document(runs.off.stats, pair),
                "on": stats_document(runs.on.stats, pair),
                "ratio": runs.ratio,
                "first_difference": runs.first_difference,
            }
            for runs in pairs
        ],
        "text": {
            "identical": different is None,
            "first_difference": None if different is None else different.first_difference,
            "off": (different or pairs[0]).off.text,
            "on": (different or pairs[0]).on.text,
        },
        "machine": {**machine_document(), "engine": engine_document(info), "versions": versions()},
        "pair": pair_document(pair, choice),
        "settings": {
            **{key: getattr(value, "value", value) for key, value in asdict(request.sampling).items()},
            "max_tokens": request.max_tokens,
            "stop": list(request.stop),
            "draft_length": "auto" if request.draft_length is None else request.draft_length,
            "p_min": request.p_min,
            "rule": request.rule.value,
            "drafters": sorted(drafter.value for drafter in request.drafters),
            "ctx": pair.ctx,
            "kv_type": arguments.kv_type,
            "flash_attn": arguments.flash_attn,
            "gpu_layers": arguments.gpu_layers,
            "draft_gpu_layers": arguments.draft_gpu_layers,
            "threads": arguments.threads,
            "ubatch": arguments.ubatch,
            "experts_on_cpu": arguments.experts_on_cpu,
            "split": list(arguments.split),
            "repeats": arguments.repeats,
            "chat_format": None if request.prompt is not None else request.chat_format.value,
            "messages": [asdict(message) for message in request.messages],
            "prompt": request.prompt,
        },
    }


def _table(
    title: str, request: GenerationRequest, pair: LoadedPair, pairs: list[PairOfRuns], off: Side, on: Side
) -> str:
    """The result for people."""
    models = [f"target {pair.target.quantisation}"] + ([f"draft {pair.draft.quantisation}"] if pair.draft else [])
    settings = [
        f"draft length {'auto' if request.draft_length is None else request.draft_length}",
        f"drafters {', '.join(sorted(drafter.value for drafter in request.drafters))}",
        f"rule {request.rule.value}",
        f"temperature {request.sampling.temperature:g}",
        f"seed {request.sampling.seed}",
        f"context {count(pair.ctx)}",
        f"{count(off.completion_tokens)} tokens",
        f"{len(pairs)} pairs of runs",
    ]
    lines = [
        f"{title}: {', '.join(models)}, on {pair.device}",
        ", ".join(settings),
        "",
        f"{'':6}{'tokens/s':>10}{'least to most':>18}{'first token':>14}",
        _row("off", off),
        _row("on", on),
        f"{'ratio':6}{ratio_of(pairs):10.2f}",
        "",
        _acceptance(on),
        *_difference(pairs),
    ]
    return "\n".join(lines) + "\n"


def _row(name: str, side: Side) -> str:
    spread = f"{side.least_tokens_per_s:.1f} to {side.most_tokens_per_s:.1f}"
    return f"{name:6}{side.tokens_per_s:10.1f}{spread:>18}{side.ttft_s:12.2f} s"


def _acceptance(on: Side) -> str:
    if on.acceptance_rate is None or on.tokens_per_round is None:
        return "Nothing was proposed."
    return f"{100 * on.acceptance_rate:.0f} % of guesses accepted, {on.tokens_per_round:.1f} tokens per round."


def _difference(pairs: list[PairOfRuns]) -> list[str]:
    different = next((runs for runs in pairs if runs.first_difference is not None), None)
    if different is None:
        return ["Both texts are identical."]
    return [
        f"The texts differ from token {different.first_difference} on.",
        f"\noff:\n{different.off.text}",
        f"\non:\n{different.on.text}",
    ]
