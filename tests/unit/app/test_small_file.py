"""What may lie in the place of a small file."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from app.downloads.saved import read_downloads
from app.hub.token import Token
from app.paths import Paths
from app.small_file import read_small_file


def test_text(tmp_path: Path) -> None:
    """A file's text comes as it is."""
    (tmp_path / "file").write_bytes("模型\r\n".encode())
    assert read_small_file(tmp_path / "file") == "模型\r\n"


def test_what_is_no_small_file(tmp_path: Path) -> None:
    """Folders, devices without an end and huge files are refused, and nothing of them is kept in memory."""
    with (tmp_path / "huge").open("wb") as file:
        file.truncate(1 << 40)
    for path in (tmp_path, Path("/dev/zero"), tmp_path / "huge", tmp_path / "missing"):
        with pytest.raises(OSError, match=path.name):
            read_small_file(path)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes")
def test_nobody_waits_for_the_writer_of_a_pipe() -> None:
    """The queue and the token are as if they were not there."""
    paths = Paths()
    paths.data.mkdir(parents=True)
    for name in ("downloads.json", "hub-token"):
        os.mkfifo(paths.data / name)
    assert read_downloads(paths.data / "downloads.json") == []
    assert Token(paths).load() is None
