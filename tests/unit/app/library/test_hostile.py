"""Whatever a disk, another program's settings or an edited cache say: no file of another's is touched, nothing is
called whole that is not, and one fault does not hide the rest."""

from __future__ import annotations

import hashlib
import os
import sqlite3
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from app.checksums import checksum_path, read_checksum, write_checksum
from app.downloads.lock import lock
from app.library.added import read_added
from app.library.changes import add_files, remove, verify
from app.library.leftovers import leftover_at, leftovers_of
from app.library.ownership import absolute
from app.library.places import home_folder
from app.model_values import LocalModel, Proof, RemoteModel, RemotePart
from engine.errors import EngineError, ErrorKind, ErrorReport
from tests.fakes import gguf_files
from tests.fakes.gguf_files import Tiny
from tests.unit.app.library.conftest import Computer, WriteModel, write_split

POSIX = pytest.mark.skipif(sys.platform == "win32", reason="pipes and links need rights of their own there")


def failure(act: Callable[[], object]) -> ErrorReport:
    with pytest.raises(EngineError) as caught:
        act()
    return caught.value.report


def look_at(computer: Computer, path: Path) -> LocalModel:
    model = computer.library().look_at(path)
    assert model is not None
    return model


def remove_failure(computer: Computer, path: Path) -> ErrorReport:
    """Why the file is not removed; it is still there."""
    model, places = look_at(computer, path), computer.library().places()
    report = failure(lambda: remove(model, computer.paths, places))
    assert path.exists()
    return report


def proof(model: LocalModel, *published: str | None) -> Proof:
    verified = verify(model, published)
    assert verified is not None
    return verified.proof


# What is whole


@pytest.mark.parametrize("published", [True, False])
def test_a_file_that_is_too_long_is_not_whole(published: bool, computer: Computer, write: WriteModel) -> None:
    """Bytes behind the model are found by the hash, whatever the size, and without one by the header."""
    path = write(computer.paths.models / "model.gguf")
    expected = hashlib.sha256(path.read_bytes()).hexdigest() if published else None
    path.write_bytes(path.read_bytes() + b"junk" * 1000)
    report = failure(lambda: verify(look_at(computer, path), [expected]))
    assert report.kind is (ErrorKind.MODEL_CHANGED if published else ErrorKind.GGUF_BROKEN)


def test_padding_behind_the_last_tensor_is_no_fault(computer: Computer) -> None:
    """Up to the alignment a file may go on; one byte more, and it may not."""
    computer.paths.models.mkdir(parents=True)
    path = gguf_files.write_model(computer.paths.models / "odd.gguf", Tiny(layers=1, width=32, vocab_size=301))
    data = path.read_bytes()
    path.write_bytes(data + bytes(-len(data) % 32))
    assert proof(look_at(computer, path)) is Proof.SIZE
    path.write_bytes(data + bytes(-len(data) % 32 + 1))
    assert failure(lambda: verify(look_at(computer, path))).kind is ErrorKind.GGUF_BROKEN


def test_the_weakest_part_tells_what_is_proved(computer: Computer) -> None:
    """A split model is as sure as the part of which least is known."""
    first, second = write_split(computer.paths.models)
    hashes = [hashlib.sha256(part.read_bytes()).hexdigest() for part in (first, second)]
    assert proof(look_at(computer, first), hashes[0], None) is Proof.SIZE
    write_checksum(second, hashes[1])
    assert proof(look_at(computer, first), hashes[0], None) is Proof.DOWNLOADED
    assert proof(look_at(computer, first), *hashes) is Proof.PUBLISHED


def test_what_cannot_be_used_is_not_called_whole(computer: Computer, write: WriteModel) -> None:
    """A model's problem is what verifying it tells."""
    computer.paths.models.mkdir(parents=True)
    bert = gguf_files.write_embedding_model(computer.paths.models / "bert.gguf")
    piece = write(computer.paths.models / "m.gguf.part1of2")
    assert failure(lambda: verify(look_at(computer, bert))).kind is ErrorKind.NOT_GENERATIVE
    assert failure(lambda: verify(look_at(computer, piece))).kind is ErrorKind.PIECES_NOT_JOINED


@POSIX
def test_a_pipe_as_a_checksum_is_as_none(computer: Computer, write: WriteModel) -> None:
    """Nobody waits for its other end."""
    path = write(computer.paths.models / "model.gguf")
    os.mkfifo(checksum_path(path))
    assert read_checksum(path) is None


# Whose it is


