"""`draftlight models add`, `verify` and `remove`, as the real program."""

from __future__ import annotations

import hashlib
import json
import shutil
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from app.catalogue.reading import read_catalogue
from app.checksums import write_checksum
from app.downloads.lock import lock
from app.paths import Paths
from tests.e2e.conftest import TinyPair
from tests.e2e.program import Result, run
from tests.fakes.gguf_files import Tiny, write_embedding_model, write_split_model

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="only here can home and trash be put elsewhere")


@dataclass(frozen=True, slots=True)
class Home:
    """A user's folders."""

    folder: Path
    paths: Paths

    @property
    def trash(self) -> list[str]:
        files = self.folder / ".local" / "share" / "Trash" / "files"
        return sorted(file.name for file in files.iterdir()) if files.exists() else []


@pytest.fixture
def home(tmp_path: Path, base_dir: Path, monkeypatch: pytest.MonkeyPatch) -> Home:
    folder = tmp_path / "home"
    folder.mkdir()
    monkeypatch.setenv("HOME", str(folder))
    for variable in ("XDG_DATA_HOME", "XDG_CACHE_HOME", "HF_HOME", "HF_HUB_CACHE", "LLAMA_CACHE", "OLLAMA_MODELS"):
        monkeypatch.delenv(variable, raising=False)
    return Home(folder, Paths(base_dir))


def kinds(result: Result, key: str) -> list[object]:
    entries = result.document[key]
    assert isinstance(entries, list)
    return [entry["error"]["kind"] for entry in entries]


def test_files_are_added_and_the_others_refused(home: Home, tiny: TinyPair, tmp_path: Path) -> None:
    """Good files are added and told on stdout, one that is no language model is refused on stderr with status 1."""
    bad = write_embedding_model(tmp_path / "bert.gguf")
    result = run("models", "add", str(tiny.target), str(bad), str(tiny.target), "--json")
    assert result.status == 1
    document = result.document
    assert [entry["path"] for entry in document["added"]] == [str(tiny.target)]  # type: ignore[index,attr-defined]
    assert [entry["path"] for entry in document["already"]] == [str(tiny.target)]  # type: ignore[index,attr-defined]
    assert kinds(result, "refused") == ["not_generative"]
    assert "bert.gguf" in result.err
    again = run("models", "add", str(tiny.target))
    assert (again.status, again.err) == (0, "")
    assert again.out.startswith("Already there: target, F32")


def test_added_and_downloaded_models_are_verified(home: Home, tiny: TinyPair, tmp_path: Path) -> None:
    """Without names everything of the user's is looked at; what was cut off makes the command fail."""
    nothing = run("models", "verify")
    assert (nothing.out, nothing.status) == ("", 0)
    assert "no models" in nothing.err
    copy = tmp_path / "copy.gguf"
    shutil.copy(tiny.target, copy)
    assert run("models", "add", str(copy)).status == 0
    whole = run("models", "verify", "--json")
    assert (whole.status, whole.document) == (0, {"whole": [{"path": str(copy), "by": "size"}], "damaged": []})
    copy.write_bytes(copy.read_bytes()[:-100])
    cut = run("models", "verify", str(copy), "--json")
    assert cut.status == 1
    assert kinds(cut, "damaged") == ["gguf_truncated"]


def test_a_pair_is_verified_against_the_catalogue(home: Home, tiny: TinyPair) -> None:
    """A file in the place of a catalogue's file, with other bytes, is not the file it should be."""
    pair = next(pair for pair in read_catalogue(home.paths).pairs if len(pair.draft.model.parts) == 1)
    own = home.paths.data / "models.json"
    own.parent.mkdir(parents=True)
    shipped = json.loads((Path(__file__).parents[2] / "models.json").read_text(encoding="utf-8"))
    entry = next(entry for entry in shipped["pairs"] if entry["id"] == pair.id)
    published = {"size_bytes": tiny.draft.stat().st_size, "sha256": "a" * 64}
    entry["draft"]["parts"] = [{"path": pair.draft.model.parts[0].path, **published}]
    own.write_text(json.dumps({**shipped, "pairs": [entry]}), encoding="utf-8")
    path = home.paths.models / pair.draft.model.repo / pair.draft.model.parts[0].path
    path.parent.mkdir(parents=True)
    shutil.copy(tiny.draft, path)
    result = run("models", "verify", pair.id, "--json")
    assert result.status == 1, result.err
    assert kinds(result, "damaged") == ["model_changed"]


