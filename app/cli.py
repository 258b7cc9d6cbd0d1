"""The command line: which command, and how it ends.

Exit status 0 means that the work is done, 1 that it failed and stderr says why, 2 wrong usage, 130 Ctrl-C.
"""

from __future__ import annotations

import argparse
import sys
import traceback
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path

from app import bench_command, doctor_command, fit_command, generate_command, models_command, options
from app.command import Command, Outcome
from app.paths import BASE_DIR_VARIABLE, Paths
from app.reply_document import error_document
from app.terminal import EXIT_INTERRUPTED, ReaderGoneError, Terminal
from app.version import VERSION
from engine.errors import EngineError, ErrorKind, ErrorReport
from engine.types import EndReason

_COMMANDS: dict[str, Command] = {
    "generate": generate_command.run,
    "bench": bench_command.run,
    "fit": fit_command.run,
    "models": models_command.run,
    "doctor": doctor_command.run,
}


def main(words: Sequence[str] | None = None) -> int:
    """Run one command, or the window if there is none; gives the exit status."""
    arguments = parse(words)
    try:
        paths = Paths(arguments.base_dir)
    except (OSError, RuntimeError) as error:  # no such user's home, or the working folder is gone
        sys.stderr.write(f"draftlight: the base folder cannot be found: {error}\n")
        return 2
    if arguments.command is None:
        # By name and late: nothing below the window depends on it, and the commands need no Qt.
        status: int = import_module("ui.main").run(paths)
        return status
    terminal = Terminal(verbose=arguments.verbose, base_dir=arguments.base_dir)
    try:
        with terminal.interruptible():
            outcome = _run(arguments, paths, terminal)
            if arguments.json and outcome.document is not None:
                terminal.answer_json(outcome.document)
    except ReaderGoneError:
        return 0
    except KeyboardInterrupt:  # while the answer was written
        return EXIT_INTERRUPTED
    except EngineError as error:  # the answer could not be written
        outcome = Outcome(1, None, error.report)
    if outcome.error is not None:
        terminal.error(outcome.error)
    return outcome.status


def _run(arguments: argparse.Namespace, paths: Paths, terminal: Terminal) -> Outcome:
    """The command's outcome; what it did not expect is an outcome too."""
    interrupted = Outcome(EXIT_INTERRUPTED, {"finish_reason": EndReason.CANCELLED.value})
    try:
        return _COMMANDS[arguments.command](arguments, paths, terminal)
    except KeyboardInterrupt:
        return interrupted
    except ReaderGoneError:
        raise
    except EngineError as error:
        report = error.report
    except Exception as error:  # noqa: BLE001 – the one net of the command line: a bug is told, not dumped
        report = ErrorReport(ErrorKind.INTERNAL, (("reason", repr(error)),), traceback.format_exc())
    if terminal.interrupted:  # what failed, failed because of that
        return interrupted
    status = 2 if report.kind is ErrorKind.PAIR_UNKNOWN else 1  # a name that does not exist is wrong usage
    return Outcome(status, {"finish_reason": EndReason.ERROR.value, "error": error_document(report)}, report)


def parse(words: Sequence[str] | None = None) -> argparse.Namespace:
    """The options as values. Leaves the program with status 2 where they make no sense."""
    parser = argparse.ArgumentParser(
        prog="draftlight",
        description="Local language models, faster. Without a command, the window opens.",
        epilog="Exit status: 0 the work is done, 1 it failed and standard error says why, 2 wrong usage, 130 Ctrl-C.",
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="version", version=f"Draftlight {VERSION}")
    _add_base_dir(parser, default=None)
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", title="commands")
    generate = generate_command.add_parser(commands)
    bench = bench_command.add_parser(commands)
    fit = fit_command.add_parser(commands)
    doctor = doctor_command.add_parser(commands)
    for command in (generate, bench, fit, doctor, *models_command.add_parser(commands)):
        # Absent here, the value given before the command stands.
        _add_base_dir(command, default=argparse.SUPPRESS)
        command.add_argument("--json", action="store_true", help="print one JSON object")
        command.add_argument("--verbose", action="store_true", help="add details to error messages")
    arguments = parser.parse_args(words)
    if arguments.command in (takes_pair := {"generate": generate, "bench": bench, "fit": fit}):
        options.check(takes_pair[arguments.command], arguments)
    return arguments


def _folder(text: str) -> Path:
    if not text:
        raise argparse.ArgumentTypeError("a folder is needed")
    return Path(text)


def _add_base_dir(parser: argparse.ArgumentParser, default: object) -> None:
    parser.add_argument(
        "--base-dir",
        metavar="FOLDER",
        type=_folder,
        default=default,
        help=f"keep models, logs and state below this folder (also: the variable {BASE_DIR_VARIABLE})",
    )