@POSIX
@pytest.mark.parametrize("link_folder", [True, False])
def test_links_to_another_programs_files_do_not_make_them_ours(
    link_folder: bool, computer: Computer, write: WriteModel
) -> None:
    """Through a link in the models folder LM Studio's file is still LM Studio's."""
    theirs = write(computer.home / ".lmstudio" / "models" / "owner" / "model.gguf")
    link = computer.paths.models / "link" / theirs.name
    if link_folder:
        computer.paths.models.mkdir(parents=True)
        link.parent.symlink_to(theirs.parent)
    else:
        link.parent.mkdir(parents=True)
        link.symlink_to(theirs)
    assert not look_at(computer, link).removable
    report = remove_failure(computer, link)
    assert (report.kind, report.fact("owner")) == (ErrorKind.MODEL_NOT_REMOVABLE, "LM Studio")
    (found,) = computer.models().values()
    assert not found.removable


@POSIX
def test_what_a_link_leads_to_elsewhere_is_not_removed(computer: Computer, write: WriteModel, tmp_path: Path) -> None:
    """A file outside all places stays, and the message says where it lies."""
    far = write(tmp_path / "far" / "model.gguf")
    computer.paths.models.mkdir(parents=True)
    (computer.paths.models / "link").symlink_to(far.parent)
    report = remove_failure(computer, computer.paths.models / "link" / far.name)
    assert report.kind is ErrorKind.TRASH_FAILED
    assert str(far) in str(report.fact("reason"))


@pytest.mark.parametrize("name", ["thesis.pdf", "model.gguf.sha256", "model.gguf.part", ".hidden.gguf"])
def test_files_that_are_no_models_are_not_looked_at(name: str, computer: Computer, write: WriteModel) -> None:
    """Whatever lies in an added folder or in the models folder, only models are models."""
    computer.folders = (computer.home / "docs",)
    for folder in (computer.folders[0], computer.paths.models):
        assert computer.library().look_at(write(folder / name)) is None


# The cache


@pytest.mark.parametrize(
    "change",
    [
        "parts = '[]'",
        "parts = '[\"/etc/passwd\"]'",
        "parts = '\"abc\"'",
        "parts = replace('[\"P\", \"P.txt\"]', 'P', path)",
        "place = 'nowhere'",
        "size_bytes = NULL",
        "size_bytes = -5",
        "size_bytes = 1e300",
        "parameters = 'x'",
        "name = x'ff00'",
        "name = char(27) || '[31m'",
        "quantisation = 5",
        "stamp = x'ff'",
        "problem = '5'",
        'problem = \'["gguf_broken", [["path", {"a": []}]], null]\'',
        'problem = \'["gguf_broken", [["path", 1e999]], ""]\'',
    ],
)
def test_an_edited_cache_is_not_believed(change: str, computer: Computer, write: WriteModel) -> None:
    """A row that this program would not write is not shown, and its file is read anew."""
    path = write(computer.paths.models / "model.gguf")
    right = computer.models()[path.name]
    connection = sqlite3.connect(computer.paths.state / "library.sqlite3")
    with connection:
        assert connection.execute(f"UPDATE model SET {change} WHERE path = ?", (os.fsencode(path),)).rowcount == 1
    connection.close()
    assert path not in {model.path for model in computer.library().known()}
    assert computer.models()[path.name] == right
    assert look_at(computer, path) == right


def test_whatever_becomes_of_the_caches_bytes_the_models_are_found(computer: Computer, write: WriteModel) -> None:
    """Also where SQLite's own message about the damage is no text."""
    path = write(computer.paths.models / "model.gguf")
    right = computer.models()[path.name]
    file = computer.paths.state / "library.sqlite3"
    data = file.read_bytes()
    table = data.index(b"CREATE TABLE") + len(b"CREATE TABL")
    for damaged in (data[:table] + b"\x97" + data[table + 1 :], data[:5000], b"SQLite format 3\0" + b"\xff" * 5000):
        file.write_bytes(damaged)
        assert computer.models()[path.name] == right
        assert computer.models()[path.name] == right


# The list of added files


def test_a_folder_brings_its_models(computer: Computer, write: WriteModel, tmp_path: Path) -> None:
    """All models below it are added, each by itself; what cannot be used is refused."""
    good = [write(tmp_path / "many" / "a.gguf"), write(tmp_path / "many" / "deep" / "b.gguf")]
    bad = gguf_files.write_text_file(tmp_path / "many" / "page.gguf")
    additions = {addition.path: addition for addition in add_files(computer.paths, [tmp_path / "many"])}
    assert {path for path, addition in additions.items() if addition.is_new} == set(good)
    assert additions[bad].problem is not None
    assert set(read_added(computer.paths)) == set(good)


def test_programs_that_add_at_once_lose_nothing(computer: Computer, write: WriteModel, tmp_path: Path) -> None:
    """All files are in the list, whoever was first."""
    files = [write(tmp_path / f"{number}.gguf") for number in range(12)]
    threads = [threading.Thread(target=add_files, args=(computer.paths, [file])) for file in files]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert set(read_added(computer.paths)) == set(files)


# What cannot be entered, named or found


