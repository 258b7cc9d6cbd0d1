"""What the catalogue says of the models that are here."""

from __future__ import annotations

import os
from pathlib import Path

from app.catalogue.reading import Catalogue
from app.library.library import Library
from app.model_values import CatalogueFile, CataloguePair, LocalModel
from app.paths import Paths
from app.starter import STARTER_ID, STARTER_TITLE, made_file
from engine.errors import EngineError, ErrorKind


class CataloguedModels:
    """Looks for all pairs of the catalogue at once. Blocks on the disk."""

    def __init__(self, catalogue: Catalogue, library: Library, paths: Paths) -> None:
        self._catalogue = catalogue
        self._library = library
        self._paths = paths
        self._halves: list[tuple[CataloguePair, CatalogueFile, LocalModel]] = []
        for pair in catalogue.pairs:
            found = library.find_catalogue_pair(pair)
            halves = zip((pair.target, pair.draft), found, strict=True)
            self._halves += ((pair, file, model) for file, model in halves if model is not None)

    def named(self, name: str) -> tuple[LocalModel, ...]:
        """The models that a pair's id or a file's path stands for; of a pair, those that are here.

        Raises:
            EngineError: PAIR_UNKNOWN, PAIR_NOT_HERE, FILE_MISSING, MODEL_UNKNOWN.
        """
        if name == STARTER_ID:
            return self._starter()
        if any(pair.id == name for pair in self._catalogue.pairs):
            models = {model.path: model for pair, _, model in self._halves if pair.id == name}
            if not models:
                raise EngineError(ErrorKind.PAIR_NOT_HERE, id=name, title=self._catalogue.pair(name).title)
            return tuple(models.values())
        if (model := self._library.look_at(Path(name))) is not None:
            return (model,)
        if Path(name).exists():
            raise EngineError(ErrorKind.MODEL_UNKNOWN, path=os.path.abspath(name))
        if name.lower().endswith(".gguf") or Path(name).name != name:
            raise EngineError(ErrorKind.FILE_MISSING, path=os.path.abspath(name))
        self._catalogue.pair(name)  # says which names are near
        raise AssertionError(name)

    def _starter(self) -> tuple[LocalModel, ...]:
        """The half that was made here; the other one is its package's."""
        model = self._library.look_at(made_file(self._paths))
        if model is None:
            raise EngineError(ErrorKind.PAIR_NOT_HERE, id=STARTER_ID, title=STARTER_TITLE)
        return (model,)

    def sha256_of(self, model: LocalModel) -> tuple[str | None, ...]:
        """What was published of each part; empty where the catalogue does not know the file, or another of its
        size."""
        for _, file, here in self._halves:
            parts = file.model.parts
            same_size = file.model.size_bytes in (None, model.size_bytes)
            if here.path == model.path and same_size and len(parts) == len(model.parts):
                return tuple(part.sha256 for part in parts)
        return ()

    def needed_by(self, model: LocalModel, besides: str) -> tuple[str, ...]:
        """The ids of other pairs that are here, both halves, and of which `model` is one."""
        here: dict[str, set[Path]] = {}
        for pair, _, half in self._halves:
            here.setdefault(pair.id, set()).add(half.path)
        return tuple(
            pair_id for pair_id, files in here.items() if pair_id != besides and len(files) == 2 and model.path in files
        )