@pytest.fixture
def own_pair(home: Home, tiny: TinyPair) -> tuple[Path, Path]:
    """A pair "own-pair" of the user's catalogue, its halves where downloads lie."""
    shipped = json.loads((Path(__file__).parents[2] / "models.json").read_text(encoding="utf-8"))
    entry = next(entry for entry in shipped["pairs"] if len(entry["target"]["parts"]) == 1)
    files = []
    for half, file in (("target", tiny.target), ("draft", tiny.draft)):
        published = {"size_bytes": file.stat().st_size, "sha256": hashlib.sha256(file.read_bytes()).hexdigest()}
        entry[half] |= {"repo": f"owner/{half}", "parts": [{"path": f"{half}.gguf", **published}]}
        files.append(home.paths.models / "owner" / half / f"{half}.gguf")
        files[-1].parent.mkdir(parents=True)
        shutil.copy(file, files[-1])
    own = home.paths.data / "models.json"
    own.write_text(json.dumps({**shipped, "pairs": [{**entry, "id": "own-pair"}, {"id": "broken"}]}), encoding="utf-8")
    return files[0], files[1]


def test_a_damaged_half_of_a_pair_is_told_and_removed(home: Home, own_pair: tuple[Path, Path]) -> None:
    """Verifying names it beside the whole one, writing with the pair names it too, and removing takes both."""
    target, draft = own_pair
    target.write_bytes(target.read_bytes()[:-100])
    verified = run("models", "verify", "own-pair", "--json")
    assert verified.status == 1
    assert verified.document["whole"] == [{"path": str(draft), "by": "published_sha256"}]
    assert kinds(verified, "damaged") == ["gguf_truncated"]
    assert "broken" in verified.err  # the entry of the user's catalogue that was left out
    written = run("generate", "--pair", "own-pair", "--prompt", "x", "--json")
    error = written.document["error"]
    assert isinstance(error, dict)
    assert (error["kind"], error["facts"]["path"]) == ("gguf_truncated", str(target))
    removed = run("models", "remove", "own-pair", "--json")
    assert (removed.status, removed.document["removed"]) == (0, [str(target), str(draft)])


def test_a_file_of_another_size_is_held_against_the_catalogue(own_pair: tuple[Path, Path]) -> None:
    """What was appended to a file is found by its hash."""
    target, _ = own_pair
    target.write_bytes(target.read_bytes() + b"junk" * 1000)
    assert kinds(run("models", "verify", str(target), "--json"), "damaged") == ["model_changed"]


def test_who_knew_the_hash_is_told(own_pair: tuple[Path, Path], home: Home) -> None:
    """A hash that only the download left is not called a published one."""
    target, _ = own_pair
    other = target.with_name("other.gguf")
    shutil.copy(target, other)
    write_checksum(other, hashlib.sha256(other.read_bytes()).hexdigest())
    result = run("models", "verify", str(other), "--json")
    assert result.document["whole"] == [{"path": str(other), "by": "download_sha256"}]
    assert "as it was downloaded" in run("models", "verify", str(other)).out
    assert "as published" in run("models", "verify", str(target)).out


