"""`draftlight models`: the catalogue, the hubs, the downloads and the library on the command line."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from app.catalogue import command as catalogue
from app.command import Outcome
from app.downloads import command as downloads
from app.hub import command as hub
from app.library import command as library
from app.paths import Paths
from app.terminal import Terminal

if TYPE_CHECKING:
    Parsers = argparse._SubParsersAction[argparse.ArgumentParser]


def add_parser(commands: Parsers) -> list[argparse.ArgumentParser]:
    """The parsers of `models` and of what follows it."""
    parser = commands.add_parser("models", help="pairs and model files: list, search, get, add, verify, remove, check")
    actions = parser.add_subparsers(dest="action", metavar="ACTION", title="actions", required=True)
    return [action for part in (catalogue, hub, downloads, library) for action in part.add_parsers(actions)]


def run(arguments: argparse.Namespace, paths: Paths, terminal: Terminal) -> Outcome:
    outcome: Outcome = arguments.run_action(arguments, paths, terminal)
    return outcome
