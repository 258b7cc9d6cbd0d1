"""What every command has in common: how it ends, and the pair it loads."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from app import options
from app.amounts import count
from app.catalogue.reading import Catalogue, read_catalogue
from app.engine_client import EngineClient
from app.messages import pair_notes
from app.pairs import PairChoice, find_pair
from app.paths import Paths
from app.reply_document import Document
from app.starter import STARTER_ID
from app.terminal import Terminal
from engine.errors import EngineError, ErrorReport
from engine.protocol import Loaded
from engine.types import LEAST_CTX, LoadedPair, LoadRequest, context_of

if TYPE_CHECKING:
    from app.devices.device import Machine


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a command ended.

    Attributes:
        document: what --json prints.
        error: why it failed; the status is 1 then.
    """

    status: int = 0
    document: Document | None = None
    error: ErrorReport | None = None


Command = Callable[[argparse.Namespace, Paths, Terminal], Outcome]


def chosen_pair(arguments: argparse.Namespace, paths: Paths, terminal: Terminal) -> PairChoice:
    """What the options name. Tells what is wrong with the catalogue, where that is asked. Raises EngineError:
    PAIR_UNKNOWN."""
    choice = options.pair_choice(arguments)
    if choice.pair_id in (None, STARTER_ID):
        return choice
    catalogue = read_catalogue(paths)
    tell_problems(catalogue, terminal)
    return replace(choice, known=catalogue.pair(choice.pair_id))


def tell_problems(catalogue: Catalogue, terminal: Terminal) -> None:
    """Say what was left out of the catalogue. The rest can be used."""
    for problem in catalogue.problems:
        terminal.error(problem)


def tell_split(arguments: argparse.Namespace, machine: Machine, terminal: Terminal) -> None:
    """Say where a split is not for this computer; the layers are dealt out by free memory then."""
    shares, gpus = len(arguments.split), len(machine.gpus)
    if shares and (gpus < 2 or shares != gpus):
        terminal.note(f"The split is left out: shares {shares}, graphics cards {gpus}.")


def tell_ctx(arguments: argparse.Namespace, terminal: Terminal) -> None:
    """Say where a context becomes a larger one than was asked for."""
    made = context_of(LoadRequest("", ctx=arguments.ctx), 0)
    if arguments.ctx not in (None, made):
        steps = f"contexts grow in steps of {LEAST_CTX}"
        terminal.note(f"The context is {count(made)} tokens, not {count(arguments.ctx)}: {steps}.")


def load(
    arguments: argparse.Namespace, choice: PairChoice, paths: Paths, terminal: Terminal, client: EngineClient
) -> LoadedPair:
    """Load the chosen pair as the options say, and show how far that is.

    Raises:
        EngineError: WOULD_NOT_FIT unless --anyway was given, and all else that a load meets.
    """
    # Late: judging reads headers, for which numpy is needed, and files may be missing before that.
    from app.fit.desk import FitDesk
    from app.fit.loads import LoadJudge

    request = find_pair(
        choice,
        paths,
        client,
        on_job=terminal.watch,
        on_progress=lambda done, total: terminal.bytes_progress("Making the starter pair, once", done, total),
    )
    wanted = options.with_load_settings(arguments, request)
    tell_ctx(arguments, terminal)
    with closing(FitDesk(paths)) as desk:
        judge = LoadJudge(desk, client)
        forecast = judge.judge(wanted, anyway=arguments.anyway)
        if forecast is not None:
            tell_split(arguments, forecast.machine, terminal)
        try:
            *_, loaded = terminal.follow(client.load(wanted if forecast is None else forecast.request))
        except EngineError as error:
            raise EngineError.of(judge.explain(error.report, wanted).report) from error
        if forecast is not None:
            judge.learn(forecast)
    assert isinstance(loaded, Loaded)
    for note in pair_notes(loaded.pair):
        terminal.note(note)
    return loaded.pair
