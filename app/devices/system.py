"""The computer's memory, or as much of it as a container may use."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final, NamedTuple

import psutil

from app.devices.device import SYSTEM_ID, Device, DeviceKind, OwnUse
from engine.fit import Backend

ROOT: Final = Path("/")


class Amount(NamedTuple):
    """Bytes of memory."""

    total: int
    free: int


def _memory() -> Amount:
    memory = psutil.virtual_memory()
    return Amount(memory.total, memory.available)


def system_memory(own: OwnUse, root: Path = ROOT, memory: Callable[[], Amount] = _memory) -> Device:
    """As it is now. `root` is where /proc and /sys are looked for.

    The weights that our engine has mapped do not count as free: the system could give them up, but every token needs
    them.
    """
    resident = _resident(own.pid)
    total, free = memory()
    free = max(0, free - resident.mapped)
    for limit in _limits(root, resident.mapped):
        total, free = min(total, limit.total), min(free, limit.free)
    return Device(
        id=SYSTEM_ID,
        name="",
        kind=DeviceKind.SYSTEM,
        backend=Backend.CPU,
        total_bytes=total,
        free_bytes=free,
        ours_bytes=resident.all,
        mapped_bytes=resident.mapped,
        draws=False,
    )


class Resident(NamedTuple):
    """What a process holds: all of it, and how much of that are pages of files, which Linux counts as free."""

    all: int
    mapped: int


def _resident(pid: int | None) -> Resident:
    if pid is None:
        return Resident(0, 0)
    try:
        memory = psutil.Process(pid).memory_info()
    except psutil.Error:  # it has just ended
        return Resident(0, 0)
    return Resident(int(memory.rss), int(getattr(memory, "shared", 0)))


def _limits(root: Path, mapped: int) -> Iterator[Amount]:
    """The limits of this process's control groups and of all above them, in both versions of Linux's interface.

    What only caches files does not count as used: it is given up before a limit is enforced. What our engine has
    `mapped` of it does.
    """
    for line in _text(root / "proc/self/cgroup").splitlines():
        number, _, rest = line.partition(":")
        controllers, _, group = rest.partition(":")
        if number == "0":
            top = root / "sys/fs/cgroup"
            names = ("memory.max", "memory.current", "")
        elif "memory" in controllers.split(","):
            top = root / "sys/fs/cgroup/memory"
            names = ("memory.limit_in_bytes", "memory.usage_in_bytes", "total_")
        else:
            continue
        folder = top / group.strip("/")
        # Inside a container the path is often that of the host, and only the top is there.
        for place in (folder, *folder.parents):
            limit, used = _number(place / names[0]), _number(place / names[1])
            if limit is not None and used is not None:
                stat = place / "memory.stat"
                cached = sum(_entry(stat, f"{names[2]}{kind}_file") for kind in ("inactive", "active"))
                yield Amount(limit, max(0, limit - max(0, used - max(0, cached - mapped))))
            if place == top:
                break


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8", errors="replace").strip()
    except OSError:
        return ""


def _number(path: Path) -> int | None:
    text = _text(path)
    return int(text) if text.isascii() and text.isdigit() else None  # "max" is no limit


def _entry(path: Path, name: str) -> int:
    for line in _text(path).splitlines():
        key, _, value = line.partition(" ")
        if key == name and value.isdigit():
            return int(value)
    return 0
