"""Headers of models that are elsewhere are read once, and kept small."""

from __future__ import annotations

import errno
import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier

import pytest

from app.fit.files import figures
from app.hub.header_cache import HeaderCache
from app.hub.hub import Hub
from app.hub.source import Source, sources
from app.hub.token import Token
from app.model_settings import ModelSettings
from app.model_values import RemoteModel, RemotePart
from app.paths import Paths
from engine.errors import ErrorKind
from engine.fit import FitSettings
from engine.gguf_strip import strip_file
from tests.fakes import gguf_files
from tests.fakes.gguf_files import raw_header
from tests.fakes.hub import FakeHub
from tests.fakes.hub_faults import Fault, cut, replaced, web_page
from tests.fakes.hub_repos import Repo
from tests.unit.app.hub.conftest import refusal

REPO, FILE = "owner/model-GGUF", "model-Q4_K_M.gguf"
MODEL = RemoteModel(REPO, "main", (RemotePart(FILE),))
WEIGHTS = bytes(32 << 20)


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = gguf_files.write_model(tmp_path_factory.mktemp("models") / "model.gguf")
    with path.open("ab") as opened:
        opened.write(WEIGHTS)
    return path


@pytest.fixture
def there(fake: FakeHub, file: Path) -> None:
    """The hub has the model."""
    fake.add(REPO, {FILE: file.read_bytes()})


@pytest.fixture
def cache(tmp_path: Path) -> HeaderCache:
    return HeaderCache(tmp_path / "headers")


def fetch(cache: HeaderCache, hub: Hub, model: RemoteModel = MODEL) -> tuple[Path, ...]:
    return cache.fetch(hub, model, lambda: False)


def need(files: Sequence[Path]) -> object:
    return figures(files, None).need(FitSettings(ctx=512))


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir()) if folder.exists() else []


@pytest.mark.usefixtures("there")
def test_what_is_kept_tells_what_the_file_would(
    cache: HeaderCache, hub: Hub, fake: FakeHub, file: Path, tmp_path: Path
) -> None:
    """Some kilobytes are kept of a model of which some megabytes came, and memory is judged as by the model."""
    assert cache.find(MODEL) is None
    kept = fetch(cache, hub)
    assert need(kept) == need([file])
    assert kept[0].read_bytes().startswith(strip_file(file))
    assert names(tmp_path / "headers") == [kept[0].name]
    assert kept[0].stat().st_size < 20_000
    fake.close()
    assert fake.sent(FILE) == [(0, 2 << 20)]


@pytest.mark.usefixtures("there")
def test_nobody_is_asked_twice(cache: HeaderCache, hub: Hub, fake: FakeHub, tmp_path: Path) -> None:
    """The second time needs no network, nor does another program, nor a name in other letters."""
    kept = fetch(cache, hub)
    fake.close()
    assert fetch(cache, hub) == kept
    again = HeaderCache(tmp_path / "headers")
    assert again.find(MODEL) == kept
    assert again.find(RemoteModel(REPO.upper(), "main", (RemotePart(FILE.lower()),))) == kept
    for other in (
        RemoteModel(REPO, "0" * 40, MODEL.parts),
        RemoteModel("owner/model", "main", MODEL.parts),
        RemoteModel(REPO, "main", (RemotePart("model-Q8_0.gguf"),)),
    ):
        assert again.find(other) is None


def test_all_parts(cache: HeaderCache, hub: Hub, fake: FakeHub, tmp_path: Path) -> None:
    """A split model is there when all of its parts are, in their order."""
    paths = gguf_files.write_split_model(tmp_path)
    fake.add(REPO, {path.name: path.read_bytes() for path in paths})
    model = RemoteModel(REPO, "main", tuple(RemotePart(path.name) for path in paths))
    kept = fetch(cache, hub, model)
    assert need(kept) == need(paths)
    assert cache.find(model) == kept
    kept[1].unlink()
    assert cache.find(model) is None
    assert fetch(cache, hub, model) == kept


@pytest.mark.usefixtures("there")
def test_damage(cache: HeaderCache, hub: Hub, fake: FakeHub, tmp_path: Path) -> None:
    """What is cut off, changed or something else counts as absent, and is read anew."""
    (kept,) = fetch(cache, hub)
    whole = kept.read_bytes()
    asked = 1
    for damage in (b"", whole[:-1], whole[:100], whole[:64] + b"?" + whole[65:], bytes(len(whole)), whole + b"\0"):
        kept.write_bytes(damage)
        assert cache.find(MODEL) is None
        assert fetch(cache, hub) == (kept,)
        assert kept.read_bytes() == whole
        asked += 1
        assert len(fake.asked("bytes")) == asked
    assert names(tmp_path / "headers") == [kept.name]


