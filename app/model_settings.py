"""What the user chose about where models come from and where they lie."""

from __future__ import annotations

import json
import os
import re
from dataclasses import dataclass
from ipaddress import IPv6Address
from pathlib import Path
from urllib.parse import urlsplit

from app.paths import Paths, make_folder, storage_error
from app.small_file import read_small_file, write_small_file

DEFAULT_ENDPOINT = "https://huggingface.co"
ENDPOINT_VARIABLE = "HF_ENDPOINT"
MOST_SPEED = 1 << 40  # bytes a second; what is more limits nothing

_LABEL = re.compile(r"[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?", re.ASCII | re.IGNORECASE)
_LONGEST_HOST = 253


@dataclass(frozen=True, slots=True)
class ModelSettings:
    """The choices.

    Attributes:
        endpoint: address of the hub or of a mirror; None looks at HF_ENDPOINT, then takes the hub itself.
        modelscope: ModelScope is a second source, for files whose SHA-256 is right.
        offline: nothing is asked of the network.
        speed_limit: of all downloads together, bytes a second; None is no limit.
        folders: whose models are used where they lie.
    """

    endpoint: str | None = None
    modelscope: bool = False
    offline: bool = False
    speed_limit: int | None = None
    folders: tuple[Path, ...] = ()

    @property
    def hub_endpoint(self) -> str:
        """The address that counts, without a slash at its end. May be no address at all: `is_endpoint` tells."""
        return (self.endpoint or os.environ.get(ENDPOINT_VARIABLE) or DEFAULT_ENDPOINT).rstrip("/")


def is_endpoint(text: str) -> bool:
    """Whether a hub can be asked at this address: http or https, a host, no password, no query."""
    try:
        parts = urlsplit(text)
        port = parts.port  # raises where it is no number, or too large a one
    except ValueError:
        return False
    plain = not (parts.username or parts.password or parts.query or parts.fragment)
    readable = text.isprintable() and " " not in text
    return parts.scheme in ("http", "https") and is_host(parts.hostname or "") and port != 0 and plain and readable


def is_host(text: str) -> bool:
    """Whether this can be the name or the address of a computer, in any script."""
    try:
        if ":" in text:
            return "%" not in text and IPv6Address(text) is not None
        if not text.isascii():
            import idna  # what the HTTP client asks

            text = idna.encode(text.lower()).decode("ascii")
    except ValueError:
        return False
    name = text.removesuffix(".")
    return len(name) <= _LONGEST_HOST and all(_LABEL.fullmatch(label) for label in name.split("."))


def read_model_settings(paths: Paths) -> ModelSettings:
    """The choices; each damaged value falls back to its default on its own."""
    try:
        values = json.loads(read_small_file(_file(paths)))
    except (OSError, ValueError, RecursionError):
        return ModelSettings()
    if not isinstance(values, dict):
        return ModelSettings()
    endpoint, limit, folders = values.get("endpoint"), values.get("speed_limit"), values.get("folders")
    usable_limit = isinstance(limit, int) and not isinstance(limit, bool) and 0 < limit <= MOST_SPEED
    return ModelSettings(
        endpoint=endpoint if isinstance(endpoint, str) and is_endpoint(endpoint) else None,
        modelscope=values.get("modelscope") is True,
        offline=values.get("offline") is True,
        speed_limit=limit if usable_limit else None,
        folders=tuple(Path(folder) for folder in folders if _is_folder(folder)) if isinstance(folders, list) else (),
    )


def write_model_settings(paths: Paths, settings: ModelSettings) -> None:
    """Remember them, whole or not at all. Raises EngineError: FOLDER_UNWRITABLE, DISK_FULL."""
    values = {
        "endpoint": settings.endpoint,
        "modelscope": settings.modelscope,
        "offline": settings.offline,
        "speed_limit": settings.speed_limit,
        "folders": [str(folder) for folder in settings.folders],
    }
    file = _file(paths)
    make_folder(file.parent)
    try:
        write_small_file(file, json.dumps(values, indent=2))
    except OSError as error:
        raise storage_error(file, error) from error


def _file(paths: Paths) -> Path:
    return paths.data / "settings.json"


def _is_folder(value: object) -> bool:
    return isinstance(value, str) and "\0" not in value and Path(value).is_absolute()
