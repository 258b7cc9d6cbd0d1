"""A hub on two local ports that speaks as the real ones do: the API and the files of huggingface.co, ModelScope's, and
the storage behind them. What goes wrong is scripted; every request is on record.

    with FakeHub() as hub:
        hub.add("owner/model-GGUF", {"model-Q4_K_M.gguf": content})
        hub.script("bytes", cut(after=1000), None, expired())  # the first and the third request for bytes
        HfApi(endpoint=hub.endpoint, token=False).model_info("owner/model-GGUF", files_metadata=True)
        hub.sent("model-Q4_K_M.gguf")                          # [(0, 1000), …]: the bytes that left, request by request

Files with the same bytes are one to the storage, under the name that came last.
"""

from __future__ import annotations

import contextlib
import hashlib
import socket
import threading
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field
from http.server import ThreadingHTTPServer
from types import TracebackType
from typing import Self
from urllib.parse import quote

from tests.fakes.hub_faults import Fault
from tests.fakes.hub_handler import HubHandler, Request, Where
from tests.fakes.hub_repos import Repo, sha256

GOOD_TOKEN = "hf_goodtoken0123456789"


@dataclass(slots=True)
class _Script:
    where: Where
    file: str | None
    faults: deque[Fault | None] = field(default_factory=deque)


