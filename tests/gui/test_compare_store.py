"""A file of a comparison is written whole, and nothing beside it is touched."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from app.compare.history import History
from ui.compare_store import CompareStore

Write = Callable[[Path], None]


@pytest.fixture
def write(qtbot: QtBot, tmp_path: Path) -> Iterator[Write]:
    """Writes "new" into a file, and waits until that is done or failed."""
    store = CompareStore(History(tmp_path / "history"))

    def write(file: Path) -> None:
        done: list[Path] = []
        store.write(file, lambda: b"new", lambda: done.append(file))
        qtbot.waitUntil(lambda: bool(done) or store.problem is not None)

    yield write
    store.close()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "exports"
    made.mkdir()
    return made


def test_nothing_else_is_touched(write: Write, folder: Path) -> None:
    """A file of the user's with a similar name stays."""
    (folder / "a.md.new").write_text("precious")
    write(folder / "a.md")
    assert {file.name: file.read_text() for file in folder.iterdir()} == {"a.md": "new", "a.md.new": "precious"}


def test_long_name(write: Write, folder: Path) -> None:
    """The longest name that the disk takes is fine."""
    file = folder / f"{'n' * 252}.md"
    write(file)
    assert file.read_text() == "new"


def test_link_stays_a_link(write: Write, folder: Path) -> None:
    """What a link names is written, and keeps its permissions."""
    target, link = folder / "target.md", folder / "link.md"
    target.write_text("old")
    target.chmod(0o640)
    link.symlink_to(target)
    write(link)
    assert link.is_symlink()
    assert target.read_text() == "new"
    assert target.stat().st_mode & 0o777 == 0o640


def test_failure_leaves_nothing(write: Write, folder: Path) -> None:
    """A folder of that name stays, and nothing half written is left."""
    (folder / "a.md").mkdir()
    write(folder / "a.md")
    assert [file.name for file in folder.iterdir()] == ["a.md"]
