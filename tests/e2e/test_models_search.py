"""`models search`, asked of a hub on this computer."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from app.model_settings import ModelSettings, write_model_settings
from app.paths import Paths
from tests.e2e.program import run
from tests.e2e.test_imports import imported_by
from tests.fakes.hub import GOOD_TOKEN, FakeHub
from tests.fakes.hub_faults import too_many, web_page
from tests.fakes.hub_repos import Repo

REPO = "Owner/Model-7B-GGUF"


@pytest.fixture
def hub(monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeHub]:
    with FakeHub() as hub:
        monkeypatch.setenv("HF_ENDPOINT", hub.endpoint)
        hub.add(
            Repo(REPO, licence="apache-2.0", downloads=12_345),
            {
                "Model-7B-Q4_K_M.gguf": b"GGUF" * 500_000,
                "Model-7B-Q8_0-00001-of-00002.gguf": b"GGUF" * 1_000_000,
                "Model-7B-Q8_0-00002-of-00002.gguf": b"gguf" * 1_000_000,
                "Model-7B-Q6_K.gguf.part1of2": b"GGUF",
                "mmproj-f16.gguf": b"GGUF",
                "README.md": b"# words",
            },
        )
        hub.add(Repo("Other/model-\x1b[2J", downloads=3), {"x.gguf": b"GGUF"})
        hub.add(Repo("Other/model-gated-GGUF", licence="gemma", gated="manual", downloads=3), {"x-Q4_0.gguf": b"GGUF"})
        yield hub


def test_search_for_words(hub: FakeHub) -> None:
    """Repositories are listed, most downloaded first, with licence and gate; none with a name that steers terminals."""
    result = run("models", "search", "model")
    assert result.status == 0, result.err
    assert [line.split() for line in result.out.splitlines()] == [
        [REPO, "12,345", "downloads", "2026-08-01", "apache-2.0"],
        ["Other/model-gated-GGUF", "3", "downloads", "2026-08-01", "gemma", "gated"],
    ]


def test_search_with_files(hub: FakeHub) -> None:
    """With --files each repository's models follow it."""
    result = run("models", "search", "model-7b", "--files", "--json")
    assert result.status == 0, result.err
    (repo,) = documents(result.document["repositories"])
    assert (repo["id"], repo["downloads"], repo["gated"]) == (REPO, 12_345, False)
    assert [model["quantisation"] for model in documents(repo["models"])] == ["Q4_K_M", "Q8_0"]


def test_one_repository(hub: FakeHub) -> None:
    """OWNER/NAME lists the quantisations with sizes, and says what is left out and why."""
    result = run("models", "search", REPO.lower())
    assert result.status == 0, result.err
    assert [line.split() for line in result.out.splitlines()[:2]] == [
        ["Q4_K_M", "2", "MB", "Model-7B-Q4_K_M.gguf"],
        ["Q8_0", "8", "MB", "Model-7B-Q8_0-00001-of-00002.gguf", "2", "parts"],
    ]
    assert "Model-7B-Q6_K.gguf.part1of2 (a piece of a file; all pieces must be joined" in result.out
    assert "mmproj-f16.gguf (the part of a model that sees pictures)" in result.out


def test_one_repository_as_json(hub: FakeHub) -> None:
    """Every part comes with its path, size and SHA-256, and the commit it belongs to."""
    result = run("models", "search", REPO, "--json")
    assert result.status == 0, result.err
    (repo,) = documents(result.document["repositories"])
    split = documents(repo["models"])[1]
    files = documents(split["files"])
    assert [file["size_bytes"] for file in files] == [4_000_000, 4_000_000]
    assert all(len(str(file["sha256"])) == 64 for file in files)
    assert len(str(split["revision"])) == 40
    assert [left["reason"] for left in documents(repo["left_out"])] == ["legacy_parts", "vision"]


def test_nothing_found(hub: FakeHub) -> None:
    """No answer is an answer: an empty list, and a word on standard error."""
    result = run("models", "search", "zebra", "--json")
    assert result.status == 0
    assert result.document["repositories"] == []
    assert "no repository" in result.err


