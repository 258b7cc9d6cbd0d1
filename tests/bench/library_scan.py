"""How long 5,000 model files take to be listed: `python -m tests.bench.library_scan [FILES]`.

The page of models opens with `known()`, so that, with the cache's loading, is what the user waits for.
"""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path
from time import perf_counter, process_time

from app.library.library import Library
from app.model_settings import ModelSettings
from app.paths import Paths
from tests.fakes.gguf_files import Tiny, write_model

KNOWN_LIMIT_S = 0.2


def main(files: int) -> int:
    """0 if what is known comes fast enough."""
    with tempfile.TemporaryDirectory() as folder:
        base = Path(folder)
        paths = Paths(base / "base")
        data = write_model(base / "tiny.gguf", Tiny(layers=1, width=32, vocab_size=300)).read_bytes()
        for number in range(files):
            path = paths.models / f"owner {number // 50}" / "repo" / f"Model-{number}-Q4_K_M.gguf"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)

        def library() -> Library:
            return Library(paths, ModelSettings(), environment={}, home=base / "home")

        first = library()
        begin = perf_counter()
        batches: list[float] = []
        found = first.scan(lambda batch: batches.append(perf_counter() - begin))
        scan_s = perf_counter() - begin
        first.close()

        begin, begin_cpu = perf_counter(), process_time()
        second = library()
        known = second.known()
        known_s, known_cpu_s = perf_counter() - begin, process_time() - begin_cpu
        begin = perf_counter()
        again = second.scan()
        again_s = perf_counter() - begin
        second.close()
        assert known == again == found
        cache = (paths.state / "library.sqlite3").stat().st_size
    sys.stdout.write(
        f"{len(found)} files of {len(data)} bytes, {os.cpu_count()} cores\n"
        f"first scan   {scan_s:6.2f} s, the first models after {batches[0]:.3f} s, {len(batches)} batches\n"
        f"known()      {known_s:6.3f} s with loading the cache of {cache} bytes, {known_cpu_s:.3f} s of them at work\n"
        f"second scan  {again_s:6.2f} s\n"
    )
    return int(known_s > KNOWN_LIMIT_S)


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 5000))
