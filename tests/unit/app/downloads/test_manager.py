"""The queue: its order, its states, and that it goes on."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from app.downloads.limits import Limits
from app.downloads.manager import AT_A_TIME, Downloads
from app.downloads.state import ENDED, Download, DownloadState
from app.hub.source import Source
from app.model_values import RemoteModel, RemotePart
from engine.errors import EngineError, ErrorKind
from tests.fakes.hub import FakeHub
from tests.fakes.hub_faults import cut, damaged, failing, hold
from tests.fakes.hub_repos import sha256
from tests.unit.app.downloads.fetches import REPO, At, remote, some_model

CONTENTS = {f"m{number}.gguf": some_model(100_000, seed=number) for number in range(5)}
MODELS = [remote(content, file) for file, content in CONTENTS.items()]
States = DownloadState


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "models"


@pytest.fixture
def opened(hub: FakeHub, folder: Path, tmp_path: Path) -> Iterator[Callable[..., Downloads]]:
    """Starts the program's downloads, as often as a test likes; they are closed at the end."""
    hub.add(REPO, CONTENTS)
    running: list[Downloads] = []
    limits = Limits(margin_bytes=0, sleep=lambda interrupt, seconds: interrupt.check())

    def start(sources: Callable[[], Sequence[Source]] = lambda: [At(hub)]) -> Downloads:
        running.append(Downloads(folder, tmp_path / "downloads.json", sources, limits=limits))
        return running[-1]

    yield start
    hub.release()
    for downloads in running:
        downloads.close()


def wait_for(downloads: Downloads, condition: Callable[[tuple[Download, ...]], bool]) -> tuple[Download, ...]:
    """Block until the snapshot is as it should be."""
    changed = threading.Event()
    unsubscribe = downloads.subscribe(changed.set)
    try:
        while not condition(now := downloads.snapshot()):
            assert changed.wait(30), now
            changed.clear()
        return now
    finally:
        unsubscribe()


def states(downloads: Downloads) -> list[States]:
    return [download.state for download in downloads.snapshot()]


def all_ended(now: tuple[Download, ...]) -> bool:
    return all(download.state in ENDED for download in now)


def test_all_come_two_at_a_time_in_their_order(hub: FakeHub, folder: Path, opened: Callable[..., Downloads]) -> None:
    """Never more than two run; the others wait for their turn, and a place can be changed."""
    hub.script("bytes", *[hold(50_000)] * 2)
    downloads = opened()
    added = [downloads.add(f"Model {number}", model) for number, model in enumerate(MODELS)]
    hub.wait_until_held(2)
    assert states(downloads) == [States.RUNNING] * AT_A_TIME + [States.WAITING] * 3
    downloads.move(added[4].id, 2)
    assert [download.title for download in downloads.snapshot()] == [f"Model {n}" for n in (0, 1, 4, 2, 3)]
    hub.release()
    now = wait_for(downloads, all_ended)
    assert [download.state for download in now] == [States.DONE] * 5
    for download, model in zip(now, [MODELS[n] for n in (0, 1, 4, 2, 3)], strict=True):
        assert download.path == folder / REPO / model.file_name
        assert download.path.read_bytes() == CONTENTS[model.file_name]
        assert (download.done_bytes, download.total_bytes) == (100_000, 100_000)
    begun = [request.file for request in hub.asked("resolve")]
    assert set(begun[:2]) == {"m0.gguf", "m1.gguf"}
    assert begun.index("m4.gguf") < begun.index("m3.gguf")


def test_the_same_model_is_there_once(hub: FakeHub, opened: Callable[..., Downloads]) -> None:
    """However often it is added, and in whatever letters."""
    hub.script("bytes", hold(0))
    downloads = opened()
    first = downloads.add("A", MODELS[0])
    again = downloads.add("B", replace(MODELS[0], repo=REPO.upper()))
    assert (again.id, again.title, len(downloads.snapshot())) == (first.id, "A", 1)


