"""What a disk, a crash and another program can do to a download."""

from __future__ import annotations

import errno
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from app.downloads import part_file
from app.downloads.part_file import part_path, safe_bytes
from app.model_values import RemoteModel, RemotePart
from engine.errors import EngineError, ErrorKind
from tests.fakes.hub import FakeHub
from tests.fakes.hub_faults import cut, failing, hold
from tests.fakes.hub_repos import sha256
from tests.unit.app.downloads.fetches import FILE, REPO, At, Bench, fetched_twice, remote, some_model

CONTENT = some_model(1_500_000)
SIZE = len(CONTENT)
OFTEN, PIECE = 100_000, 65_536  # bytes between checkpoints, at most, and in one read
ROOT = Path(__file__).parents[4]

# A program of its own that fetches one file, checkpointing often.
FETCHER = """
import sys
from dataclasses import replace
from pathlib import Path
from tests.unit.app.downloads.fetches import At, Bench, remote, some_model

class Elsewhere:
    endpoint = sys.argv[2]

class Telling(list):
    def append(self, now):
        print(now[0], flush=True)

bench = Bench(Path(sys.argv[1]), progress=Telling())
bench.limits = replace(bench.limits, checkpoint_bytes=100_000)
bench.fetch(remote(some_model(1_500_000)), At(Elsewhere()))
"""


class Disk:
    """A small disk. `resize` gives it another size, in kiB."""

    def __init__(self, folder: Path, resize: Callable[[int], None]) -> None:
        self.folder = folder
        self.resize = resize


@pytest.fixture
def small_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Disk]:
    """1 MiB: a real one where this user may mount one, else one whose writes fail as on a real one."""
    folder = tmp_path / "small"
    folder.mkdir()
    if mount(folder, "size=1m"):
        yield Disk(folder, lambda size: remount(folder, f"size={size}k"))
        subprocess.run(["umount", folder], check=True)
        return
    size = [1 << 20]

    def room() -> int:
        return size[0] - sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())

    def write(descriptor: int, data: memoryview) -> int:
        if room() <= 0:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return os.write(descriptor, data[: room()])

    class System:
        """The system's calls, on a small disk."""

        def __getattr__(self, name: str) -> object:
            return write if name == "write" else getattr(os, name)

    usage = shutil.disk_usage(folder)
    monkeypatch.setattr(shutil, "disk_usage", lambda path: usage._replace(free=room()))
    monkeypatch.setattr(part_file, "os", System())
    yield Disk(folder, lambda kib: size.__setitem__(0, kib << 10))


@pytest.fixture
def sealed_folder(tmp_path: Path) -> Iterator[Path]:
    """One in which nothing can be made."""
    folder = tmp_path / "sealed"
    folder.mkdir()
    if mount(folder, "ro"):
        yield folder
        subprocess.run(["umount", folder], check=True)
    elif os.geteuid():
        folder.chmod(0o555)
        yield folder
        folder.chmod(0o755)
    else:  # who may do everything but mount: a file is no folder
        folder.rmdir()
        folder.touch()
        yield folder


def mount(folder: Path, options: str) -> bool:
    command = ["mount", "-t", "tmpfs", "-o", options, "tmpfs", folder]
    return sys.platform == "linux" and subprocess.run(command, capture_output=True, check=False).returncode == 0


def remount(folder: Path, options: str) -> None:
    subprocess.run(["mount", "-o", f"remount,{options}", folder], check=True)


def test_a_disk_that_fills_up(hub: FakeHub, small_disk: Disk) -> None:
    """It is told; what came is kept, recorded, and not fetched again when there is room."""
    hub.add(REPO, {FILE: CONTENT})
    bench = Bench(small_disk.folder)
    model = RemoteModel(REPO, "main", (RemotePart(FILE, None, sha256(CONTENT)),))  # no size: no check beforehand
    with pytest.raises(EngineError) as caught:
        bench.fetch(model, At(hub))
    assert caught.value.report.kind is ErrorKind.DISK_FULL
    assert not bench.final.exists()
    kept = part_path(bench.final).read_bytes()
    assert len(kept) > 900_000
    assert CONTENT.startswith(kept)
    small_disk.resize(8192)
    bench.fetch(model, At(hub))
    assert bench.final.read_bytes() == CONTENT
    assert bench.progress[0] == (len(kept), "")
    assert hub.sent(FILE)[-1] == (len(kept), SIZE)
    assert bench.files() == {FILE}


