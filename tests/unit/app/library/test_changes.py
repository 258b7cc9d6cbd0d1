"""Files are added where they lie, verified byte by byte, and moved to the trash, never further."""

from __future__ import annotations

import hashlib
import sys
from pathlib import Path

import pytest

from app.checksums import checksum_path, write_checksum
from app.library.added import read_added
from app.library.changes import add_files, remove, verify
from app.model_values import LocalModel, PlaceKind, Proof
from engine.errors import EngineError, ErrorKind, ErrorReport
from tests.fakes import gguf_files
from tests.unit.app.library.conftest import Computer, WriteModel, write_split
from tests.unit.app.library.test_places import put_into_hub_cache, put_into_ollama


def sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def only_model(computer: Computer) -> LocalModel:
    (model,) = computer.models().values()
    return model


def remove_from(computer: Computer, model: LocalModel) -> tuple[Path, ...]:
    return remove(model, computer.paths, computer.library().places())


def refusal(model: LocalModel, *expected: str | None) -> ErrorReport:
    with pytest.raises(EngineError) as caught:
        verify(model, expected)
    return caught.value.report


# Adding


def test_added_files_stay_where_they_are(computer: Computer, write: WriteModel, tmp_path: Path) -> None:
    """A file is listed from then on, in its place, at later starts too; adding it again changes nothing."""
    path = write(tmp_path / "模型" / "größe 🙂.gguf")
    (addition,) = add_files(computer.paths, [path])
    assert (addition.is_new, addition.problem) == (True, None)
    assert only_model(computer).path == path
    (again,) = add_files(computer.paths, [path.parent / ".." / "模型" / path.name])
    assert not again.is_new
    assert read_added(computer.paths) == (path,)
    assert not computer.paths.models.exists()


def test_what_cannot_be_used_is_refused(computer: Computer, write: WriteModel, tmp_path: Path) -> None:
    """Each refused file has its reason; the good one beside them is added."""
    good = write(tmp_path / "good.gguf")
    (tmp_path / "empty").mkdir()
    files = [
        tmp_path / "missing.gguf",
        tmp_path / "empty",
        gguf_files.write_text_file(tmp_path / "page.gguf"),
        gguf_files.write_embedding_model(tmp_path / "bert.gguf"),
        write_split(tmp_path / "split")[1],
        good,
    ]
    (tmp_path / "split" / "split-00001-of-00002.gguf").unlink()
    kinds = [addition.problem and addition.problem.kind for addition in add_files(computer.paths, files)]
    assert kinds == [
        ErrorKind.FILE_MISSING,
        ErrorKind.FILE_UNREADABLE,
        ErrorKind.NOT_GGUF,
        ErrorKind.NOT_GENERATIVE,
        ErrorKind.SPLIT_INCOMPLETE,
        None,
    ]
    assert read_added(computer.paths) == (good,)


@pytest.mark.parametrize("text", ["", "{}", "[1, null]", "\xff", "[" * 100_000])
def test_a_damaged_list_of_added_files_is_empty(text: str, computer: Computer, write: WriteModel) -> None:
    """Whatever the list's file holds, the program starts, and can add again."""
    computer.paths.data.mkdir(parents=True)
    (computer.paths.data / "added.json").write_text(text, encoding="latin-1")
    assert read_added(computer.paths) == ()
    path = write(computer.home / "model.gguf")
    add_files(computer.paths, [path])
    assert read_added(computer.paths) == (path,)


def test_a_list_that_cannot_be_written_is_told(computer: Computer, write: WriteModel) -> None:
    """Where a file stands in the way of the data folder, adding fails with its reason."""
    computer.paths.data.parent.mkdir(parents=True)
    computer.paths.data.write_text("in the way")
    with pytest.raises(EngineError) as caught:
        add_files(computer.paths, [write(computer.home / "model.gguf")])
    assert caught.value.report.kind is ErrorKind.FOLDER_UNWRITABLE


# Verifying


