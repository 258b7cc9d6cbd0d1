"""Mutated headers against our own reader: `python -m tests.bench.header_fuzz [HEADERS] [SEED]`.

Each is a header that looks real, changed in one to four ways: flipped bytes, lengths and counts edited, cut off,
pieces repeated, moved and taken from another header, zeros behind. Read or refused, none may fail in another way,
take more than a second, or take memory without bound.
"""

from __future__ import annotations

import os
import random
import struct
import sys
import tempfile
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from time import perf_counter

from engine.errors import EngineError
from engine.gguf import check_loadable, read_header
from engine.vocabulary import vocabulary_of
from tests.bench.header_cost import most_memory_mib
from tests.fakes import gguf_files
from tests.fakes.gguf_files import Tiny

SLOWEST_S = 1.0
MOST_MIB = 96  # above what the program takes before

# What lengths, counts, types and offsets are edited to
_NUMBERS = (
    0,
    1,
    7,
    8,
    9,
    13,
    31,
    32,
    255,
    65_535,
    1 << 20,
    (1 << 31) - 1,
    1 << 31,
    (1 << 32) - 1,
    1 << 62,
    (1 << 64) - 1,
)


@dataclass
class Findings:
    """What became of the headers.

    Attributes:
        outcomes: how many were read, and how many refused with each kind of error.
        failures: what the reader raised besides, and the number of the header.
    """

    outcomes: Counter[str] = field(default_factory=Counter)
    failures: list[tuple[int, str]] = field(default_factory=list)
    slowest_s: float = 0.0
    slowest: int = -1


def real_looking(folder: Path) -> list[bytes]:
    """The bytes of whole small models of different architectures, of parts, of an encoder and of a mere tokenizer."""
    small = {"layers": 1, "width": 32, "vocab_size": 300}
    models = [Tiny(**small), Tiny("gemma3", **small), Tiny("mamba", **small), Tiny(chat_template=None)]  # type: ignore[arg-type]
    paths = [gguf_files.write_model(folder / f"{number}.gguf", model) for number, model in enumerate(models)]
    paths += gguf_files.write_split_model(folder, Tiny(**small))  # type: ignore[arg-type]
    paths.append(gguf_files.write_embedding_model(folder / "bert.gguf"))
    paths.append(gguf_files.write_vocabulary_only(folder / "words.gguf", Tiny(**small)))  # type: ignore[arg-type]
    experts = {"llama.block_count": 2, "llama.expert_count": 8, "llama.expert_used_count": 2}
    paths.append(gguf_files.write_header(folder / "experts.gguf", experts, {"blk.0.attn_norm.weight": [32]}))
    return [path.read_bytes() for path in paths]


def mutated(headers: Sequence[bytes], source: random.Random) -> bytes:
    """One of the headers, changed."""
    data = bytearray(source.choice(headers))
    for _ in range(source.randint(1, 4)):
        # Most of what matters stands at the beginning.
        place = source.randrange(min(len(data), source.choice((24, 400, 4000, 40_000))) or 1)
        match source.randrange(7):
            case 0:
                for _ in range(source.randint(1, 8)):
                    data[source.randrange(len(data))] ^= 1 << source.randrange(8)
            case 1:
                data[place : place + 1] = bytes([source.randrange(256)])
            case 2:
                layout = source.choice(("<I", "<Q"))
                number = source.choice(_NUMBERS) % (1 << 8 * struct.calcsize(layout))
                data[place : place + struct.calcsize(layout)] = struct.pack(layout, number)
            case 3:
                del data[max(place, 1) :]
            case 4:
                del data[place : place + source.randint(1, 200)]
            case 5:
                piece = data[place : place + source.randint(1, 2000)]
                data[place:place] = piece * source.randint(1, 4)
            case _:
                other = source.choice(headers)
                begin = source.randrange(len(other))
                data[place : place + source.choice((0, 64))] = other[begin : begin + source.randint(1, 2000)]
        if not data:
            data = bytearray(b"GGUF")
    return bytes(data)


def fuzz(count: int, seed: int, folder: Path) -> Findings:
    """Read `count` mutated headers, one in ten of them in a file with a gigabyte of zeros behind."""
    headers = real_looking(folder)
    findings = Findings()
    path = folder / "mutated.gguf"
    for number in range(count):
        source = random.Random(f"{seed} {number}")
        data = mutated(headers, source)
        with path.open("wb") as file:
            file.write(data)
            if source.randrange(10) == 0:
                file.truncate(1 << 30)
        begin = perf_counter()
        try:
            header = read_header(path)
            check_loadable(header)
            vocabulary_of(header)
            outcome = "read"
        except EngineError as error:
            outcome = error.report.kind.value
        except Exception as error:  # noqa: BLE001 – what is looked for
            outcome = "FAILED"
            findings.failures.append((number, repr(error)))
        findings.outcomes[outcome] += 1
        if (took := perf_counter() - begin) > findings.slowest_s:
            findings.slowest_s, findings.slowest = took, number
    path.unlink(missing_ok=True)
    return findings


def main(count: int, seed: int) -> int:
    """0 if nothing failed, took too long or too much."""
    before = most_memory_mib()
    begin = perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        findings = fuzz(count, seed, Path(folder))
    took, memory = perf_counter() - begin, most_memory_mib() - before
    sys.stdout.write(
        f"{count} headers, seed {seed}, {os.cpu_count()} cores: {took:.0f} s in all, at most "
        f"{findings.slowest_s * 1e3:.0f} ms (header {findings.slowest}) and {memory:.0f} MiB more than before\n"
    )
    for outcome, times in findings.outcomes.most_common():
        sys.stdout.write(f"{times:8} {outcome}\n")
    for number, failure in findings.failures[:20]:
        sys.stdout.write(f"header {number}: {failure}\n")
    return int(bool(findings.failures) or findings.slowest_s > SLOWEST_S or memory > MOST_MIB)


if __name__ == "__main__":
    words = [int(word) for word in sys.argv[1:]]
    sys.exit(main(*(words + [100_000, 1][len(words) :])))
