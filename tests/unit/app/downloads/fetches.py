"""A fetch in the test's own thread, against a fake hub, that never really waits."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from urllib.parse import quote

import httpx2

from app.downloads.fetching import Tools
from app.downloads.interrupt import Interrupt
from app.downloads.limits import Limits
from app.downloads.model_fetch import Listener, fetch_model
from app.downloads.stream import make_client
from app.downloads.throttle import Throttle
from app.hub.source import Source
from app.model_values import RemoteModel, RemotePart
from tests.fakes.gguf_files import raw_header, raw_key, raw_string, raw_tensor
from tests.fakes.hub import FakeHub
from tests.fakes.hub_repos import sha256

_BYTES = 24  # a tensor of single bytes

REPO, FILE = "owner/Model-GGUF", "model-Q4_K_M.gguf"


def some_model(size: int = 200_000, seed: int = 1) -> bytes:
    """Bytes that begin as a model does. Nobody can guess them."""
    return b"GGUF" + random.Random(seed).randbytes(size - 4)


def whole_header(size: int = 200_000, seed: int = 1) -> bytes:
    """A model with one tensor, whose header says where the file ends."""
    key = raw_key(b"general.architecture", 8, raw_string(b"llama"))
    head = len(raw_header(1, 1, key + raw_tensor(b"output.weight", [1], _BYTES)))
    head += -head % 32
    data = random.Random(seed).randbytes(size - head)
    return raw_header(1, 1, key + raw_tensor(b"output.weight", [len(data)], _BYTES)).ljust(head, b"\0") + data


def remote(content: bytes, file: str = FILE, repo: str = REPO) -> RemoteModel:
    """The model as a catalogue knows it."""
    return RemoteModel(repo, "main", (RemotePart(file, len(content), sha256(content)),))


def unhashed(model: RemoteModel) -> RemoteModel:
    """The same where nobody has said its SHA-256."""
    return replace(model, parts=tuple(replace(part, sha256=None) for part in model.parts))


@dataclass
class At(Source):
    """A hub as a source; what it knows of models is what it is given."""

    hub: FakeHub
    token: str | None = None
    host: str = ""
    prefix: str = ""

    @property
    def name(self) -> str:
        return self.host or self.hub.endpoint.removeprefix("http://")

    def resolve(self, model: RemoteModel) -> RemoteModel:
        return model

    def url(self, model: RemoteModel, part: RemotePart) -> str:
        return f"{self.hub.endpoint}{self.prefix}/{model.repo}/resolve/{model.revision}/{quote(part.path)}"

    def headers(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.token}"} if self.token else {}


@cache
def _client(stall: float) -> httpx2.Client:
    """One for all tests: it loads the system's certificates."""
    return make_client(Limits(stall=stall))


@dataclass
class Bench:
    """Runs fetches, one after the other, as after as many starts of the program.

    Attributes:
        waits: the waits that were asked for, in seconds.
        progress: (bytes, host) of the last fetch.
        during: called instead of each wait.
    """

    folder: Path
    waits: list[float] = field(default_factory=list)
    progress: list[tuple[int, str]] = field(default_factory=list)
    during: Callable[[], None] = lambda: None
    limits: Limits = field(default_factory=lambda: Limits(margin_bytes=0))
    interrupt: Interrupt = field(default_factory=Interrupt)

    def fetch(self, model: RemoteModel, *sources: Source) -> Path:
        """Raises what `fetch_model` raises."""
        self.progress.clear()
        self.interrupt = Interrupt()
        limits = replace(self.limits, sleep=self._sleep)
        return fetch_model(
            model,
            self.folder,
            lambda: sources,
            Tools(_client(self.limits.stall), Throttle(), limits, self.interrupt),
            Listener(lambda model: None, lambda *now: self.progress.append(now)),
            lambda: 0,
        )

    def _sleep(self, interrupt: Interrupt, seconds: float) -> None:
        self.waits.append(seconds)
        self.during()
        interrupt.check()

    @property
    def final(self) -> Path:
        """Where the model of these tests comes to lie."""
        return self.folder / REPO / FILE

    def files(self) -> set[str]:
        """The names of all files."""
        return {path.name for path in self.folder.rglob("*") if path.is_file()}


def fetched_twice(hub: FakeHub, file: str = FILE) -> int:
    """How many bytes left the hub more than once."""
    seen, twice = 0, 0
    for start, end in sorted(hub.sent(file)):
        twice += max(0, min(seen, end) - start)
        seen = max(seen, end)
    return twice


@contextmanager
def hubs(number: int) -> Iterator[Sequence[FakeHub]]:
    """Several hubs that know nothing of each other."""
    running = [FakeHub() for _ in range(number)]
    try:
        yield running
    finally:
        for hub in running:
            hub.close()
