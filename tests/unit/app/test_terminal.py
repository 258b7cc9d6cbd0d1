"""A JSON answer is whole or not there, whatever happens while it is written."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(os.name == "nt", reason="no signal reaches a single process there")

# Far more than a pipe holds, so that the writer waits for its reader.
SIZE = 1_000_000
PROGRAM = f"""
import sys
from app import cli
from app.command import Outcome
cli._COMMANDS["doctor"] = lambda *_: Outcome(document={{"text": "x" * {SIZE}}})
sys.exit(cli.main(["doctor", "--json"]))
"""


@contextmanager
def answering(base: Path, unbuffered: str = "") -> Iterator[subprocess.Popen[bytes]]:
    """A command that has begun to write its answer, which nobody reads yet."""
    environment = {**os.environ, "DRAFTLIGHT_BASE_DIR": str(base), "PYTHONUNBUFFERED": unbuffered}
    command = [sys.executable, "-c", PROGRAM]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, bufsize=0, stdout=pipe, stderr=pipe, env=environment) as process:
        assert process.stdout is not None
        assert process.stdout.read(1) == b"{"
        try:
            yield process
        finally:
            process.kill()


def press(process: subprocess.Popen[bytes]) -> None:
    """Ctrl-C, and time for it to be noticed."""
    process.send_signal(signal.SIGINT)
    time.sleep(0.2)


@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_ctrl_c_lets_the_answer_be_whole(tmp_path: Path, unbuffered: str) -> None:
    """It counts afterwards, as the exit status tells."""
    with answering(tmp_path, unbuffered) as process:
        press(process)
        out, err = process.communicate(timeout=20)
    assert json.loads(b"{" + out) == {"text": "x" * SIZE}
    assert (process.returncode, err) == (130, b"")


def test_a_second_ctrl_c_does_not_wait_for_a_reader_that_sleeps(tmp_path: Path) -> None:
    """Nothing else would end the program."""
    with answering(tmp_path) as process:
        press(process)
        assert process.poll() is None
        press(process)
        assert process.wait(timeout=20) == 130


def test_a_reader_that_leaves_is_no_failure(tmp_path: Path) -> None:
    with answering(tmp_path) as process:
        assert process.stdout is not None
        process.stdout.close()
        assert process.wait(timeout=20) == 0
        assert process.stderr is not None
        assert process.stderr.read() == b""


def test_what_is_said_does_not_command_the_terminal(tmp_path: Path) -> None:
    """A file's name may hold anything."""
    command = [sys.executable, "-m", "app", "models", "add", str(tmp_path / "red\x1b[31m.gguf")]
    environment = {**os.environ, "DRAFTLIGHT_BASE_DIR": str(tmp_path)}
    done = subprocess.run(command, env=environment, capture_output=True, timeout=60, check=False)
    assert done.returncode == 1
    assert b"\x1b" not in done.stderr
    assert b"red\\x1b[31m.gguf" in done.stderr
