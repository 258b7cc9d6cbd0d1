"""What reading one header costs a process that does nothing else: `python -m tests.bench.header_cost FILE` prints
seconds, MiB above what the process had before, and the answer, as JSON."""

from __future__ import annotations

import json
import resource
import sys
from pathlib import Path
from time import perf_counter

from engine.errors import EngineError
from engine.gguf import check_loadable, read_header


def most_memory_mib() -> float:
    """The most memory that this process has had."""
    if sys.platform == "linux":  # where getrusage also counts what the parent had when it started this process
        lines = Path("/proc/self/status").read_text().splitlines()
        return int(next(line for line in lines if line.startswith("VmHWM")).split()[1]) / 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (1 << 20)


def main(path: Path) -> None:
    before = most_memory_mib()
    begin = perf_counter()
    try:
        check_loadable(read_header(path))
        answer = "read"
    except EngineError as error:
        answer = f"{error.report.kind.value}: {error.report.fact('reason')}"
    took = perf_counter() - begin
    sys.stdout.write(json.dumps([took, most_memory_mib() - before, answer]))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
