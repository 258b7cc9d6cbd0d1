"""What is known stays known between starts without reading files again, and what has changed is read again."""

from __future__ import annotations

import os
import sqlite3
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from app.catalogue.reading import read_catalogue
from app.library import reading
from app.model_values import LocalModel, RemoteModel, RemotePart
from engine import gguf
from engine.errors import ErrorKind
from engine.gguf import GgufHeader
from tests.fakes import gguf_files
from tests.fakes.gguf_files import Tiny
from tests.unit.app.library.conftest import Computer, WriteModel, write_split
from tests.unit.app.library.test_places import put_into_hub_cache, put_into_ollama


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of the model files whose headers were read."""
    names: list[str] = []

    def read_header(path: Path) -> GgufHeader:
        names.append(path.name)
        return gguf.read_header(path)

    monkeypatch.setattr(reading, "read_header", read_header)
    return names


def test_a_model_is_told_by_its_header(computer: Computer) -> None:
    """Name, architecture, quantisation, parameters, vocabulary, context and size."""
    computer.paths.models.mkdir(parents=True)
    path = gguf_files.write_model(computer.paths.models / "Tiny-1B.F32.gguf", Tiny())
    model = computer.models()["Tiny-1B.F32.gguf"]
    assert (model.name, model.architecture, model.quantisation) == ("Tiny 1B", "llama", "F32")
    assert (model.vocab_size, model.context) == (512, 1024)
    assert model.size_bytes == path.stat().st_size
    assert model.parameters == gguf.read_header(path).parameters
    assert model.problem is None


def test_a_second_scan_opens_no_file(computer: Computer, write: WriteModel, opened: list[str]) -> None:
    """Within a start and after it, unchanged files are told from the cache, split and broken ones too."""
    write(computer.paths.models / "a" / "whole.gguf")
    write_split(computer.paths.models / "b")
    (computer.paths.models / "broken.gguf").write_bytes(b"GGUF nonsense")
    library = computer.library()
    first = library.scan()
    assert len(first) == 4  # with the starter pair's file
    opened.clear()
    assert library.scan() == first
    later = computer.library()
    assert later.known() == first
    assert later.scan() == first
    assert opened == []


def test_a_changed_file_is_read_again_and_only_that(computer: Computer, write: WriteModel, opened: list[str]) -> None:
    """Another size or another time is another file."""
    for name in ("same.gguf", "longer.gguf", "later.gguf", "gone.gguf"):
        write(computer.paths.models / name)
    computer.models()
    opened.clear()
    with (computer.paths.models / "longer.gguf").open("ab") as file:
        file.write(bytes(1))
    os.utime(computer.paths.models / "later.gguf", ns=(1, 1))
    (computer.paths.models / "gone.gguf").unlink()
    write(computer.paths.models / "new.gguf")
    assert computer.models().keys() == {"same.gguf", "longer.gguf", "later.gguf", "new.gguf"}
    assert sorted(opened) == ["later.gguf", "longer.gguf", "new.gguf"]
    assert "gone.gguf" not in {model.path.name for model in computer.library().known()}


def test_a_changed_later_part_is_noticed(computer: Computer) -> None:
    """A split model is read again when any of its parts changes."""
    parts = write_split(computer.paths.models)
    assert computer.models()[parts[0].name].problem is None
    parts[1].write_bytes(parts[1].read_bytes()[:-64])
    problem = computer.models()[parts[0].name].problem
    assert problem is not None
    assert problem.kind is ErrorKind.GGUF_TRUNCATED


def test_problems_are_values(computer: Computer, write: WriteModel) -> None:
    """Whatever a file holds, it is listed with the kind of its problem."""
    folder = write(computer.paths.models / "good.gguf").parent
    gguf_files.write_text_file(folder / "page.gguf")
    gguf_files.write_vocabulary_only(folder / "words.gguf")
    gguf_files.write_embedding_model(folder / "bert.gguf")
    gguf_files.write_truncated(folder / "good.gguf", folder / "cut.gguf", 30_000)
    (folder / "empty.gguf").touch()
    (folder / "hostile.gguf").write_bytes(gguf_files.raw_header(1 << 62, 0))
    kinds = {name: model.problem and model.problem.kind for name, model in computer.models().items()}
    assert kinds == {
        "good.gguf": None,
        "page.gguf": ErrorKind.NOT_GGUF,
        "words.gguf": ErrorKind.VOCABULARY_ONLY,
        "bert.gguf": ErrorKind.NOT_GENERATIVE,
        "cut.gguf": ErrorKind.GGUF_TRUNCATED,
        "empty.gguf": ErrorKind.NOT_GGUF,
        "hostile.gguf": ErrorKind.GGUF_BROKEN,
    }


def test_numbers_that_no_model_has_do_not_break_the_cache(computer: Computer) -> None:
    """A header's largest number is more than a database holds."""
    computer.paths.models.mkdir(parents=True)
    path = computer.paths.models / "large.gguf"
    named = gguf_files.raw_key(b"general.architecture", 8, gguf_files.raw_string(b"llama"))
    huge = gguf_files.raw_key(b"llama.context_length", 10, b"\xff" * 8)
    path.write_bytes(gguf_files.raw_header(0, 2, named + huge))
    assert computer.models()["large.gguf"].context == 0
    assert len(computer.library().known()) == 2


