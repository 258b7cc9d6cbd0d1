"""What models can be loaded into: graphics cards, memory that card and processor share, the computer's memory."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from types import MappingProxyType

from engine.fit import Backend

SYSTEM_ID = "system"


class DeviceKind(Enum):
    """Whose memory it is."""

    CARD = "card"  # the card's own
    UNIFIED = "unified"  # a GPU that uses the computer's memory
    SYSTEM = "system"  # the computer's, for the processor


@dataclass(frozen=True, slots=True)
class MemoryUser:
    """A program that holds memory of a card; size_bytes is None where the system does not tell."""

    pid: int
    name: str
    size_bytes: int | None


@dataclass(frozen=True, slots=True)
class Device:
    """One device, as it was when it was read.

    Attributes:
        id: the same after a restart; what is learned of a device is kept under it.
        total_bytes: on Windows too only the card's own memory. What overflows it there is moved to the computer's
            without an error, and everything becomes many times slower.
        ours_bytes: held by our own engine, which gives it back before it loads something else.
        mapped_bytes: of those, pages of files. What the processor's kernels have in an order of their own stands twice,
            and the system gives up the pages where memory is short.
        users: the other programs that can be told; they need not sum up to `others_bytes`.
        draws: a screen hangs on it, or may; then its free memory moves with what is on the screen.
        live: free_bytes is of now. False: the engine counted it at its start, its own overhead already taken off.
    """

    id: str
    name: str
    kind: DeviceKind
    backend: Backend
    total_bytes: int
    free_bytes: int
    ours_bytes: int = 0
    mapped_bytes: int = 0
    users: tuple[MemoryUser, ...] = ()
    draws: bool = True
    live: bool = True

    @property
    def available_bytes(self) -> int:
        """What a load could take: what is free, and what our engine holds now."""
        return min(self.total_bytes, self.free_bytes + self.ours_bytes)

    @property
    def others_bytes(self) -> int:
        """What other programs and the driver hold."""
        return self.total_bytes - self.available_bytes


@dataclass(frozen=True, slots=True)
class OwnUse:
    """What our engine holds now.

    Attributes:
        pid: None while there is no engine.
        by_device: bytes by device id, for devices that do not tell it per program; what the last load took.
    """

    pid: int | None = None
    by_device: Mapping[str, int] = field(default_factory=lambda: MappingProxyType({}))


class DeviceTrouble(Enum):
    """Why a card that may be there could not be asked."""

    DRIVER = "driver"  # it is installed and does not work
    HANGS = "hangs"  # it does not answer
    CARD_LOST = "card_lost"  # one card does not answer; the others do


@dataclass(frozen=True, slots=True)
class DeviceProblem:
    """detail is the driver's own word, in English."""

    trouble: DeviceTrouble
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Machine:
    """What the engine can use.

    Attributes:
        gpus: in the engine's order, which is that of a split; empty where the processor computes.
        unused: cards that are there and that the engine's build does not see.
    """

    gpus: tuple[Device, ...]
    system: Device
    unused: tuple[Device, ...] = ()
    problems: tuple[DeviceProblem, ...] = ()

    @property
    def main(self) -> Device:
        """Where a model goes if nothing else is said."""
        return self.gpus[0] if self.gpus else self.system

    @property
    def backend(self) -> Backend:
        return self.main.backend

    @property
    def memories(self) -> tuple[Device, ...]:
        """Each memory once: where a GPU uses the computer's, the two are one."""
        return self.gpus if self.main.kind is DeviceKind.UNIFIED else (*self.gpus, self.system)