@pytest.mark.usefixtures("there")
@pytest.mark.parametrize(
    "fault",
    [
        web_page(),
        Fault(200, {}, b""),
        replaced(raw_header(1 << 60, 1)),
        replaced(raw_header(0, 5)),
        replaced(raw_header(0, 0, version=9)),
        cut(after=1000),
    ],
)
def test_hostile_answers(fault: Fault, cache: HeaderCache, hub: Hub, fake: FakeHub, tmp_path: Path) -> None:
    """Leave nothing behind, and the next attempt is a fresh one."""
    fake.script("bytes", fault)
    refusal(lambda: fetch(cache, hub))
    assert names(tmp_path / "headers") == []
    assert fetch(cache, hub) == cache.find(MODEL)


def test_names_of_servers(cache: HeaderCache, tmp_path: Path) -> None:
    """Are no paths, whatever stands in them."""
    for name in ("../../file.gguf", "/etc/passwd", "CON.gguf", "\ud800.gguf", "a\0b.gguf", "x" * 9000):
        assert cache.find(RemoteModel("../..", "..", (RemotePart(name),))) is None


@pytest.mark.usefixtures("there")
def test_two_at_once(hub: Hub, tmp_path: Path) -> None:
    """Threads and programs that read the same header at the same time all get it whole."""
    together = Barrier(4)

    def work(cache: HeaderCache) -> tuple[Path, ...]:
        together.wait()
        return fetch(cache, hub)

    one, other = HeaderCache(tmp_path / "headers"), HeaderCache(tmp_path / "headers")
    with ThreadPoolExecutor(4) as pool:
        (kept,) = set(pool.map(work, (one, one, other, other)))
    assert one.find(MODEL) == kept
    assert names(tmp_path / "headers") == [kept[0].name]


@pytest.mark.usefixtures("there")
def test_no_room(cache: HeaderCache, hub: Hub, fake: FakeHub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder that cannot be made is told before anything comes, a full disk when it is full."""
    (tmp_path / "headers").write_bytes(b"")  # what a read-only folder does, and works for root as well
    assert refusal(lambda: fetch(cache, hub)).kind is ErrorKind.FOLDER_UNWRITABLE
    assert fake.asked("bytes") == []
    (tmp_path / "headers").unlink()

    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr("app.small_file.os.replace", full)
    assert refusal(lambda: fetch(cache, hub)).kind is ErrorKind.DISK_FULL
    assert names(tmp_path / "headers") == []


def test_what_is_not_there(cache: HeaderCache, hub: Hub, fake: FakeHub) -> None:
    """Is told from what is gated, although a hub refuses both alike."""
    fake.add(Repo(REPO, gated="auto"), {FILE: b"GGUF"})
    assert refusal(lambda: fetch(cache, hub)).kind is ErrorKind.REPO_GATED
    elsewhere = RemoteModel("owner/nothing", "main", MODEL.parts)
    assert refusal(lambda: fetch(cache, hub, elsewhere)).kind is ErrorKind.REPO_MISSING
    other = RemoteModel(REPO, "main", (RemotePart("other.gguf"),))
    assert refusal(lambda: fetch(cache, hub, other)).kind is ErrorKind.REPO_FILE_MISSING


@pytest.mark.usefixtures("there")
def test_the_first_source_that_has_it(cache: HeaderCache, hub: Hub, fake: FakeHub) -> None:
    """The others are not asked; where none has it the first one's reason counts, and offline nobody is asked."""

    def offline() -> tuple[Source, ...]:
        return sources(ModelSettings(offline=True), Token(Paths()))

    report = refusal(lambda: cache.fetch_from(offline, MODEL, lambda: False))
    assert (report.kind, report.fact("file")) == (ErrorKind.OFFLINE, FILE)
    with FakeHub() as empty:
        places = (Hub(empty.endpoint, Token(Paths())), hub)
        absent = RemoteModel(REPO, "main", (RemotePart("other.gguf"),))
        assert refusal(lambda: cache.fetch_from(lambda: places, absent, lambda: False)).kind is ErrorKind.REPO_MISSING
        kept = cache.fetch_from(lambda: places, MODEL, lambda: False)
        assert cache.fetch_from(offline, MODEL, lambda: False) == kept == cache.find(MODEL)
    assert len(fake.asked("bytes")) == 1


@pytest.mark.usefixtures("there")
def test_cancelled(cache: HeaderCache, hub: Hub) -> None:
    """Cancelling ends it before anything is asked."""
    assert refusal(lambda: cache.fetch(hub, MODEL, lambda: True)).kind is ErrorKind.DOWNLOAD_CANCELLED
    assert cache.find(MODEL) is None
