"""A model's header is read at a hub, and hardly more than the header."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from pathlib import Path

import pytest

from app.hub import http, remote_header
from app.hub.hub import Hub
from app.hub.modelscope import ModelScope
from app.hub.remote_header import read_remote_header
from app.hub.source import Source
from app.hub.token import TOKEN_VARIABLE, Token
from app.model_values import RemoteModel, RemotePart
from app.paths import Paths
from engine.errors import ErrorKind
from engine.gguf import GgufHeader, read_header
from engine.gguf_format import StringArray
from tests.fakes import gguf_files
from tests.fakes.gguf_files import raw_header
from tests.fakes.hub import GOOD_TOKEN, FakeHub
from tests.fakes.hub_faults import (
    Fault,
    cut,
    expired,
    failing,
    hold,
    not_satisfiable,
    range_ignored,
    replaced,
    web_page,
)
from tests.fakes.hub_repos import Repo
from tests.unit.app.hub.conftest import refusal

REPO, FILE = "owner/model-GGUF", "model-Q4_K_M.gguf"
WEIGHTS = bytes(32 << 20)
FIRST = 2 << 20  # of the requests for bytes


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("models")


@pytest.fixture(scope="module")
def small(folder: Path) -> Path:
    """A header of some kilobytes in front of megabytes of weights."""
    path = gguf_files.write_model(folder / "small.gguf")
    with path.open("ab") as file:
        file.write(WEIGHTS)
    return path


@pytest.fixture(scope="module")
def large(folder: Path) -> Path:
    """A header of 5 MB in front of megabytes of weights."""
    tokens = [f"token {number} {'x' * 400}" for number in range(12_000)]
    path = gguf_files.write_header(folder / "large.gguf", {"tokenizer.ggml.tokens": tokens}, {"t": (8, 32)})
    with path.open("ab") as file:
        file.write(WEIGHTS)
    return path


@pytest.fixture
def first_file(fake: FakeHub, small: Path) -> bytes:
    content = small.read_bytes()
    fake.add(Repo(REPO), {FILE: content})
    return content


@pytest.fixture
def resolved(hub: Hub, first_file: bytes) -> RemoteModel:
    return hub.resolve(RemoteModel(REPO, "main", (RemotePart(FILE),)))


def read(source: Source, model: RemoteModel) -> GgufHeader:
    return read_remote_header(source, model, lambda: False)


def sent(fake: FakeHub) -> list[tuple[int, int]]:
    """What left for each request. Ends the hub: it counts when its threads have come to it."""
    fake.close()
    return fake.sent(FILE)


def same(remote: GgufHeader, local: GgufHeader) -> None:
    tokens = remote.tokens
    assert tokens is not None
    assert local.tokens is not None
    assert list(tokens) == list(local.tokens)
    assert remote.metadata.keys() == local.metadata.keys()
    plain = [key for key, value in local.metadata.items() if isinstance(value, str | int | float)]
    assert [remote.metadata[key] for key in plain] == [local.metadata[key] for key in plain]
    assert remote.tensors == local.tensors
    assert (remote.data_offset, remote.expected_bytes, remote.size_bytes) == (
        local.data_offset,
        local.expected_bytes,
        local.size_bytes,
    )


def test_a_header_is_the_files(hub: Hub, fake: FakeHub, resolved: RemoteModel, small: Path) -> None:
    """What is read over the network is what is read from the file, for 2 MiB of it."""
    header = read(hub, resolved)
    same(header, read_header(small))
    assert header.path == Path(FILE)
    assert sent(fake) == [(0, FIRST)]


def test_a_long_header_is_read_on(hub: Hub, fake: FakeHub, large: Path) -> None:
    """What is there is not fetched again, and of the weights come no more than a few megabytes."""
    fake.add(Repo(REPO), {FILE: large.read_bytes()})
    model = hub.resolve(RemoteModel(REPO, "main", (RemotePart(FILE),)))
    same(read(hub, model), read_header(large))
    assert sent(fake) == [(0, FIRST), (FIRST, 4 * FIRST)]


@pytest.mark.parametrize("size", ["large", "small"])
def test_a_server_without_ranges(
    size: str, hub: Hub, fake: FakeHub, large: Path, small: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """200 instead of 206 is understood, and left when there is enough: not the whole file comes."""
    path = large if size == "large" else small
    fake.add(Repo(REPO), {FILE: path.read_bytes()})
    model = hub.resolve(RemoteModel(REPO, "main", (RemotePart(FILE),)))
    taken = count_bytes(monkeypatch)
    fake.script("bytes", range_ignored(), range_ignored())
    same(read(hub, model), read_header(path))
    assert sum(taken) < 6 * FIRST


def count_bytes(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The sizes of the pieces that the program takes from the network from now on."""
    taken: list[int] = []
    whole = http._Limited.__iter__

    def counted(self: http._Limited) -> Iterator[bytes]:
        for piece in whole(self):
            taken.append(len(piece))
            yield piece

    monkeypatch.setattr(http._Limited, "__iter__", counted)
    return taken


