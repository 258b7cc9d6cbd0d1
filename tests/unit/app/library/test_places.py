"""Models are found wherever they lie, each once, and other programs' folders are only read."""

from __future__ import annotations

import hashlib
import json
import os
import sys
from pathlib import Path

import pytest

from app.library.changes import add_files
from app.model_values import PlaceKind
from engine.errors import ErrorKind
from tests.unit.app.library.conftest import Computer, WriteModel, write_split

SYMLINKS = pytest.mark.skipif(sys.platform == "win32", reason="links need a right of their own there")


def put_into_ollama(root: Path, manifest: str, data: bytes, media: str = "application/vnd.ollama.image.model") -> Path:
    """A model as Ollama stores it; gives its blob."""
    digest = hashlib.sha256(data).hexdigest()
    blob = root / "blobs" / f"sha256-{digest}"
    blob.parent.mkdir(parents=True, exist_ok=True)
    blob.write_bytes(data)
    file = root / "manifests" / manifest
    file.parent.mkdir(parents=True, exist_ok=True)
    layers = [
        {"mediaType": "application/vnd.ollama.image.license", "digest": "sha256:" + "0" * 64},
        {"mediaType": media, "digest": f"sha256:{digest}"},
    ]
    file.write_text(json.dumps({"schemaVersion": 2, "layers": layers}))
    return blob


def put_into_hub_cache(root: Path, repo: str, revision: str, name: str, data: bytes) -> Path:
    """A file as huggingface_hub stores it: a blob named by its hash, and a link to it; gives the link."""
    folder = root / f"models--{repo.replace('/', '--')}"
    blob = folder / "blobs" / hashlib.sha256(data).hexdigest()
    link = folder / "snapshots" / revision / name
    for file in (blob, link, folder / "refs" / "main"):
        file.parent.mkdir(parents=True, exist_ok=True)
    blob.write_bytes(data)
    link.symlink_to(os.path.relpath(blob, link.parent))
    (folder / "refs" / "main").write_text(revision)
    return link


def test_a_computer_without_models_has_none(computer: Computer) -> None:
    """Folders that are not there are no error, and looking for them makes none."""
    assert computer.models() == {}
    assert list(computer.home.iterdir()) == []


def test_the_starter_pairs_file_is_listed(computer: Computer) -> None:
    """What the package ships is a model like others."""
    (model,) = computer.library().scan()
    assert (model.place, model.name, model.quantisation) == (PlaceKind.PACKAGE, "SmolLM2 135M Instruct", "Q4_1")
    assert model.problem is None


def test_each_programs_models_are_found(computer: Computer, write: WriteModel, tmp_path: Path) -> None:
    """Ours, added folders and files, LM Studio's homes, moved ones and downloads folder, and llama.cpp's cache."""
    home = computer.home
    moved, downloads, added = tmp_path / "moved", tmp_path / "downloads", tmp_path / "added"
    write(computer.paths.models / "owner" / "repo" / "ours.gguf")
    write(home / ".lmstudio" / "models" / "owner" / "repo" / "studio.gguf")
    write(home / ".cache" / "lm-studio" / "models" / "owner" / "repo" / "older.gguf")
    write(moved / "models" / "owner" / "repo" / "moved.gguf")
    (home / ".lmstudio-home-pointer").write_text(f"{moved}\n")
    write(downloads / "owner" / "repo" / "downloaded.gguf")
    (home / ".lmstudio" / "settings.json").write_text(json.dumps({"downloadsFolder": str(downloads)}))
    write(tmp_path / "cache" / "owner_repo_cached.gguf")
    computer.environment["LLAMA_CACHE"] = str(tmp_path / "cache")
    write(added / "deep" / "deeper" / "added.gguf")
    computer.folders = (added,)
    add_files(computer.paths, [write(tmp_path / "elsewhere" / "single.gguf")])
    write(tmp_path / "elsewhere" / "not added.gguf")
    assert {name: model.place for name, model in computer.models().items()} == {
        "ours.gguf": PlaceKind.OURS,
        "studio.gguf": PlaceKind.LM_STUDIO,
        "older.gguf": PlaceKind.LM_STUDIO,
        "moved.gguf": PlaceKind.LM_STUDIO,
        "downloaded.gguf": PlaceKind.LM_STUDIO,
        "owner_repo_cached.gguf": PlaceKind.LLAMA_CPP,
        "added.gguf": PlaceKind.ADDED,
        "single.gguf": PlaceKind.ADDED,
    }


