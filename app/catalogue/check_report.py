"""What `models check` found, for people and as JSON."""

from __future__ import annotations

from dataclasses import asdict

from app.amounts import count, size
from app.catalogue.check import CheckedFile, CheckedPair, Difference
from app.catalogue.rewriting import Scalar
from app.messages import message_for
from app.reply_document import Document, error_document
from engine.errors import ErrorKind, ErrorReport
from engine.vocabulary import VocabularyMatch

_COLUMNS = "{verdict:10}{target:>10}{draft:>10}  {vocabulary:14}{licence}"
_SHOWN_DIGITS = 12


def title_line(width: int) -> str:
    """The head of the table, whose first column has `width` letters."""
    words = _COLUMNS.format(
        verdict="RESULT", target="TARGET", draft="DRAFT", vocabulary="VOCABULARIES", licence="LICENCE"
    )
    return f"{'ID':{width}}  {words}\n"


def checked_text(checked: CheckedPair, width: int) -> str:
    """A line of the table, and below it what is wrong or was corrected."""
    line = _COLUMNS.format(
        verdict="fails" if not checked.works else "differs" if checked.contradictions else "ok",
        target=_size(checked.target),
        draft=_size(checked.draft),
        vocabulary=_vocabulary(checked),
        licence=_licence(checked),
    )
    notes = [f"    {note}" for note in (*_errors(checked), *map(_difference, _worth_telling(checked)))]
    return "\n".join([f"{checked.pair.id:{width}}  {line}".rstrip(), *notes]) + "\n"


def checked_document(checked: CheckedPair) -> Document:
    """The pair as `models check --json` has it. A value is null where it is not known."""
    vocabulary = checked.vocabulary
    match = vocabulary if isinstance(vocabulary, VocabularyMatch) else None
    return {
        "id": checked.pair.id,
        "works": checked.works,
        "target": _file_document(checked.target),
        "draft": _file_document(checked.draft),
        "vocabulary": {
            "matches": None if vocabulary is None else match is not None,
            "masked": None if match is None else len(match.masked),
            "error": error_document(vocabulary) if isinstance(vocabulary, ErrorReport) else None,
        },
        "differences": [
            {
                "key": _key(difference),
                "catalogue": difference.catalogue,
                "hub": difference.hub,
                "contradiction": difference.is_contradiction,
            }
            for difference in checked.differences
        ],
    }


def _file_document(file: CheckedFile) -> Document:
    model = file.model
    return {
        "repo": None if model is None else model.repo,
        "commit": None if model is None else model.revision,
        "parts": [] if model is None else [asdict(part) for part in model.parts],
        "gated": None if model is None else file.gated,
        "licence": file.licence or None,
        "error": None if file.error is None else error_document(file.error),
    }


def _size(file: CheckedFile) -> str:
    if file.model is None:
        return "missing"
    return "unknown" if file.model.size_bytes is None else size(file.model.size_bytes)


def _vocabulary(checked: CheckedPair) -> str:
    match checked.vocabulary:
        case None:
            return "not compared"
        case VocabularyMatch(masked=masked):
            return f"{count(len(masked))} differ" if masked else "same"
        case ErrorReport(kind=ErrorKind.DRAFT_VOCABULARY):
            return "do not match"
    return "not compared"


def _licence(checked: CheckedPair) -> str:
    licence = checked.target.licence or checked.pair.licence
    return f"{licence}, gated" if checked.target.gated or checked.draft.gated else licence


def _errors(checked: CheckedPair) -> list[str]:
    named = (("target", checked.target.error), ("draft", checked.draft.error), ("pair", checked.vocabulary))
    return [f"{name}: {message_for(report).line}" for name, report in named if isinstance(report, ErrorReport)]


def _worth_telling(checked: CheckedPair) -> list[Difference]:
    return [one for one in checked.differences if one.is_contradiction or one.is_correction]


def _difference(difference: Difference) -> str:
    key, there, here = _key(difference), _word(difference.hub), _word(difference.catalogue)
    if difference.is_correction:
        return f"{key}: the hub writes {there}, the catalogue {here}"
    return f"{key}: the hub says {there}, the catalogue {here}"


def _word(value: Scalar) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return f"{value:,}"
    text = str(value)
    is_hash = len(text) == 64 and " " not in text
    return text[:_SHOWN_DIGITS] + "…" if is_hash else text


def _key(difference: Difference) -> str:
    """A place as people write it: target.parts[0].path"""
    parts = (f"[{step}]" if isinstance(step, int) else f".{step}" for step in difference.place)
    return "".join(parts).removeprefix(".")