def test_ranges_that_come_and_go(hub: Hub, fake: FakeHub, large: Path) -> None:
    """A server may know ranges at one request and not at the next."""
    fake.add(Repo(REPO), {FILE: large.read_bytes()})
    model = hub.resolve(RemoteModel(REPO, "main", (RemotePart(FILE),)))
    for faults in itertools.product([None, range_ignored(), Fault(wrong_range=True)], repeat=2):
        fake.script("bytes", *faults)
        same(read(hub, model), read_header(large))


def test_a_server_that_tells_no_size(hub: Hub, fake: FakeHub, first_file: bytes, small: Path) -> None:
    """Without any length the header is read all the same."""
    model = RemoteModel(REPO, "main", (RemotePart(FILE),))
    fake.script("bytes", Fault(no_length=True))
    header = read(hub, model)
    assert header.size_bytes == header.expected_bytes == read_header(small).expected_bytes


def test_a_small_file(hub: Hub, fake: FakeHub, folder: Path) -> None:
    """A file that is smaller than what is asked for is read to its end, once."""
    path = gguf_files.write_vocabulary_only(folder / "vocabulary.gguf")
    fake.add(Repo(REPO), {FILE: path.read_bytes()})
    same(read(hub, RemoteModel(REPO, "main", (RemotePart(FILE),))), read_header(path))
    assert len(fake.asked("bytes")) == 1


def test_a_split_model(hub: Hub, fake: FakeHub, folder: Path) -> None:
    """The first part has the words, all parts together have the tensors."""
    paths = gguf_files.write_split_model(folder)
    fake.add(Repo(REPO), {path.name: path.read_bytes() for path in paths})
    (found,) = hub.models(REPO)
    header = read(hub, found.model)
    headers = [read_header(path) for path in paths]
    assert header.tensors == headers[0].tensors + headers[1].tensors
    assert header.vocab_size == headers[0].vocab_size > 0
    assert header.size_bytes == sum(path.stat().st_size for path in paths)
    first, second = found.model.parts
    report = refusal(lambda: read(hub, RemoteModel(REPO, "main", (first,))))
    assert report.kind is ErrorKind.SPLIT_INCOMPLETE
    report = refusal(lambda: read(hub, RemoteModel(REPO, "main", (second, first))))
    assert report.kind is ErrorKind.GGUF_BROKEN


def test_modelscope(fake: FakeHub, first_file: bytes, small: Path) -> None:
    """Every source will do."""
    scope = ModelScope(fake.endpoint)
    same(read(scope, scope.resolve(RemoteModel(REPO, "main", (RemotePart(FILE),)))), read_header(small))


@pytest.mark.parametrize(
    ("where", "fault", "kind"),
    [
        ("bytes", web_page(), ErrorKind.DOWNLOAD_NOT_GGUF),
        ("resolve", web_page(), ErrorKind.DOWNLOAD_NOT_GGUF),
        ("bytes", not_satisfiable(), ErrorKind.DOWNLOAD_NOT_GGUF),
        ("bytes", Fault(206, {"Content-Range": "bytes 7-9/10"}, b"GGU"), ErrorKind.HUB_REFUSED),
        ("bytes", Fault(206, {"Content-Range": "words"}, b"GGU"), ErrorKind.HUB_REFUSED),
        ("bytes", Fault(206, {}, b"GGUF"), ErrorKind.HUB_REFUSED),
        ("bytes", Fault(200, {"Content-Encoding": "gzip"}, b"GGUF"), ErrorKind.HUB_REFUSED),
        ("bytes", Fault(200, {}, b""), ErrorKind.DOWNLOAD_NOT_GGUF),
        ("bytes", replaced(raw_header(1 << 60, 1)), ErrorKind.GGUF_BROKEN),
        ("bytes", replaced(raw_header(0, 1, bytes(3 << 20))), ErrorKind.GGUF_BROKEN),
        ("bytes", replaced(raw_header(0, 5)), ErrorKind.HUB_REFUSED),
        ("bytes", replaced(raw_header(0, 0, version=9)), ErrorKind.GGUF_VERSION),
        ("bytes", cut(after=1000), ErrorKind.HUB_UNREACHABLE),
        ("bytes", cut(after=0), ErrorKind.HUB_UNREACHABLE),
        ("bytes", expired(), ErrorKind.HUB_REFUSED),
        ("bytes", failing(503), ErrorKind.HUB_REFUSED),
        ("resolve", Fault(429, {"Retry-After": "9"}, b""), ErrorKind.HUB_BUSY),
        ("resolve", Fault(401, {}, b""), ErrorKind.REPO_GATED),
        ("resolve", Fault(403, {}, b""), ErrorKind.REPO_GATED),
        ("resolve", Fault(404, {}, b""), ErrorKind.REPO_FILE_MISSING),
    ],
)
def test_what_goes_wrong(where: str, fault: Fault, kind: ErrorKind, hub: Hub, fake: FakeHub, first_file: bytes) -> None:
    """Pages, broken headers, cut connections and refusals are told apart."""
    fake.script("bytes" if where == "bytes" else "resolve", fault)
    assert refusal(lambda: read(hub, RemoteModel(REPO, "main", (RemotePart(FILE),)))).kind is kind


