"""`draftlight fit`: will a pair run on this computer."""

from __future__ import annotations

import argparse
from contextlib import closing

from app import options
from app.command import Outcome, chosen_pair
from app.engine_client import EngineClient
from app.pairs import find_pair
from app.paths import Paths
from app.terminal import Terminal


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
    # Late: reading headers needs numpy, which no other command pays for before it starts.
    from app.devices.devices import Devices
    from app.dry_load_client import DryLoads
    from app.fit.document import fit_document
    from app.fit.files import search_files, settings_of
    from app.fit.history import FitHistory
    from app.fit.proposal import propose
    from app.fit.report import fit_report
    from app.fit.table import fit_lines
    from app.fit_words import problem_sentence, unused_sentence

    with closing(EngineClient(paths.logs)) as client:
        found = find_pair(
            chosen_pair(arguments, paths, terminal),
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
    for card in machine.unused:
        terminal.note(unused_sentence(card))
    request = options.with_load_settings(arguments, found)
    with closing(DryLoads(paths.logs)) as dry_loads:
        search = search_files(request, machine, FitHistory(paths.state), dry_loads)
        settings = settings_of(request, search)
        report = fit_report(search, settings)
        proposal = propose(search, settings)
    if not arguments.json:
        terminal.answer("".join(f"{line}\n" for line in fit_lines(report, proposal)))
    return Outcome(document=fit_document(report, proposal, has_draft=request.draft is not None))
