"""Where models lie on this computer: our own folder, what the user added, and the folders of other programs, which
are only ever read."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from app.library.added import read_added
from app.library.small_file import read_text
from app.model_settings import ModelSettings
from app.model_values import PlaceKind
from app.paths import Paths
from app.starter import shipped_file
from app.translate import translate

# Where Ollama keeps its models when it runs as a service of the system.
_OLLAMA_SERVICES = ("/usr/share/ollama/.ollama/models", "/var/lib/ollama/models", "/var/lib/ollama/.ollama/models")


@dataclass(frozen=True, slots=True)
class Place:
    """A folder to look into, or a single file; it need not exist."""

    kind: PlaceKind
    root: Path


def find_places(paths: Paths, settings: ModelSettings, environment: Mapping[str, str], home: Path) -> tuple[Place, ...]:
    """All places, in this order: what lies in several belongs to the first. What the user added comes last, so that
    another program's folder stays that program's."""
    places = (
        Place(PlaceKind.OURS, paths.models),
        *(Place(PlaceKind.LM_STUDIO, root) for root in _lm_studio(home)),
        Place(PlaceKind.LLAMA_CPP, _llama_cpp(environment, home)),
        *(Place(PlaceKind.OLLAMA, root) for root in _ollama(environment, home)),
        Place(PlaceKind.HUB_CACHE, _hub_cache(environment, home)),
        *(Place(PlaceKind.PACKAGE, file) for file in (shipped_file(),) if file is not None),
        *(Place(PlaceKind.ADDED, root) for root in (*read_added(paths), *settings.folders)),
    )
    return tuple(place for place in places if "\0" not in str(place.root))  # which settings may hold, and no disk


def home_folder() -> Path:
    """The user's; a folder below which nothing can lie where the system knows none."""
    try:
        return Path.home()
    except RuntimeError:
        return Path(os.devnull)


def owner_of(kind: PlaceKind) -> str:
    """What the user calls the program whose place it is."""
    match kind:
        case PlaceKind.LM_STUDIO:
            return "LM Studio"
        case PlaceKind.LLAMA_CPP:
            return "llama.cpp"
        case PlaceKind.OLLAMA:
            return "Ollama"
        case PlaceKind.HUB_CACHE:
            return translate("models", "the Hugging Face cache")
        case PlaceKind.PACKAGE:
            return translate("models", "the starter pair's package")
        case PlaceKind.OURS | PlaceKind.ADDED:
            return "Draftlight"


def _lm_studio(home: Path) -> Iterator[Path]:
    """The newer and the older home, one that was moved, and the downloads folder that its settings name."""
    homes = [home / ".lmstudio", home / ".cache" / "lm-studio"]
    if moved := read_text(home / ".lmstudio-home-pointer").strip():
        homes.append(Path(moved))
    for folder in homes:
        yield folder / "models"
        try:
            settings = json.loads(read_text(folder / "settings.json"))
        except (ValueError, RecursionError):
            continue
        downloads = settings.get("downloadsFolder") if isinstance(settings, dict) else None
        if isinstance(downloads, str) and Path(downloads).is_absolute():
            yield Path(downloads)


def _llama_cpp(environment: Mapping[str, str], home: Path) -> Path:
    """As its fs_get_cache_directory has it."""
    if folder := environment.get("LLAMA_CACHE"):
        return Path(folder)
    if sys.platform == "win32":
        caches = environment.get("LOCALAPPDATA") or home / "AppData" / "Local"
    elif sys.platform == "darwin":
        caches = home / "Library" / "Caches"
    else:
        caches = environment.get("XDG_CACHE_HOME") or home / ".cache"
    return Path(caches) / "llama.cpp"


def _ollama(environment: Mapping[str, str], home: Path) -> Iterator[Path]:
    yield Path(environment.get("OLLAMA_MODELS") or home / ".ollama" / "models")
    if sys.platform == "linux":
        yield from map(Path, _OLLAMA_SERVICES)


def _hub_cache(environment: Mapping[str, str], home: Path) -> Path:
    """As huggingface_hub's constants have it; its import would cost half a second."""
    for variable in ("HF_HUB_CACHE", "HUGGINGFACE_HUB_CACHE"):
        if folder := environment.get(variable):
            return Path(os.path.expanduser(folder))
    if folder := environment.get("HF_HOME"):
        return Path(os.path.expanduser(folder)) / "hub"
    return Path(environment.get("XDG_CACHE_HOME") or home / ".cache") / "huggingface" / "hub"