@pytest.mark.parametrize("words", [[], [""], ["x", "--limit", "0"], ["x", "--limit", "many"], ["x", "y"]])
def test_wrong_usage(words: list[str]) -> None:
    """What makes no sense is refused before anything is asked."""
    assert run("models", "search", *words).status == 2


def test_refusals(hub: FakeHub, monkeypatch: pytest.MonkeyPatch) -> None:
    """A hub that is busy, missing or another page is told in a sentence; the status is 1, and no token shows."""
    monkeypatch.setenv("HF_TOKEN", GOOD_TOKEN)
    for fault, kind, words in (
        (too_many(30), "hub_busy", "30 s"),
        (web_page(), "hub_refused", "sign in"),
    ):
        hub.script("api", fault)
        result = run("models", "search", "x", "--json", "--verbose")
        assert result.status == 1
        error = result.document["error"]
        assert isinstance(error, dict)
        assert error["kind"] == kind
        assert words in result.err
        assert GOOD_TOKEN not in result.out + result.err
    monkeypatch.setenv("HF_ENDPOINT", "http://hub.invalid")
    result = run("models", "search", "x", "--verbose")
    assert result.status == 1
    assert "hub.invalid cannot be reached" in result.err


def test_nobody_else_is_asked(hub: FakeHub, base_dir: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With a mirror in the settings every request of the program goes there; seen by a proxy in between. The tokens
    of other programs are left to them."""
    monkeypatch.delenv("HF_ENDPOINT")
    monkeypatch.setenv("HF_HOME", str(tmp_path))  # where huggingface_hub remembers what it asked for
    (tmp_path / "token").write_text("hf_of_another_program")
    for name in ("no_proxy", "NO_PROXY", "all_proxy", "ALL_PROXY", "HTTP_PROXY", "HTTPS_PROXY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("http_proxy", hub.endpoint)
    monkeypatch.setenv("https_proxy", hub.endpoint)
    write_model_settings(Paths(base_dir), ModelSettings(endpoint="http://mirror.example"))
    result = run("models", "search", "model", "--files")
    assert result.status == 0, result.err
    assert {(request.method, request.host) for request in hub.requests} == {("GET", "mirror.example")}
    assert all(request.path.startswith("/api/models") for request in hub.requests)
    assert not [request for request in hub.requests if "authorization" in request.headers]


def test_the_command_line_starts_without_http() -> None:
    """Other commands, and the help, do not pay for the hub's libraries."""
    modules = imported_by("import app.cli; app.cli.parse(['models', 'search', 'x'])")
    assert not {module.split(".")[0] for module in modules} & {"httpx2", "huggingface_hub", "keyring", "jsonschema"}


def documents(value: object) -> list[dict[str, object]]:
    assert isinstance(value, list)
    return value


@pytest.mark.parametrize("endpoint", ["http://[::1", "http://x:99999", "http://a..b", "http://😀"])
def test_an_endpoint_that_is_none(endpoint: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """stdout has the document alone, which names the setting; libraries that read it too get no say."""
    monkeypatch.setenv("HF_ENDPOINT", endpoint)
    result = run("models", "search", "x", "--json")
    assert result.status == 1
    assert documents([result.document["error"]])[0]["kind"] == "setting_invalid"
    assert endpoint in result.err


def test_variables_of_the_library_that_make_no_sense(hub: FakeHub, monkeypatch: pytest.MonkeyPatch) -> None:
    """They spoil nothing."""
    monkeypatch.setenv("HF_HUB_ETAG_TIMEOUT", "soon")
    monkeypatch.setenv("HF_HUB_DOWNLOAD_TIMEOUT", "later")
    assert run("models", "search", "model-7b", "--json").status == 0


def test_words_that_are_no_text(hub: FakeHub) -> None:
    """They are wrong usage, not the hub's fault."""
    assert run("models", "search", os.fsdecode(b"\xff")).status == 2
    assert hub.requests == []
