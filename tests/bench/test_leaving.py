"""How long an engine outlives its program. On a quiet machine: python -m pytest tests/bench/test_leaving.py"""

from __future__ import annotations

import time

import psutil

from tests.conftest import StarterFiles
from tests.e2e.program import family, finish, start, wait_for_text

LIMIT_S = 2.0


def runs(process: psutil.Process) -> bool:
    """An ended process that its new parent, init, has not yet taken note of runs no more."""
    try:
        return process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def test_engine_is_gone_within_two_seconds(starter: StarterFiles) -> None:
    """Five times: kill -9 of the program in mid-reply, and everything it started is gone within 2 s."""
    slowest = 0.0
    words = ["--base-dir", str(starter.base), "--pair", "starter", "--prompt", "Write a long story about a lighthouse."]
    for _ in range(5):
        program = start("generate", *words)
        wait_for_text(program)
        children = family(program)
        begin = time.perf_counter()
        program.kill()
        program.wait()
        while any(map(runs, children)) and time.perf_counter() - begin < LIMIT_S:
            time.sleep(0.005)
        alive = [child for child in children if runs(child)]
        slowest = max(slowest, time.perf_counter() - begin)
        finish(program)
        assert not alive
    print(f"slowest {slowest:.2f} s")  # noqa: T201 – the figure is the point
