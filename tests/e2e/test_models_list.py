"""The catalogue on the command line: `models list`, `models check`, and pairs by their id."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.conftest import TinyPair
from tests.e2e.program import ONE_THREAD, ROOT, Result, run
from tests.e2e.test_imports import imported_by
from tests.fakes.hub import FakeHub
from tests.unit.app.catalogue.samples import an_entry, write_catalogue

TARGET, DRAFT = ("owner/Some-7B-GGUF", "Some-7B-Q4_K_M.gguf"), ("owner/Some-1B-GGUF", "Some-1B-Q4_K_M.gguf")


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A home without other programs' models, so that no test depends on the machine's."""
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    for variable in ("HF_HOME", "HF_HUB_CACHE", "HF_TOKEN", "HF_ENDPOINT", "XDG_CACHE_HOME"):
        monkeypatch.delenv(variable, raising=False)


@pytest.fixture
def hub(monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeHub]:
    with FakeHub() as hub:
        monkeypatch.setenv("HF_ENDPOINT", hub.endpoint)
        yield hub


@pytest.fixture
def own(base_dir: Path) -> Path:
    """The user's own catalogue, with one pair."""
    return write_catalogue(base_dir / "data" / "models.json", an_entry())


def listed(result: Result) -> dict[str, dict[str, Any]]:
    """The pairs of `models list --json` by their ids."""
    pairs = result.document["pairs"]
    assert isinstance(pairs, list)
    return {pair["id"]: pair for pair in pairs}


def download(base_dir: Path, tiny: TinyPair, *which: tuple[str, str]) -> None:
    """Put files where a download leaves them."""
    for (repo, file), source in zip(which, (tiny.target, tiny.draft), strict=False):
        path = base_dir / "data" / "models" / repo / file
        path.parent.mkdir(parents=True)
        shutil.copy(source, path)


def test_the_list_for_people() -> None:
    """A line for each pair, the starter pair first, and nothing on stderr."""
    result = run("models", "list")
    assert (result.status, result.err) == (0, "")
    lines = result.out.splitlines()
    pairs = json.loads((ROOT / "models.json").read_text(encoding="utf-8"))["pairs"]
    assert [line.split()[0] for line in lines] == ["ID", "starter", *(pair["id"] for pair in pairs)]
    (line,) = [line for line in lines if line.startswith("qwen2.5-coder-7b ")]
    for words in ("Qwen2.5-Coder 7B + 0.5B", "chat, code", "apache-2.0", "5.4 GB", "high", "no"):
        assert words in line


def test_the_list_as_json() -> None:
    """Each pair with all that the catalogue has; --kind leaves the others out."""
    pairs = listed(run("models", "list", "--json"))
    entries = json.loads((ROOT / "models.json").read_text(encoding="utf-8"))["pairs"]
    for entry in entries:
        pair = pairs[entry["id"]]
        for key in ("title", "family", "kinds", "licence", "gated", "context", "confidence", "note"):
            assert pair[key] == entry[key]
        assert pair["target"]["parts"] == entry["target"]["parts"]
        assert pair["here"] == "nothing"
    assert pairs["starter"]["here"] == "to_be_made"
    fim = listed(run("models", "list", "--kind", "fim", "--json"))
    assert set(fim) == {entry["id"] for entry in entries if "fim" in entry["kinds"]}


def test_what_is_here_is_told(own: Path, base_dir: Path, tiny: TinyPair) -> None:
    """A pair of which one file was downloaded, and one that is complete."""
    download(base_dir, tiny, TARGET)
    assert listed(run("models", "list", "--json"))["some-pair"]["here"] == "target"
    shutil.rmtree(base_dir / "data" / "models")
    download(base_dir, tiny, TARGET, DRAFT)
    pair = listed(run("models", "list", "--json"))["some-pair"]
    assert pair["here"] == "ready"
    assert pair["draft"]["path"] == str(base_dir / "data" / "models" / DRAFT[0] / DRAFT[1])


def test_a_broken_own_catalogue_is_told_and_the_rest_is_used(base_dir: Path) -> None:
    """The list works, the good entry is in it, and stderr and the JSON say what was left out."""
    write_catalogue(base_dir / "data" / "models.json", an_entry("bad", gated="perhaps"), an_entry("good"))
    result = run("models", "list", "--json")
    assert result.status == 0
    assert "good" in listed(result)
    assert "bad" not in listed(result)
    assert "the entry bad is left out. gated: 'perhaps' is not of type 'boolean'." in result.err
    problems = result.document["problems"]
    assert isinstance(problems, list)
    assert [problem["kind"] for problem in problems] == ["catalogue_broken"]


@pytest.mark.parametrize("command", ["generate", "bench"])
def test_an_unknown_pair_is_wrong_usage(command: str) -> None:
    """Status 2, with the names that are near."""
    result = run(command, "--pair", "qwen3-8", "--prompt", "x")
    assert (result.status, result.out) == (2, "")
    assert "There is no pair qwen3-8" in result.err
    assert "qwen3-8b" in result.err


@pytest.mark.parametrize("command", ["generate", "bench"])
def test_a_pair_that_is_not_here(command: str) -> None:
    """Status 1, with the command that gets it."""
    result = run(command, "--pair", "qwen3-8b", "--prompt", "x", "--json")
    assert result.status == 1
    error = result.document["error"]
    assert isinstance(error, dict)
    assert error["kind"] == "pair_not_here"
    assert "draftlight models get qwen3-8b" in result.err
    assert "Qwen3 8B + 0.6B" in result.err