def test_pause_and_resume(hub: FakeHub, folder: Path, opened: Callable[..., Downloads]) -> None:
    """A pause breaks the connection at once, keeps what came, and fetches none of it again."""
    hub.script("bytes", hold(50_000))
    downloads = opened()
    number = downloads.add("A", MODELS[0]).id
    wait_for(downloads, lambda now: now[0].done_bytes == 50_000)
    downloads.pause(number)
    assert states(downloads) == [States.PAUSED]
    downloads.resume(number)
    now = wait_for(downloads, all_ended)
    assert now[0].state is States.DONE
    assert hub.sent("m0.gguf") == [(0, 50_000), (50_000, 100_000)]


def test_cancel_removes_what_came(hub: FakeHub, folder: Path, opened: Callable[..., Downloads]) -> None:
    """Whether it runs, waits or is paused; finished parts of a split model too."""
    parts = {f"s-{number:05d}-of-00002.gguf": some_model(60_000, seed=number) for number in (1, 2)}
    hub.add("owner/Split", parts)
    split = RemoteModel("owner/Split", "main", tuple(RemotePart(p, 60_000, sha256(c)) for p, c in parts.items()))
    hub.script("bytes", None, hold(50_000))
    downloads = opened()
    number = downloads.add("A", split).id
    wait_for(downloads, lambda now: now[0].done_bytes == 110_000)
    downloads.cancel(number)
    assert states(downloads) == [States.CANCELLED]
    wait_for(downloads, lambda now: now[0].done_bytes == 0)
    assert [path for path in folder.rglob("*") if path.is_file()] == []
    hub.release()
    downloads.add("A", split)
    assert wait_for(downloads, all_ended)[0].state is States.DONE
    downloads.cancel(number)  # too late: what is done stays
    assert {path.name for path in folder.rglob("*") if path.is_file()} == set(parts)
    downloads.forget(number)
    assert downloads.snapshot() == ()
    assert {path.name for path in folder.rglob("*") if path.is_file()} == set(parts)


def test_a_failure_is_kept_with_its_reason(hub: FakeHub, opened: Callable[..., Downloads]) -> None:
    """Also over a restart; the next one in the queue is not held up, and a resume goes on."""
    hub.script("bytes", cut(30_000), *[failing()] * 4, file="m0.gguf")
    downloads = opened()
    number = downloads.add("A", MODELS[0]).id
    downloads.add("B", MODELS[1])
    now = wait_for(downloads, all_ended)
    assert [download.state for download in now] == [States.FAILED, States.DONE]
    downloads.close()
    again = opened()
    (failed,) = again.snapshot()
    assert failed.state is States.FAILED
    assert failed.error is not None
    assert failed.error == now[0].error
    assert failed.error.kind is ErrorKind.HUB_REFUSED
    assert (failed.done_bytes, failed.total_bytes) == (30_000, 100_000)
    again.resume(number)
    assert wait_for(again, all_ended)[0].state is States.DONE
    assert hub.sent("m0.gguf") == [(0, 30_000), (30_000, 100_000)]


def test_what_runs_goes_on_at_the_next_start(hub: FakeHub, opened: Callable[..., Downloads]) -> None:
    """What was paused stays paused; nothing safe is fetched again."""
    hub.script("bytes", hold(50_000), hold(50_000))
    downloads = opened()
    for number, model in enumerate(MODELS[:3]):
        downloads.add(f"Model {number}", model)
    wait_for(downloads, lambda now: [download.done_bytes for download in now] == [50_000, 50_000, 0])
    downloads.pause(downloads.snapshot()[1].id)
    downloads.close()
    assert all(state in (States.WAITING, States.PAUSED) for state in states(downloads))
    again = opened()
    now = wait_for(again, lambda now: now[0].state is now[2].state is States.DONE)
    assert now[1].state is States.PAUSED
    assert now[1].done_bytes == 50_000
    assert hub.sent("m0.gguf") == [(0, 50_000), (50_000, 100_000)]


def test_a_crash_is_no_pause(hub: FakeHub, tmp_path: Path, opened: Callable[..., Downloads]) -> None:
    """The queue of a program that was killed goes on: the file says so at every moment."""
    hub.script("bytes", hold(50_000))
    downloads = opened()
    downloads.add("A", MODELS[0])
    wait_for(downloads, lambda now: now[0].done_bytes == 50_000)
    saved = (tmp_path / "downloads.json").read_text()
    downloads.close()
    (tmp_path / "downloads.json").write_text(saved)
    assert wait_for(opened(), all_ended)[0].state is States.DONE


