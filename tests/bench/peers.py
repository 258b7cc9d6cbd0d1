"""Our tokens per second against llama.cpp's own llama-speculative-simple: same files, prompt, draft length, one run.

    python -m tests.bench.peers PEERS/bin TARGET.gguf DRAFT.gguf [--repeats 5] [--max-tokens 128] > report.json

Both programs run in turn, so a machine that slows down slows both; what counts is the median of the ratios of the
pairs. The prompts carry the template's text, so both read the same tokens. Where the processor has AMX the peer is
told not to repack weights: built with GCC before 14 it crashes there (docs/adr/0001).
"""

from __future__ import annotations

import argparse
import json
import re
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

PROMPTS = {
    "code": "Write a Python function for the n-th Fibonacci number with memoisation, and explain it.",
    "json": "Write a JSON array of five books with title, author and year.",
    "prose": "Tell a short story about a lighthouse keeper and a storm.",
}
TEMPLATE = "<|im_start|>user\n{}<|im_end|>\n<|im_start|>assistant\n"


def ours(arguments: argparse.Namespace, prompt: Path, temperature: float, speculation: str) -> dict[str, float]:
    command = [
        *(sys.executable, "-m", "app", "generate", "--raw", "--json"),
        *("--target", arguments.target, "--draft", arguments.draft, "--prompt-file", str(prompt)),
        *("--max-tokens", str(arguments.max_tokens), "--temperature", str(temperature), "--seed", "1"),
        *("--draft-length", str(arguments.draft_length), "--speculation", speculation, "--ctx", "4096"),
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    stats = json.loads(done.stdout)["stats"]
    outside = 1.0 - (stats["draft_s"] + stats["verify_s"]) / stats["decode_s"]
    return {"tokens_per_s": stats["tokens_per_s"], "outside_llama": outside, "acceptance": stats["acceptance_rate"]}


def peer(arguments: argparse.Namespace, prompt: Path, temperature: float) -> dict[str, float]:
    command = [
        *(str(arguments.peers / "llama-speculative-simple"), "-m", arguments.target, "-md", arguments.draft),
        *("-f", str(prompt), "-n", str(arguments.max_tokens), "--temp", str(temperature), "--seed", "1"),
        *("--spec-type", "draft-simple", "--spec-draft-n-max", str(arguments.draft_length), "-c", "4096"),
        *(("-nr",) if "amx_int8" in Path("/proc/cpuinfo").read_text() else ()),
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    output = done.stdout + done.stderr
    speed = re.search(r"decoded\s+\d+ tokens in\s+[\d.]+ seconds, speed:\s+([\d.]+) t/s", output)
    accept = re.search(r"accept\s+=\s+([\d.]+)%", output)
    assert speed is not None, output
    return {
        "tokens_per_s": float(speed.group(1)),
        "acceptance": float(accept.group(1)) / 100 if accept else float("nan"),
    }


def compare(arguments: argparse.Namespace, kind: str, temperature: float) -> dict[str, object]:
    with tempfile.TemporaryDirectory() as folder:
        prompt = Path(folder) / "prompt.txt"
        prompt.write_text(TEMPLATE.format(PROMPTS[kind]), encoding="utf-8")
        rounds = []
        for _ in range(arguments.repeats):
            on = ours(arguments, prompt, temperature, "on")
            theirs = peer(arguments, prompt, temperature)
            off = ours(arguments, prompt, temperature, "off")
            rounds.append({"on": on, "peer": theirs, "off": off})
            sys.stderr.write(f"{kind} {temperature} {rounds[-1]}\n")
    median = statistics.median
    return {
        "prompt": kind,
        "temperature": temperature,
        "against_peer": median(r["on"]["tokens_per_s"] / r["peer"]["tokens_per_s"] for r in rounds),
        "against_off": median(r["on"]["tokens_per_s"] / r["off"]["tokens_per_s"] for r in rounds),
        "outside_llama": median(r["on"]["outside_llama"] for r in rounds),
        "outside_llama_off": median(r["off"]["outside_llama"] for r in rounds),
        "tokens_per_s": {who: median(r[who]["tokens_per_s"] for r in rounds) for who in ("on", "off", "peer")},
        "rounds": rounds,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("peers", type=Path)
    parser.add_argument("target")
    parser.add_argument("draft")
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--max-tokens", type=int, default=128)
    parser.add_argument("--draft-length", type=int, default=4)
    parser.add_argument("--prompts", nargs="+", choices=PROMPTS, default=list(PROMPTS))
    parser.add_argument("--temperatures", nargs="+", type=float, default=[0.0, 0.8])
    arguments = parser.parse_args()
    report = [compare(arguments, kind, t) for t in arguments.temperatures for kind in arguments.prompts]
    json.dump(report, sys.stdout, indent=1)


if __name__ == "__main__":
    main()