def test_too_little_space_is_told_before_anything_is_fetched(hub: FakeHub, small_disk: Disk) -> None:
    """With what is needed and what is there; what is on the disk already is not counted again."""
    hub.add(REPO, {FILE: CONTENT})
    bench = Bench(small_disk.folder)
    with pytest.raises(EngineError) as caught:
        bench.fetch(remote(CONTENT), At(hub))
    assert caught.value.report.kind is ErrorKind.DISK_FULL
    assert caught.value.report.fact("needed_bytes") == SIZE
    assert int(caught.value.report.fact("free_bytes")) <= 1 << 20
    assert hub.requests == []
    small_disk.resize(8192)
    hub.script("bytes", cut(1_000_000), *[failing()] * 4)
    with pytest.raises(EngineError):
        bench.fetch(remote(CONTENT), At(hub))
    small_disk.resize(1600)
    bench.fetch(remote(CONTENT), At(hub))
    assert bench.final.read_bytes() == CONTENT


def test_a_folder_that_cannot_be_written(hub: FakeHub, sealed_folder: Path) -> None:
    """It is told with its path, and nobody is asked for bytes."""
    hub.add(REPO, {FILE: CONTENT})
    with pytest.raises(EngineError) as caught:
        Bench(sealed_folder).fetch(remote(CONTENT), At(hub))
    assert caught.value.report.kind is ErrorKind.FOLDER_UNWRITABLE
    assert str(sealed_folder) in str(caught.value.report.fact("path"))
    assert hub.asked("bytes") == []


def test_kill_9_in_mid_file(hub: FakeHub, bench: Bench) -> None:
    """The lock goes with the process; bytes up to the last checkpoint are not fetched again."""
    hub.add(REPO, {FILE: CONTENT})
    model = remote(CONTENT)
    begun = [0]
    for more in (700_000, 400_000):
        hub.script("bytes", hold(more))
        with fetcher(bench.folder, hub) as program:
            wait_for_bytes(program, begun[-1] + more)
            program.kill()
            assert program.wait(60) == -signal.SIGKILL
        assert not bench.final.exists()
        begun.append(safe_bytes(bench.final, model, model.parts[0]))
        assert begun[-1] > begun[-2] + more - OFTEN - PIECE
    bench.fetch(model, At(hub))
    assert bench.final.read_bytes() == CONTENT
    assert [start for start, _ in hub.sent(FILE)] == begun


def test_two_programs_and_one_file(hub: FakeHub, bench: Bench) -> None:
    """The second one hears that the first one is at it, and touches nothing; then the first one finishes."""
    hub.add(REPO, {FILE: CONTENT})
    hub.script("bytes", hold(700_000))
    with fetcher(bench.folder, hub) as program:
        hub.wait_until_held()
        with pytest.raises(EngineError) as caught:
            bench.fetch(remote(CONTENT), At(hub))
        assert caught.value.report.kind is ErrorKind.DOWNLOAD_ELSEWHERE
        hub.release()
        assert program.wait(60) == 0
    assert bench.final.read_bytes() == CONTENT
    assert hub.sent(FILE) == [(0, SIZE)]
    bench.fetch(remote(CONTENT), At(hub))
    assert hub.sent(FILE) == [(0, SIZE)]