def test_the_right_bytes_are_whole(computer: Computer) -> None:
    """Parts with the published hash are whole by hash, in either case of its digits; progress counts every byte."""
    parts = write_split(computer.paths.models)
    model = only_model(computer)
    told: list[tuple[int, int]] = []
    verified = verify(
        model, [sha256(parts[0]), sha256(parts[1]).upper()], lambda done, total: told.append((done, total))
    )
    assert verified is not None
    assert verified.proof is Proof.PUBLISHED
    assert told[-1] == (model.size_bytes, model.size_bytes)


def test_other_bytes_are_named(computer: Computer, write: WriteModel) -> None:
    """One changed byte in the weights is found by the hash; the message has both hashes."""
    path = write(computer.paths.models / "model.gguf")
    published = sha256(path)
    data = bytearray(path.read_bytes())
    data[-5] ^= 1
    path.write_bytes(data)
    report = refusal(only_model(computer), published)
    assert report.kind is ErrorKind.MODEL_CHANGED
    assert report.fact("expected_sha256") == published
    assert report.fact("sha256") == sha256(path)


def test_without_a_published_hash_header_and_size_count(computer: Computer, write: WriteModel) -> None:
    """A whole file is whole by size; one that was cut off since is not, nor one without its second part."""
    path = write(computer.paths.models / "model.gguf")
    model = only_model(computer)
    verified = verify(model)
    assert verified is not None
    assert verified.proof is Proof.SIZE
    path.write_bytes(path.read_bytes()[:-1000])
    assert refusal(model).kind is ErrorKind.GGUF_TRUNCATED
    path.unlink()
    assert refusal(model).kind is ErrorKind.FILE_MISSING
    parts = write_split(computer.paths.models)
    model = only_model(computer)
    parts[1].unlink()
    assert refusal(model, None, None).kind is ErrorKind.SPLIT_INCOMPLETE


@pytest.mark.skipif(sys.platform == "win32", reason="links need a right of their own there")
def test_files_that_are_named_by_their_hash_need_no_other(computer: Computer, tiny_bytes: bytes) -> None:
    """Ollama's blobs and the hub's are held against their own names."""
    blob = put_into_ollama(computer.home / ".ollama" / "models", "registry.ollama.ai/library/x/1", tiny_bytes)
    link = put_into_hub_cache(
        computer.home / ".cache" / "huggingface" / "hub", "owner/repo", "a" * 40, "m.gguf", tiny_bytes + bytes(1)
    )
    models = computer.models()
    for path in (blob, link):
        verified = verify(models[path.name])
        assert verified is not None
        assert verified.proof is Proof.DOWNLOADED
        data = bytearray(path.read_bytes())
        data[-5] ^= 1
        path.resolve().write_bytes(data)
        assert refusal(models[path.name]).kind is ErrorKind.MODEL_CHANGED


def test_downloads_are_held_against_the_hash_beside_them(computer: Computer, write: WriteModel) -> None:
    """The hash that a download left is used where nobody published one; a damaged record is as none."""
    path = write(computer.paths.models / "größe 🙂.gguf")
    write_checksum(path, sha256(path))
    verified = verify(only_model(computer))
    assert verified is not None
    assert verified.proof is Proof.DOWNLOADED
    data = bytearray(path.read_bytes())
    data[-5] ^= 1
    path.write_bytes(data)
    assert refusal(only_model(computer)).kind is ErrorKind.MODEL_CHANGED
    checksum_path(path).write_bytes(b"\xff" * 100)
    verified = verify(only_model(computer))
    assert verified is not None
    assert verified.proof is Proof.SIZE


def test_verifying_can_be_cancelled(computer: Computer, write: WriteModel) -> None:
    """A cancelled verification says nothing about the file."""
    path = write(computer.paths.models / "model.gguf")
    assert verify(only_model(computer), [sha256(path)], cancelled=lambda: True) is None


# Removing


