"""A computer with nothing on it, and files to put there."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from app.library.library import Library
from app.model_settings import ModelSettings
from app.model_values import LocalModel, PlaceKind
from app.paths import Paths
from tests.fakes import gguf_files
from tests.fakes.gguf_files import Tiny


@dataclass
class Computer:
    """Folders of a user who has no models yet."""

    paths: Paths
    home: Path
    environment: dict[str, str] = field(default_factory=dict)
    folders: tuple[Path, ...] = ()
    _stack: ExitStack = field(default_factory=ExitStack)

    def library(self) -> Library:
        """As it is at a start of the program; closed at the end of the test."""
        settings = ModelSettings(folders=self.folders)
        library = Library(self.paths, settings, environment=self.environment, home=self.home)
        self._stack.callback(library.close)
        return library

    def models(self) -> dict[str, LocalModel]:
        """What a scan finds, by the file's name; the starter pair's package aside."""
        return {model.path.name: model for model in self.library().scan() if model.place is not PlaceKind.PACKAGE}


@pytest.fixture
def computer(tmp_path: Path) -> Iterator[Computer]:
    home = tmp_path / "home"
    home.mkdir()
    with ExitStack() as stack:
        yield Computer(Paths(tmp_path / "base"), home, _stack=stack)


WriteModel = Callable[[Path], Path]


@pytest.fixture(scope="session")
def tiny_bytes(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    small = Tiny(layers=1, width=32, vocab_size=300)
    return gguf_files.write_model(tmp_path_factory.mktemp("tiny") / "tiny.gguf", small).read_bytes()


@pytest.fixture
def write(tiny_bytes: bytes) -> WriteModel:
    """Puts a small whole model at a path, with the folders that lead there."""

    def put(path: Path) -> Path:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(tiny_bytes)
        return path

    return put


def write_split(folder: Path) -> list[Path]:
    """Puts a model in two parts into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    return gguf_files.write_split_model(folder, Tiny(layers=1, width=32, vocab_size=300))
