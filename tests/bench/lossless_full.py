"""On against off with real weights, at length: what is identical, and how near a tie was where it is not.

    python -m tests.bench.lossless_full FOLDER [--configurations exact default] [--temperatures 0 0.8]
        [--drafts Q4_1 Q4_0] [--lengths 1 2 4 8] [--prompts 40] [--seeds 10] [--tokens 128] [--rotate] [--threads N]

In the exact configuration (flash attention off, F32 cache) every reply must be identical. In the default one each first
difference is looked at in the plain run: the two tokens must be less than 0.05 apart there (`engine.near_ties`).
Exit status 1 says that something was not.

FOLDER keeps the models, every reply and `report.json`. Run it again, with the same options or others, and it goes on
where it was stopped; the report always covers all that is in the folder. Greedy replies have one seed. All of it is
some 8,000 replies, a day on two cores; one configuration greedy is 360 and takes most of an hour. With --rotate each
prompt and seed is written with one draft and length, in turns, so that ten seeds meet every one of the eight: 800
replies for a configuration instead of 3,600.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import platform
import sys
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from itertools import product
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, Final

import numpy as np

from app.engine_client import EngineClient
from app.paths import Paths
from app.starter import starter_pair
from engine.distribution import Logits
from engine.near_ties import chosen, gap
from engine.types import GenerationRequest, LoadRequest, SamplingSettings
from tests.bench.prompts import PROMPTS
from tests.lossless import real_engine

CTX: Final = 512
LARGEST_GAP: Final = 0.05
FIRST_SEED: Final = 1000


@dataclass(frozen=True, slots=True)
class Case:
    """One reply. draft is None and length 0 for the target alone."""

    configuration: str
    draft: str | None
    length: int
    temperature: float
    seed: int
    prompt: str
    tokens: int

    def alone(self) -> Case:
        return Case(self.configuration, None, 0, self.temperature, self.seed, self.prompt, self.tokens)

    def sampling(self) -> SamplingSettings:
        return SamplingSettings(temperature=self.temperature, seed=self.seed)


class Journal:
    """Every reply so far, one line of JSON each, so that a run can be stopped at any time."""

    def __init__(self, path: Path) -> None:
        self.records: dict[Case, dict[str, Any]] = {}
        if path.exists():
            for line in path.read_text(encoding="utf-8").splitlines():
                record = json.loads(line)
                self.records[Case(**record["case"])] = record
        self._file = path.open("a", encoding="utf-8")

    def add(self, case: Case, **facts: Any) -> None:
        record = {"case": asdict(case), **facts}
        self.records[case] = record
        self._file.write(json.dumps(record, ensure_ascii=False) + "\n")
        self._file.flush()

    def ids(self, case: Case) -> list[int]:
        found: list[int] = self.records[case]["ids"]
        return found


# ---------------------------------------------------------------- the target's logits, in a process of their own


def serve_rows(connection: Connection, wanted: LoadRequest, log: str) -> None:
    """Answer (prompt, ids) with the logits after them, computed as the plain loop does. Ends with the pipe."""
    output = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    for stream in (1, 2):
        os.dup2(output, stream)
    import psutil

    from engine.devices import computing_device
    from engine.llama import LlamaModel
    from engine.llama_context import MAX_DRAFT_LENGTH, LlamaContext

    model = LlamaModel(wanted.target, wanted.gpu_layers, lambda _: True)
    context = LlamaContext(
        model,
        CTX,
        outputs=MAX_DRAFT_LENGTH + 1,
        kv_type=wanted.kv_type,
        flash_attention=wanted.flash_attention,
        threads=wanted.threads or psutil.cpu_count(logical=False) or 1,
        on_gpu=computing_device(wanted.gpu_layers).kind != "cpu",
        cancelled=lambda: False,
    )
    while True:
        try:
            prompt, ids = connection.recv()
        except EOFError:
            return
        context.clear()
        tokens = model.tokenize(prompt)
        for start in range(0, len(tokens), context.chunk):
            part = tokens[start : start + context.chunk]
            rows = context.decode(part, 1)
        for token in ids:
            rows = context.decode([token], 1)
        connection.send(rows[0].copy())


class RowReader:
    """The other end of `serve_rows`. Its process is started when it is first asked."""

    def __init__(self, wanted: LoadRequest, log: Path) -> None:
        self._wanted = wanted
        self._log = log
        self._connection: Connection | None = None

    def row(self, prompt: str, ids: Sequence[int]) -> Logits:
        if self._connection is None:
            spawn = multiprocessing.get_context("spawn")
            self._connection, theirs = spawn.Pipe()
            self._process = spawn.Process(target=serve_rows, args=(theirs, self._wanted, str(self._log)))
            self._process.start()
            theirs.close()
        self._connection.send((prompt, list(ids)))
        row: Logits = self._connection.recv()
        return row

    def close(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._process.join()


# ---------------------------------------------------------------- one part after the other


@contextmanager
def engine(folder: Path) -> Iterator[EngineClient]:
    client = EngineClient(Paths(folder).logs)
    try:
        yield client
    finally:
        client.close()


def run(folder: Path, arguments: argparse.Namespace, journal: Journal) -> None:
    with engine(folder) as client:
        starter = starter_pair(Paths(folder), client)
        assert starter.draft is not None
        files = {"Q4_1": Path(starter.draft), "Q4_0": folder / "Q4_0.gguf"}
        if not files["Q4_0"].exists():
            part = files["Q4_0"].with_suffix(".part")
            for _ in client.quantize(Path(starter.target), part, "Q4_0"):
                pass
            part.rename(files["Q4_0"])
        for configuration, draft in product(arguments.configurations, arguments.drafts):
            wanted = real_engine.request(Path(starter.target), files[draft], CTX, exact=configuration == "exact")
            wanted = replace(wanted, threads=arguments.threads)
            cases = [case for case in cases_of(configuration, draft, arguments) if case not in journal.records]
            if cases:
                real_engine.load(client, wanted)
                rows = RowReader(wanted, folder / "rows.log")
                try:
                    for number, case in enumerate(cases):
                        sys.stderr.write(f"{number + 1}/{len(cases)} {case}\n")
                        write(client, rows, case, journal)
                finally:
                    rows.close()


def cases_of(configuration: str, draft: str, arguments: argparse.Namespace) -> Iterator[Case]:
    ways = list(product(arguments.drafts, arguments.lengths))
    for temperature in arguments.temperatures:
        seeds = range(arguments.seeds if temperature > 0.0 else 1)
        for seed, (number, prompt), length in product(
            seeds, enumerate(PROMPTS[: arguments.prompts]), arguments.lengths
        ):
            if not arguments.rotate or ways[(seed + number) % len(ways)] == (draft, length):
                yield Case(configuration, draft, length, temperature, FIRST_SEED + seed, prompt, arguments.tokens)


def write(client: EngineClient, rows: RowReader, case: Case, journal: Journal) -> None:
    """Write a reply, and its plain twin if there is none yet, and look at the first difference."""
    alone = case.alone()
    if alone not in journal.records:
        off = real_engine.write(client, case.prompt, case.sampling(), 0, case.tokens)
        journal.add(alone, ids=[token.token_id for token in off.tokens])
    on = real_engine.write(client, case.prompt, case.sampling(), case.length, case.tokens)
    assert on.stats.inactive is None, on.stats.inactive
    ids = [token.token_id for token in on.tokens]
    difference = first_difference(rows, case, journal.ids(alone), ids)
    journal.add(case, ids=ids, verified=on.stats.verified, accepted=on.stats.accepted, difference=difference)


def first_difference(rows: RowReader, case: Case, plain: list[int], ids: list[int]) -> dict[str, Any] | None:
    """Where two replies part and how far apart the two tokens are in the plain run; None if they are the same."""
    if plain == ids:
        return None
    index = next(at for at, (a, b) in enumerate(zip(plain, ids, strict=False)) if a != b)
    row = rows.row(case.prompt, plain[:index])
    request = GenerationRequest(job=0, sampling=case.sampling())
    again = chosen(row, request, index, [])
    assert again == plain[index], f"the plain run cannot be repeated: {again} for {plain[index]} at {index}"
    size = gap(row, request, index, [], (plain[index], ids[index]))
    return {"index": index, "plain": plain[index], "other": ids[index], "gap": size}


# ---------------------------------------------------------------- the report


def report_of(journal: Journal) -> dict[str, Any]:
    parts: dict[tuple[str, float, str], list[dict[str, Any]]] = defaultdict(list)
    for case, record in journal.records.items():
        if case.draft is not None:
            parts[case.configuration, case.temperature, case.draft].append(record)
    return {
        "machine": f"{platform.processor() or platform.machine()}, {os.cpu_count()} threads, {platform.system()}",
        "numpy": np.__version__,
        "parts": [
            {"configuration": configuration, "temperature": temperature, "draft": draft, **part_of(records)}
            for (configuration, temperature, draft), records in sorted(parts.items())
        ],
    }


def part_of(records: list[dict[str, Any]]) -> dict[str, Any]:
    differences = [
        {key: record["case"][key] for key in ("prompt", "seed", "length")} | record["difference"]
        for record in records
        if record["difference"] is not None
    ]
    by_length: dict[str, dict[str, float]] = {}
    for length in sorted({record["case"]["length"] for record in records}):
        these = [record for record in records if record["case"]["length"] == length]
        by_length[str(length)] = {
            "replies": len(these),
            "identical": sum(record["difference"] is None for record in these),
            "acceptance_rate": sum(r["accepted"] for r in these) / max(1, sum(r["verified"] for r in these)),
        }
    return {
        "replies": len(records),
        "tokens": sum(len(record["ids"]) for record in records),
        "identical": len(records) - len(differences),
        "largest_gap": max((difference["gap"] for difference in differences), default=0.0),
        "by_length": by_length,
        "differences": sorted(differences, key=lambda difference: -difference["gap"]),
    }


def is_good(report: dict[str, Any]) -> bool:
    return all(
        part["identical"] == part["replies"] if part["configuration"] == "exact" else part["largest_gap"] < LARGEST_GAP
        for part in report["parts"]
    )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--configurations", nargs="+", choices=["exact", "default"], default=["exact", "default"])
    parser.add_argument("--temperatures", nargs="+", type=float, default=[0.0, 0.8])
    parser.add_argument("--drafts", nargs="+", choices=["Q4_1", "Q4_0"], default=["Q4_1", "Q4_0"])
    parser.add_argument("--lengths", nargs="+", type=int, default=[1, 2, 4, 8])
    parser.add_argument("--prompts", type=int, default=len(PROMPTS))
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--tokens", type=int, default=128)
    parser.add_argument("--rotate", action="store_true")
    parser.add_argument("--threads", type=int)
    arguments = parser.parse_args()
    folder = arguments.folder.absolute()
    folder.mkdir(parents=True, exist_ok=True)
    journal = Journal(folder / "replies.jsonl")
    run(folder, arguments, journal)
    report = report_of(journal)
    (folder / "report.json").write_text(json.dumps(report, indent=1, ensure_ascii=False), encoding="utf-8")
    for part in report["parts"]:
        summary = {key: value for key, value in part.items() if key not in ("by_length", "differences")}
        sys.stdout.write(json.dumps(summary) + "\n")
    return 0 if is_good(report) else 1


if __name__ == "__main__":
    sys.exit(main())
