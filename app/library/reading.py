"""What is told of a model on this computer, from its headers."""

from __future__ import annotations

from app.hub.names import printable
from app.library.entries import Entry
from app.library.part_names import joined_name, stem_of
from app.model_values import LocalModel, PlaceKind
from engine.errors import EngineError, ErrorKind, ErrorReport
from engine.gguf import GgufHeader, check_loadable, read_header, read_parts

_LONGEST_TEXT = 200
_LARGEST_NUMBER = 2**63 - 1  # that the cache holds


def read_model(entry: Entry, place: PlaceKind) -> LocalModel | None:
    """Read the headers of all parts; what is wrong with them becomes the model's problem. None where the file has
    vanished meanwhile."""
    if entry.pieces:
        facts = (("path", str(entry.path)), ("pieces", len(entry.files)), ("file", joined_name(entry.path.name)))
        return _without_header(entry, place, ErrorReport(ErrorKind.PIECES_NOT_JOINED, facts))
    if entry.first_missing is not None:
        incomplete = (("path", str(entry.path)), ("missing", str(entry.first_missing)))
        return _without_header(entry, place, ErrorReport(ErrorKind.SPLIT_INCOMPLETE, incomplete))
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
        name=shown(entry.files[0].name or header.name),
        architecture=shown(header.architecture),
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
        name=shown(entry.files[0].name or stem_of(entry.path.name)),
        architecture="",
        quantisation="",
        parameters=0,
        vocab_size=0,
        context=0,
        problem=problem,
    )


def shown(text: str) -> str:
    """A name as it is shown: short, and without what would steer a terminal or a window."""
    return printable(text[:_LONGEST_TEXT])


def _number(value: int) -> int:
    """A header's number, 0 where it makes no sense."""
    return int(value) if 0 <= value <= _LARGEST_NUMBER else 0
