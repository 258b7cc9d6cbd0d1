"""`draftlight models get`: the real program against a hub."""

from __future__ import annotations

import json
import os
import pty
import shlex
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.e2e.program import COMMAND, ROOT, finish, run, start
from tests.fakes.hub import GOOD_TOKEN, FakeHub
from tests.fakes.hub_faults import cut, failing, hold
from tests.fakes.hub_repos import Repo, sha256
from tests.unit.app.catalogue.samples import an_entry, write_catalogue
from tests.unit.app.downloads.fetches import fetched_twice, some_model, whole_header

REPO, FILE = "Owner/Some-7B", "Some-7B-Q4_K_M.gguf"
CONTENT = whole_header(300_000)


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A home without a token, whatever the machine has."""
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    for variable in ("HF_HOME", "HF_TOKEN", "HF_ENDPOINT"):
        monkeypatch.delenv(variable, raising=False)


@pytest.fixture
def hub(monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeHub]:
    with FakeHub() as hub:
        hub.add(REPO, {"README.md": b"#", FILE: CONTENT, "Some-7B-Q8_0.gguf": some_model(400_000)})
        monkeypatch.setenv("HF_ENDPOINT", hub.endpoint)
        yield hub


@pytest.fixture
def place(base_dir: Path) -> Path:
    return base_dir / "data" / "models" / REPO / FILE


def test_a_model_comes_by_its_file_and_by_its_quantisation(hub: FakeHub, place: Path) -> None:
    """stdout says where it lies; the second time nothing is fetched."""
    result = run("models", "get", f"{REPO}:{FILE}")
    assert (result.status, result.out, result.err) == (0, f"{place}\n", "")
    assert place.read_bytes() == CONTENT
    again = run("models", "get", f"{REPO.lower()}:q4_k_m", "--json")
    assert again.status == 0
    (download,) = again.document["downloads"]
    assert (download["state"], download["path"], download["done_bytes"]) == ("done", str(place), len(CONTENT))
    assert hub.sent(FILE) == [(0, len(CONTENT))]


def test_a_repository_is_listed(hub: FakeHub) -> None:
    """Without a file there is a choice, with sizes, and nothing is downloaded."""
    result = run("models", "get", REPO)
    assert result.status == 0
    assert result.out.splitlines() == [
        f"{'Q4_K_M':12} {'300 kB':>10}  {REPO}:{FILE}",
        f"{'Q8_0':12} {'400 kB':>10}  {REPO}:Some-7B-Q8_0.gguf",
    ]
    assert hub.asked("bytes") == []


def test_a_pair_is_both_its_models(hub: FakeHub, base_dir: Path) -> None:
    """Target and draft, checked against the catalogue's hashes."""
    entry = an_entry()
    contents = {}
    for number, half in enumerate(("target", "draft")):
        (part,) = entry[half]["parts"]
        content = contents[part["path"]] = some_model(50_000, seed=number)
        part |= {"size_bytes": len(content), "sha256": sha256(content)}
        hub.add(entry[half]["repo"], {part["path"]: content})
    write_catalogue(base_dir / "data" / "models.json", entry)
    result = run("models", "get", "some-pair")
    assert (result.status, result.err) == (0, "")
    assert {Path(line).name: Path(line).read_bytes() for line in result.out.splitlines()} == contents
    assert hub.asked("api") == []  # the catalogue knows all that is needed


def test_a_failure_is_told_and_the_next_start_goes_on(hub: FakeHub, place: Path) -> None:
    """Status 1, the reason on stderr; what came is not fetched again."""
    hub.script("bytes", cut(100_000))
    hub.script("resolve", None, failing(404))
    result = run("models", "get", f"{REPO}:{FILE}")
    assert result.status == 1
    assert FILE in result.err
    assert not place.exists()
    assert run("models", "get", f"{REPO}:{FILE}").status == 0
    assert place.read_bytes() == CONTENT
    assert fetched_twice(hub, FILE) == 0


def test_ctrl_c_pauses(hub: FakeHub, place: Path) -> None:
    """Status 130, and how to go on; going on fetches the rest only."""
    hub.script("bytes", hold(150_000))
    with on_a_terminal("models", "get", f"{REPO}:{FILE}") as (program, screen):
        read_until(screen, b"50 % of 300 kB")
        program.send_signal(signal.SIGINT)
        read_until(screen, f"draftlight models get {REPO}:{FILE}".encode())
        assert program.wait(60) == 130
    assert not place.exists()
    hub.release()
    assert run("models", "get", f"{REPO}:{FILE}").status == 0
    assert place.read_bytes() == CONTENT
    assert hub.sent(FILE)[-1] == (150_000, len(CONTENT))


def test_kill_9_and_going_on(hub: FakeHub, place: Path) -> None:
    """No lock and no half file is left behind by a program that had no time to say goodbye."""
    hub.script("bytes", hold(150_000))
    with on_a_terminal("models", "get", f"{REPO}:{FILE}") as (program, screen):
        read_until(screen, b"50 % of 300 kB")
        program.kill()
        assert program.wait(60) == -signal.SIGKILL
    assert not place.exists()
    hub.release()
    assert run("models", "get", f"{REPO}:{FILE}").status == 0
    assert place.read_bytes() == CONTENT


def test_two_programs_and_one_file(hub: FakeHub, place: Path) -> None:
    """The second one says that it waits; nothing is fetched twice, and both end well."""
    hub.script("bytes", hold(100_000))
    first = start("models", "get", f"{REPO}:{FILE}")
    hub.wait_until_held()
    with on_a_terminal("models", "get", f"{REPO}:{FILE}") as (second, screen):
        read_until(screen, b"Another program is downloading")
        hub.release()
        out, _ = second.communicate(timeout=60)
    assert (second.returncode, out.decode()) == (0, f"{place}\n")
    assert finish(first).status == 0
    assert place.read_bytes() == CONTENT
    assert hub.sent(FILE) == [(0, len(CONTENT))]


