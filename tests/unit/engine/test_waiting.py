"""When OpenMP's threads go to sleep sooner: where other programs take processors that they need."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence

import psutil
import pytest

from engine.openmp import is_gnu, run_team
from engine.waiting import Crowd, Watch, spent_by_others

gnu_only = pytest.mark.skipif(not is_gnu(), reason="llama.cpp was built without GNU's OpenMP")


@pytest.mark.parametrize(
    ("processors", "threads", "others", "crowded"),
    [
        (2, 2, 0.0, False),
        (2, 2, 0.3, False),  # a video, say
        (2, 2, 0.5, True),  # a program that wants a core all the time and shares one with us
        (2, 1, 0.9, False),  # it has the other one
        (16, 8, 7.5, False),
        (16, 8, 8.5, True),
    ],
)
def test_what_others_take_counts_from_where_our_threads_need_it(
    processors: int, threads: int, others: float, crowded: bool
) -> None:
    """Processors that we do not use are theirs."""
    crowd = Crowd()
    crowd.see(others, processors - threads)
    assert crowd.crowded is crowded


def test_it_stays_crowded_while_another_program_has_the_core_that_sleeping_threads_left_it() -> None:
    """What took half a core from threads that were awake takes a whole one then; a little work does not hold on."""
    crowd = Crowd()
    crowd.see(0.5, 0)
    crowd.see(0.9, 0)
    assert crowd.crowded
    crowd.see(0.4, 0)
    assert not crowd.crowded


def burnt_after_a_meeting() -> float:
    """Seconds of processors' time that the threads of a team spend waiting for the next meeting; median of nine."""
    seen = []
    for _ in range(9):
        run_team(2)
        begin = time.process_time()
        time.sleep(0.05)
        seen.append(time.process_time() - begin)
    return sorted(seen)[4]


AWAKE = """
from tests.unit.engine.test_waiting import burnt_after_a_meeting
from engine.openmp import IdleTeam
alone = burnt_after_a_meeting()
team = IdleTeam()
beside = burnt_after_a_meeting()
team.close()
print(alone, beside, burnt_after_a_meeting())
"""


@gnu_only
@pytest.mark.skipif((psutil.cpu_count() or 1) < 2, reason="a team of two is too large already")
def test_threads_that_wait_sleep_at_once_while_there_is_an_idle_team() -> None:
    """And are awake as before when it has gone."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("OMP_", "GOMP_"))}
    done = subprocess.run(
        [sys.executable, "-c", AWAKE], env=environment, capture_output=True, text=True, timeout=60, check=True
    )
    alone, beside, after = map(float, done.stdout.split())
    assert beside < alone / 3
    assert beside < after / 3


def eventually(claim: Callable[[], bool]) -> bool:
    end = time.monotonic() + 20
    while not claim() and time.monotonic() < end:
        time.sleep(0.02)
    return claim()


class Meter:
    """Seconds that others have spent: so many a second, from now on."""

    def __init__(self) -> None:
        self._spent, self._since, self._rate = 0.0, time.monotonic(), 0.0

    def run_at(self, rate: float) -> None:
        self._spent, self._since = self(), time.monotonic()
        self._rate = rate

    def __call__(self, processors: Sequence[int] = ()) -> float:
        return self._spent + (time.monotonic() - self._since) * self._rate


@gnu_only
def test_the_watch_acts_while_there_is_work() -> None:
    """Threads are there when others take processors, gone when they do not, and nothing changes while nothing runs."""
    processors = psutil.cpu_count() or 1
    process, meter = psutil.Process(), Meter()
    watch = Watch({}, meter)
    watch.expect(processors)
    usual = process.num_threads()

    def crowded() -> bool:
        return process.num_threads() > usual + processors

    meter.run_at(processors)
    time.sleep(1.2)
    assert not crowded()  # nothing runs
    with watch.working():
        assert eventually(crowded)
    meter.run_at(0)
    time.sleep(1.2)
    assert crowded()
    with watch.working():
        assert eventually(lambda: process.num_threads() <= usual)


def test_a_system_that_tells_nothing_is_left_as_it_is() -> None:
    """As in a sandbox that hides what its processors do."""

    def hidden(processors: Sequence[int]) -> float:
        raise PermissionError

    usual = psutil.Process().num_threads()
    watch = Watch({}, hidden)
    with watch.working():
        assert eventually(lambda: psutil.Process().num_threads() == usual)


@gnu_only
def test_where_no_more_threads_may_be_started_there_is_no_idle_team(monkeypatch: pytest.MonkeyPatch) -> None:
    """libgomp would end the process, and the reply with it; the watch ends instead."""
    process, start = psutil.Process(), threading.Thread.start
    usual = process.num_threads()
    allowed = [True, False]  # the watch's own thread, and then no more

    def limited(thread: threading.Thread) -> None:
        if not allowed.pop(0):
            raise RuntimeError("can't start new thread")
        start(thread)

    meter = Meter()
    meter.run_at(psutil.cpu_count() or 1)
    with monkeypatch.context() as patched:
        patched.setattr(threading.Thread, "start", limited)
        watch = Watch({}, meter)
        watch.expect(psutil.cpu_count() or 1)
        with watch.working():
            assert eventually(lambda: not allowed)
            assert eventually(lambda: process.num_threads() <= usual)


@pytest.mark.parametrize("wish", [{"OMP_WAIT_POLICY": "active"}, {"GOMP_SPINCOUNT": "123"}])
def test_the_user_decides(wish: dict[str, str]) -> None:
    """What the user has set stands, and nothing is added to it."""
    usual = psutil.Process().num_threads()
    Watch(wish)
    assert psutil.Process().num_threads() == usual


def test_time_that_another_program_spends_is_seen() -> None:
    """By the system's own count."""
    processors = range(psutil.cpu_count() or 1)
    begin = spent_by_others(processors)
    with subprocess.Popen([sys.executable, "-c", "while True: pass"]) as other:
        time.sleep(1)
        other.kill()
    assert spent_by_others(processors) - begin > 0.2
