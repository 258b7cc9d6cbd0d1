"""What is told of a model on this computer, from its headers."""

from __future__ import annotations

from app.library.entries import Entry
from app.model_values import LocalModel, PlaceKind
from engine.errors import EngineError, ErrorKind, ErrorReport
from engine.gguf import GgufHeader, check_loadable, read_header, read_parts

_LONGEST_TEXT = 200
_JOINERS = "\u200c\u200d"  # inside emoji and words
_LARGEST_NUMBER = 2**63 - 1  # that the cache holds


def read_model(entry: Entry, place: PlaceKind) -> LocalModel | None:
    """Read the headers of all parts; what is wrong with them becomes the model's problem. None where the file has
    vanished meanwhile."""
    if entry.pieces:
        name = entry.path.name.lower().partition(".gguf")[0]
        joined = entry.path.name[: len(name) + len(".gguf")]
        problem = ErrorReport(
            ErrorKind.PIECES_NOT_JOINED, (("path", str(entry.path)), ("pieces", len(entry.files)), ("file", joined))
        )
        return _without_header(entry, place, problem)
    if entry.first_missing is not None:
        facts = (("path", str(entry.path)), ("missing", str(entry.first_missing)))
        return _without_header(entry, place, ErrorReport(ErrorKind.SPLIT_INCOMPLETE, facts))
    try:
        header = read_header(entry.path)
    except EngineError as error:
        vanished = error.report.kind is ErrorKind.FILE_MISSING
        return None if vanished else _without_header(entry, place, error.report)
    return _with_header(entry, place, header)


def _with_header(entry: Entry, place: PlaceKind, header: GgufHeader) -> LocalModel:
    problem, parameters = None, header.parameters
    try:
        check_loadable(header)
        parameters = sum(part.parameters for part in read_parts(header))
    except EngineError as error:
        problem = error.report
    # A whole file may be called as if it were a part.
    files = entry.files if header.split_count > 1 else entry.files[:1]
    return LocalModel(
        path=entry.path,
        parts=tuple(file.path for file in files),
        place=place,
        size_bytes=sum(file.size_bytes for file in files),
        name=printable(entry.files[0].name or header.name),
        architecture=printable(header.architecture),
        quantisation=header.quantisation,
        parameters=_number(parameters),
        vocab_size=_number(header.vocab_size),
        context=_number(header.context_length),
        problem=problem,
    )


def _without_header(entry: Entry, place: PlaceKind, problem: ErrorReport) -> LocalModel:
    return LocalModel(
        path=entry.path,
        parts=tuple(file.path for file in entry.files),
        place=place,
        size_bytes=sum(file.size_bytes for file in entry.files),
        name=printable(entry.files[0].name or entry.path.stem),
        architecture="",
        quantisation="",
        parameters=0,
        vocab_size=0,
        context=0,
        problem=problem,
    )


def printable(text: str) -> str:
    """Foreign text on one short line: what is no text, or would change how a terminal or a window shows the rest,
    becomes U+FFFD."""
    return "".join(
        letter if letter.isprintable() or letter in _JOINERS else "\ufffd" for letter in text[:_LONGEST_TEXT]
    )


def _number(value: int) -> int:
    """A header's number, 0 where it makes no sense."""
    return int(value) if 0 <= value <= _LARGEST_NUMBER else 0
