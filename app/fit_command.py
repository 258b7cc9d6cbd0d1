"""`draftlight fit`: will a pair run on this computer."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from contextlib import closing

from app import options
from app.amounts import count
from app.command import Outcome
from app.engine_client import EngineClient
from app.fit.proposal import Proposal
from app.fit.values import DeviceFit, FitReport, PairSettings
from app.fit_words import (
    advice_words,
    device_name,
    gigabytes,
    method_sentence,
    problem_sentence,
    proposal_sentence,
    verdict_sentence,
)
from app.pairs import find_pair
from app.paths import Paths
from app.terminal import Terminal
from app.translate import translate

_NAME_WIDTH = 38


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> argparse.ArgumentParser:
    parser = commands.add_parser(
        "fit",
        help="tell whether a pair fits into memory",
        description="Tell what a pair needs of each device, whether that is free now, the largest context that fits, "
        "and what would make it fit. Nothing is loaded. The exit status is 0 whatever the verdict is.",
        allow_abbrev=False,
    )
    options.add_model_options(parser)
    return parser


def run(arguments: argparse.Namespace, paths: Paths, terminal: Terminal) -> Outcome:
    """Raises EngineError where there is no such pair, or no engine."""
    # The devices' drivers and the arithmetic are only paid for where they are used.
    from app.devices.devices import Devices
    from app.dry_load_client import DryLoads
    from app.fit.document import fit_document
    from app.fit.files import search_files, settings_of
    from app.fit.history import FitHistory
    from app.fit.proposal import propose
    from app.fit.report import fit_report

    with closing(EngineClient(paths.logs)) as client:
        found = find_pair(
            options.pair_choice(arguments),
            paths,
            client,
            on_job=terminal.watch,
            on_progress=lambda done, total: terminal.bytes_progress("Making the starter pair, once", done, total),
        )
        engine = client.info()
    # Only now: what the engine itself took of the devices is free again.
    machine = Devices().read(engine)
    for problem in machine.problems:
        terminal.note(problem_sentence(problem))
    request = options.with_load_settings(arguments, found)
    with closing(DryLoads(paths.logs)) as dry_loads:
        search = search_files(request, machine, FitHistory(paths.state), dry_loads)
        settings = settings_of(request, search.pair.target.trained_ctx)
        report = fit_report(search, settings)
        proposal = propose(search, settings)
    if not arguments.json:
        terminal.answer("".join(f"{line}\n" for line in fit_lines(report, proposal)))
    return Outcome(document=fit_document(report, proposal, has_draft=request.draft is not None))


def fit_lines(report: FitReport, proposal: Proposal | None) -> Iterator[str]:
    """The answer for people: a table for each device, the verdict, and what would help."""
    for part in report.placement.devices:
        yield device_name(part.device)
        rows = list(_rows(part, report.settings))
        width = max(len(text) for _, text in rows)
        for name, text in rows:
            yield f"  {name:{_NAME_WIDTH}} {text:>{width}}"
        yield ""
    yield verdict_sentence(report)
    yield method_sentence(report)
    if report.advice:
        yield ""
        yield translate("fit", "Ways to make it fit:")
        for advice in report.advice:
            what, effect = advice_words(advice)
            yield f"  {what:{_NAME_WIDTH}} {effect}"
    if proposal is not None and proposal.settings != report.settings:
        yield ""
        yield proposal_sentence(proposal.settings, report)


def _rows(part: DeviceFit, settings: PairSettings) -> Iterator[tuple[str, str]]:
    kv = translate("fit", "Target KV cache, {ctx} tokens").format(ctx=count(settings.ctx))
    sizes = [
        (translate("fit", "Target weights"), part.target.weights),
        (kv, part.target.kv),
        (translate("fit", "Draft weights"), part.draft.weights),
        (translate("fit", "Draft KV cache"), part.draft.kv),
        (translate("fit", "Compute buffers, both"), part.target.compute + part.draft.compute),
        (translate("fit", "Output buffers"), part.output_bytes),
        (translate("fit", "The engine itself"), part.overhead_bytes),
        (translate("fit", "Other programs now"), part.device.others_bytes),
        (translate("fit", "Safety margin"), part.margin_bytes),
    ]
    for name, size in sizes:
        if size:
            yield name, gigabytes(size)
    needed, total = (gigabytes(size) for size in (part.needed_bytes, part.device.total_bytes))
    yield translate("fit", "Needed"), translate("fit", "{needed} of {total}").format(needed=needed, total=total)