def test_what_came_of_a_download_can_be_given_up(home: Home, own_pair: tuple[Path, Path]) -> None:
    """Removing a pair deletes it, also where nothing else is there; while it is being filled it stays."""
    target, draft = own_pair
    part = target.with_name("target.gguf.part")
    target.rename(part)
    with part.open("rb+") as held:
        assert lock(held.fileno())
        result = run("models", "remove", str(part), "--json")
        assert (result.status, kinds(result, "kept")) == (1, ["download_elsewhere"])
    assert part.exists()
    result = run("models", "remove", "own-pair", "--json")
    assert (result.status, result.document["removed"]) == (0, [str(draft)])
    assert result.document["deleted"] == [str(part)]
    assert not part.exists()
    part.write_bytes(b"GGUF")
    assert run("models", "remove", "own-pair").out == f"Deleted what came of a download: {part}\n"
    part.write_bytes(b"GGUF")
    assert run("models", "remove", str(part)).out == f"Deleted what came of a download: {part}\n"
    assert home.trash == ["draft.gguf"]


def test_the_starter_pair_is_the_programs(home: Home) -> None:
    """Before its target is made, its file is verified, and there is nothing to remove."""
    verified = run("models", "verify", "starter", "--json")
    assert verified.status == 0, verified.err
    assert len(verified.document["whole"]) == 1  # type: ignore[arg-type]
    removed = run("models", "remove", "starter", "--json")
    assert (removed.status, removed.document["removed"]) == (0, [])
    assert "nothing to remove" in removed.err


def test_a_file_is_moved_to_the_trash(home: Home) -> None:
    """All parts of a split model go, and the command says which."""
    folder = home.paths.models / "owner" / "repo"
    folder.mkdir(parents=True)
    parts = write_split_model(folder, Tiny(layers=1, width=32, vocab_size=300))
    result = run("models", "remove", str(parts[1]))
    assert result.status == 0, result.err
    assert result.out == "".join(f"Moved to the trash: {part}\n" for part in parts)
    assert home.trash == [part.name for part in parts]
    gone = run("models", "remove", str(parts[0]))
    assert (gone.status, gone.out) == (1, "")


def test_a_pair_is_removed_but_for_what_another_pair_needs(home: Home, tiny: TinyPair) -> None:
    """Of two pairs that share a draft, removing one keeps it, removing the other then takes it."""
    pairs = read_catalogue(home.paths).pairs
    first, second = next(
        (first, second)
        for first in pairs
        for second in pairs
        if first.id != second.id
        and first.draft.model.parts == second.draft.model.parts
        and first.draft.model.repo == second.draft.model.repo
        and {len(file.model.parts) for file in (first.target, second.target, first.draft)} == {1}
        and first.target.model != second.target.model
    )
    for file in (first.target, second.target, first.draft):
        path = home.paths.models / file.model.repo / file.model.parts[0].path
        path.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(tiny.target, path)
    result = run("models", "remove", first.id, "--json")
    assert result.status == 0, result.err
    assert home.trash == [first.target.model.file_name]
    kept = result.document["kept"]
    assert isinstance(kept, list)
    assert [entry["needed_by"] for entry in kept] == [[second.id]]
    assert run("models", "remove", second.id).status == 0
    assert len(home.trash) == 3
    assert "not_here" in str(run("models", "remove", first.id, "--json").document)


@pytest.mark.parametrize(
    ("name", "kind", "status"),
    [
        ("no-such-pair", "pair_unknown", 2),
        ("./missing.gguf", "file_missing", 1),
        ("/etc/passwd", "model_unknown", 1),
    ],
)
def test_names_that_stand_for_nothing_are_told(name: str, kind: str, status: int, home: Home) -> None:
    """What is no pair and no model is never removed."""
    result = run("models", "remove", name, "--json")
    assert result.status == status
    error = result.document["error"]
    assert isinstance(error, dict)
    assert error["kind"] == kind
    assert "Traceback" not in result.err


def test_another_programs_model_stays(home: Home, tiny: TinyPair) -> None:
    """A file of LM Studio's is verified, and not removed."""
    path = home.folder / ".lmstudio" / "models" / "owner" / "repo" / "their tiny.gguf"
    path.parent.mkdir(parents=True)
    shutil.copy(tiny.target, path)
    assert run("models", "verify", str(path)).out.startswith("Whole: their tiny, F32")
    result = run("models", "remove", str(path))
    assert result.status == 1
    assert "LM Studio" in result.err
    assert path.exists()
