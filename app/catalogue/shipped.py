"""Where the files are that come with the program beside its packages."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

_BESIDE_THE_PACKAGES = Path(__file__).parents[2]
_PACKAGE = "draftlight"


def shipped_file(name: str) -> Path:
    """The file: beside the packages in a checkout, or wherever an installation put it. Need not exist."""
    path = _BESIDE_THE_PACKAGES / name
    if path.exists():
        return path
    try:
        files = distribution(_PACKAGE).files or []
    except PackageNotFoundError:
        files = []
    return next((Path(str(file.locate())).resolve() for file in files if file.name == name), path)
