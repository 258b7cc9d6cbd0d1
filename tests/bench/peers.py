"""Our tokens per second against llama.cpp's own programs: same files, prompt and threads, in turns, one run.

    python -m tests.bench.peers PEERS/bin TARGET.gguf DRAFT.gguf [--repeats 5] [--max-tokens 128] > report.json

Four comparisons, each the median of the ratios ours ÷ theirs, runs side by side, so that a machine that slows down
slows both:

* plain: off against llama-bench, behind as many tokens as the prompt has;
* fixed: a fixed draft length against llama-speculative-simple with the same;
* auto: lengths chosen by time against the best of llama-speculative-simple's, found by trying `--lengths`;
* server: lengths chosen by time against llama-server with a draft, each reply over HTTP, at the last temperature.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import tempfile
from collections.abc import Callable
from dataclasses import asdict, replace
from pathlib import Path

import psutil

from tests.bench.peer_programs import Speed, Task, completion, llama_bench, ours, server, speculative_simple

PROMPTS = {
    "code": "Write a Python function for the n-th Fibonacci number with memoisation, and explain it.",
    "json": "Write a JSON array of five books with title, author and year.",
    "prose": "Tell a short story about a lighthouse keeper and a storm.",
}
TEMPLATE = "<|im_start|>user\n{}<|im_end|>\n<|im_start|>assistant\n"
COMPARISONS = ("plain", "fixed", "auto", "server")

Report = dict[str, object]


def in_turns(name: str, repeats: int, mine: Callable[[], Speed], theirs: Callable[[], Speed]) -> Report:
    """Run both so often, and tell the medians."""
    rounds = []
    for _ in range(repeats):
        rounds.append((mine(), theirs()))
        sys.stderr.write(f"{name} {rounds[-1]}\n")
    median = statistics.median
    outside = [own.outside_llama for own, _ in rounds if own.outside_llama is not None]
    return {
        "ratio": median(own.tokens_per_s / other.tokens_per_s for own, other in rounds),
        "ours": median(own.tokens_per_s for own, _ in rounds),
        "theirs": median(other.tokens_per_s for _, other in rounds),
        "outside_llama": median(outside) if outside else None,
        "rounds": [(asdict(own), asdict(other)) for own, other in rounds],
    }


def best_length(task: Task, lengths: list[int]) -> int:
    """With which llama-speculative-simple is fastest on this text."""
    speeds = {length: speculative_simple(task, length).tokens_per_s for length in lengths}
    sys.stderr.write(f"theirs by length {speeds}\n")
    return max(speeds, key=speeds.__getitem__)


def compare(task: Task, arguments: argparse.Namespace, prompt: str) -> Report:
    """All comparisons that were asked for, on one prompt at one temperature."""
    wanted, repeats, length = arguments.comparisons, arguments.repeats, arguments.draft_length
    name = f"{prompt} {task.temperature}"
    report: Report = {"prompt": prompt, "temperature": task.temperature}
    if "plain" in wanted and task.temperature == 0.0:
        depth = ours(replace(task, max_tokens=8), "off").prompt_tokens
        report["plain"] = in_turns(
            f"{name} plain", repeats, lambda: ours(task, "off"), lambda: llama_bench(task, depth)
        )
    if "fixed" in wanted:
        report["fixed"] = in_turns(
            f"{name} fixed", repeats, lambda: ours(task, str(length)), lambda: speculative_simple(task, length)
        )
    if "auto" in wanted:
        best = best_length(task, arguments.lengths)
        report["auto"] = in_turns(
            f"{name} auto", repeats, lambda: ours(task, "auto"), lambda: speculative_simple(task, best)
        ) | {"their_length": best}
    if "server" in wanted and task.temperature == arguments.temperatures[-1]:
        with server(task, length) as address:
            report["server"] = in_turns(
                f"{name} server", repeats, lambda: ours(task, "auto"), lambda: completion(task, address)
            )
    return report


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("peers", type=Path)
    parser.add_argument("target")
    parser.add_argument("draft")
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--max-tokens", type=int, default=128)
    parser.add_argument("--draft-length", type=int, default=4)
    parser.add_argument("--lengths", nargs="+", type=int, default=[1, 2, 3, 4, 6, 8, 12, 16])
    parser.add_argument("--threads", type=int, default=psutil.cpu_count(logical=False))
    parser.add_argument("--prompts", nargs="+", choices=PROMPTS, default=list(PROMPTS))
    parser.add_argument("--temperatures", nargs="+", type=float, default=[0.0, 0.8])
    parser.add_argument("--comparisons", nargs="+", choices=COMPARISONS, default=list(COMPARISONS))
    arguments = parser.parse_args()
    reports = []
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "prompt.txt"
        for temperature in arguments.temperatures:
            for prompt in arguments.prompts:
                file.write_text(TEMPLATE.format(PROMPTS[prompt]), encoding="utf-8")
                task = Task(
                    peers=arguments.peers,
                    target=arguments.target,
                    draft=arguments.draft,
                    prompt=file,
                    max_tokens=arguments.max_tokens,
                    threads=arguments.threads,
                    temperature=temperature,
                )
                reports.append(compare(task, arguments, prompt))
    json.dump(reports, sys.stdout, indent=1)


if __name__ == "__main__":
    main()
