"""`draftlight bench`: speculation off and on, in turns, in one run on one machine."""

from __future__ import annotations

import argparse
import time
from contextlib import closing
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from app import bench_options, options
from app.command import Outcome, chosen_pair, load
from app.compare.document import computer_document, document_of, outcome_document, sweep_document
from app.compare.measured import Document, Measured, settings_document
from app.compare.presets import preset_name
from app.compare.record import record_of
from app.compare.runner import Cancelled, Runner
from app.compare.sweep import SweepOutcome, SweepPlan
from app.compare.table import comparison_table, heading, preset_table, sweep_table
from app.compare.values import ComparePlan
from app.compare.values import Outcome as Compared
from app.compare.words import drop_words
from app.engine_client import EngineClient
from app.learned import LearnedPairs
from app.paths import Paths
from app.reply_document import error_document, pair_document
from app.terminal import EXIT_INTERRUPTED, Terminal
from engine.errors import EngineError, ErrorKind
from engine.types import EndReason, LoadRequest

if TYPE_CHECKING:
    from app.compare.history import History

# What is wrong with one prompt says nothing of the next.
_OF_THE_PROMPT = (ErrorKind.REPLY_TOO_SHORT, ErrorKind.PROMPT_TOO_LONG, ErrorKind.MAX_TOKENS_PAST_CONTEXT)


@dataclass(frozen=True, slots=True)
class _Result:
    """One prompt, measured; `sweep` where fixed lengths were."""

    measured: Measured
    sweep: SweepOutcome | None


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> argparse.ArgumentParser:
    parser = commands.add_parser(
        "bench",
        help="measure what speculation buys",
        description="Write the same reply with speculation off and on, in turns, from cold caches and one seed, "
        "after a warm-up of each that does not count. Tells the median speeds, their ratio, and whether the two "
        "texts are the same; where they are not, how near the target was to the other word.",
        allow_abbrev=False,
    )
    bench_options.add(parser)
    return parser


def run(arguments: argparse.Namespace, paths: Paths, terminal: Terminal) -> Outcome:
    """Raises EngineError."""
    from app.compare.history import FILE_NAME, History  # late: the other commands do not pay for SQLite

    choice = chosen_pair(arguments, paths, terminal)
    plans = bench_options.plans(arguments, choice.sampling)
    results: list[_Result] = []
    ended = Outcome()  # what was measured before a failure or a Ctrl-C is told all the same
    learned = LearnedPairs(paths.state)
    with closing(EngineClient(paths.logs, learned)) as client, closing(History(paths.data / FILE_NAME)) as history:
        engine = client.info()
        pair = load(arguments, choice, paths, terminal, client)
        draft = None if pair.draft is None else pair.draft.path
        loaded = options.with_load_settings(arguments, LoadRequest(pair.target.path, draft))
        for plan in plans:
            name = f"{preset_name(plan.preset)}, " if len(plans) > 1 else ""
            try:
                outcome, sweep = _measure(plan, arguments.sweep, name, terminal, client)
            except Cancelled:
                ended = Outcome(EXIT_INTERRUPTED, {"finish_reason": EndReason.CANCELLED.value})
                break
            except EngineError as error:
                if error.report.kind not in _OF_THE_PROMPT or (plan is plans[-1] and not results):
                    failed: Document = {"finish_reason": EndReason.ERROR.value, "error": error_document(error.report)}
                    ended = Outcome(1, failed, error.report)
                    break
                terminal.note(f"Left out: {preset_name(plan.preset)}.")
                terminal.error(error.report)
                continue
            measured = Measured(plan, outcome, loaded, pair, engine, choice)
            results.append(_Result(measured, sweep))
            _remember(measured, history, terminal)
    if not results:
        return ended
    if not arguments.json:
        terminal.answer(_text(results))
    return replace(ended, document={**_document(results), **(ended.document or {})})


def _measure(
    plan: ComparePlan, lengths: tuple[int, ...] | None, name: str, terminal: Terminal, client: EngineClient
) -> tuple[Compared, SweepOutcome | None]:
    """Raises EngineError and Cancelled, as the runner."""
    runner = Runner(client, terminal.follow, lambda what: terminal.progress(name + what))
    if lengths is None:
        return runner.compare(plan), None
    sweep = runner.sweep(SweepPlan(plan, lengths))
    return sweep.compared, sweep


def _remember(measured: Measured, history: History, terminal: Terminal) -> None:
    """Keep the figures, and say what the pair lost against those of before."""
    record = record_of(measured, time.time())
    drop = history.notice(record)
    history.add(record)
    if drop is not None:
        terminal.note(drop_words(drop))


def _text(results: list[_Result]) -> str:
    """For people."""
    first = results[0].measured
    if len(results) > 1 and results[0].sweep is None:
        return f"{heading(first)}\n{preset_table([result.measured for result in results])}"
    parts = [heading(first)]
    for result in results:
        preset = result.measured.plan.preset
        if len(results) > 1:
            parts.append(preset_name(preset))
        parts.append(
            comparison_table(result.measured.outcome, preset)
            if result.sweep is None
            else sweep_table(result.sweep, preset)
        )
    return "\n".join(parts)


def _document(results: list[_Result]) -> Document:
    """Of one prompt as it always was; several stand in a list, each with what is its own."""
    if len(results) == 1:
        [result] = results
        return {**document_of(result.measured), **_sweep(result)}
    first = results[0].measured
    return {
        "presets": [
            {
                "preset": result.measured.plan.preset,
                **outcome_document(result.measured.outcome, first.pair),
                **_sweep(result),
                "settings": settings_document(result.measured),
            }
            for result in results
        ],
        "machine": computer_document(first.engine),
        "pair": pair_document(first.pair, first.choice),
    }


def _sweep(result: _Result) -> Document:
    return {} if result.sweep is None else {"sweep": sweep_document(result.sweep)}