@pytest.mark.parametrize("text", ["", "null", "[1, {}]", '{"a": 1}', '[{"id": 3}]', "[" * 5000])
def test_a_damaged_queue_is_an_empty_one(tmp_path: Path, opened: Callable[..., Downloads], text: str) -> None:
    """Parts are found again when their models are added again."""
    (tmp_path / "downloads.json").write_text(text)
    assert opened().snapshot() == ()


def test_offline_is_told(opened: Callable[..., Downloads], folder: Path) -> None:
    """Nothing is asked; but what is complete already needs nobody."""

    def nothing() -> Sequence[Source]:
        raise EngineError(ErrorKind.OFFLINE)

    (folder / REPO).mkdir(parents=True)
    (folder / REPO / "m1.gguf").write_bytes(CONTENTS["m1.gguf"])
    downloads = opened(nothing)
    downloads.add("A", MODELS[0])
    downloads.add("B", MODELS[1])
    first, second = wait_for(downloads, all_ended)
    assert first.error is not None
    assert first.error.kind is ErrorKind.OFFLINE
    assert second.state is States.DONE


def test_a_bug_ends_one_download(opened: Callable[..., Downloads]) -> None:
    """It is told as what it is; the queue lives."""

    def broken() -> Sequence[Source]:
        raise RuntimeError("a bug")

    downloads = opened(broken)
    downloads.add("A", MODELS[0])
    (failed,) = wait_for(downloads, all_ended)
    assert failed.error is not None
    assert failed.error.kind is ErrorKind.INTERNAL
    assert "a bug" in failed.error.detail


def test_what_is_missing_of_a_model_is_asked_for(hub: FakeHub, opened: Callable[..., Downloads]) -> None:
    """Sizes and hashes come from the first source that knows; where none does, the files themselves are asked for."""

    class Knowing(At):
        def resolve(self, model: RemoteModel) -> RemoteModel:
            return replace(model, parts=(RemotePart("m0.gguf", 100_000, sha256(CONTENTS["m0.gguf"])),))

    class Closed(At):
        def resolve(self, model: RemoteModel) -> RemoteModel:
            raise EngineError(ErrorKind.HUB_BUSY, host=self.name, retry_after_s=60)

    bare = [RemoteModel(REPO, "main", (RemotePart(file),)) for file in CONTENTS]
    hub.script("bytes", damaged(at=99), file="m0.gguf")
    downloads = opened(lambda: [Closed(hub), Knowing(hub)])
    downloads.add("A", bare[0])
    done = wait_for(downloads, all_ended)[0]
    assert done.model.parts[0].sha256 == sha256(CONTENTS["m0.gguf"])
    assert done.total_bytes == 100_000
    alone = opened(lambda: [Closed(hub)])
    alone.add("B", bare[1])
    assert wait_for(alone, all_ended)[0].state is States.DONE


def test_the_limit_is_shared(hub: FakeHub, folder: Path) -> None:
    """Two downloads together are not faster than the limit; a wait for it can be interrupted."""
    hub.add(REPO, CONTENTS)
    with closing(Downloads(folder, None, lambda: [At(hub)], 1, Limits(margin_bytes=0))) as downloads:
        for number, model in enumerate(MODELS[:2]):
            downloads.add(f"Model {number}", model)
        wait_for(downloads, lambda now: all(download.done_bytes for download in now))
        downloads.set_speed_limit(None)
        assert [download.state for download in wait_for(downloads, all_ended)] == [States.DONE] * 2
        downloads.set_speed_limit(1)
        downloads.add("Third", MODELS[2])
        wait_for(downloads, lambda now: now[2].done_bytes > 0)
    assert downloads.snapshot()[2].state is States.WAITING


@contextmanager
def closing(downloads: Downloads) -> Iterator[Downloads]:
    try:
        yield downloads
    finally:
        downloads.close()