def test_ctrl_c_ends_the_waiting_for_another_program(hub: FakeHub, place: Path) -> None:
    """The other one goes on, undisturbed."""
    hub.script("bytes", hold(100_000))
    first = start("models", "get", f"{REPO}:{FILE}")
    hub.wait_until_held()
    with on_a_terminal("models", "get", f"{REPO}:{FILE}") as (second, screen):
        read_until(screen, b"Another program is downloading")
        second.send_signal(signal.SIGINT)
        assert second.wait(60) == 130
    hub.release()
    assert finish(first).status == 0
    assert place.read_bytes() == CONTENT


def test_how_to_go_on_can_be_pasted(hub: FakeHub, tmp_path: Path) -> None:
    """Names with blanks are quoted, and the base folder is named where one was given."""
    file = "Some 7B $(x)-Q4_K_M.gguf"
    hub.add("Owner/Blanks", {file: CONTENT})
    hub.script("bytes", hold(150_000))
    base = str(tmp_path / "a base")
    with on_a_terminal("--base-dir", base, "models", "get", f"Owner/Blanks:{file}") as (program, screen):
        read_until(screen, b"50 % of 300 kB")
        program.send_signal(signal.SIGINT)
        seen = read_until(screen, b"gguf'")
        assert program.wait(60) == 130
    hub.release()
    hint = seen.decode().rpartition("go on with: ")[2]
    assert shlex.split(hint) == ["draftlight", "--base-dir", base, "models", "get", f"Owner/Blanks:{file}"]


def test_mistakes_of_the_catalogue_are_told(hub: FakeHub, base_dir: Path) -> None:
    """Whoever asks for a pair of a broken catalogue hears why it is not there."""
    write_catalogue(base_dir / "data" / "models.json", an_entry(title=""))
    result = run("models", "get", "some-pair")
    assert result.status == 2
    assert "the entry some-pair is left out" in result.err


def test_a_part_of_none(hub: FakeHub) -> None:
    """Where lists are closed, a name that counts to 0 is asked for as it is."""
    hub.script("api", *[failing(502)] * 9)
    result = run("models", "get", f"{REPO}:x-00001-of-00000.gguf", "--json")
    assert result.status == 1
    (download,) = result.document["downloads"]
    assert download["error"]["kind"] == "repo_file_missing"


def test_the_bar(hub: FakeHub) -> None:
    """On a terminal there is a line that changes: how much of how much. It is gone at the end."""
    hub.script("bytes", hold(150_000))
    with on_a_terminal("models", "get", f"{REPO}:{FILE}") as (program, screen):
        assert b"[############............]" in read_until(screen, b"50 % of 300 kB")
        hub.release()
        out, _ = program.communicate(timeout=60)
    assert program.returncode == 0
    assert out.decode().endswith(f"{FILE}\n")


@pytest.mark.parametrize(
    ("what", "kind"),
    [
        ("no-such-pair", "pair_unknown"),
        (f"{REPO}:Q2_K", "repo_file_missing"),
    ],
)
def test_what_is_not_there(hub: FakeHub, what: str, kind: str) -> None:
    """Pairs and files."""
    result = run("models", "get", what, "--json")
    assert result.status == (2 if kind == "pair_unknown" else 1)
    assert result.document["error"]["kind"] == kind


def test_a_gated_model(hub: FakeHub, base_dir: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where to accept is told; with a token it comes, and the token is written nowhere."""
    hub.add(Repo("meta/Gated", gated="manual"), {"g-Q8_0.gguf": CONTENT})
    result = run("models", "get", "meta/Gated:g-Q8_0.gguf")
    assert result.status == 1
    assert "https://huggingface.co/meta/Gated" in result.err
    hub.accepted[GOOD_TOKEN].add("meta/Gated")
    monkeypatch.setenv("HF_TOKEN", GOOD_TOKEN)
    result = run("models", "get", "meta/Gated:g-Q8_0.gguf", "--verbose")
    assert result.status == 0
    assert GOOD_TOKEN not in result.out + result.err
    assert not any(GOOD_TOKEN.encode() in path.read_bytes() for path in base_dir.rglob("*") if path.is_file())
    assert not any("authorization" in one.headers for one in hub.requests if one.host in hub.storage)


def test_offline(hub: FakeHub, base_dir: Path) -> None:
    """Nothing is asked."""
    (base_dir / "data").mkdir(parents=True)
    (base_dir / "data" / "settings.json").write_text(json.dumps({"offline": True}))
    result = run("models", "get", f"{REPO}:{FILE}", "--json")
    assert result.status == 1
    assert result.document["error"]["kind"] == "offline"
    assert hub.requests == []


@contextmanager
def on_a_terminal(*words: str) -> Iterator[tuple[subprocess.Popen[bytes], int]]:
    """The program with a terminal as its stderr, and what reads from that."""
    ours, theirs = pty.openpty()
    try:
        with subprocess.Popen([*COMMAND, *words], stdout=subprocess.PIPE, stderr=theirs, cwd=ROOT) as program:
            yield program, ours
    finally:
        os.close(theirs)
        os.close(ours)


def read_until(screen: int, text: bytes) -> bytes:
    """All that appears until `text` does."""
    seen = b""
    while text not in seen:
        seen += os.read(screen, 4096)
    return seen
