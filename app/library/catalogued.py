"""What the catalogue says of the models that are here."""

from __future__ import annotations

from pathlib import Path

from app.catalogue.reading import Catalogue
from app.library.changes import trouble_with
from app.library.library import Library
from app.library.ownership import absolute
from app.model_values import CatalogueFile, CataloguePair, LocalModel, RemoteModel
from app.paths import Paths
from app.starter import STARTER_ID, made_file, shipped_file
from engine.errors import EngineError, ErrorKind


class CataloguedModels:
    """Looks for all pairs of the catalogue at once. Blocks on the disk."""

    def __init__(self, catalogue: Catalogue, library: Library, paths: Paths) -> None:
        self._catalogue = catalogue
        self._library = library
        self._paths = paths
        self._halves: list[tuple[CataloguePair, CatalogueFile, LocalModel]] = []
        for pair in catalogue.pairs:
            halves = ((file, library.find_any(file.model)) for file in (pair.target, pair.draft))
            self._halves += ((pair, file, model) for file, model in halves if model is not None)

    def named(self, name: str) -> tuple[LocalModel, ...]:
        """The models that a pair's id or a file's path stands for; of a pair, those that are here, damaged ones too.

        Raises:
            EngineError: PAIR_UNKNOWN, PAIR_NOT_HERE, FILE_MISSING, FILE_UNREADABLE, MODEL_UNKNOWN.
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
        path = absolute(name)
        if (report := trouble_with(path)) is None:
            raise EngineError(ErrorKind.MODEL_UNKNOWN, path=str(path))
        if name.lower().endswith(".gguf") or Path(name).name != name:
            raise EngineError.of(report)
        self._catalogue.pair(name)  # says which names are near
        raise AssertionError(name)

    def _starter(self) -> tuple[LocalModel, ...]:
        """The half that its package has, and the one that was made of it."""
        files = (made_file(self._paths), shipped_file())
        halves = (self._library.look_at(file) for file in files if file is not None)
        return tuple(half for half in halves if half is not None)

    def remote_models(self, pair_id: str) -> tuple[RemoteModel, ...]:
        """Target and draft of a pair as the hub has them; empty for other names."""
        pairs = (pair for pair in self._catalogue.pairs if pair.id == pair_id)
        return tuple(file.model for pair in pairs for file in (pair.target, pair.draft))

    def sha256_of(self, model: LocalModel) -> tuple[str | None, ...]:
        """What was published of each part; empty where the catalogue does not know the file."""
        for _, file, here in self._halves:
            hashes = tuple(part.sha256 for part in file.model.parts)
            if here.path == model.path and any(hashes):
                return hashes
        return ()

    def needed_by(self, model: LocalModel, besides: str) -> tuple[str, ...]:
        """The ids of other pairs that are here, both halves, and of which `model` is one."""
        here: dict[str, set[Path]] = {}
        for pair, _, half in self._halves:
            if half.problem is not None:
                continue
            here.setdefault(pair.id, set()).add(half.path)
        return tuple(
            pair_id for pair_id, files in here.items() if pair_id != besides and len(files) == 2 and model.path in files
        )
