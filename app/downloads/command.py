"""`draftlight models get`."""

from __future__ import annotations

import argparse
import shutil
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from app.amounts import size
from app.command import Outcome, tell_problems
from app.model_settings import read_model_settings
from app.paths import Paths
from app.reply_document import Document, error_document
from app.starter import STARTER_ID
from app.terminal import EXIT_INTERRUPTED, Terminal
from engine.errors import ErrorKind

if TYPE_CHECKING:
    from app.downloads.choosing import Wish
    from app.downloads.manager import Downloads
    from app.downloads.state import Download
    from app.hub.hub import Hub

    Parsers = argparse._SubParsersAction[argparse.ArgumentParser]

_REFRESH_S = 0.5


def add_parsers(actions: Parsers) -> list[argparse.ArgumentParser]:
    """One parser for each action; each sets `run_action` to its (arguments, paths, terminal) -> Outcome."""
    parser = actions.add_parser(
        "get",
        help="download a pair or a model",
        description="Download both models of a pair, or one model of the hub. What came is kept when it is stopped "
        "or fails, and the same command goes on. Prints where the models lie.",
        allow_abbrev=False,
    )
    parser.add_argument(
        "what",
        metavar="ID|OWNER/NAME[:FILE]",
        help="a pair; or a file, or a quantisation, of a repository at the hub. Without FILE, what there is to choose",
    )
    parser.set_defaults(run_action=run)
    return [parser]


def run(arguments: argparse.Namespace, paths: Paths, terminal: Terminal) -> Outcome:
    """Download, and show how far that is. Raises EngineError."""
    if arguments.what == STARTER_ID:
        terminal.note("The starter pair comes with the program; there is nothing to download.")
        return Outcome(document={"downloads": []})
    from app.catalogue.reading import read_catalogue
    from app.downloads.choosing import file_wish, pair_wishes, repo_and_file

    named = repo_and_file(arguments.what)
    if named is None:
        catalogue = read_catalogue(paths)
        tell_problems(catalogue, terminal)
        wishes = pair_wishes(catalogue.pair(arguments.what))
    else:
        hub = _hub(paths)
        repo, file = named
        if not file:
            return _choices(hub, repo, arguments, terminal)
        wishes = [file_wish(repo, file, hub)]
    return _get(wishes, arguments, paths, terminal)


def _hub(paths: Paths) -> Hub:
    from app.hub.hub import Hub
    from app.hub.source import checked_endpoint
    from app.hub.token import Token

    return Hub(checked_endpoint(read_model_settings(paths)), Token(paths))


def _choices(hub: Hub, repo: str, arguments: argparse.Namespace, terminal: Terminal) -> Outcome:
    """What a repository has, smallest first."""
    from app.hub.names import printable

    models = hub.models(repo)
    documents: list[Document] = []
    for found in models:
        total = found.model.size_bytes
        choice = f"{found.model.repo}:{found.model.parts[0].path}"
        documents.append({"get": choice, "quantisation": found.quantisation, "size_bytes": total})
        if not arguments.json:
            amount = "?" if total is None else size(total)
            terminal.answer(f"{found.quantisation or '?':12} {amount:>10}  {printable(choice)}\n")
    terminal.note("Name one of these to get it." if models else f"{repo} has no GGUF files.")
    return Outcome(document={"repo": repo, "choices": documents})


def _get(wishes: Sequence[Wish], arguments: argparse.Namespace, paths: Paths, terminal: Terminal) -> Outcome:
    from app.downloads.manager import Downloads
    from app.hub.source import Source, sources
    from app.hub.token import Token

    settings, token = read_model_settings(paths), Token(paths)

    def all_sources() -> tuple[Source, ...]:
        return sources(settings, token)

    downloads = Downloads(paths.models, None, all_sources, settings.speed_limit)
    interrupted = False
    try:
        for wish in wishes:
            downloads.add(wish.title, wish.model)
        _follow(downloads, paths.models, terminal)
    except KeyboardInterrupt:
        interrupted = True
    finally:
        downloads.close()
    ended = downloads.snapshot()
    document: Document = {"downloads": [_document(download) for download in ended]}
    if interrupted:
        again = terminal.command_line("models", "get", arguments.what)
        terminal.note(f"Paused. What came is kept; go on with: {again}")
        return Outcome(EXIT_INTERRUPTED, document)
    if not arguments.json:
        terminal.answer("".join(f"{download.path}\n" for download in ended if download.path is not None))
    error = next((download.error for download in ended if download.error is not None), None)
    return Outcome(0 if error is None else 1, document, error)


def _follow(downloads: Downloads, folder: Path, terminal: Terminal) -> None:
    """Show the progress until all have ended; what another program is downloading ends with it."""
    from app.downloads.on_disk import local_paths
    from app.downloads.part_file import is_held
    from app.downloads.progress_line import progress_line
    from app.downloads.state import ENDED
    from app.hub.names import printable

    changed = threading.Event()
    downloads.subscribe(changed.set)
    told: set[str] = set()
    while True:
        changed.clear()
        now = downloads.snapshot()
        elsewhere = [download for download in now if _is_elsewhere(download)]
        for download in elsewhere:
            if download.id not in told:
                told.add(download.id)
                terminal.note(f"Another program is downloading {printable(download.title)}; waiting for it.")
            if not any(is_held(path) for path in local_paths(folder, download.model)):
                downloads.resume(download.id)  # it is here, or that program has stopped
        if not elsewhere and all(download.state in ENDED for download in now):
            return
        terminal.progress(progress_line(now, shutil.get_terminal_size().columns))
        changed.wait(_REFRESH_S)  # Windows runs signal handlers, Ctrl-C's too, only between two waits


def _is_elsewhere(download: Download) -> bool:
    return download.error is not None and download.error.kind is ErrorKind.DOWNLOAD_ELSEWHERE


def _document(download: Download) -> Document:
    return {
        "title": download.title,
        "repo": download.model.repo,
        "revision": download.model.revision,
        "files": [
            {"path": part.path, "size_bytes": part.size_bytes, "sha256": part.sha256} for part in download.model.parts
        ],
        "state": download.state.value,
        "done_bytes": download.done_bytes,
        "total_bytes": download.total_bytes,
        "path": None if download.path is None else str(download.path),
        "error": None if download.error is None else error_document(download.error),
    }
