"""Prompts: from files and from standard input strictly read, from a window made whole."""

from __future__ import annotations

import codecs
import json
import sys
from pathlib import Path

from engine.errors import EngineError, ErrorKind
from engine.types import ChatMessage

STDIN = "-"
_MAX_BYTES = 64 << 20
_ROLES = ("system", "user", "assistant")


def read_text(path: str) -> str:
    """The text of a UTF-8 file, without its byte order mark; "-" is standard input.

    Raises:
        EngineError: FILE_MISSING, FILE_UNREADABLE, or TEXT_NOT_UTF8 with the position of the first bad byte.
    """
    try:
        data = _read(path)
    except FileNotFoundError as error:
        raise EngineError(ErrorKind.FILE_MISSING, path=path) from error
    except OSError as error:
        raise EngineError(ErrorKind.FILE_UNREADABLE, path=path, reason=error.strerror or str(error)) from error
    mark = len(codecs.BOM_UTF8) if data.startswith(codecs.BOM_UTF8) else 0
    try:
        return data[mark:].decode("utf-8")
    except UnicodeDecodeError as error:
        raise EngineError(ErrorKind.TEXT_NOT_UTF8, path=path, position=mark + error.start) from error


def _read(path: str) -> bytes:
    """At most one byte more than any context could hold: a device file never ends."""
    if path == STDIN:
        data = sys.stdin.buffer.read(_MAX_BYTES + 1) if sys.stdin is not None else b""
    else:
        with Path(path).open("rb") as file:
            data = file.read(_MAX_BYTES + 1)
    if len(data) > _MAX_BYTES:
        reason = f"it is longer than {_MAX_BYTES >> 20} MB"
        raise EngineError(ErrorKind.FILE_UNREADABLE, path=path, reason=reason, wanted="shorter")
    return data


def read_messages(path: str) -> tuple[ChatMessage, ...]:
    """A conversation from a JSON file: a list of {"role", "content"}, or an object with that list as "messages".

    Raises:
        EngineError: what `read_text` raises, or MESSAGES_INVALID.
    """
    try:
        document = json.loads(read_text(path))
    except (ValueError, RecursionError) as error:
        raise EngineError(ErrorKind.MESSAGES_INVALID, path=path, reason=str(error)) from error
    entries = document.get("messages") if isinstance(document, dict) else document
    if not isinstance(entries, list):
        raise EngineError(ErrorKind.MESSAGES_INVALID, path=path, reason="There is no list")
    return tuple(_message(path, number, entry) for number, entry in enumerate(entries, start=1))


def _message(path: str, number: int, entry: object) -> ChatMessage:
    def refuse(why: str) -> EngineError:
        return EngineError(ErrorKind.MESSAGES_INVALID, path=path, reason=f"Message {number} {why}")

    if not isinstance(entry, dict):
        raise refuse("is not an object")
    role, content = entry.get("role"), entry.get("content")
    if role not in _ROLES:
        raise refuse("has no role of these three")
    if not isinstance(content, str):
        raise refuse("has no text as its content")
    if not is_unicode(content):
        raise refuse("has half a character (a lone surrogate)")
    return ChatMessage(role, content)


def whole_characters(text: str) -> str:
    """`text` with U+FFFD for each half of a character (a lone surrogate), as what a clipboard cut apart has."""
    return text.encode("utf-16-le", errors="surrogatepass").decode("utf-16-le", errors="replace")


def is_unicode(text: str) -> bool:
    """Whether `text` can be written as UTF-8; stray bytes on a command line and lone \\ud800 escapes cannot."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True
