"""The computer's memory and the limits of containers; AMD's cards."""

from __future__ import annotations

import os
from mmap import ACCESS_READ, mmap
from pathlib import Path

import psutil
import pytest

from app.devices.amd import amd_cards
from app.devices.device import OwnUse
from app.devices.system import Amount, system_memory
from tests.fakes.devices import GIB, MIB, AmdCard, write_amd_cards, write_files


def whole() -> Amount:
    return Amount(64 * GIB, 40 * GIB)


def test_without_limits(tmp_path: Path) -> None:
    """All of the memory, where no control group is there or none has a limit."""
    groups = {"proc/self/cgroup": "0::/user.slice\n", "sys/fs/cgroup/user.slice/memory.max": "max\n"}
    for root in (tmp_path / "nothing", write_files(tmp_path / "groups", groups)):
        device = system_memory(OwnUse(), root, whole)
        assert (device.total_bytes, device.free_bytes, device.ours_bytes) == (64 * GIB, 40 * GIB, 0)


@pytest.mark.parametrize(
    "files",
    [
        {  # version 2, inside a container: the group's path is that of the host
            "proc/self/cgroup": "0::/docker/4711\n",
            "sys/fs/cgroup/memory.max": str(8 * GIB),
            "sys/fs/cgroup/memory.current": str(5 * GIB),
            "sys/fs/cgroup/memory.stat": f"anon 1\ninactive_file {GIB}\nactive_file {2 * GIB}\n",
        },
        {  # version 2, where the tighter limit is further up
            "proc/self/cgroup": "0::/a/b\n",
            "sys/fs/cgroup/a/b/memory.max": str(32 * GIB),
            "sys/fs/cgroup/a/b/memory.current": str(GIB),
            "sys/fs/cgroup/a/memory.max": str(8 * GIB),
            "sys/fs/cgroup/a/memory.current": str(2 * GIB),
        },
        {  # version 1, beside other controllers
            "proc/self/cgroup": "5:cpu,cpuacct:/x\n4:memory:/job\n0::/\n",
            "sys/fs/cgroup/memory/job/memory.limit_in_bytes": str(8 * GIB),
            "sys/fs/cgroup/memory/job/memory.usage_in_bytes": str(3 * GIB),
            "sys/fs/cgroup/memory/job/memory.stat": f"cache 1\ntotal_inactive_file {GIB}\n",
            "sys/fs/cgroup/memory/memory.limit_in_bytes": "9223372036854771712",
            "sys/fs/cgroup/memory/memory.usage_in_bytes": str(20 * GIB),
        },
    ],
)
def test_limits_of_containers(tmp_path: Path, files: dict[str, str]) -> None:
    """The tightest limit counts, and cached files do not count as used."""
    device = system_memory(OwnUse(), write_files(tmp_path, files), whole)
    assert (device.total_bytes, device.free_bytes) == (8 * GIB, 6 * GIB)


def test_more_used_than_allowed(tmp_path: Path) -> None:
    """Then nothing is free, not less than nothing; nonsense in the files is no limit."""
    files = {
        "proc/self/cgroup": "0::/\nnonsense\n",
        "sys/fs/cgroup/memory.max": str(GIB),
        "sys/fs/cgroup/memory.current": str(2 * GIB),
        "sys/fs/cgroup/memory.stat": "inactive_file many",
    }
    assert system_memory(OwnUse(), write_files(tmp_path, files), whole).free_bytes == 0
    (tmp_path / "sys/fs/cgroup/memory.max").write_text("-5")
    assert system_memory(OwnUse(), tmp_path, whole).free_bytes == 40 * GIB


def test_our_engine_gives_back_what_it_holds() -> None:
    """The memory of a running engine can be had; that of one which has ended is already free."""
    device = system_memory(OwnUse(os.getpid()))
    assert 0 < device.ours_bytes <= device.total_bytes
    assert device.available_bytes <= device.total_bytes <= psutil.virtual_memory().total
    assert system_memory(OwnUse(999_999_001)).ours_bytes == 0


def test_mapped_weights_are_not_free(tmp_path: Path) -> None:
    """Linux counts the pages of a file that our engine has mapped as free; here they are the engine's, and the sum of
    what is free and what the engine holds is the same as without it. So also within a limit."""
    groups = {
        "proc/self/cgroup": "0::/\n",
        "sys/fs/cgroup/memory.max": str(8 * GIB),
        "sys/fs/cgroup/memory.current": str(5 * GIB),
        "sys/fs/cgroup/memory.stat": f"inactive_file {3 * GIB}\n",
    }
    for root, free in ((tmp_path / "nothing", 40 * GIB), (write_files(tmp_path / "groups", groups), 6 * GIB)):
        weights = tmp_path / "weights"
        weights.write_bytes(b"x" * (64 * MIB))
        with weights.open("rb") as file, mmap(file.fileno(), 0, access=ACCESS_READ) as mapped:
            before = system_memory(OwnUse(os.getpid()), root, whole)
            assert mapped[:: 1 << 12] == b"x" * (1 << 14)  # every page is touched
            device = system_memory(OwnUse(os.getpid()), root, whole)
        assert 60 * MIB < before.free_bytes - device.free_bytes < 68 * MIB
        assert abs(device.available_bytes - before.available_bytes) < 4 * MIB
        assert before.free_bytes < free


def test_amd_cards(tmp_path: Path) -> None:
    """In the kernel's order, with sizes, slot and screen; other makers' cards and outputs are none."""
    drm = write_amd_cards(
        tmp_path,
        AmdCard(),
        AmdCard(vendor="0x8086"),
        *[AmdCard(slot=f"0000:0{number}:00.0", connected=False) for number in range(4, 9)],
        *[AmdCard(slot=f"0000:{number}:00.0") for number in range(10, 15)],
    )
    cards = list(amd_cards(OwnUse(by_device={"0000:03:00.0": GIB}), drm))
    assert [card.id for card in cards] == [f"0000:{number:02}:00.0" for number in (3, *range(4, 9), *range(10, 15))]
    assert (cards[0].total_bytes, cards[0].free_bytes, cards[0].available_bytes) == (16 * GIB, 15 * GIB, 16 * GIB)
    assert (cards[0].draws, cards[1].draws) == (True, False)


def test_amd_card_that_tells_nothing_of_use(tmp_path: Path) -> None:
    """A card that is gone, asleep or tells nonsense is left out."""
    cards = [AmdCard(total=""), AmdCard(used="-1"), AmdCard(total="0", used="0"), AmdCard(used="9" * 30)]
    drm = write_amd_cards(tmp_path, *cards)
    assert list(amd_cards(OwnUse(), drm)) == []
    assert list(amd_cards(OwnUse(), tmp_path / "nowhere")) == []
