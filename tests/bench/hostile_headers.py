"""What each hostile header costs to refuse: `python -m tests.bench.hostile_headers`.

Every one stands at the beginning of a sparse file of 64 GiB, so that the file is as long as any of its lies, and is
read by a process of its own, whose time and peak of memory count.
"""

from __future__ import annotations

import json
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

from tests.fakes.gguf_files import raw_array, raw_header, raw_key, raw_tensor
from tests.unit.engine.test_gguf import HOSTILE, NAMED

LIMIT_S, LIMIT_MIB = 0.1, 64

_FILE_BYTES = 64 << 30


def _words(count: int) -> bytes:
    """An array of texts of one letter: the most strings that real bytes can hold."""
    rows = np.zeros((count, 9), np.uint8)
    rows[:, 0], rows[:, 8] = 1, ord("x")
    return raw_array(8, count, rows.tobytes())


# What is long in itself, and wrong at its end only. These may take longer, as good headers of their size do.
LONG = {
    "1.5 million strings, then a key twice": raw_header(0, 3, NAMED + raw_key(b"k", 9, _words(3 << 19)) + NAMED),
    "numbers, then zeros": raw_header(0, 4, raw_key(b"k", 9, raw_array(12, 1 << 20))),
    "8,192 tensors, the last one wrong": raw_header(
        8192,
        1,
        NAMED
        + b"".join(raw_tensor(b"n%d" % i, [32], offset=128 * i) for i in range(8191))
        + raw_tensor(b"n", [32], offset=0),
    ),
    "4,096 keys, the last one twice": raw_header(
        0, 4096, b"".join(raw_key(b"k%d" % (i % 4095), 4, struct.pack("<I", i)) for i in range(4096))
    ),
}


def main() -> int:
    """0 if every hostile header is refused within the limits."""
    failed = False
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "hostile.gguf"
        for name, data in {**HOSTILE, **LONG}.items():
            with path.open("wb") as file:
                file.write(data)
                file.truncate(_FILE_BYTES)
            command = [sys.executable, "-m", "tests.bench.header_cost", str(path)]
            took, memory, answer = json.loads(subprocess.run(command, capture_output=True, check=True).stdout)
            within = memory <= LIMIT_MIB and (took <= LIMIT_S or name in LONG) and answer != "read"
            failed = failed or not within
            sys.stdout.write(f"{took * 1e3:7.1f} ms {memory:6.1f} MiB {'' if within else '!'} {name}: {answer[:70]}\n")
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
