"""Whose a file is, told by where it really lies and not by the links that lead to it."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from app.library.places import Place
from app.model_values import PlaceKind

_OWN = (PlaceKind.OURS, PlaceKind.ADDED)


def is_own(place: Place) -> bool:
    """Whether the user's files in it are this program's to remove."""
    return place.kind in _OWN


def place_of(path: Path, places: Iterable[Place]) -> Place | None:
    """The first place in which the file itself lies; None where it lies in none."""
    real = real_path(path)
    return next((place for place in places if real.is_relative_to(real_path(place.root))), None)


def way_to(path: Path, places: Iterable[Place]) -> Place | None:
    """The first place in which the file is by its name, perhaps through links."""
    return next((place for place in places if path.is_relative_to(place.root)), None)


def real_path(path: Path) -> Path:
    """Where the path leads through all links; the path itself where that cannot be said."""
    try:
        return Path(os.path.realpath(path))
    except OSError:  # relative, and the working folder is gone
        return path


def absolute(path: str | Path) -> Path:
    """The path from the root on; as it is where the working folder is gone, for then nothing lies there."""
    try:
        return Path(os.path.abspath(path))
    except OSError:
        return Path(path)
