"""Models for the real program."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.conftest import StarterFiles
from tests.e2e.program import ONE_THREAD
from tests.fakes.gguf_files import Tiny, write_model


@dataclass(frozen=True, slots=True)
class TinyPair:
    """A pair that decodes thousands of tokens a second."""

    target: Path
    draft: Path

    @property
    def words(self) -> list[str]:
        """The options that name it."""
        return ["--target", str(self.target), "--draft", str(self.draft), *ONE_THREAD]


@pytest.fixture(scope="session")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> TinyPair:
    """In a folder whose name has blanks and letters of other scripts, which no part of the way may mind."""
    folder = tmp_path_factory.mktemp("tiny") / "模型 目录　ü"
    folder.mkdir()
    return TinyPair(write_model(folder / "target.gguf"), write_model(folder / "draft.gguf", Tiny(noise=0.1)))


@pytest.fixture(scope="session")
def starter_words(starter: StarterFiles) -> list[str]:
    """The options that name the starter pair."""
    return ["--base-dir", str(starter.base), "--pair", "starter", *ONE_THREAD]
