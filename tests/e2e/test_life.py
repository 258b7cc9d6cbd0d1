"""Engines that are killed, programs that are interrupted or killed, readers that go: nothing hangs or stays."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable

import psutil
import pytest

from tests.e2e.program import COMMAND, FOUR_GUESSES, ROOT, engines, family, finish, start, wait_for_text

LONG = ["--prompt", "Write a long story about a lighthouse.", "--seed", "1"]


def start_story(starter_words: list[str], *words: str) -> subprocess.Popen[bytes]:
    return start("generate", *starter_words, *LONG, *FOUR_GUESSES, *words)  # which spares the load its measurements


def test_engine_killed_in_mid_reply(starter_words: list[str]) -> None:
    """kill -9 of the engine costs the rest of the reply: the text so far stays, a message follows, status 1."""
    program = start_story(starter_words)
    first = wait_for_text(program)
    (engine,) = engines(program)
    engine.kill()
    result = finish(program)
    assert result.status == 1
    assert (first + result.out.encode()).endswith(b"\n")
    assert "The engine stopped unexpectedly" in result.err
    assert "memory ran out" in result.err
    assert "Traceback" not in result.err


def test_engine_killed_in_mid_reply_with_json(starter_words: list[str]) -> None:
    """The JSON of a reply that the engine's death cut off has its error and what is known."""
    program = start_story(starter_words, "--json")
    wait_for_weights(program).kill()
    result = finish(program)
    assert result.status == 1
    document = json.loads(result.out)
    assert document["finish_reason"] == "error"
    assert document["error"]["kind"] == "engine_died"
    assert document["error"]["facts"]["signal"] == "SIGKILL"


def wait_for_weights(program: subprocess.Popen[bytes]) -> psutil.Process:
    """Block until the program has an engine that holds its weights."""
    while not (found := engines(program)) or found[0].memory_info().rss < 500_000_000:
        assert program.poll() is None
        os.sched_yield()
    return found[0]


def test_ctrl_c_ends_the_reply(starter_words: list[str]) -> None:
    """Ctrl-C, which a terminal sends to the engine too, keeps the text, ends the line and gives status 130."""
    program = start_story(starter_words)
    first = wait_for_text(program)
    os.killpg(program.pid, signal.SIGINT)
    result = finish(program)
    assert result.status == 130
    assert (first + result.out.encode()).endswith(b"\n")
    assert "first token after" in result.err
    assert "Traceback" not in result.err


def test_ctrl_c_with_json(starter_words: list[str]) -> None:
    """Ctrl-C at any moment of a load or a reply gives the JSON of what there is."""
    program = start_story(starter_words, "--json")
    wait_for_weights(program)
    os.killpg(program.pid, signal.SIGINT)
    result = finish(program)
    assert result.status == 130
    assert json.loads(result.out)["finish_reason"] == "cancelled"
    assert "Traceback" not in result.err


def test_reader_that_goes_ends_the_program_quietly(starter_words: list[str]) -> None:
    """As after `| head -1`: no message, status 0, and the engine goes too."""
    program = start_story(starter_words)
    wait_for_text(program)
    children = family(program)
    assert program.stdout is not None
    program.stdout.close()
    assert program.stderr is not None
    error = program.stderr.read().decode()
    program.stderr.close()
    assert program.wait(timeout=60) == 0
    assert error == ""
    assert not psutil.wait_procs(children, timeout=30)[1]


@pytest.mark.parametrize("send", [subprocess.Popen.kill, subprocess.Popen.terminate])
def test_killing_the_program_ends_the_engine(
    starter_words: list[str], send: Callable[[subprocess.Popen[bytes]], None]
) -> None:
    """After kill -9 of the program every process that it started leaves by itself, in the middle of a reply."""
    program = start_story(starter_words)
    wait_for_text(program)
    children = family(program)
    assert children
    send(program)
    program.wait()
    _, alive = psutil.wait_procs(children, timeout=30)
    finish(program)
    assert not alive


@pytest.mark.parametrize("delay_s", [0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.7, 1.0])
def test_ctrl_c_at_any_moment_of_the_start_prints_no_traceback(starter_words: list[str], delay_s: float) -> None:
    """An impatient Ctrl-C, sent to the whole group as a terminal does, ends the program quietly whenever it comes."""
    program = subprocess.Popen(
        [*COMMAND, "generate", *starter_words, *LONG],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    with pytest.raises(subprocess.TimeoutExpired):
        program.wait(timeout=delay_s + 0.05)
    os.killpg(program.pid, signal.SIGINT)
    _, error = program.communicate(timeout=60)
    assert program.returncode != 0
    # The interpreter itself may be interrupted before any of the program's code runs.
    assert b"app/" not in error
    assert b"engine/" not in error


INTERRUPTED_CALLBACK = """
import os, signal, sys
from app.__main__ import main

class Callback:
    def __del__(self):
        os.kill(os.getpid(), signal.SIGINT)
        sys.stdout.flush()  # any call: before one Python looks for signals

class Finder:
    def find_spec(self, name, *rest):
        if name == "app.cli":
            Callback()

sys.meta_path.insert(0, Finder())
sys.argv = ["draftlight", "--version"]
sys.exit(main())
"""


def test_ctrl_c_in_a_callback_of_the_start_counts() -> None:
    """Where Python would print an exception and go on, as in what the import system runs now and then, it ends all."""
    done = subprocess.run([sys.executable, "-c", INTERRUPTED_CALLBACK], cwd=ROOT, capture_output=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (130, b"", b"")
