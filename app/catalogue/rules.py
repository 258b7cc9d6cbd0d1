"""What an entry of the catalogue must be. Its form is written in models.schema.json, the rest here."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Final

from app.catalogue import document
from app.catalogue.entries import Entry, pair_of
from app.catalogue.shipped import shipped_file
from app.hub.names import local_path
from app.model_values import CatalogueFile, RemoteModel
from app.starter import STARTER_ID
from app.translate import translate
from engine.errors import EngineError

if TYPE_CHECKING:
    from jsonschema import Draft202012Validator

_SCHEMA = "models.schema.json"
_LONGEST_REASON = 200

_SPLIT = re.compile(r"(.+)-(\d{5})-of-(\d{5})\.gguf", re.IGNORECASE)

# Bits for each parameter in a file of this quantisation, of models with billions of them.
_BITS: Final = {
    "F32": 32.0, "F16": 16.0, "BF16": 16.0, "Q8_0": 8.5, "Q6_K": 6.6, "Q5_K_M": 5.7, "Q5_K_S": 5.5, "Q5_0": 5.5,
    "Q4_K_M": 4.9, "Q4_K_S": 4.6, "Q4_1": 5.0, "Q4_0": 4.6, "IQ4_NL": 4.6, "IQ4_XS": 4.3, "Q3_K_L": 4.3,
    "Q3_K_M": 3.9, "Q3_K_S": 3.5, "IQ3_M": 3.7, "Q2_K": 3.2, "MXFP4": 4.5,
}  # fmt: skip
# Small models keep much of themselves, their vocabulary, in finer types, and some keep it twice.
_LEAST_OF_BITS, _MOST_OF_BITS = 0.9, 1.4


def first_mistake(entry: object) -> str | None:
    """Why an entry cannot be used; None if it can. Bounded in time and length, whatever the entry is."""
    try:
        mistake = _first_mistake(entry)
    except RecursionError:
        return "it is nested too deeply"
    if mistake is None or len(mistake) <= _LONGEST_REASON:
        return mistake
    return mistake[:_LONGEST_REASON] + "…"


def _first_mistake(entry: object) -> str | None:
    for error in _validator().iter_errors(entry):
        where = error.json_path.removeprefix("$").removeprefix(".")
        what = "the key stands twice" if isinstance(error.instance, document.Twice) else error.message
        if error.validator == "pattern":
            what = _expected(str(error.absolute_path[-1]))
        return f"{where}: {what}" if where else what
    assert isinstance(entry, dict)
    if entry["id"] == STARTER_ID:
        return f"id: {STARTER_ID} is the pair that comes with the program"
    pair = pair_of(entry)
    for side, model in (("target", pair.target.model), ("draft", pair.draft.model)):
        if (mistake := _mistake_in_names(model)) is not None:
            return f"{side}: {mistake}"
    return None


def _expected(field: str) -> str:
    """What the text of a field must be, in words instead of the schema's regular expression."""
    match field:
        case "id":
            return translate("catalogue", "small letters, digits, dots, dashes and underscores are expected")
        case "repo":
            return translate("catalogue", "an owner and a name are expected, as in owner/name")
        case "revision":
            return translate("catalogue", "a commit or main is expected")
        case "quantisation":
            return translate("catalogue", "letters, digits and underscores are expected, as in Q4_K_M")
        case "sha256":
            return translate("catalogue", "64 digits are expected, 0 to 9 and a to f")
        case _:
            return translate("catalogue", "one line of text is expected, without invisible characters")


def mistakes(text: str, path: Path) -> Iterator[str]:
    """All that is wrong with a whole catalogue, which includes what only looks wrong: sizes that do not fit the
    parameters. For whoever edits one."""
    try:
        entries = document.entries_of(text, path)
    except EngineError as error:
        yield str(error.report.fact("reason"))
        return
    ids: set[str] = set()
    for number, entry in enumerate(entries, 1):
        name = name_of(entry, number)
        mistake = first_mistake(entry)
        if mistake is not None:
            yield f"{name}: {mistake}"
            continue
        assert isinstance(entry, dict)
        if name in ids:
            yield f"{name}: the id stands twice"
        ids.add(name)
        pair = pair_of(entry)
        for side, file in (("target", pair.target), ("draft", pair.draft)):
            yield from (f"{name}: {side}: {mistake}" for mistake in _odd_sizes(file))
        if pair.draft.parameters >= pair.target.parameters:
            yield f"{name}: the draft is not smaller than the target"


def name_of(entry: object, number: int) -> str:
    """What a report calls an entry: its id, if that can be shown, or else its place."""
    name = entry.get("id") if isinstance(entry, dict) else None
    return name if isinstance(name, str) and len(name) <= 60 and name.isprintable() and name else f"no. {number}"


def _mistake_in_names(model: RemoteModel) -> str | None:
    try:
        for part in model.parts:
            local_path(Path(), model, part)
    except EngineError as error:
        return f"{error.report.fact('name')}: {error.report.fact('reason')}"
    found = [_SPLIT.fullmatch(part.path) for part in model.parts]
    if found == [None]:
        return None
    # One file that is not split, or all parts of one that is, as llama.cpp names them.
    names = [(one[1], int(one[2]), int(one[3])) for one in found if one is not None]
    whole = names and names == [(names[0][0], number, len(found)) for number in range(1, len(found) + 1)]
    return None if whole else "its parts are not all parts of one file, in their order"


def _odd_sizes(file: CatalogueFile) -> Iterator[str]:
    size = file.model.size_bytes
    if size is not None and abs(size - file.about_bytes) > 0.01 * size:
        yield f"about {file.about_bytes} bytes, and the parts have {size}"
    bits = _BITS.get(file.quantisation.upper())
    if bits is None:
        yield f"the quantisation {file.quantisation} is not known"
        return
    ratio = 8 * file.about_bytes / file.parameters / bits
    if not _LEAST_OF_BITS <= ratio <= _MOST_OF_BITS:
        yield f"{file.parameters} parameters as {file.quantisation} are not {file.about_bytes} bytes"


@cache
def _validator() -> Draft202012Validator:
    from jsonschema import Draft202012Validator  # takes longer to import than the whole catalogue to read

    schema: Entry = json.loads(shipped_file(_SCHEMA).read_text(encoding="utf-8"))
    return Draft202012Validator({"$defs": schema["$defs"], "$ref": "#/$defs/pair"})
