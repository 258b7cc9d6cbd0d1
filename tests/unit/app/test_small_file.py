"""What may lie in the place of a small file, and what writing one leaves."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from app.downloads.saved import read_downloads
from app.hub.token import Token
from app.paths import Paths
from app.small_file import file_stamp, read_small_file, write_small_file


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


@pytest.mark.parametrize("name", ["file.json", "n" * 250 + ".json"])
def test_written_whole(tmp_path: Path, name: str) -> None:
    """Text and bytes replace what was there, and nothing lies beside it; a long name is no obstacle."""
    file = tmp_path / name
    for content in ("模型\n", b"\xff\n"):
        write_small_file(file, content)
        assert file.read_bytes() == (content if isinstance(content, bytes) else content.encode())
        assert list(tmp_path.iterdir()) == [file]


@pytest.mark.parametrize("content", ["more", "half a character: \ud83d"])
def test_what_cannot_be_written_changes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, content: str
) -> None:
    """The old content stays, and nothing lies beside it."""
    file = tmp_path / "file"
    write_small_file(file, "old")

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", full)
    with pytest.raises((OSError, UnicodeEncodeError)):
        write_small_file(file, content)
    assert list(tmp_path.iterdir()) == [file]
    assert file.read_text() == "old"


@pytest.mark.skipif(os.name == "nt", reason="there are no such permissions")
def test_permissions(tmp_path: Path) -> None:
    """Those of a file that is there are kept, but a private one is the user's alone, whatever it was."""
    file = tmp_path / "file"
    file.touch(0o640)
    write_small_file(file, "open")
    assert stat.S_IMODE(file.stat().st_mode) == 0o640
    write_small_file(file, "secret", private=True)
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


def test_a_file_that_is_another_one_is_known_by_its_stamp(tmp_path: Path) -> None:
    """By size and by time; one that is gone has none."""
    file = tmp_path / "file"
    with pytest.raises(OSError, match="file"):
        file_stamp(file)
    file.write_text("one")
    first = file_stamp(file)
    os.utime(file, ns=(1, first[1] + 1_000))
    assert file_stamp(file) == (3, first[1] + 1_000)
    file.write_text("four")
    assert file_stamp(str(file))[0] == 4
