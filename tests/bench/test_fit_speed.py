"""How long the arithmetic takes: a catalogue's worth of models at four contexts. Run by name, with -s."""

from __future__ import annotations

import time
from pathlib import Path

from engine import gguf
from engine.fit import CHUNK_GPU, Backend, FitSettings
from engine.fit_estimate import need
from engine.fit_shape import read_shape
from tests.fakes.gguf_headers import real_sizes

_FILES = 110  # in 55 pairs


def test_whole_catalogue(tmp_path: Path) -> None:
    """All headers of a catalogue are read, and told for four contexts, in under two seconds."""
    headers = [model.write(tmp_path / f"{name}.gguf") for name, model in real_sizes().items()]
    begin = time.perf_counter()
    reading = longest = 0.0
    for number in range(_FILES):
        before = time.perf_counter()
        shape = read_shape(gguf.read_header(headers[number % len(headers)], whole=False))
        between = time.perf_counter()
        for ctx in (2048, 8192, 32768, 131072):
            need(shape, FitSettings(ctx, Backend.CUDA, ubatch=CHUNK_GPU, outputs=17))
        reading += between - before
        longest = max(longest, time.perf_counter() - before)
    total = time.perf_counter() - begin
    print(f"{_FILES} files: {total:.2f} s, {reading:.2f} s of it reading; longest {longest * 1000:.1f} ms")  # noqa: T201
    assert total < 2
