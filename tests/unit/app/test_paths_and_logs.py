"""The program's folders and the engine's logs."""

from __future__ import annotations

import os
from pathlib import Path

import platformdirs
import pytest

from app import logs
from app.paths import BASE_DIR_VARIABLE, Paths, make_folder, storage_error
from engine.errors import EngineError, ErrorKind


def test_base_moves_every_folder(tmp_path: Path) -> None:
    """One option moves all that the program writes, and naming the folders makes none of them."""
    paths = Paths(tmp_path / "elsewhere")
    for folder in (paths.data, paths.models, paths.logs, paths.state):
        assert folder.is_relative_to(tmp_path / "elsewhere")
    assert not (tmp_path / "elsewhere").exists()


def test_base_from_the_environment(base_dir: Path, tmp_path: Path) -> None:
    """The variable does the same, and the option wins over it."""
    assert Paths().data == base_dir / "data"
    assert Paths(tmp_path / "other").data == tmp_path / "other" / "data"


def test_relative_base_is_made_absolute(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A relative base stays the same folder when the working folder changes."""
    monkeypatch.chdir(tmp_path)
    assert Paths(Path("here")).data == tmp_path / "here" / "data"


def test_without_a_base_the_platform_decides(monkeypatch: pytest.MonkeyPatch) -> None:
    """User data is data, not cache."""
    monkeypatch.delenv(BASE_DIR_VARIABLE)
    assert Paths().data == Path(platformdirs.user_data_dir("Draftlight", appauthor=False))


def test_a_folder_that_cannot_be_made_is_reported(tmp_path: Path) -> None:
    """A file in the way is an error with a reason."""
    (tmp_path / "file").touch()
    with pytest.raises(EngineError) as caught:
        make_folder(tmp_path / "file" / "folder")
    assert caught.value.report.kind is ErrorKind.FOLDER_UNWRITABLE
    assert caught.value.report.fact("reason") == "Not a directory"


@pytest.mark.parametrize(("number", "kind"), [(28, ErrorKind.DISK_FULL), (30, ErrorKind.FOLDER_UNWRITABLE)])
def test_a_full_disk_is_told_from_a_read_only_one(number: int, kind: ErrorKind) -> None:
    """ENOSPC and EROFS ask for different remedies."""
    assert storage_error(Path("/data"), OSError(number, os.strerror(number))).report.kind is kind


def test_ten_logs_are_kept(tmp_path: Path) -> None:
    """Each start has a log of its own; the oldest go."""
    made = [logs.new_engine_log(tmp_path) for _ in range(13)]
    for age, log in enumerate(made):
        if log.exists():
            os.utime(log, (age, age))
    newest = logs.new_engine_log(tmp_path)
    assert len(list(tmp_path.iterdir())) == logs.KEPT
    assert newest.exists()
    assert made[-1].exists()


def test_crashed_logs_are_found(tmp_path: Path) -> None:
    """A marked log is the last crash, however many starts went well since."""
    assert logs.last_crash(tmp_path) is None
    log = logs.new_engine_log(tmp_path)
    log.write_text("GGML_ASSERT failed")
    crashed = logs.mark_crashed(log)
    logs.new_engine_log(tmp_path)
    assert logs.last_crash(tmp_path) == crashed
    assert crashed.read_text() == "GGML_ASSERT failed"


def test_marking_a_log_that_is_gone_keeps_its_name(tmp_path: Path) -> None:
    """The name of the report never depends on the log being there."""
    assert logs.mark_crashed(tmp_path / "engine-x.log") == tmp_path / "engine-x.log"


def test_tail_gives_the_last_lines(tmp_path: Path) -> None:
    """Of a log of any length and any bytes, the last lines come back; a missing log has none."""
    log = tmp_path / "engine-x.log"
    log.write_bytes(b"".join(b"line %d \xff\n" % number for number in range(100_000)))
    assert logs.tail(log, lines=2) == "line 99998 �\nline 99999 �"
    assert logs.tail(tmp_path / "missing.log") == ""