@pytest.mark.parametrize("variable", ["", "OLLAMA_MODELS"])
def test_ollamas_models_have_the_names_of_their_manifests(
    variable: str, computer: Computer, tiny_bytes: bytes, tmp_path: Path
) -> None:
    """A blob is called by name and tag, with the owner where there is one; only weights are models."""
    root = tmp_path / "ollama" if variable else computer.home / ".ollama" / "models"
    if variable:
        computer.environment[variable] = str(root)
    blob = put_into_ollama(root, "registry.ollama.ai/library/llama3.2/3b", tiny_bytes)
    put_into_ollama(root, "registry.ollama.ai/library/same/latest", tiny_bytes)  # one file, listed once
    put_into_ollama(root, "registry.ollama.ai/someone/tiny/q4", tiny_bytes + bytes(1))
    put_into_ollama(root, "hf.co/owner/repo/Q4_K_M", tiny_bytes + bytes(2))
    put_into_ollama(root, "registry.ollama.ai/library/projector/1", b"x", "application/vnd.ollama.image.projector")
    models = computer.models()
    assert {model.name for model in models.values()} == {"llama3.2:3b", "someone/tiny:q4", "hf.co/owner/repo:Q4_K_M"}
    assert models[blob.name].path == blob
    assert {model.place for model in models.values()} == {PlaceKind.OLLAMA}


@pytest.mark.parametrize(
    "manifest",
    [
        b"",
        b"[]",
        b"{}",
        b'{"layers": 3}',
        b'{"layers": [{}]}',
        b'{"layers": [{"mediaType": "application/vnd.ollama.image.model", "digest": "sha256:../../../secret"}]}',
        b"\xff\xfe",
        b"[" * 100_000,
    ],
)
def test_a_broken_manifest_hides_nothing_else(manifest: bytes, computer: Computer, tiny_bytes: bytes) -> None:
    """What Ollama has written by halves, or somebody else has, is passed over and leads nowhere."""
    root = computer.home / ".ollama" / "models"
    put_into_ollama(root, "registry.ollama.ai/library/good/1", tiny_bytes)
    (root / "manifests" / "registry.ollama.ai" / "library" / "good" / "2").write_bytes(manifest)
    (root / "manifests" / "stray").write_bytes(manifest)
    assert [model.name for model in computer.models().values()] == ["good:1"]


@SYMLINKS
@pytest.mark.parametrize("variable", ["", "HF_HOME", "HF_HUB_CACHE"])
def test_the_hubs_cache_has_each_model_once(
    variable: str, computer: Computer, tiny_bytes: bytes, tmp_path: Path
) -> None:
    """Revisions that share a file are one model under its name; files that are gone are passed over."""
    cache = {
        "": computer.home / ".cache" / "huggingface" / "hub",
        "HF_HOME": tmp_path / "hf" / "hub",
        "HF_HUB_CACHE": tmp_path / "cache",
    }[variable]
    if variable:
        computer.environment[variable] = str(cache.parent if variable == "HF_HOME" else cache)
    put_into_hub_cache(cache, "owner/repo", "a" * 40, "Tiny-Q8_0.gguf", tiny_bytes)
    newest = put_into_hub_cache(cache, "owner/repo", "b" * 40, "Tiny-Q8_0.gguf", tiny_bytes)
    gone = put_into_hub_cache(cache, "owner/repo", "b" * 40, "sub/Gone.gguf", tiny_bytes + bytes(1))
    gone.resolve().unlink()
    models = computer.models()
    assert [(model.path, model.place) for model in models.values()] == [(newest, PlaceKind.HUB_CACHE)]
    assert models["Tiny-Q8_0.gguf"].name == "Tiny"


@SYMLINKS
def test_a_file_with_several_names_is_listed_once(computer: Computer, write: WriteModel, tmp_path: Path) -> None:
    """Hard links, links to files and to folders lead to one model; it belongs to whose folder it lies in."""
    studio = write(computer.home / ".lmstudio" / "models" / "owner" / "repo" / "model.gguf")
    os.link(studio, studio.with_name("hard.gguf"))
    studio.with_name("soft.gguf").symlink_to(studio)
    computer.paths.models.mkdir(parents=True)
    (computer.paths.models / "theirs").symlink_to(studio.parent)
    computer.folders = (computer.home, computer.home / ".lmstudio", studio.parent)
    (model,) = computer.models().values()
    assert model.place is PlaceKind.LM_STUDIO
    assert not model.removable


@SYMLINKS
def test_folders_that_only_links_lead_to_are_found(computer: Computer, write: WriteModel, tmp_path: Path) -> None:
    """A link in the models folder to another disk is as good as the folder."""
    write(tmp_path / "disk" / "owner" / "far.gguf")
    computer.paths.models.mkdir(parents=True)
    (computer.paths.models / "disk").symlink_to(tmp_path / "disk")
    assert computer.models()["far.gguf"].place is PlaceKind.OURS


