"""`draftlight models search`."""

from __future__ import annotations

import argparse
import re
from typing import TYPE_CHECKING

from app.amounts import size
from app.command import Outcome
from app.model_settings import read_model_settings
from app.paths import Paths
from app.reply_document import Document
from app.terminal import Terminal

if TYPE_CHECKING:
    from app.hub.hub import FoundRepo
    from app.hub.listing import HubModel, Listing

    Parsers = argparse._SubParsersAction[argparse.ArgumentParser]

_REPO = re.compile(r"[\w.-]+/[\w.-]+", re.ASCII)


def add_parsers(actions: Parsers) -> list[argparse.ArgumentParser]:
    """One parser for each action; each sets `run_action` to its (arguments, paths, terminal) -> Outcome."""
    parser = actions.add_parser(
        "search",
        help="find models at the hub",
        description="List the repositories with GGUF files whose names hold TEXT, those that are downloaded most "
        "first. Where TEXT is OWNER/NAME, list that repository's models with their sizes.",
        allow_abbrev=False,
    )
    parser.add_argument("text", metavar="TEXT", type=_text, help="words of a name, or OWNER/NAME")
    parser.add_argument("--files", action="store_true", help="list the models of every repository that is found")
    parser.add_argument("--limit", metavar="N", type=_limit, default=20, help="repositories to list (20)")
    parser.set_defaults(run_action=run)
    return [parser]


def run(arguments: argparse.Namespace, paths: Paths, terminal: Terminal) -> Outcome:
    """Ask the hub and print what it has. Raises EngineError."""
    from app.hub.hub import Hub
    from app.hub.source import checked_endpoint
    from app.hub.token import Token

    hub = Hub(checked_endpoint(read_model_settings(paths)), Token(paths))
    if _REPO.fullmatch(arguments.text):
        listing = hub.listing(arguments.text)
        if not arguments.json:
            terminal.answer(_lines(_models(listing)))
        return Outcome(document={"host": hub.name, "repositories": [_listing_document(arguments.text, listing)]})
    found = hub.search(arguments.text, arguments.limit)
    documents: list[Document] = []
    for repo in found:
        listing_of_repo = hub.listing(repo.id) if arguments.files else None
        documents.append(_found_document(repo, listing_of_repo))
        if not arguments.json:
            models = [] if listing_of_repo is None else [f"  {line}" for line in _models(listing_of_repo)]
            terminal.answer(_lines([_found(repo), *models]))
    if not found:
        terminal.note(f"{hub.name} has no repository with GGUF files of that name.")
    return Outcome(document={"host": hub.name, "repositories": documents})


def _text(text: str) -> str:
    if not text.strip():
        raise argparse.ArgumentTypeError("some text is needed")
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        raise argparse.ArgumentTypeError("it is not text in this terminal's encoding") from None
    return text.strip()


def _limit(text: str) -> int:
    if not text.isascii() or not text.isdigit() or not 1 <= int(text) <= 100:
        raise argparse.ArgumentTypeError("a number from 1 to 100 is needed")
    return int(text)


def _lines(lines: list[str]) -> str:
    return "".join(f"{line}\n" for line in lines)


def _found(repo: FoundRepo) -> str:
    from app.hub.names import printable

    updated = "" if repo.updated is None else f"{repo.updated:%Y-%m-%d}"
    gated = "  gated" if repo.gated else ""
    return f"{repo.id:60} {repo.downloads:>12,} downloads  {updated:10}  {printable(repo.licence)}{gated}"


def _models(listing: Listing) -> list[str]:
    from app.hub.listing import left_out_words
    from app.hub.names import printable

    lines = [_model(found) for found in listing.models]
    lines += [f"left out: {printable(path)} ({left_out_words(reason)})" for path, reason in listing.left_out]
    return lines or ["no GGUF files"]


def _model(found: HubModel) -> str:
    from app.hub.names import printable

    total = found.model.size_bytes
    parts = f"  {len(found.model.parts)} parts" if len(found.model.parts) > 1 else ""
    gated = "  gated" if found.gated else ""
    amount = "?" if total is None else size(total)
    return f"{found.quantisation or '?':12} {amount:>10}  {printable(found.model.parts[0].path)}{parts}{gated}"


def _found_document(repo: FoundRepo, listing: Listing | None) -> Document:
    document: Document = {
        "id": repo.id,
        "downloads": repo.downloads,
        "likes": repo.likes,
        "licence": repo.licence,
        "gated": repo.gated,
        "updated": None if repo.updated is None else repo.updated.isoformat(),
    }
    return document if listing is None else document | _listing_document(repo.id, listing)


def _listing_document(repo: str, listing: Listing) -> Document:
    return {
        "id": repo,
        "models": [_model_document(found) for found in listing.models],
        "left_out": [{"file": path, "reason": reason.value} for path, reason in listing.left_out],
    }


def _model_document(found: HubModel) -> Document:
    return {
        "quantisation": found.quantisation,
        "size_bytes": found.model.size_bytes,
        "revision": found.model.revision,
        "gated": found.gated,
        "licence": found.licence,
        "files": [
            {"path": part.path, "size_bytes": part.size_bytes, "sha256": part.sha256} for part in found.model.parts
        ],
    }