def test_a_file_that_vanishes_during_the_scan_is_no_model(
    computer: Computer, write: WriteModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Between being seen and being read, a file may go."""
    path = write(computer.paths.models / "going.gguf")
    write(computer.paths.models / "staying.gguf")

    def read_header(file: Path) -> GgufHeader:
        path.unlink(missing_ok=True)
        return gguf.read_header(file)

    monkeypatch.setattr(reading, "read_header", read_header)
    assert computer.models().keys() == {"staying.gguf"}


def test_models_are_told_in_batches_while_the_scan_runs(computer: Computer, write: WriteModel) -> None:
    """Each model is told once, and none of the batches is long."""
    for number in range(250):
        write(computer.paths.models / f"{number // 50}" / f"{number}.gguf")
    batches: list[tuple[LocalModel, ...]] = []
    models = computer.library().scan(batches.append)
    told = [model for batch in batches for model in batch]
    assert len(told) == 251
    assert set(told) == set(models)
    assert max(map(len, batches)) <= 100


def test_a_cancelled_scan_keeps_what_was_known(computer: Computer, write: WriteModel) -> None:
    """Cancelling ends the scan before the next file; nothing that was known is forgotten."""
    for number in range(20):
        write(computer.paths.models / f"{number}.gguf")
    computer.models()
    write(computer.paths.models / "new.gguf")
    library = computer.library()
    asked: list[None] = []

    def cancelled() -> bool:
        asked.append(None)
        return len(asked) > 5

    assert len(library.scan(cancelled=cancelled)) == 21
    assert len(asked) < 12
    assert len(computer.library().known()) == 21


def test_others_may_ask_while_one_scans(computer: Computer, write: WriteModel) -> None:
    """What is known can be read from another thread in the middle of a scan."""
    write(computer.paths.models / "model.gguf")
    library = computer.library()
    answers: list[int] = []

    def ask(batch: tuple[LocalModel, ...]) -> None:
        thread = threading.Thread(target=lambda: answers.append(len(library.known())))
        thread.start()
        thread.join()

    library.scan(ask)
    assert answers[-1] == 2


# The cache's file


def cache_file(computer: Computer) -> Path:
    return computer.paths.state / "library.sqlite3"


def overwrite_with_text(file: Path) -> None:
    file.write_text("this is no database, " * 1000)


def damage_pages(file: Path) -> None:
    data = bytearray(file.read_bytes())
    data[100:] = b"\xff" * (len(data) - 100)
    file.write_bytes(data)


def change_a_value(file: Path) -> None:
    connection = sqlite3.connect(file)
    with connection:
        connection.execute("UPDATE model SET place = 'the moon'")
    connection.close()


def change_the_format(file: Path) -> None:
    connection = sqlite3.connect(file)
    with connection:
        connection.execute("DROP TABLE model")
        connection.execute("CREATE TABLE model (other)")
        connection.execute("PRAGMA user_version = 7")
    connection.close()


@pytest.mark.parametrize("damage", [overwrite_with_text, damage_pages, change_a_value, change_the_format, Path.unlink])
def test_a_damaged_cache_is_made_anew(
    damage: Callable[[Path], None], computer: Computer, write: WriteModel, opened: list[str]
) -> None:
    """Whatever happened to the file, the models are found, and remembered again; nothing damaged stays behind."""
    write(computer.paths.models / "model.gguf")
    gone = write(computer.paths.models / "gone.gguf")
    computer.library().scan()
    damage(cache_file(computer))
    gone.unlink()
    models = computer.library().scan()
    assert len(models) == 2  # with the starter pair's file
    opened.clear()
    assert computer.library().scan() == models
    assert opened == []


def test_a_cache_that_another_program_holds_is_done_without(computer: Computer, write: WriteModel) -> None:
    """While another one writes, models are found and just not remembered."""
    write(computer.paths.models / "model.gguf")
    before = computer.library().scan()
    holder = sqlite3.connect(cache_file(computer))
    holder.execute("BEGIN EXCLUSIVE")
    library = computer.library()
    write(computer.paths.models / "second.gguf")
    assert len(library.scan()) == len(before) + 1
    holder.rollback()
    holder.close()
    assert computer.library().known() == before


def test_a_state_folder_that_cannot_be_is_done_without(computer: Computer, write: WriteModel) -> None:
    """Where a file stands in the way of the folder, models are found all the same."""
    write(computer.paths.models / "model.gguf")
    computer.paths.state.parent.mkdir(parents=True, exist_ok=True)
    computer.paths.state.write_text("in the way")
    library = computer.library()
    assert len(library.scan()) == 2
    assert len(library.known()) == 2


# Finding what a hub calls by other names


def remote(name: str, size: int | None = None, sha256: str | None = None) -> RemoteModel:
    return RemoteModel("Owner/Repo", "main", (RemotePart(name, size, sha256),))


def test_a_download_is_found_without_a_scan(computer: Computer, write: WriteModel) -> None:
    """In our own folder a model of the hub is known by its place, in other cases too, and with folders."""
    path = write(computer.paths.models / "owner" / "repo" / "Q4" / "Tiny-Q4.gguf")
    found = computer.library().find(remote("Q4/tiny-q4.gguf"))
    assert found is not None
    assert found.path == path
    assert computer.library().find(remote("tiny-q4.gguf")) is None
    assert computer.library().find(remote("../../../etc/passwd")) is None


def test_models_of_other_programs_are_found(computer: Computer, write: WriteModel, tiny_bytes: bytes) -> None:
    """LM Studio's folder and the hub's cache are known by their places too."""
    studio = write(computer.home / ".lmstudio" / "models" / "Owner" / "Repo" / "a.gguf")
    cache = computer.home / ".cache" / "huggingface" / "hub"
    cached = put_into_hub_cache(cache, "Owner/Repo", "a" * 40, "sub/b.gguf", tiny_bytes)
    library = computer.library()
    for name, path in (("a.gguf", studio), ("sub/b.gguf", cached)):
        found = library.find(remote(name))
        assert found is not None
        assert found.path == path


def test_elsewhere_name_and_size_must_agree(
    computer: Computer, write: WriteModel, tiny_bytes: bytes, tmp_path: Path
) -> None:
    """A file of the same name and size is taken, also under llama.cpp's name; Ollama's by its hash alone."""
    computer.folders = (tmp_path / "added",)
    size = len(tiny_bytes)
    write(tmp_path / "added" / "Tiny.gguf")
    write(computer.home / ".cache" / "llama.cpp" / "Owner_Repo_other.gguf")
    root = computer.home / ".ollama" / "models"
    blob = put_into_ollama(root, "registry.ollama.ai/library/x/1", tiny_bytes + bytes(1))
    library = computer.library()
    library.scan()
    assert library.find(remote("tiny.gguf", size)) is not None
    assert library.find(remote("tiny.gguf", size + 1)) is None
    assert library.find(remote("tiny.gguf")) is None
    assert library.find(remote("other.gguf", size)) is not None
    assert library.find(remote("other.gguf")) is not None
    assert library.find(remote("third.gguf", size + 1, blob.name.removeprefix("sha256-"))) is not None
    assert library.find(remote("third.gguf", size + 1, "0" * 64)) is None


def test_without_a_size_the_repository_must_agree(computer: Computer, write: WriteModel, tmp_path: Path) -> None:
    """In an added folder, the hub's file of unknown size is the one in folders called as its repository is."""
    computer.folders = (tmp_path / "added",)
    write(tmp_path / "added" / "Someone" / "Else" / "Tiny.gguf")
    library = computer.library()
    library.scan()
    assert library.find(remote("tiny.gguf")) is None
    path = write(tmp_path / "added" / "owner" / "repo" / "Tiny.gguf")
    library.scan()
    found = library.find(remote("tiny.gguf"))
    assert found is not None
    assert found.path == path


def test_what_is_found_is_there_and_whole(computer: Computer, write: WriteModel) -> None:
    """A model that was known and has gone, or is cut off now, is not found."""
    path = write(computer.paths.models / "Owner" / "Repo" / "model.gguf")
    library = computer.library()
    library.scan()
    data = path.read_bytes()
    path.write_bytes(data[:-1000])
    assert library.find(remote("model.gguf", len(data))) is None
    path.unlink()
    assert library.find(remote("model.gguf", len(data))) is None
    assert "model.gguf" not in {model.path.name for model in library.known()}


def test_a_pair_of_the_catalogue_is_found_half_by_half(computer: Computer, write: WriteModel) -> None:
    """Target and draft are looked for each on its own."""
    pair = next(pair for pair in read_catalogue(computer.paths).pairs if len(pair.target.model.parts) == 1)
    library = computer.library()
    assert library.find_catalogue_pair(pair) == (None, None)
    write(computer.paths.models / pair.target.model.repo / pair.target.model.parts[0].path)
    target, draft = library.find_catalogue_pair(pair)
    assert target is not None
    assert draft is None