@pytest.fixture
def trash(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where removed files go. The trash's place is looked up when its library is imported."""
    if sys.platform != "linux":
        pytest.skip("only here can the trash be put elsewhere")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "share"))
    for name in [name for name in sys.modules if name.startswith("send2trash")]:
        monkeypatch.delitem(sys.modules, name)
    return tmp_path / "share" / "Trash"


def test_all_parts_go_to_the_trash(computer: Computer, trash: Path) -> None:
    """A split model goes whole, and can be taken back."""
    parts = write_split(computer.paths.models / "owner")
    contents = {part.name: part.read_bytes() for part in parts}
    write_checksum(parts[0], "0" * 64)
    assert remove_from(computer, only_model(computer)) == tuple(parts)
    assert not checksum_path(parts[0]).exists()
    assert computer.models() == {}
    assert {file.name: file.read_bytes() for file in (trash / "files").iterdir()} == contents
    assert all(str(computer.paths.models) in file.read_text() for file in (trash / "info").iterdir())


def test_added_files_can_be_removed(computer: Computer, write: WriteModel, trash: Path, tmp_path: Path) -> None:
    """What the user added is the user's to remove; nothing else in its folder is touched."""
    path = write(tmp_path / "elsewhere" / "model.gguf")
    write(tmp_path / "elsewhere" / "other.gguf")
    add_files(computer.paths, [path])
    assert remove_from(computer, only_model(computer)) == (path,)
    assert [file.name for file in path.parent.iterdir()] == ["other.gguf"]
    assert computer.models() == {}
    assert read_added(computer.paths) == ()


def test_other_programs_models_are_not_removed(computer: Computer, write: WriteModel, trash: Path) -> None:
    """The refusal names the program; the file stays."""
    path = write(computer.home / ".lmstudio" / "models" / "owner" / "repo" / "model.gguf")
    computer.folders = (computer.home / ".lmstudio",)
    with pytest.raises(EngineError) as caught:
        remove_from(computer, only_model(computer))
    assert caught.value.report.kind is ErrorKind.MODEL_NOT_REMOVABLE
    assert caught.value.report.fact("owner") == "LM Studio"
    assert path.exists()


def test_every_place_has_an_owner(computer: Computer) -> None:
    """Whatever the place, the refusal has a name for it."""
    model = computer.library().scan()[0]
    assert model.place is PlaceKind.PACKAGE
    with pytest.raises(EngineError) as caught:
        remove_from(computer, model)
    assert caught.value.report.fact("owner")


def test_where_there_is_no_trash_nothing_is_removed(computer: Computer, trash: Path) -> None:
    """A trash that cannot be made is a failure with its reason; all parts stay."""
    parts = write_split(computer.paths.models)
    trash.parent.write_text("in the way")
    with pytest.raises(EngineError) as caught:
        remove_from(computer, only_model(computer))
    assert caught.value.report.kind is ErrorKind.TRASH_FAILED
    assert caught.value.report.fact("reason")
    assert all(part.exists() for part in parts)


def test_a_name_too_long_for_the_trash_is_told(computer: Computer, write: WriteModel, trash: Path) -> None:
    """The trash needs some letters more than the file; the file stays."""
    path = write(computer.paths.models / ("x" * 245 + ".gguf"))
    with pytest.raises(EngineError) as caught:
        remove_from(computer, only_model(computer))
    assert caught.value.report.kind is ErrorKind.TRASH_FAILED
    assert "too long" in str(caught.value.report.fact("reason"))
    assert path.exists()


def test_a_system_without_a_trash_is_told(
    computer: Computer, write: WriteModel, trash: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The reason is not that a file is missing, for the model is there."""
    path = write(computer.paths.models / "model.gguf")
    monkeypatch.setenv("HOME", "/nonexistent")
    model = only_model(computer)
    with pytest.raises(EngineError) as caught:
        remove_from(computer, model)
    assert caught.value.report.kind is ErrorKind.TRASH_FAILED
    assert "no trash" in str(caught.value.report.fact("reason"))
    assert path.exists()
