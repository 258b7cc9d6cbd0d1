"""`draftlight bench`: speculation off and on, in turns, in one run on one machine."""

from __future__ import annotations

import argparse
import time
from contextlib import closing
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from app import bench_options, options
from app.command import Outcome, chosen_pair, load
from app.compare.document import computer_document, document_of, outcome_document, sweep_document
from app.compare.measured import Document, Measured, settings_document
from app.compare.presets import preset_name
from app.compare.record import record_of
from app.compare.runner import Cancelled, Runner
from app.compare.sweep import SweepOutcome, SweepPlan
from app.compare.table import comparison_table, heading, preset_table, stopped, sweep_table
from app.compare.values import ComparePlan
from app.compare.words import drop_words
from app.engine_client import EngineClient
from app.learned import LearnedPairs
from app.pairs import PairChoice
from app.paths import Paths
from app.reply_document import error_document, pair_document
from app.terminal import EXIT_INTERRUPTED, Terminal
from engine.errors import EngineError, ErrorKind
from engine.types import EndReason, EngineInfo, LoadedPair, LoadRequest

if TYPE_CHECKING:
    from app.compare.history import History

# What is wrong with one prompt says nothing of the next.
_OF_THE_PROMPT = (ErrorKind.REPLY_TOO_SHORT, ErrorKind.PROMPT_TOO_LONG, ErrorKind.MAX_TOKENS_PAST_CONTEXT)


@dataclass(frozen=True, slots=True)
class _Result:
    """What one prompt came to.

    Attributes:
        preset: its id.
        measured: None where nothing was.
        sweep: where fixed lengths were measured.
        ended: why it ended early, as JSON; empty where it did not.
    """

    preset: str
    measured: Measured | None = None
    sweep: SweepOutcome | None = None
    ended: Document = field(default_factory=dict)


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
            runner = _runner(client, terminal, name)
            failed = _failure(plan, arguments.sweep, runner, terminal)
            early = failed.document or {}
            if runner.outcome is None:
                results.append(_Result(plan.preset, ended=early))
            else:
                measured = Measured(plan, runner.outcome, loaded, pair, engine, choice)
                results.append(_Result(plan.preset, measured, runner.swept, early))
                _remember(measured, history, terminal)
            if failed.error is not None and failed.error.kind in _OF_THE_PROMPT and len(plans) > 1:
                terminal.note(f"{'Left out' if runner.outcome is None else 'Stopped'}: {preset_name(plan.preset)}.")
                terminal.error(failed.error)
            elif failed.status:
                ended = failed
                break
    # Those that it did not come to stand with the reason.
    results += [_Result(plan.preset, ended=ended.document or {}) for plan in plans[len(results) :]]
    if not arguments.json and any(result.measured for result in results):
        terminal.answer(_text(results))
    left_out = any(result.ended for result in results)
    return Outcome(ended.status or int(left_out), _document(results, pair, choice, engine, ended), ended.error)


def _runner(client: EngineClient, terminal: Terminal, name: str) -> Runner:
    return Runner(client, terminal.follow, lambda what: terminal.progress(name + what))


def _failure(plan: ComparePlan, lengths: tuple[int, ...] | None, runner: Runner, terminal: Terminal) -> Outcome:
    """Measure one prompt, and tell why not all of it was; the runner has what was."""
    try:
        if lengths is None:
            runner.compare(plan)
        else:
            runner.sweep(SweepPlan(plan, lengths))
    except EngineError as error:
        if not terminal.interrupted:  # else what failed, failed because of that
            failed: Document = {"finish_reason": EndReason.ERROR.value, "error": error_document(error.report)}
            return Outcome(1, failed, error.report)
    except (Cancelled, KeyboardInterrupt):
        pass
    else:
        return Outcome()
    return Outcome(EXIT_INTERRUPTED, {"finish_reason": EndReason.CANCELLED.value})


def _remember(measured: Measured, history: History, terminal: Terminal) -> None:
    """Keep the figures, and say what the pair lost against those of before."""
    record = record_of(measured, time.time())
    drop = history.notice(record)
    history.add(record)
    if drop is not None:
        terminal.note(drop_words(drop))


def _text(results: list[_Result]) -> str:
    """For people. At least one was measured."""
    done = [(result.measured, result.sweep) for result in results if result.measured is not None]
    several = len(results) > 1
    parts = [heading(done[0][0])]
    if several and done[0][1] is None:
        parts.append(preset_table([measured for measured, _ in done]))
        done = []
    for measured, sweep in done:
        preset = measured.plan.preset
        if several:
            parts.append(preset_name(preset))
        parts.append(comparison_table(measured.outcome, preset) if sweep is None else sweep_table(sweep, preset))
        parts += [f"{line}\n" for line in stopped(measured)]
    if left_out := [preset_name(result.preset) for result in results if result.measured is None]:
        parts.append(f"Not measured: {', '.join(left_out)}.\n")
    return "\n".join(parts)


def _document(
    results: list[_Result], pair: LoadedPair, choice: PairChoice, engine: EngineInfo, ended: Outcome
) -> Document:
    """Of one prompt as it always was. Where several were asked for, they stand in a list, whatever became of them,
    each with what is its own."""
    early = ended.document or {}
    if len(results) == 1:
        [result] = results
        return {**(document_of(result.measured) if result.measured else {}), **_sweep(result), **early}
    return {
        "presets": [
            {"preset": result.preset, **_figures(result), **_sweep(result), **result.ended} for result in results
        ],
        "machine": computer_document(engine),
        "pair": pair_document(pair, choice),
        **early,
    }


def _figures(result: _Result) -> Document:
    measured = result.measured
    if measured is None:
        return {}
    return {
        **outcome_document(measured.outcome, measured.pair),
        "complete": measured.complete,
        "settings": settings_document(measured),
    }


def _sweep(result: _Result) -> Document:
    return {} if result.sweep is None else {"sweep": sweep_document(result.sweep)}