@pytest.mark.parametrize(
    "file",
    [
        "a model with  blanks-Q4_K_M.gguf",
        "模型-通义千问-Q4_K_M.gguf",
        "😀-🏳️‍🌈-Q4_K_M.gguf",
        "x" * 195 + ".gguf",
        "模" * 195 + ".gguf",
        "folder/inside/100%25 #1? no-Q4.gguf".replace("?", ""),
    ],
)
def test_names(hub: FakeHub, bench: Bench, file: str) -> None:
    """Blanks, Chinese, emoji, 200 characters, folders, letters that mean something in addresses: resumed and named."""
    content = some_model(90_000)
    hub.add(REPO, {file: content})
    hub.script("bytes", cut(40_000), *[failing()] * 4)
    with pytest.raises(EngineError):
        bench.fetch(remote(content, file), At(hub))
    path = bench.fetch(remote(content, file), At(hub))
    assert path.read_bytes() == content
    assert path.is_relative_to(bench.folder / REPO)
    assert bench.files() == {path.name}
    assert fetched_twice(hub, file) == 0


@pytest.mark.parametrize(
    "file", ["../../evil.gguf", "/etc/evil.gguf", "CON.gguf", "a/../../b.gguf", "C:\\x.gguf", ".."]
)
def test_names_that_lead_elsewhere(hub: FakeHub, bench: Bench, file: str) -> None:
    """They are refused before anybody is asked."""
    with pytest.raises(EngineError) as caught:
        bench.fetch(remote(CONTENT, file), At(hub))
    assert caught.value.report.kind is ErrorKind.NAME_UNSAFE
    assert hub.requests == []
    assert not bench.folder.exists()


def test_a_folder_of_the_file_s_name(hub: FakeHub, bench: Bench) -> None:
    """It is told with its path before anybody is asked, and left alone."""
    hub.add(REPO, {FILE: CONTENT})
    bench.final.mkdir(parents=True)
    for model in (remote(CONTENT), RemoteModel(REPO, "main", (RemotePart(FILE),))):
        with pytest.raises(EngineError) as caught:
            bench.fetch(model, At(hub))
        assert caught.value.report.kind is ErrorKind.FOLDER_UNWRITABLE
        assert caught.value.report.fact("path") == str(bench.final)
    assert hub.requests == []


def test_a_folder_of_the_part_s_name(hub: FakeHub, bench: Bench) -> None:
    """Likewise."""
    hub.add(REPO, {FILE: CONTENT})
    part_path(bench.final).mkdir(parents=True)
    with pytest.raises(EngineError) as caught:
        bench.fetch(remote(CONTENT), At(hub))
    assert caught.value.report.fact("path") == str(part_path(bench.final))
    assert hub.requests == []


@pytest.mark.parametrize("name", [FILE + ".part", FILE + ".part.json", FILE + ".part.json.new"])
@pytest.mark.parametrize("kind", ["link", "pipe"])
def test_links_and_pipes_are_not_written_through(
    hub: FakeHub, bench: Bench, tmp_path: Path, name: str, kind: str
) -> None:
    """What stands in the place of a part or its record gives way; what a link leads to keeps its bytes."""
    hub.add(REPO, {FILE: CONTENT})
    hub.script("bytes", cut(60_000))  # so that a record is written
    bench.limits = replace(bench.limits, checkpoint_bytes=100_000)
    bench.final.parent.mkdir(parents=True)
    victim = tmp_path / "victim"
    victim.write_text("precious")
    place = bench.final.with_name(name)
    place.symlink_to(victim) if kind == "link" else os.mkfifo(place)
    bench.fetch(remote(CONTENT), At(hub))
    assert bench.final.read_bytes() == CONTENT
    assert not bench.final.is_symlink()
    assert victim.read_text() == "precious"


def fetcher(folder: Path, hub: FakeHub) -> subprocess.Popen[bytes]:
    """A program that tells on stdout how many bytes it has."""
    command = [sys.executable, "-c", FETCHER, str(folder), hub.endpoint]
    return subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE)


def wait_for_bytes(program: subprocess.Popen[bytes], number: int) -> None:
    """Block until it has so many."""
    assert program.stdout is not None
    for line in program.stdout:
        if int(line) >= number:
            return
    raise AssertionError(number)
