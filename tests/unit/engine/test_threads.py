"""Threads: as many as the system lends, and of those the fastest."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import inf
from pathlib import Path

import numpy as np
import psutil
import pytest

from engine.distribution import Logits
from engine.threads import ROUNDS, Cores, _quota, candidates, choose, lent_cores
from tests.fakes.table_model import TableModel


class Machine(TableModel):
    """A decoder and its clock: a pass takes as long as `seconds` says of its threads and tokens."""

    def __init__(self, seconds: Callable[[int, int], float]) -> None:
        super().__init__(np.zeros((4, 4)))
        self.now = 0.0
        self.threads = (0, 0)
        self.passes: list[tuple[int, int]] = []  # threads and tokens
        self._seconds = seconds

    def set_threads(self, single: int, several: int) -> None:
        self.threads = single, several

    def decode(self, tokens: Sequence[int], outputs: int, limit_s: float = inf) -> Logits:
        threads = self.threads[len(tokens) > 1]
        self.passes.append((threads, len(tokens)))
        self.now += self._seconds(threads, len(tokens))
        return super().decode(tokens, outputs, limit_s)

    def choice(self, *numbers: int) -> tuple[int, int]:
        return choose(self, numbers, clock=lambda: self.now)


def test_one_token_and_several_have_the_best_number_each() -> None:
    """Memory is the limit of the one, so half the cores do it; the other gains from all, hyperthreads included."""
    machine = Machine(lambda threads, tokens: 0.001 * (1 + abs(threads - 4)) if tokens == 1 else 0.01 / threads)
    assert machine.choice(8, 4, 16, 1) == (4, 16)
    assert machine.threads == (4, 16)
    assert machine.tokens == []


def test_what_is_about_as_fast_changes_nothing() -> None:
    """Five percent are noise, and not worth another rounding."""
    machine = Machine(lambda threads, tokens: 0.002 if threads == 8 else 0.0019)
    assert machine.choice(8, 4) == (8, 8)


def test_without_time_the_usual_number_stays() -> None:
    """A pass of a large model takes as long as all tries may; one look at each number says nothing."""
    machine = Machine(lambda threads, tokens: 1.0 / threads)
    assert machine.choice(1, 2) == (1, 1)
    assert len(machine.passes) == 1


def test_a_single_disturbed_pass_decides_nothing() -> None:
    """The first try with the usual number takes ten times as long."""
    first = True

    def seconds(threads: int, tokens: int) -> float:
        nonlocal first
        first, slow = False, first
        return 0.01 if slow else 0.001

    assert Machine(seconds).choice(4, 2) == (4, 4)


def test_a_hopeless_number_is_tried_once() -> None:
    """One thread of sixteen would use up the time of all others."""
    machine = Machine(lambda threads, tokens: 0.016 / threads)
    machine.choice(16, 8, 1)
    tried = [threads for threads, _ in machine.passes]
    assert tried.count(1) == tried.count(8) == 2
    assert tried.count(16) == 2 * ROUNDS


def test_where_there_is_no_choice_nothing_is_measured() -> None:
    """A computer with a single core."""
    machine = Machine(lambda threads, tokens: 0.001)
    assert machine.choice(*candidates(Cores(1, 1))) == (1, 1)
    assert machine.passes == []
    assert machine.threads == (1, 1)


@pytest.mark.parametrize(
    ("cores", "numbers"),
    [(Cores(8, 16), (8, 4, 16, 1)), (Cores(4, 4), (4, 2, 1)), (Cores(2, 4), (2, 1, 4)), (Cores(1, 2), (1, 2))],
)
def test_the_numbers_tried(cores: Cores, numbers: tuple[int, ...]) -> None:
    """The physical cores first, then half of them, all that there are, and one; each once."""
    assert candidates(cores) == numbers


@pytest.mark.skipif(not hasattr(psutil.Process, "cpu_affinity"), reason="macOS binds no process to cores")
def test_no_more_cores_than_the_process_may_use() -> None:
    """Bound to one core, it lends one."""
    process = psutil.Process()
    before = process.cpu_affinity()
    assert before
    process.cpu_affinity(before[:1])
    try:
        assert lent_cores() == Cores(1, 1)
    finally:
        process.cpu_affinity(before)
    assert 1 <= lent_cores().physical <= lent_cores().logical <= len(before)


QUOTAS = [
    ("none", "0::/\n", {"cpu.max": "max 100000\n"}, inf),
    ("a container's", "0::/\n", {"cpu.max": "150000 100000\n"}, 1.5),
    ("its own", "0::/user/app\n", {"user/app/cpu.max": "200000 100000\n", "user/cpu.max": "max 100000\n"}, 2.0),
    ("a parent's", "0::/user/app\n", {"user/app/cpu.max": "max 100000\n", "user/cpu.max": "50000 100000\n"}, 0.5),
    (
        "the first version's",
        "5:memory:/box\n4:cpu,cpuacct:/box\n",
        {"cpu/box/cpu.cfs_quota_us": "300000\n", "cpu/box/cpu.cfs_period_us": "100000\n"},
        3.0,
    ),
    ("the first version's none", "4:cpu:/box\n", {"cpu/box/cpu.cfs_quota_us": "-1\n"}, inf),
    ("unreadable", "0::/\n", {"cpu.max": "?"}, inf),
]


@pytest.mark.parametrize(("member", "files", "wanted"), [row[1:] for row in QUOTAS], ids=[row[0] for row in QUOTAS])
def test_a_quota_of_processor_time(tmp_path: Path, member: str, files: dict[str, str], wanted: float) -> None:
    """What Linux's control groups say, the group's own and its parents'."""
    (tmp_path / "member").write_text(member)
    for name, text in files.items():
        path = tmp_path / "groups" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    assert _quota(tmp_path / "member", tmp_path / "groups") == wanted


def test_without_control_groups_there_is_no_quota(tmp_path: Path) -> None:
    """Windows and macOS."""
    assert _quota(tmp_path / "none", tmp_path) == inf
