"""One run each of our program and of llama.cpp's own: same files, same text, same threads.

The text of a prompt carries the template's marks, so all of them read the same tokens. Where the processor has AMX the
peers are told not to repack weights: built with GCC before 14 they crash there (docs/adr/0001).
"""

from __future__ import annotations

import json
import re
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx2

_AMX = Path("/proc/cpuinfo").exists() and "amx_int8" in Path("/proc/cpuinfo").read_text()
_PLAIN_WEIGHTS = ("-nr",) if _AMX else ()
_CTX = "4096"
_READY_S = 60.0


@dataclass(frozen=True, slots=True)
class Task:
    """What is run. peers is the folder of llama.cpp's programs, prompt a file."""

    peers: Path
    target: str
    draft: str
    prompt: Path
    max_tokens: int
    threads: int
    temperature: float = 0.0


@dataclass(frozen=True, slots=True)
class Speed:
    """outside_llama is a share of the time; None where the program does not tell."""

    tokens_per_s: float
    acceptance: float | None = None
    outside_llama: float | None = None
    prompt_tokens: int = 0


def ours(task: Task, length: str) -> Speed:
    """`length` is "off", "auto" or a number of tokens."""
    command = [
        *(sys.executable, "-m", "app", "generate", "--raw", "--json", "--ctx", _CTX, "--threads", str(task.threads)),
        *("--target", task.target, "--draft", task.draft, "--prompt-file", str(task.prompt)),
        *("--max-tokens", str(task.max_tokens), "--temperature", str(task.temperature), "--seed", "1"),
        *(("--speculation", "off") if length == "off" else ("--speculation", "on", "--draft-length", length)),
    ]
    stats = json.loads(_output(command, both=False))["stats"]
    outside = 1.0 - (stats["draft_s"] + stats["verify_s"]) / stats["decode_s"]
    return Speed(stats["tokens_per_s"], stats["acceptance_rate"], outside, stats["prompt_tokens"])


def llama_bench(task: Task, depth: int) -> Speed:
    """Plain decoding behind so many tokens; the tokens are its own."""
    command = [
        *(str(task.peers / "llama-bench"), "-m", task.target, "-t", str(task.threads), "-p", "0", "-r", "1"),
        *("-n", str(task.max_tokens), "-d", str(depth), "-o", "json", *(("--repack", "0") if _AMX else ())),
    ]
    return Speed(json.loads(_output(command, both=False))[0]["avg_ts"])


def speculative_simple(task: Task, length: int) -> Speed:
    command = [
        *(str(task.peers / "llama-speculative-simple"), "-m", task.target, "-md", task.draft, "-f", str(task.prompt)),
        *("-n", str(task.max_tokens), "--temp", str(task.temperature), "--seed", "1", "-c", _CTX),
        *("-t", str(task.threads), "-td", str(task.threads)),
        *("--spec-type", "draft-simple", "--spec-draft-n-max", str(length), *_PLAIN_WEIGHTS),
    ]
    output = _output(command, both=True)
    speed = re.search(r"decoded\s+\d+ tokens in\s+[\d.]+ seconds, speed:\s+([\d.]+) t/s", output)
    kept = re.search(r"accept\s+=\s+([\d.]+)%", output)
    assert speed is not None, output
    return Speed(float(speed.group(1)), float(kept.group(1)) / 100 if kept else None)


@contextmanager
def server(task: Task, length: int) -> Iterator[str]:
    """llama-server with its draft model; gives its address. Ends it afterwards."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [
        *(str(task.peers / "llama-server"), "-m", task.target, "-md", task.draft, "--port", str(port)),
        *("-c", _CTX, "-np", "1", "-t", str(task.threads), "-td", str(task.threads), "--no-webui"),
        *("--spec-type", "draft-simple", "--spec-draft-n-max", str(length), *_PLAIN_WEIGHTS),
    ]
    address = f"http://127.0.0.1:{port}"
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        try:
            _wait_until_ready(address, process)
            yield address
        finally:
            process.terminate()


def completion(task: Task, address: str) -> Speed:
    """One reply of a server that runs, with our default settings, by the times that it tells itself."""
    request = {
        "prompt": task.prompt.read_text(encoding="utf-8"),
        "n_predict": task.max_tokens,
        "temperature": task.temperature,
        "seed": 1,
        "top_k": 40,
        "top_p": 0.95,
        "min_p": 0.05,
        "cache_prompt": False,
    }
    answer = httpx2.post(f"{address}/completion", json=request, timeout=600.0)
    timings: dict[str, Any] = answer.raise_for_status().json()["timings"]
    drafted = timings.get("draft_n", 0)
    return Speed(timings["predicted_per_second"], timings["draft_n_accepted"] / drafted if drafted else None)


def _wait_until_ready(address: str, process: subprocess.Popen[bytes]) -> None:
    end = time.monotonic() + _READY_S
    while time.monotonic() < end and process.poll() is None:
        try:
            if httpx2.get(f"{address}/health").status_code == httpx2.codes.OK:
                return
        except httpx2.TransportError:
            pass
        time.sleep(0.1)
    raise RuntimeError(f"no server at {address}")


def _output(command: list[str], *, both: bool) -> str:
    """Standard output; with standard error after it for both."""
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"{command}\n{done.stderr[-4000:]}")
    return done.stdout + done.stderr if both else done.stdout
