"""`draftlight models add`, `verify`, `remove`."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from contextlib import closing, contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from app.amounts import size
from app.command import Outcome, tell_problems
from app.hub.names import printable
from app.model_values import Proof
from app.paths import Paths
from app.reply_document import Document, error_document
from app.starter import STARTER_ID
from app.terminal import Terminal
from engine.errors import EngineError, ErrorReport

if TYPE_CHECKING:
    from app.library.catalogued import CataloguedModels
    from app.library.leftovers import Leftover
    from app.library.library import Library
    from app.model_values import LocalModel

    Parsers = argparse._SubParsersAction[argparse.ArgumentParser]

_HOW = {
    Proof.PUBLISHED: "SHA-256 as published",
    Proof.DOWNLOADED: "SHA-256 as it was downloaded",
    Proof.SIZE: "header and size are right, no SHA-256 is known",
}


def add_parsers(actions: Parsers) -> list[argparse.ArgumentParser]:
    """One parser for each action; each sets `run_action` to its (arguments, paths, terminal) -> Outcome."""
    add = actions.add_parser(
        "add",
        help="use files where they lie",
        description="Use GGUF files where they lie, without copying them. Of a split model any part will do; of a "
        "folder, all models in it are added.",
        allow_abbrev=False,
    )
    add.add_argument("files", metavar="FILE|FOLDER", nargs="+", type=Path)
    add.set_defaults(run_action=_add)
    verify = actions.add_parser(
        "verify",
        help="check that models are whole",
        description="Compare the SHA-256 of models with the published one, where it is known, and read the headers "
        "and sizes of the others. Without a name: everything in the models folder and all that was added.",
        allow_abbrev=False,
    )
    verify.add_argument("names", metavar="ID|FILE", nargs="*")
    verify.set_defaults(run_action=_verify)
    remove = actions.add_parser(
        "remove",
        help="move a model to the trash",
        description="Move a model, or both models of a pair, to the trash. What belongs to another program, or to "
        "another pair that is here, is kept. What came of an unfinished download is deleted.",
        allow_abbrev=False,
    )
    remove.add_argument("name", metavar="ID|FILE")
    remove.set_defaults(run_action=_remove)
    return [add, verify, remove]


def _add(arguments: argparse.Namespace, paths: Paths, terminal: Terminal) -> Outcome:
    from app.library.changes import add_files

    additions = add_files(paths, arguments.files)
    taken = [(addition.is_new, addition.model) for addition in additions if addition.model is not None]
    refused = [(addition.path, addition.problem) for addition in additions if addition.problem is not None]
    if not arguments.json:
        for is_new, model in taken:
            terminal.answer(f"{'Added' if is_new else 'Already there:'} {_line(model)}\n")
    document: Document = {
        "added": [model_document(model) for is_new, model in taken if is_new],
        "already": [model_document(model) for is_new, model in taken if not is_new],
        "refused": [{"path": str(path), "error": error_document(problem)} for path, problem in refused],
    }
    return _outcome(document, [problem for _, problem in refused], terminal)


def _verify(arguments: argparse.Namespace, paths: Paths, terminal: Terminal) -> Outcome:
    from app.library.changes import verify

    whole: list[Document] = []
    damaged: list[Document] = []
    problems: list[ErrorReport] = []
    with _library(paths, terminal) as (library, catalogued):
        if arguments.names:
            named = {model.path: model for name in arguments.names for model in catalogued.named(name)}
            models = tuple(named.values())
        else:
            models = tuple(model for model in library.scan() if model.removable)
            if not models:
                terminal.note("There are no models in the models folder, and none were added.")
        for model in models:
            title = f"Verifying {model.name}"
            try:
                verified = verify(model, catalogued.sha256_of(model), partial(terminal.bytes_progress, title))
            except EngineError as error:
                problems.append(error.report)
                damaged.append({"path": str(model.path), "error": error_document(error.report)})
                continue
            assert verified is not None  # nobody cancels
            whole.append({"path": str(model.path), "by": verified.proof.value})
            if not arguments.json:
                terminal.answer(f"Whole: {_line(model)} ({_HOW[verified.proof]})\n")
    return _outcome({"whole": whole, "damaged": damaged}, problems, terminal)


def _remove(arguments: argparse.Namespace, paths: Paths, terminal: Terminal) -> Outcome:
    from app.library.changes import remove

    name = arguments.name
    removed: list[Path] = []
    kept: list[Document] = []
    problems: list[ErrorReport] = []

    def keep(path: Path, error: EngineError) -> None:
        problems.append(error.report)
        kept.append({"path": str(path), "needed_by": [], "error": error_document(error.report)})

    with _library(paths, terminal) as (library, catalogued):
        leftovers = _leftovers(name, catalogued, paths)
        named = _removable(name, catalogued, bool(leftovers), terminal)
        for model in named:
            # A file that is named by itself is meant, whoever needs it.
            others = catalogued.needed_by(model, besides=name) if len(named) > 1 else ()
            if others:
                kept.append({"path": str(model.path), "needed_by": list(others), "error": None})
                if not arguments.json:
                    terminal.answer(f"Kept for {', '.join(others)}: {_line(model)}\n")
                continue
            try:
                moved = remove(model, paths, library.places())
            except EngineError as error:
                keep(model.path, error)
                continue
            removed += moved
            if not arguments.json:
                terminal.answer("".join(f"Moved to the trash: {printable(str(path))}\n" for path in moved))
        deleted = []
        for leftover in leftovers:
            try:
                leftover.remove()
            except EngineError as error:
                keep(leftover.path, error)
                continue
            deleted.append(str(leftover.path))
            if not arguments.json:
                terminal.answer(f"Deleted what came of a download: {printable(str(leftover.path))}\n")
    document: Document = {"removed": [str(path) for path in removed], "deleted": deleted, "kept": kept}
    return _outcome(document, problems, terminal)


def _leftovers(name: str, catalogued: CataloguedModels, paths: Paths) -> tuple[Leftover, ...]:
    """What came of downloads of a pair, or the one whose path is named."""
    from app.library.leftovers import leftover_at, leftovers_of
    from app.library.ownership import absolute

    if models := catalogued.remote_models(name):
        return leftovers_of(models, paths)
    leftover = leftover_at(absolute(name), paths)
    return () if leftover is None else (leftover,)


def _removable(name: str, catalogued: CataloguedModels, leftovers: bool, terminal: Terminal) -> tuple[LocalModel, ...]:
    """The models that a name means; none where only what came of a download is there. Raises EngineError."""
    try:
        named = catalogued.named(name)
    except EngineError:
        if leftovers:
            return ()
        raise
    if name != STARTER_ID:
        return named
    made = tuple(model for model in named if model.removable)
    if not made:
        terminal.note("The starter pair comes with the program; there is nothing to remove.")
    return made


@contextmanager
def _library(paths: Paths, terminal: Terminal) -> Iterator[tuple[Library, CataloguedModels]]:
    from app.catalogue.reading import read_catalogue
    from app.library.catalogued import CataloguedModels
    from app.library.library import Library
    from app.model_settings import read_model_settings

    with closing(Library(paths, read_model_settings(paths))) as library:
        catalogue = read_catalogue(paths)
        tell_problems(catalogue, terminal)
        yield library, CataloguedModels(catalogue, library, paths)


def _outcome(document: Document, problems: list[ErrorReport], terminal: Terminal) -> Outcome:
    """Failed if there is a problem; the last one is told by whoever gets the outcome."""
    for problem in problems[:-1]:
        terminal.error(problem)
    return Outcome(int(bool(problems)), document, problems[-1] if problems else None)


def _line(model: LocalModel) -> str:
    facts = ", ".join(filter(None, (model.name, model.quantisation, size(model.size_bytes))))
    return f"{facts}: {printable(str(model.path))}"


def model_document(model: LocalModel) -> Document:
    """A model as --json tells it."""
    return {
        "path": str(model.path),
        "parts": [str(part) for part in model.parts],
        "place": model.place.value,
        "name": model.name,
        "architecture": model.architecture,
        "quantisation": model.quantisation,
        "parameters": model.parameters,
        "vocab_size": model.vocab_size,
        "context": model.context,
        "size_bytes": model.size_bytes,
        "problem": None if model.problem is None else error_document(model.problem),
    }