@POSIX
def test_impossible_places_do_not_break_a_scan(
    computer: Computer, write: WriteModel, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Names that are too long, zero bytes in other programs' settings, users that do not exist: what is left is
    found."""
    path = write(computer.paths.models / "model.gguf")
    too_long = tmp_path / ("x" * 300)
    computer.folders = (too_long, Path("/tmp/\0"))
    (computer.home / ".lmstudio").mkdir()
    (computer.home / ".lmstudio" / "settings.json").write_text('{"downloadsFolder": "/tmp/\\u0000x"}')
    (computer.home / ".lmstudio-home-pointer").write_bytes(b"/tmp/\0")
    for variable in ("LLAMA_CACHE", "OLLAMA_MODELS"):
        computer.environment[variable] = str(too_long)
    for variable in ("HF_HOME", "HF_HUB_CACHE"):
        computer.environment[variable] = "~nosuchuser/cache"
        assert set(computer.models()) == {path.name}
        assert computer.library().find(RemoteModel("owner/repo", "main", (RemotePart("x.gguf"),))) is None
    assert computer.library().look_at(too_long / "model.gguf") is None
    (addition,) = add_files(computer.paths, [too_long])
    assert addition.problem is not None
    assert addition.problem.kind is ErrorKind.FILE_UNREADABLE


@POSIX
def test_a_folder_that_may_not_be_entered_is_passed_over(
    computer: Computer, write: WriteModel, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As it is for anybody but the superuser, for whom the system's answer is given here."""
    path = write(computer.paths.models / "model.gguf")
    locked = tmp_path / "locked"
    locked.mkdir()
    asked, real = [], os.stat

    def stat(where: object, *arguments: object, **options: object) -> os.stat_result:
        if str(where).startswith(str(locked / "in")):
            asked.append(where)
            raise PermissionError(13, "Permission denied")
        return real(where, *arguments, **options)  # type: ignore[arg-type,call-overload,no-any-return]

    monkeypatch.setattr(os, "stat", stat)
    computer.folders = (locked / "in",)
    computer.environment = {"LLAMA_CACHE": str(locked / "in"), "HF_HUB_CACHE": str(locked / "in")}
    assert set(computer.models()) == {path.name}
    assert computer.library().find(RemoteModel("owner/repo", "main", (RemotePart("x.gguf"),))) is None
    (addition,) = add_files(computer.paths, [locked / "in" / "x.gguf"])
    assert addition.problem is not None
    assert addition.problem.kind is ErrorKind.FILE_UNREADABLE
    assert asked


@POSIX
def test_without_a_home_or_a_working_folder_the_rest_is_found(
    computer: Computer, write: WriteModel, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A relative name then stands for nothing, and other programs' folders are nowhere."""

    def no_home() -> Path:
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.setattr(Path, "home", no_home)
    assert not (home_folder() / ".cache").exists()
    path = write(computer.paths.models / "model.gguf")
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    assert absolute("x.gguf") == Path("x.gguf")
    assert computer.library().look_at(Path("x.gguf")) is None
    (addition,) = add_files(computer.paths, [Path("x.gguf")])
    assert addition.problem is not None
    assert addition.problem.kind is ErrorKind.FILE_MISSING
    assert set(computer.models()) == {path.name}
    monkeypatch.chdir(tmp_path)


# What came of downloads


def test_what_came_of_a_download_is_deleted_unless_it_is_being_filled(computer: Computer) -> None:
    """Found by the model and by its path; while another program holds it, it stays."""
    model = RemoteModel("owner/repo", "main", (RemotePart("m.gguf", 100),))
    came = computer.paths.models / "owner" / "repo" / "m.gguf.part"
    assert leftovers_of([model], computer.paths) == ()
    came.parent.mkdir(parents=True)
    came.write_bytes(b"GGUF")
    (leftover,) = leftovers_of([model], computer.paths)
    by_path = leftover_at(came, computer.paths)
    assert by_path is not None
    with came.open("rb+") as held:
        assert lock(held.fileno())
        assert failure(by_path.remove).kind is ErrorKind.DOWNLOAD_ELSEWHERE
        assert came.exists()
    leftover.remove()
    assert not came.exists()
    assert leftover_at(came, computer.paths) is None


@POSIX
def test_only_the_models_folder_has_what_came_of_downloads(computer: Computer, tmp_path: Path) -> None:
    """A file of that name elsewhere is another's, also where a link leads to it."""
    other = tmp_path / "m.gguf.part"
    other.write_bytes(b"precious")
    link = computer.paths.models / "owner" / "repo" / "m.gguf.part"
    link.parent.mkdir(parents=True)
    link.symlink_to(other)
    assert leftover_at(other, computer.paths) is None
    assert leftover_at(link, computer.paths) is None
    assert leftovers_of([RemoteModel("owner/repo", "main", (RemotePart("m.gguf"),))], computer.paths) == ()