@SYMLINKS
def test_nothing_on_the_disk_stops_the_search(computer: Computer, write: WriteModel, tmp_path: Path) -> None:
    """Loops of links, dangling links, pipes, folders and files that may not be read, hidden ones: what is left is
    found."""
    root = tmp_path / "tree"
    good = write(root / "a" / "good.gguf")
    for name in ("up", "up again"):  # two, so that whoever follows them without end has 2^40 ways to go
        (root / "a" / name).symlink_to(root)
    (root / "self").symlink_to(root / "self")
    (root / "dangling.gguf").symlink_to(root / "nowhere")
    (root / "folder.gguf").mkdir()
    os.mkfifo(root / "pipe.gguf")
    write(root / ".hidden" / "hidden.gguf")
    write(root / "._model.gguf")
    write(root / "model.gguf.part")
    write(root / "locked" / "model.gguf").parent.chmod(0)
    computer.folders = (root, root / "a", tmp_path / "nowhere")
    try:
        models = computer.models()
    finally:
        (root / "locked").chmod(0o700)
    locked = {"model.gguf"} if os.access("/root", os.W_OK) else set()  # nothing is locked for the superuser
    assert models.keys() - locked == {good.name}


@pytest.mark.skipif(sys.platform != "linux", reason="other systems allow no such names")
def test_names_that_are_not_text_are_models_too(computer: Computer, write: WriteModel) -> None:
    """A name in another encoding is found, cached and shown, with a mark for what is no text."""
    write(computer.paths.models / os.fsdecode(b"gr\xfc\xdfe.gguf"))
    (model,) = computer.models().values()
    assert model.name == "gr\ufffd\ufffde"
    assert computer.library().known()[0].path == model.path


def test_control_characters_do_not_reach_the_screen(computer: Computer, write: WriteModel) -> None:
    """What would steer a terminal or turn text around is shown as a mark."""
    if sys.platform == "win32":
        pytest.skip("no such names there")
    write(computer.paths.models / "a\x1b[31m\u202eb.gguf")
    (model,) = computer.models().values()
    assert model.name == "a\ufffd[31m\ufffdb"


def test_a_split_model_is_one_entry(computer: Computer) -> None:
    """All parts count; the first is the one to load."""
    parts = write_split(computer.paths.models)
    (model,) = computer.models().values()
    assert (model.path, model.parts) == (parts[0], tuple(parts))
    assert model.size_bytes == sum(part.stat().st_size for part in parts)
    assert model.name == "split"
    assert model.problem is None


@pytest.mark.parametrize("missing", [0, 1])
def test_a_split_model_without_a_part_says_so(missing: int, computer: Computer) -> None:
    """Whichever part is missing, there is one entry, and its problem names the part; then it is whole again."""
    parts = write_split(computer.paths.models)
    data = parts[missing].read_bytes()
    parts[missing].unlink()
    (model,) = computer.models().values()
    assert model.problem is not None
    assert (model.problem.kind, model.problem.fact("missing")) == (ErrorKind.SPLIT_INCOMPLETE, str(parts[missing]))
    parts[missing].write_bytes(data)
    (model,) = computer.models().values()
    assert model.problem is None


def test_one_added_part_brings_the_others(computer: Computer, tmp_path: Path) -> None:
    """Adding any part of a split model adds the model."""
    parts = write_split(tmp_path / "elsewhere")
    (addition,) = add_files(computer.paths, [parts[1]])
    assert addition.model is not None
    assert addition.model.path == parts[0]
    (model,) = computer.models().values()
    assert model.parts == tuple(parts)


@pytest.mark.parametrize(
    "names", [("big.gguf.part1of2", "big.gguf.part2of2"), ("big.gguf-split-a", "big.gguf-split-b")]
)
def test_pieces_that_must_be_joined_are_one_entry_with_a_problem(
    names: tuple[str, str], computer: Computer, write: WriteModel
) -> None:
    """The habit before GGUF's own parts is recognised."""
    for name in names:
        write(computer.paths.models / name)
    (model,) = computer.models().values()
    assert (model.name, len(model.parts)) == ("big", 2)
    assert model.problem is not None
    assert model.problem.kind is ErrorKind.PIECES_NOT_JOINED
    assert (model.problem.fact("file"), model.problem.fact("pieces")) == ("big.gguf", 2)


def test_a_whole_file_may_be_called_like_a_part(computer: Computer, write: WriteModel) -> None:
    """The header decides: a file that is not split has no other parts, whatever its name."""
    write(computer.paths.models / "m-00001-of-00002.gguf")
    write(computer.paths.models / "m-00002-of-00002.gguf")
    (model,) = computer.models().values()
    assert len(model.parts) == 1
    assert model.problem is None
