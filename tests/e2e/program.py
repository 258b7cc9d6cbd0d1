"""The real program in a process of its own."""

from __future__ import annotations

import json
import subprocess
import sys
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import psutil

ROOT = Path(__file__).parents[2]
COMMAND = [sys.executable, "-m", "app"]

# One thread: engines of other tests and programs share the machine, and llama.cpp's threads wait by spinning.
ONE_THREAD = ["--threads", "1"]

# For what depends on guesses: lengths chosen by time may be 0, and are not the same in two runs.
FOUR_GUESSES = ["--draft-length", "4"]


@dataclass(frozen=True, slots=True)
class Result:
    """How a run of the program ended."""

    status: int
    out: str
    err: str

    @property
    def document(self) -> dict[str, object]:
        """What --json printed."""
        document = json.loads(self.out)
        assert isinstance(document, dict)
        return document


def run(*words: str, stdin: bytes = b"") -> Result:
    """Run the program to its end."""
    done = subprocess.run([*COMMAND, *words], input=stdin, capture_output=True, cwd=ROOT, timeout=240, check=False)
    return Result(done.returncode, done.stdout.decode("utf-8"), done.stderr.decode("utf-8"))


def start(*words: str) -> subprocess.Popen[bytes]:
    """Start the program in a process group of its own, as a terminal does."""
    return subprocess.Popen(
        [*COMMAND, *words],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=ROOT,
        start_new_session=True,
    )


def wait_for_text(program: subprocess.Popen[bytes]) -> bytes:
    """Block until the program has written something of its answer; gives that."""
    assert program.stdout is not None
    return program.stdout.read(1)


def finish(program: subprocess.Popen[bytes]) -> Result:
    """Wait for its end; what `wait_for_text` took is missing."""
    out, err = program.communicate(timeout=120)
    return Result(program.returncode, out.decode("utf-8", errors="replace"), err.decode("utf-8"))


def engines(program: subprocess.Popen[bytes]) -> list[psutil.Process]:
    """The engine processes of a running program."""
    found = []
    for child in psutil.Process(program.pid).children():
        with suppress(psutil.NoSuchProcess):  # it has just ended, as those that only measure do
            if "spawn_main" in " ".join(child.cmdline()):
                found.append(child)
    return found


def family(program: subprocess.Popen[bytes]) -> list[psutil.Process]:
    """All processes that a running program has started."""
    return psutil.Process(program.pid).children(recursive=True)
