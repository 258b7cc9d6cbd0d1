"""The model files of a place, found by looking at names and sizes alone."""

from __future__ import annotations

import json
import os
import re
import stat
from collections.abc import Callable, Hashable, Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

from app.library.part_names import is_model_name, is_part_of, part_of
from app.library.places import Place
from app.library.small_file import read_text
from app.model_values import PlaceKind

_OLLAMA_WEIGHTS = "application/vnd.ollama.image.model"
_DIGEST = re.compile(r"sha256:[0-9a-f]{64}")


@dataclass(frozen=True, slots=True)
class FoundFile:
    """A file as the disk shows it.

    Attributes:
        identity: the same for all names of one file.
        name: what another program calls the model; "" where the file's own name serves.
    """

    path: Path
    size_bytes: int
    mtime_ns: int
    identity: Hashable
    name: str = ""


def find_files(
    place: Place, folders: set[Hashable], links: list[Place], cancelled: Callable[[], bool]
) -> Iterator[list[FoundFile]]:
    """What the place holds, a folder at a time, sorted by name. What cannot be read is left out.

    Args:
        folders: those that were looked into, in this place or another, are not looked into again; more are added.
        links: links to folders are put here instead of being followed. Followed after all places, they lead to what
            lies in none of them.
    """
    match place.kind:
        case PlaceKind.OLLAMA:
            yield from _ollama(place.root)
        case PlaceKind.HUB_CACHE:
            for snapshot in _snapshots(place.root):
                yield from _walk(Place(place.kind, snapshot), folders, links, cancelled)
        case _ if os.path.isdir(place.root):
            yield from _walk(place, folders, links, cancelled)
        case _:
            yield look_at_parts(place.root)


def look_at_parts(path: Path) -> list[FoundFile]:
    """The file at `path`, and the other parts beside it if it is one of a split model; empty where it is missing."""
    part = part_of(path.name)
    names = [path.name] if part is None else [name for name in list_folder(path.parent) if is_part_of(name, part)]
    files = [file for name in names if (file := look_at(path.with_name(name))) is not None]
    return files if any(file.path == path for file in files) else []


def look_at(path: Path) -> FoundFile | None:
    """The file at `path`, links followed; None where there is none. Only such files can be opened without waiting."""
    try:
        status = os.stat(path)
    except (OSError, ValueError):  # a name with a zero byte
        return None
    if not stat.S_ISREG(status.st_mode):
        return None
    return FoundFile(path, status.st_size, status.st_mtime_ns, _identity(path, status))


def _identity(path: str | Path, status: os.stat_result) -> Hashable:
    # Some network file systems number nothing.
    return (status.st_dev, status.st_ino) if status.st_ino else os.path.realpath(path)


def _walk(
    place: Place, folders: set[Hashable], links: list[Place], cancelled: Callable[[], bool]
) -> Iterator[list[FoundFile]]:
    waiting = [str(place.root)]
    while waiting and not cancelled():
        folder = waiting.pop()
        try:
            identity = _identity(folder, os.stat(folder))
            if identity in folders:  # a loop of links, or a place inside another
                continue
            folders.add(identity)
            with os.scandir(folder) as entries:
                names = _sort_entries(entries)
        except OSError:
            continue
        links += (Place(place.kind, Path(folder, name)) for name in names.links)
        waiting += (os.path.join(folder, name) for name in reversed(names.folders))
        files = (look_at(Path(folder, name)) for name in names.files)
        if found := [file for file in files if file is not None]:
            yield found


class _Names(NamedTuple):
    folders: list[str]
    links: list[str]
    files: list[str]


def _sort_entries(entries: Iterable[os.DirEntry[str]]) -> _Names:
    """The names of a folder that matter; hidden folders are not entered."""
    names = _Names([], [], [])
    for entry in entries:
        if entry.name.startswith("."):
            continue
        try:
            is_folder = entry.is_dir()
        except OSError:  # a link to itself
            continue
        if is_folder:
            (names.links if entry.is_symlink() else names.folders).append(entry.name)
        elif is_model_name(entry.name):
            names.files.append(entry.name)
    for kind in names:
        kind.sort()
    return names


def is_blob_name(place: Place, name: str) -> bool:
    """Whether Ollama would call a file so."""
    return place.kind is PlaceKind.OLLAMA and _DIGEST.fullmatch(name.replace("-", ":", 1)) is not None


def list_folder(folder: Path) -> list[str]:
    """The names in a folder, sorted; none where it cannot be read."""
    try:
        return sorted(os.listdir(folder))
    except (OSError, ValueError):
        return []


def _snapshots(cache: Path) -> Iterator[Path]:
    """The folders of links to a repository's files, those of the current revision first."""
    for repo in list_folder(cache):
        if not repo.startswith("models--"):
            continue
        current = read_text(cache / repo / "refs" / "main").strip()
        revisions = list_folder(cache / repo / "snapshots")
        for revision in sorted(revisions, key=lambda revision: revision != current):
            yield cache / repo / "snapshots" / revision


def _ollama(root: Path) -> Iterator[list[FoundFile]]:
    """Ollama names its files by their hash; the models' names are those of the manifests that lead there."""
    manifests = root / "manifests"
    for folder, folders, names in os.walk(manifests):
        folders.sort()
        for manifest in (Path(folder, name) for name in sorted(names)):
            name = _ollama_name(manifest.relative_to(manifests).parts)
            blobs = (look_at(root / "blobs" / digest.replace(":", "-")) for digest in _weights_in(manifest))
            yield [replace(blob, name=name) for blob in blobs if blob is not None]


def _weights_in(manifest: Path) -> list[str]:
    """The digests of the model files that a manifest lists."""
    try:
        document = json.loads(read_text(manifest))
        layers = document["layers"]
        return [
            layer["digest"]
            for layer in layers
            if layer["mediaType"] == _OLLAMA_WEIGHTS and _DIGEST.fullmatch(layer["digest"])
        ]
    except (ValueError, LookupError, TypeError, RecursionError):
        return []


def _ollama_name(parts: tuple[str, ...]) -> str:
    """ "llama3.2:3b" for registry.ollama.ai/library/llama3.2/3b, with owner or host where they are others."""
    if len(parts) < 2:
        return parts[-1]
    *before, name, tag = parts
    if before[:1] == ["registry.ollama.ai"]:
        before = before[1:]
    if before == ["library"]:
        before = []
    return "/".join([*before, name]) + f":{tag}"
