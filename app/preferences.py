"""What the window remembers between starts. Disposable: a missing or damaged file means the defaults."""

from __future__ import annotations

import contextlib
import json
from dataclasses import asdict, dataclass
from pathlib import Path

from app.small_file import read_small_file, write_small_file

THEMES = ("system", "light", "dark")
LANGUAGES = ("system", "en", "zh_CN")


@dataclass(frozen=True, slots=True)
class Preferences:
    """`theme` is one of THEMES, `language` one of LANGUAGES; `geometry` is place and size of the window as the window
    writes them, "" for its own choice."""

    theme: str = "system"
    language: str = "system"
    live_panel: bool = True
    geometry: str = ""


def read_preferences(folder: Path) -> Preferences:
    """What was remembered; each damaged value falls back to its default on its own."""
    try:
        values = json.loads(read_small_file(folder / "window.json"))
    except (OSError, ValueError, RecursionError):
        return Preferences()
    if not isinstance(values, dict):
        return Preferences()
    default = Preferences()
    theme, language, panel = values.get("theme"), values.get("language"), values.get("live_panel")
    geometry = values.get("geometry")
    return Preferences(
        theme=theme if theme in THEMES else default.theme,
        language=language if language in LANGUAGES else default.language,
        live_panel=panel if isinstance(panel, bool) else default.live_panel,
        geometry=geometry if isinstance(geometry, str) and geometry.isascii() else default.geometry,
    )


def write_preferences(folder: Path, preferences: Preferences) -> None:
    """Remember them, whole or not at all. A full or read-only disk costs the memory, never the program."""
    with contextlib.suppress(OSError):
        folder.mkdir(parents=True, exist_ok=True)
        write_small_file(folder / "window.json", json.dumps(asdict(preferences), indent=2))
