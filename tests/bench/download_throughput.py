"""How much of the disk's speed a download reaches, and how much memory it takes.

    python -m tests.bench.download_throughput [--megabytes 2048] [--folder FOLDER] [--rounds 3]

Each round writes the same bytes twice, in turns: plainly (1 MiB at a time, then fsync), and as a download from a hub in
another process over a local port. A third figure leaves the network out: the part's own hashing and writing.
"""

from __future__ import annotations

import argparse
import hashlib
import itertools
import multiprocessing
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from multiprocessing.connection import Connection
from pathlib import Path

import psutil

from app.downloads.fetching import Tools
from app.downloads.interrupt import Interrupt
from app.downloads.limits import USUAL_LIMITS
from app.downloads.model_fetch import Listener, fetch_model
from app.downloads.part_file import PartFile
from app.downloads.stream import make_client
from app.downloads.throttle import Throttle
from app.model_values import RemoteModel, RemotePart
from tests.fakes.hub import FakeHub

MIB = 1 << 20
REPO, FILE = "owner/Bench-GGUF", "bench.gguf"
PIECE = 64 << 10  # as the network's come


class Served:
    """The hub in the other process, as a source. Nothing of it needs a resolve."""

    def __init__(self, endpoint: str) -> None:
        self.endpoint = endpoint
        self.name = endpoint.removeprefix("http://")

    def resolve(self, model: RemoteModel) -> RemoteModel:
        return model

    def url(self, model: RemoteModel, part: RemotePart) -> str:
        return f"{self.endpoint}/{model.repo}/resolve/main/{part.path}"

    def headers(self) -> dict[str, str]:
        return {}


def content(size: int) -> bytes:
    block = b"GGUF" + os.urandom(MIB - 4)
    return block * (size // MIB)


def serve(size: int, connection: Connection) -> None:
    with FakeHub() as hub:
        data = content(size)
        hub.add(REPO, {FILE: data})
        connection.send((hub.endpoint, hashlib.sha256(data).hexdigest()))
        connection.recv()


@contextmanager
def served(size: int) -> Iterator[tuple[str, str]]:
    ours, theirs = multiprocessing.get_context("spawn").Pipe()
    process = multiprocessing.get_context("spawn").Process(target=serve, args=(size, theirs))
    process.start()
    yield ours.recv()
    ours.send(None)
    process.join()


def write_plainly(folder: Path, size: int) -> float:
    """Seconds."""
    block = os.urandom(MIB)
    path = folder / "plain"
    began = time.perf_counter()
    with path.open("wb", buffering=0) as file:
        for _ in range(size // MIB):
            file.write(block)
        os.fsync(file.fileno())
    seconds = time.perf_counter() - began
    path.unlink()
    return seconds


def write_part(folder: Path, size: int) -> float:
    """Seconds for hashing, writing and checkpoints."""
    block = memoryview(b"GGUF" + os.urandom(MIB - 4))
    pieces = itertools.cycle([block[start : start + PIECE] for start in range(0, MIB, PIECE)])
    model = RemoteModel(REPO, "main", (RemotePart("part.gguf", size),))
    began = time.perf_counter()
    with PartFile(folder / "part.gguf", model, model.parts[0]) as file:
        safe = 0
        while file.length < size:
            file.append(next(pieces))
            if file.length - safe >= USUAL_LIMITS.checkpoint_bytes:
                file.checkpoint()
                safe = file.length
        file.finish()
    seconds = time.perf_counter() - began
    (folder / "part.gguf").unlink()
    return seconds


def download(folder: Path, size: int, endpoint: str, sha256: str) -> tuple[float, int]:
    """Seconds, and by how many bytes the process grew meanwhile."""
    process, most = psutil.Process(), 0
    before = process.memory_info().rss
    seen = 0

    def on_progress(done: int, host: str) -> None:
        nonlocal most, seen
        if done - seen > 16 * MIB:
            seen = done
            most = max(most, process.memory_info().rss)

    limits = replace(USUAL_LIMITS, margin_bytes=0)
    model = RemoteModel(REPO, "main", (RemotePart(FILE, size, sha256),))
    with make_client(limits) as client:
        began = time.perf_counter()
        tools = Tools(client, Throttle(), limits, Interrupt())
        path = fetch_model(
            model, folder, lambda: [Served(endpoint)], tools, Listener(lambda model: None, on_progress), lambda: 0
        )
        seconds = time.perf_counter() - began
    path.unlink()
    return seconds, most - before


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--megabytes", type=int, default=2048)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--folder", type=Path, default=None)
    arguments = parser.parse_args()
    size = arguments.megabytes * MIB
    with tempfile.TemporaryDirectory(dir=arguments.folder) as name, served(size) as (endpoint, sha256):
        folder = Path(name)
        rows = []
        for _ in range(arguments.rounds):
            plain, part = write_plainly(folder, size), write_part(folder, size)
            seconds, grown = download(folder, size, endpoint, sha256)
            rows.append((plain, part, seconds, grown))
            figures = [f"{size / MIB / one:7.0f} MiB/s" for one in rows[-1][:3]]
            sys.stdout.write(
                f"plain {figures[0]}  part {figures[1]}  download {figures[2]}  grew {grown / MIB:.1f} MiB\n"
            )
        for what, index in (("part", 1), ("download", 2)):
            ratio = statistics.median(row[0] / row[index] for row in rows)
            sys.stdout.write(f"{what}: {ratio:.2f} of a plain write\n")


if __name__ == "__main__":
    main()