def test_a_pair_of_the_catalogue_writes(own: Path, base_dir: Path, tiny: TinyPair) -> None:
    """Its files are loaded, and the reply says which pair wrote it."""
    download(base_dir, tiny, TARGET, DRAFT)
    result = run("generate", "--pair", "some-pair", *ONE_THREAD, "--prompt", "hello", "--max-tokens", "4", "--json")
    assert result.status == 0, result.err
    pair = result.document["pair"]
    assert isinstance(pair, dict)
    assert (pair["id"], pair["title"]) == ("some-pair", "Some 7B + 1B")
    assert pair["draft"] is not None


def test_the_cards_settings_are_the_pairs_defaults(own: Path, base_dir: Path, tiny: TinyPair) -> None:
    """What the entry recommends is used where no option says otherwise, and the rest is the program's own."""
    download(base_dir, tiny, TARGET, DRAFT)
    words = ["--pair", "some-pair", *ONE_THREAD, "--max-tokens", "16", "--repeats", "1", "--top-k", "3", "--json"]
    result = run("bench", *words)
    assert result.status == 0, result.err
    settings = result.document["settings"]
    assert isinstance(settings, dict)
    assert (settings["temperature"], settings["top_k"], settings["top_p"]) == (0.5, 3, 0.95)


def test_check_tells_and_writes(own: Path, hub: FakeHub, tiny: TinyPair) -> None:
    """A table on stdout, the sum on stderr, the facts in the file; a pair that does not exist fails the check."""
    for (repo, file), path in zip((TARGET, DRAFT), (tiny.target, tiny.draft), strict=True):
        hub.add(repo, {file: path.read_bytes()})
    result = run("models", "check", "--write", str(own))
    assert result.status == 0, result.err
    assert result.out.splitlines()[1].split()[:2] == ["some-pair", "ok"]
    assert "1 pairs: 0 fail, 0 differ" in result.err
    (entry,) = json.loads(own.read_text(encoding="utf-8"))["pairs"]
    assert entry["target"]["parts"][0]["size_bytes"] == tiny.target.stat().st_size
    assert len(entry["draft"]["parts"][0]["sha256"]) == 64
    result = run("models", "check", "--json", "some-pair", "qwen3-8b")
    assert result.status == 1
    checked = result.document["pairs"]
    assert isinstance(checked, list)
    assert [pair["works"] for pair in checked] == [True, False]
    assert checked[0]["differences"] == []
    assert checked[1]["target"]["error"]["kind"] == "repo_missing"


def test_check_without_a_hub_says_so_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """The first question that cannot be asked is the last one."""
    with FakeHub() as hub:
        monkeypatch.setenv("HF_ENDPOINT", hub.endpoint)
    result = run("models", "check")
    assert (result.status, result.out) == (1, "")
    assert result.err.count("cannot be reached") == 1
    assert len(result.err.splitlines()) == 2
    assert "Traceback" not in result.err


def test_check_in_offline_mode_asks_nothing(base_dir: Path, hub: FakeHub) -> None:
    """The user's wish is told, and no request leaves."""
    (base_dir / "data").mkdir(parents=True)
    (base_dir / "data" / "settings.json").write_text('{"offline": true}')
    result = run("models", "check", "--json")
    assert result.status == 1
    error = result.document["error"]
    assert isinstance(error, dict)
    assert error["kind"] == "offline"
    assert hub.requests == []


def test_pairs_are_found_without_what_they_do_not_need() -> None:
    """The commands, and pairs by their id, do not pay for schemas, for the hub's client or for the library."""
    read = "read_catalogue(Paths(Path('no such folder'))).pair('qwen3-8b')"
    modules = imported_by(
        "from pathlib import Path; import app.cli; from app.catalogue.reading import read_catalogue; "
        f"from app.paths import Paths; {read}"
    )
    heavy = {"jsonschema", "huggingface_hub", "httpx2", "keyring", "sqlite3"}
    assert not {module.split(".")[0] for module in modules} & heavy


@pytest.mark.parametrize("words", [["check", "no-such-pair"], ["list", "--kind", "poems"], ["list", "extra"]])
def test_wrong_usage(words: list[str], hub: FakeHub) -> None:
    """Status 2 for names and words that are none."""
    result = run("models", *words)
    assert (result.status, result.out) == (2, "")
    assert "Traceback" not in result.err
    assert hub.requests == []


def test_check_of_a_file_that_is_not_there(tmp_path: Path) -> None:
    """It is told before anything is asked."""
    result = run("models", "check", "--write", str(tmp_path / "none.json"))
    assert result.status == 1
    assert "none.json is not there" in result.err


def test_a_catalogue_that_is_a_pipe_stops_nothing(base_dir: Path) -> None:
    """Nobody writes into it, and the list does not wait."""
    (base_dir / "data").mkdir(parents=True)
    os.mkfifo(base_dir / "data" / "models.json")
    result = run("models", "list")
    assert result.status == 0
    assert "it is not a file" in result.err


def test_check_of_the_starter_pair(hub: FakeHub) -> None:
    """It comes with the program: nobody is asked, and nothing is wrong."""
    result = run("models", "check", "starter", "--json")
    assert (result.status, result.document["pairs"]) == (0, [])
    assert "comes with the program" in result.err
    assert hub.requests == []


def test_check_speaks_of_the_file_that_was_named(tmp_path: Path) -> None:
    """Not of the one in the data folder."""
    result = run("models", "check", "--write", str(tmp_path))
    assert result.status == 1
    assert f"The catalogue {tmp_path.name} has a mistake" in result.err
    assert f"{tmp_path} is not used" in result.err
