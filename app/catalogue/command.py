"""`draftlight models list`, `check`."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from app.amounts import count, size
from app.catalogue.reading import Catalogue, read_catalogue
from app.command import Outcome, tell_problems
from app.model_values import Here, PairKind
from app.paths import Paths
from app.reply_document import Document, error_document
from app.starter import STARTER_ID
from app.terminal import Terminal

if TYPE_CHECKING:
    from app.catalogue.check import CheckedPair
    from app.catalogue.listing import ListedPair

    Parsers = argparse._SubParsersAction[argparse.ArgumentParser]


def add_parsers(actions: Parsers) -> list[argparse.ArgumentParser]:
    """One parser for each action; each sets `run_action` to its (arguments, paths, terminal) -> Outcome."""
    listing = actions.add_parser(
        "list",
        help="the pairs that can be chosen",
        description="List the starter pair and those of the catalogue: what --pair takes, what each is good for, its "
        "licence, the size of its download, how sure it is that its files exist and match, and what is on this "
        "computer of it.",
        allow_abbrev=False,
    )
    listing.add_argument("--kind", choices=[kind.value for kind in PairKind], help="only pairs that are good for this")
    listing.set_defaults(run_action=_list)
    checking = actions.add_parser(
        "check",
        help="ask the hub about the catalogue",
        description="Ask the hub about every pair of the catalogue, or about some: whether its files exist, their "
        "sizes and SHA-256, whether its licence must be accepted, and whether the two vocabularies match, which is "
        "told by the first megabytes of the files. Fails where a pair would not work, or where the catalogue "
        "contradicts the hub.",
        allow_abbrev=False,
    )
    checking.add_argument("pairs", metavar="ID", nargs="*", help="only these pairs")
    checking.add_argument(
        "--write",
        metavar="FILE",
        type=Path,
        help="check the pairs of this catalogue file, and write names, sizes, SHA-256, licence and commit into it as "
        "the hub has them; all else in it stays as it is",
    )
    checking.set_defaults(run_action=_check)
    return [listing, checking]


def _list(arguments: argparse.Namespace, paths: Paths, terminal: Terminal) -> Outcome:
    from app.catalogue.listing import list_pairs, listed_document

    catalogue = read_catalogue(paths)
    tell_problems(catalogue, terminal)
    pairs = list_pairs(paths, catalogue)
    if arguments.kind is not None:
        pairs = tuple(pair for pair in pairs if PairKind(arguments.kind) in pair.kinds)
    if not arguments.json:
        terminal.answer(_list_table(pairs))
    document: Document = {
        "pairs": [listed_document(pair) for pair in pairs],
        "problems": _problems(catalogue),
    }
    return Outcome(document=document)


def _list_table(pairs: Sequence[ListedPair]) -> str:
    from app.table import table

    here = {
        Here.READY: "ready",
        Here.TO_BE_MADE: "ready; its target is made at the first use",
        Here.TARGET: "only the target",
        Here.DRAFT: "only the draft",
        Here.NOTHING: "no",
    }
    rows = [("ID", "PAIR", "GOOD FOR", "LICENCE", "DOWNLOAD", "CONFIDENCE", "ON THIS COMPUTER")]
    rows += [
        (
            pair.id,
            pair.title,
            ", ".join(kind.value for kind in PairKind if kind in pair.kinds),
            _licence(pair.licence, gated=pair.gated),
            size(pair.download_bytes) if pair.pair else "none",
            pair.confidence.value,
            here[pair.here],
        )
        for pair in pairs
    ]
    return table(rows, numbers=[4])


def _licence(licence: str, *, gated: bool) -> str:
    return f"{licence}, gated" if gated else licence


def _check(arguments: argparse.Namespace, paths: Paths, terminal: Terminal) -> Outcome:
    """Raises EngineError: PAIR_UNKNOWN, and what keeps all pairs from being checked."""
    # The hub's client takes half a second to import.
    from app.catalogue.check import Checker
    from app.catalogue.check_report import checked_document, checked_text, title_line
    from app.catalogue.checked_file import CheckedCatalogueFile
    from app.hub.hub import Hub
    from app.hub.source import checked_endpoint
    from app.hub.token import Token
    from app.model_settings import read_model_settings

    file = None if arguments.write is None else CheckedCatalogueFile(arguments.write)
    catalogue = read_catalogue(paths) if file is None else file.catalogue
    tell_problems(catalogue, terminal)
    if STARTER_ID in arguments.pairs:
        terminal.note("The starter pair comes with the program; the hub is not asked about it.")
    asked = [pair_id for pair_id in arguments.pairs if pair_id != STARTER_ID]
    pairs = [catalogue.pair(pair_id) for pair_id in asked]
    if not arguments.pairs:
        pairs = list(catalogue.pairs)
    if not pairs:
        return Outcome(int(bool(catalogue.problems)), {"hub": None, "pairs": [], "problems": _problems(catalogue)})
    hub = Hub(checked_endpoint(read_model_settings(paths)), Token(paths))
    checker = Checker(hub, cancelled=lambda: False)
    width = max((len(pair.id) for pair in pairs), default=0)
    checked: list[CheckedPair] = []
    for number, pair in enumerate(pairs, 1):
        terminal.progress(f"{pair.id}, {number} of {len(pairs)}")
        checked.append(checker.check(pair))
        if not arguments.json:
            terminal.answer(("" if number > 1 else title_line(width)) + checked_text(checked[-1], width))
    broken = sum(not one.works for one in checked)
    wrong = sum(bool(one.contradictions) for one in checked)
    terminal.note(f"Asked {hub.name} for {len(checked)} pairs: {broken} fail, {wrong} differ from the catalogue.")
    if file is not None:
        terminal.note(f"{count(file.write(checked))} values changed in {arguments.write}.")
        wrong = 0  # not any more
    document: Document = {
        "hub": hub.name,
        "pairs": [checked_document(one) for one in checked],
        "problems": _problems(catalogue),
    }
    return Outcome(int(bool(broken or wrong or catalogue.problems)), document)


def _problems(catalogue: Catalogue) -> list[Document]:
    return [error_document(problem) for problem in catalogue.problems]
