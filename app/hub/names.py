"""From a server's names to paths below the models folder.

A name is used as it is, or refused, on every system alike: what one system takes for a folder, a device or a stream
must not be downloaded on another and copied over. Only names that are too long for a disk are shortened, in a way that
no other name comes out the same.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from pathlib import Path
from typing import NoReturn

from app.model_values import RemoteModel, RemotePart
from app.translate import translate
from engine.errors import EngineError, ErrorKind

MAX_DEPTH = 8  # folders and file inside a repository
MAX_NAME_BYTES = 230  # disks take 255; the downloader puts its endings behind

_MARK = "…"  # stands in shortened names only
_HASH_DIGITS = 24
_ENDING = re.compile(r"(-\d{5}-of-\d{5})?\.gguf$", re.IGNORECASE)  # what llama.cpp finds the other parts by
_FORBIDDEN = frozenset('<>:"/\\|?*')
_DEVICES = frozenset(
    {"CON", "PRN", "AUX", "NUL", "CLOCK$", "CONIN$", "CONOUT$"}
    | {f"{device}{digit}" for device in ("COM", "LPT") for digit in "0123456789¹²³"}
)
_JOINER = "\u200d"  # inside emoji


def local_path(models_folder: Path, model: RemoteModel, part: RemotePart) -> Path:
    """models_folder/owner/repo/…/file. Reads no disk. Raises EngineError: NAME_UNSAFE."""
    owner_and_name = model.repo.split("/")
    if len(owner_and_name) != 2:
        _refuse(model.repo, translate("hub", "it is not an owner and a name"))
    inside = part.path.split("/")
    if len(inside) > MAX_DEPTH:
        _refuse(part.path, translate("hub", "it lies too deep"))
    if not inside[-1].lower().endswith(".gguf"):
        _refuse(part.path, translate("hub", "it is not a GGUF file"))
    return models_folder.joinpath(*(_safe(segment) for segment in (*owner_and_name, *inside)))


def collision_key(path: str) -> str:
    """Equal for names that some system's disk takes for the same one."""
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", path).casefold())


def printable(text: str) -> str:
    """A server's text for a terminal or a label: what would steer them becomes U+FFFD."""
    return "".join(char if char.isprintable() else "\ufffd" for char in text)


def _safe(segment: str) -> str:
    if not segment:
        _refuse(segment, translate("hub", "a part of it is empty"))
    if any(char in _FORBIDDEN for char in segment):
        _refuse(segment, translate("hub", "it has characters that are not allowed in names"))
    if any(_is_invisible(char) for char in segment):
        _refuse(segment, translate("hub", "it has invisible characters"))
    if segment[0] == "." or segment[-1] == "." or segment != segment.strip():
        _refuse(segment, translate("hub", "it begins or ends with a dot or a blank"))
    if segment.split(".")[0].rstrip().upper() in _DEVICES:
        _refuse(segment, translate("hub", "it is the name of a device"))
    if len(segment.encode()) > MAX_NAME_BYTES or _MARK in segment:
        return _shortened(segment)
    return segment


def _is_invisible(char: str) -> bool:
    """Control characters, line ends, marks that turn the direction of text, halves of characters."""
    return unicodedata.category(char) in ("Cc", "Cf", "Cs", "Zl", "Zp") and char != _JOINER


def _shortened(segment: str) -> str:
    match = _ENDING.search(segment)
    ending = match.group() if match else ""
    stem = segment[: len(segment) - len(ending)]
    digest = hashlib.sha256(stem.encode()).hexdigest()[:_HASH_DIGITS]
    room = MAX_NAME_BYTES - len((_MARK + digest + ending).encode())
    # Parts of one model share their stem, so they still have the same beginning.
    return stem.encode()[:room].decode("utf-8", "ignore").rstrip() + _MARK + digest + ending


def _refuse(name: str, reason: str) -> NoReturn:
    raise EngineError(ErrorKind.NAME_UNSAFE, name=printable(name), reason=reason)