def test_another_size(hub: Hub, fake: FakeHub, resolved: RemoteModel) -> None:
    """A file that has another size than was told is another file."""
    fake.script("bytes", replaced(b"GGUF" * 100))
    assert refusal(lambda: read(hub, resolved)).kind is ErrorKind.DOWNLOAD_CHANGED


def test_a_header_without_end(hub: Hub, fake: FakeHub, monkeypatch: pytest.MonkeyPatch) -> None:
    """A header that claims to go on is not followed beyond the limit."""
    monkeypatch.setattr(remote_header, "_FIRST_BYTES", 1 << 10)
    monkeypatch.setattr("engine.gguf._FIRST_READ", 1 << 10)
    monkeypatch.setattr("engine.gguf.MAX_HEADER_BYTES", 1 << 14)
    key = gguf_files.raw_key(b"key", 9, gguf_files.raw_array(4, 1_000_000))
    fake.add(Repo(REPO), {FILE: raw_header(0, 1, key) + bytes(8 << 20)})
    assert refusal(lambda: read(hub, RemoteModel(REPO, "main", (RemotePart(FILE),)))).kind is ErrorKind.GGUF_BROKEN
    assert max(end for _, end in sent(fake)) <= 1 << 14


def test_it_can_be_cancelled(hub: Hub, fake: FakeHub, resolved: RemoteModel) -> None:
    """Cancelling ends the reading in the middle of an answer that has stopped coming."""
    fake.script("bytes", hold(after=100_000))
    asked = itertools.count()

    def cancelled() -> bool:
        return next(asked) > 1

    assert refusal(lambda: read_remote_header(hub, resolved, cancelled)).kind is ErrorKind.DOWNLOAD_CANCELLED
    assert refusal(lambda: read_remote_header(hub, resolved, lambda: True)).kind is ErrorKind.DOWNLOAD_CANCELLED
    assert len(fake.asked("bytes")) == 1


def test_the_token_stays_at_the_hub(fake: FakeHub, first_file: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    """The hub is shown the token, the storage that it sends on to is not."""
    monkeypatch.setenv(TOKEN_VARIABLE, GOOD_TOKEN)
    fake.add(Repo(REPO, gated="manual"), {FILE: first_file})
    fake.accepted[GOOD_TOKEN].add(REPO)
    hub = Hub(fake.endpoint, Token(Paths()))
    read(hub, hub.resolve(RemoteModel(REPO, "main", (RemotePart(FILE),))))
    assert [request.headers.get("authorization") for request in fake.asked("resolve")] == [f"Bearer {GOOD_TOKEN}"]
    assert [request.headers.get("authorization") for request in fake.asked("bytes")] == [None]


def test_gated(hub: Hub, fake: FakeHub, first_file: bytes) -> None:
    """A gated model's header needs the licence too."""
    fake.add(Repo(REPO, gated="auto"), {FILE: first_file})
    report = refusal(lambda: read(hub, hub.resolve(RemoteModel(REPO, "main", (RemotePart(FILE),)))))
    assert (report.kind, report.fact("token")) == (ErrorKind.REPO_GATED, "none")


def test_tokens_are_decoded_late(hub: Hub, resolved: RemoteModel) -> None:
    """A vocabulary from the network is as cheap as one from a file: it is not turned into objects."""
    assert isinstance(read(hub, resolved).tokens, StringArray)
