"""Values put into a JSON text that otherwise stays as its author wrote it: order, blanks and line ends."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path

from app.paths import storage_error
from app.small_file import write_small_file

Place = tuple[str | int, ...]  # keys and indices from the top: ("pairs", 0, "title")
Scalar = str | int | float | bool | None

_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[{}\[\],:]|[^\s{}\[\],:"]+')


def replace_values(text: str, changes: Mapping[Place, Scalar]) -> str:
    """`text`, valid JSON, with other values at some places where it has a value that is no list and no object.
    Raises KeyError where it has none."""
    spans = _spans(text)
    for place in sorted(changes, key=lambda place: spans[place], reverse=True):
        start, end = spans[place]
        text = text[:start] + json.dumps(changes[place], ensure_ascii=False) + text[end:]
    return text


def write_text(path: Path, text: str) -> None:
    """Put `text` in the place of what an existing file has, whole or not at all. Raises EngineError."""
    path = path.resolve()  # behind a link, what it leads to
    try:
        write_small_file(path, text)
    except OSError as error:
        raise storage_error(path, error) from error


def _spans(text: str) -> dict[Place, tuple[int, int]]:
    """Where each value stands that is no list and no object."""
    spans: dict[Place, tuple[int, int]] = {}
    place: list[str | int] = []
    key_comes = False
    for found in _TOKEN.finditer(text):
        match found[0]:
            case "{":
                place.append("")
                key_comes = True
            case "[":
                place.append(0)
                key_comes = False
            case "}" | "]":
                place.pop()
                key_comes = False  # after an empty object
            case ",":
                last = place[-1]
                if isinstance(last, int):
                    place[-1] = last + 1
                else:
                    key_comes = True
            case ":":
                key_comes = False
            case token if key_comes:
                place[-1] = json.loads(token)
            case _:
                spans[tuple(place)] = found.span()
    return spans