class FakeHub:
    """Runs from the start to `close`, or inside `with`.

    Attributes:
        accepted: for each token that is valid, the gated and hidden repositories it opens.
        moved: old names of repositories and the new ones; a name in other letters is moved too.
        exact_names: a name in other letters is a missing one instead, as at mirrors.
        plain: files are sent from the address itself, and nobody says their SHA-256, as simple servers do.
        page_size: of the list of repositories.
        requests: all so far. Read it when nothing is under way.
    """

    def __init__(self) -> None:
        self.accepted: dict[str, set[str]] = {GOOD_TOKEN: set()}
        self.moved: dict[str, str] = {}
        self.exact_names = False
        self.plain = False
        self.page_size = 100
        self.requests: list[Request] = []
        self._repos: dict[str, Repo] = {}
        self._stored: dict[str, tuple[str, bytes]] = {}  # by sha256: one of its names, its bytes
        self._scripts: list[_Script] = []
        self._generation = 0  # of signatures
        self._lock = threading.Lock()
        self._holding = threading.Condition(self._lock)
        self._held = 0
        self._released = threading.Event()
        self._servers = (HubServer(self), HubServer(self))
        for server in self._servers:
            server.start()

    @property
    def endpoint(self) -> str:
        """What HfApi(endpoint=…) and a ModelScope client take."""
        return f"http://127.0.0.1:{self._servers[0].server_port}"

    @property
    def storage(self) -> str:
        """The other host, from which the bytes of large files come."""
        return f"http://localhost:{self._servers[1].server_port}"

    def add(self, repo: str | Repo, files: Mapping[str, bytes]) -> Repo:
        """A new repository with its first commit."""
        repo = Repo(repo) if isinstance(repo, str) else repo
        self._repos[repo.id] = repo
        self.commit(repo.id, files)
        return repo

    def commit(self, repo: str, changes: Mapping[str, bytes | None]) -> str:
        """Add, replace or (None) remove files. Gives the new commit; older ones stay."""
        for path, content in changes.items():
            if content is not None:
                self._stored[sha256(content)] = path, content
        return self._repos[repo].commit(changes)

    def script(self, where: Where, *faults: Fault | None, file: str | None = None) -> None:
        """The next requests (for `file`) meet these faults, one each; None lets one pass. Scripts are used up in
        the order in which they were given."""
        with self._lock:
            self._scripts.append(_Script(where, file, deque(faults)))

    def scripted(self) -> int:
        """Faults that nothing has met yet."""
        with self._lock:
            return sum(len(script.faults) for script in self._scripts)

    def expire_signatures(self) -> None:
        """Addresses of bytes that were given so far are refused from now on, as after an hour."""
        with self._lock:
            self._generation += 1

    def wait_until_held(self, number: int = 1) -> None:
        """Block until so many responses stand still in a `hold`, their bytes so far sent."""
        with self._holding:
            assert self._holding.wait_for(lambda: self._held >= number, timeout=60), "nothing was held"

    def release(self) -> None:
        """All that is held goes on; later holds do not stop any more."""
        self._released.set()

    def asked(self, where: Where, file: str | None = None) -> list[Request]:
        """The requests of one kind (for one file)."""
        with self._lock:
            return [request for request in self.requests if request.where == where and file in (None, request.file)]

    def sent(self, file: str) -> list[tuple[int, int]]:
        """For each request that got bytes of this file: the first one, and the one after the last."""
        return [(one.start, one.start + one.sent) for one in self.asked("bytes", file) if one.sent]

    def close(self) -> None:
        """Break all connections, and wait until nothing runs any more."""
        self._released.set()
        for server in self._servers:
            server.stop()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    # What the handlers ask.

    def record(self, request: Request) -> Fault | None:
        """Put it on record; gives what shall go wrong with it."""
        with self._lock:
            self.requests.append(request)
            for script in self._scripts:
                if script.faults and script.where == request.where and script.file in (None, request.file):
                    request.fault = script.faults.popleft()
                    break
            return request.fault

    def hold(self) -> None:
        with self._holding:
            self._held += 1
            self._holding.notify_all()
        self._released.wait()

    def find(self, name: str) -> Repo | None:
        return self._repos.get(name)

    def moved_to(self, name: str) -> str | None:
        """The name under which a repository is now, where that is another one."""
        if name in self.moved:
            return self.moved[name]
        if self.exact_names or name in self._repos:
            return None
        return next((known for known in self._repos if known.lower() == name.lower()), None)

    def stored(self, oid: str) -> tuple[str, bytes] | None:
        return self._stored.get(oid)

    def sign(self, oid: str, file: str) -> str:
        """An address of bytes that can be used until `expire_signatures`."""
        name = quote(file.rsplit("/", 1)[-1])
        date = f"X-Amz-Date=20260801T120000Z&X-Amz-Expires=3600&X-Amz-Signature={self._signature(oid)}"
        return f"{self.storage}/repos/lfs/{oid}?{date}&response-content-disposition=attachment%3B%20filename%3D{name}"

    def is_signed(self, oid: str, signature: str) -> bool:
        return signature == self._signature(oid)

    def _signature(self, oid: str) -> str:
        return hashlib.sha256(f"{oid} {self._generation}".encode()).hexdigest()

    def listing(self, query: Mapping[str, list[str]]) -> list[Repo]:
        """The repositories that a search finds, as the hub finds them: words in names, and tags."""
        words = " ".join(query.get("search", [])).lower().split()
        tags = {tag for text in query.get("filter", []) for tag in text.split(",")}
        authors = query.get("author", [])
        found = [
            repo
            for repo in self._repos.values()
            if not repo.hidden
            and all(word in repo.id.lower() for word in words)
            and tags <= set(repo.tags)
            and (not authors or repo.id.split("/")[0] in authors)
        ]
        return sorted(found, key=lambda repo: -repo.downloads)


class HubServer(ThreadingHTTPServer):
    daemon_threads = False  # so that `stop` can wait for them

    def __init__(self, hub: FakeHub) -> None:
        self.hub = hub
        self._connections: set[socket.socket] = set()
        self._connections_lock = threading.Lock()
        super().__init__(("127.0.0.1", 0), HubHandler)
        self._thread = threading.Thread(target=self.serve_forever, args=(0.02,))

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        self.shutdown()
        self._thread.join()
        with self._connections_lock:
            for connection in self._connections:
                with contextlib.suppress(OSError):
                    connection.shutdown(socket.SHUT_RDWR)
        self.server_close()

    def process_request(self, request: socket.socket, client_address: object) -> None:
        with self._connections_lock:
            self._connections.add(request)
        super().process_request(request, client_address)

    def shutdown_request(self, request: socket.socket) -> None:
        with self._connections_lock:
            self._connections.discard(request)
        super().shutdown_request(request)

    def handle_error(self, request: object, client_address: object) -> None:
        """Clients go away in the middle; that is no error here."""
