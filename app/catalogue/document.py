"""A catalogue's file as it stands on the disk: read with limits, since anybody may have written it."""

from __future__ import annotations

import json
import stat
from pathlib import Path
from typing import Final, NoReturn

from engine.errors import EngineError, ErrorKind

VERSION: Final = 1
MOST_PAIRS: Final = 500

_MOST_BYTES = 1 << 20  # twenty times the shipped one


class Twice:
    """What stands where a key stands twice. It is of no type that JSON has, so whatever looks at it refuses it."""


def read_text(path: Path) -> str:
    """The file's text as it is, line ends included.

    Raises:
        FileNotFoundError: there is none.
        EngineError: CATALOGUE_BROKEN.
    """
    try:
        if not stat.S_ISREG(path.stat().st_mode):  # opening a pipe would wait for its writer
            raise broken(path, "it is not a file")
        with path.open("rb") as file:
            data = file.read(_MOST_BYTES + 1)
        if len(data) > _MOST_BYTES:
            raise broken(path, f"it is larger than {_MOST_BYTES >> 20} MB")
        return data.decode("utf-8")
    except FileNotFoundError:
        raise
    except OSError as error:
        raise broken(path, error.strerror or str(error)) from error
    except UnicodeDecodeError as error:
        raise broken(path, f"it is not UTF-8 at byte {error.start}") from error


def entries_of(text: str, path: Path) -> list[object]:
    """The entries in a catalogue's text, whatever they are.

    Raises:
        EngineError: CATALOGUE_BROKEN; `path` is for the report.
    """
    try:
        document = json.loads(text, object_pairs_hook=_object, parse_constant=_refuse)
    except ValueError as error:  # also of numbers with thousands of digits
        raise broken(path, str(error)) from error
    except RecursionError as error:
        raise broken(path, "it is nested too deeply") from error
    pairs = document.get("pairs") if isinstance(document, dict) else None
    if not isinstance(document, dict) or document.get("version") != VERSION or not isinstance(pairs, list):
        raise broken(path, f'it is no object with "version": {VERSION} and a list of "pairs"')
    if len(pairs) > MOST_PAIRS:
        raise broken(path, f"it has more than {MOST_PAIRS} pairs")
    return pairs


def broken(path: Path, reason: str, entry: str = "") -> EngineError:
    """The error that leaves out a file, or one of its entries."""
    return EngineError(ErrorKind.CATALOGUE_BROKEN, path=str(path), reason=reason, entry=entry)


def _object(items: list[tuple[str, object]]) -> dict[str, object]:
    value: dict[str, object] = {}
    for key, item in items:
        value[key] = Twice() if key in value else item
    return value


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is no number")
