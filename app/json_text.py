"""JSON that the program gives to others."""

from __future__ import annotations

import json


def json_text(document: dict[str, object], *, indent: int | None = None) -> str:
    """One object and a line end. It can be encoded as UTF-8: what is no Unicode, as the name of a file may be, is an
    escape. Raises ValueError for numbers that JSON does not have."""
    text = json.dumps(document, ensure_ascii=False, allow_nan=False, indent=indent) + "\n"
    return text.encode("utf-8", errors="backslashreplace").decode("utf-8")
