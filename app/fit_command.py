"""`draftlight fit`: will a pair run on this computer."""

from __future__ import annotations

import argparse
from contextlib import closing
from typing import TYPE_CHECKING

from app import options
from app.catalogue.reading import read_catalogue
from app.command import Outcome, chosen_pair, tell_ctx, tell_problems, tell_split
from app.engine_client import EngineClient
from app.pairs import find_pair
from app.paths import Paths
from app.reply_document import Document, error_document
from app.terminal import Terminal
from engine.errors import EngineError
from engine.types import EngineInfo

if TYPE_CHECKING:
    from app.devices.device import Machine
    from app.fit.desk import FitDesk
    from app.fit.overview import JudgedPair
    from app.fit.pair_files import PairFiles, PairFinder
    from app.model_values import CataloguePair


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> argparse.ArgumentParser:
    parser = commands.add_parser(
        "fit",
        help="tell whether a pair fits into memory",
        description="Tell what a pair needs of each device, whether that is free now, the largest context that fits, "
        "and what would make it fit. Nothing is loaded, and nothing has to be downloaded: of a model that is not on "
        "this computer only the header is read, some megabytes. The exit status is 0 whatever the verdict is.",
        allow_abbrev=False,
    )
    options.add_model_options(parser, all_pairs=True)
    return parser


def run(arguments: argparse.Namespace, paths: Paths, terminal: Terminal) -> Outcome:
    """Raises EngineError where there is no such pair, its headers cannot be had, or there is no engine."""
    # Late: reading headers needs numpy, which no other command pays for before it starts.
    from app.fit.desk import FitDesk

    with closing(FitDesk(paths)) as desk:
        return (_all if arguments.all else _one)(arguments, paths, terminal, desk)


def _one(arguments: argparse.Namespace, paths: Paths, terminal: Terminal, desk: FitDesk) -> Outcome:
    from app.fit.document import fit_document
    from app.fit.files import settings_of
    from app.fit.pair_files import search_pair
    from app.fit.proposal import propose
    from app.fit.report import fit_report
    from app.fit.table import fit_lines

    with closing(EngineClient(paths.logs)) as client:
        files = _files(arguments, paths, terminal, client)
        engine = client.info()
    machine = _machine(engine, arguments, terminal, desk)
    search = search_pair(files, machine, desk.history, desk.dry_loads)
    settings = settings_of(options.with_load_settings(arguments, files.request), search)
    report = fit_report(search, settings)
    proposal = propose(search, settings)
    if not arguments.json:
        terminal.answer("".join(f"{line}\n" for line in fit_lines(report, proposal, files.here)))
    return Outcome(document=fit_document(report, proposal, has_draft=bool(files.draft), here=files.here))


def _files(arguments: argparse.Namespace, paths: Paths, terminal: Terminal, client: EngineClient) -> PairFiles:
    """Those that the options name. Tells what is read over the network."""
    from app.fit.pair_files import PairFiles, pair_finder

    choice = chosen_pair(arguments, paths, terminal)
    if choice.known is not None:
        with pair_finder(paths) as finder:
            _tell_reading(finder.to_fetch([choice.known]), terminal)
            return finder.find(choice.known)
    return PairFiles.of(
        find_pair(
            choice,
            paths,
            client,
            on_job=terminal.watch,
            on_progress=lambda done, total: terminal.bytes_progress("Making the starter pair, once", done, total),
        )
    )


def _all(arguments: argparse.Namespace, paths: Paths, terminal: Terminal, desk: FitDesk) -> Outcome:
    """Fails where there are pairs, and nothing can be told of any."""
    from app.fit.overview import overview_document, overview_table
    from app.fit.pair_files import pair_finder

    catalogue = read_catalogue(paths)
    tell_problems(catalogue, terminal)
    with closing(EngineClient(paths.logs)) as client:
        engine = client.info()
    machine = _machine(engine, arguments, terminal, desk)
    judged = []
    with pair_finder(paths) as finder:
        _tell_reading(finder.to_fetch(catalogue.pairs), terminal)
        for number, pair in enumerate(catalogue.pairs, 1):
            terminal.progress(f"{pair.id}, {number} of {len(catalogue.pairs)}")
            judged.append(_judged(pair, finder, machine, arguments, desk))
    errors = [one.error for one in judged if one.error is not None]
    if not arguments.json:
        terminal.answer(overview_table(judged))
    document: Document = {
        "pairs": overview_document(judged),
        "problems": [error_document(problem) for problem in catalogue.problems],
    }
    failed = errors[0] if errors and len(errors) == len(judged) else None
    return Outcome(int(failed is not None), document, failed)


def _judged(
    pair: CataloguePair, finder: PairFinder, machine: Machine, arguments: argparse.Namespace, desk: FitDesk
) -> JudgedPair:
    """What keeps one pair from being judged is told of that pair."""
    from app.fit.files import settings_of
    from app.fit.overview import JudgedPair
    from app.fit.pair_files import search_pair
    from app.fit.report import fit_report

    try:
        files = finder.find(pair)
        search = search_pair(files, machine, desk.history, desk.dry_loads)
        settings = settings_of(options.with_load_settings(arguments, files.request), search)
        return JudgedPair(pair, fit_report(search, settings, with_advice=False), files.here)
    except EngineError as error:
        return JudgedPair(pair, error=error.report)


def _tell_reading(headers: int, terminal: Terminal) -> None:
    if headers:
        terminal.note(f"Models that are not here, whose headers are read once, some megabytes each: {headers}")


def _machine(engine: EngineInfo, arguments: argparse.Namespace, terminal: Terminal, desk: FitDesk) -> Machine:
    """Read when the engine is gone: what it took of the devices itself is free again. Tells what is left out."""
    from app.devices.device import OwnUse
    from app.fit_words import problem_sentence, unused_sentence

    machine = desk.machine(engine, OwnUse())
    for problem in machine.problems:
        terminal.note(problem_sentence(problem))
    for card in machine.unused:
        terminal.note(unused_sentence(card))
    tell_ctx(arguments, terminal)
    tell_split(arguments, machine, terminal)
    return machine
