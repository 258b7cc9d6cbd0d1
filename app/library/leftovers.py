"""What came of downloads that were not ended."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from app.downloads.on_disk import local_paths
from app.downloads.part_file import part_path, remove_part
from app.library.ownership import real_path
from app.model_values import RemoteModel, RemotePart
from app.paths import Paths

_PART_ENDING = part_path(Path("x")).suffix


@dataclass(frozen=True, slots=True)
class Leftover:
    """The first bytes of a file. `final` is the path that it would have had when it was whole."""

    final: Path
    model: RemoteModel
    part: RemotePart

    @property
    def path(self) -> Path:
        return part_path(self.final)

    def remove(self) -> None:
        """Delete it. Raises EngineError: DOWNLOAD_ELSEWHERE while it is being filled, FOLDER_UNWRITABLE."""
        remove_part(self.final, self.model, self.part)


def leftovers_of(models: Iterable[RemoteModel], paths: Paths) -> tuple[Leftover, ...]:
    """What came of models of a hub. Raises EngineError: NAME_UNSAFE."""
    all_parts = (
        Leftover(final, model, part)
        for model in models
        for final, part in zip(local_paths(paths.models, model), model.parts, strict=True)
    )
    return tuple(leftover for leftover in all_parts if _is_leftover(leftover.path))


def leftover_at(path: Path, paths: Paths) -> Leftover | None:
    """The one at `path`, if it is one in the models folder."""
    inside = real_path(path).is_relative_to(real_path(paths.models))
    if path.suffix != _PART_ENDING or not inside or not _is_leftover(path):
        return None
    part = RemotePart(path.stem)
    return Leftover(path.with_name(path.stem), RemoteModel("", "", (part,)), part)


def _is_leftover(path: Path) -> bool:
    return os.path.isfile(path) and not os.path.islink(path)  # what a link leads to is not a download's
