"""What the lookup costs, whatever the length of the text: `python -m tests.bench.lookup_cost` prints microseconds for
adding a token, taking one back and looking something up, and bytes a token, at 1k, 16k and 128k tokens."""

from __future__ import annotations

import sys
import tracemalloc
from random import Random
from time import perf_counter

from engine.lookup import Lookup

SIZES = (1 << 10, 1 << 14, 1 << 17)
LOOKS = 2_000


def text(size: int) -> list[int]:
    """Some tokens often and many seldom, and every eighth stretch a copy of an earlier one."""
    random, made = Random(7), list[int]()
    while len(made) < size:
        if made and random.random() < 1 / 8:
            start = random.randrange(len(made))
            made += made[start : start + 64]
        else:
            made += (int(random.paretovariate(0.5)) % 49_000 for _ in range(64))
    return made[:size]


def main() -> None:
    sys.stdout.write(f"{'tokens':>8}{'add':>8}{'take back':>11}{'look up':>9}   (microseconds)   bytes a token\n")
    for size in SIZES:
        tokens = text(size)
        tracemalloc.start()
        lookup = Lookup(size)
        lookup.extend(tokens)
        held, _ = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        begin = perf_counter()
        lookup.truncate(size // 2)
        taken = perf_counter()
        lookup.extend(tokens[size // 2 :])
        added = perf_counter()
        for token in tokens[:LOOKS]:
            lookup.find()
            lookup.extend([token])
        looked = perf_counter()
        half = size - size // 2
        costs = [(added - taken) / half, (taken - begin) / half, (looked - added) / LOOKS]
        add, back, look = (cost * 1e6 for cost in costs)
        sys.stdout.write(f"{size:8}{add:8.1f}{back:11.1f}{look:9.1f}{held / size:33.0f}\n")


if __name__ == "__main__":
    main()
