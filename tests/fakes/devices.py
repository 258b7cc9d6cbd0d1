"""Cards and memory that are not there: NVML as pynvml shows it, /sys and /proc as files, and whole computers."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from app.devices.device import SYSTEM_ID, Device, DeviceKind, Machine
from engine.fit import Backend

MIB = 1 << 20
GIB = 1 << 30


@dataclass
class Process:
    """As NVML tells it; usedGpuMemory is None on Windows."""

    pid: int
    usedGpuMemory: int | None  # noqa: N815 – NVML's name


@dataclass
class Memory:
    """As NVML tells it."""

    total: int
    free: int

    @property
    def used(self) -> int:
        return self.total - self.free


@dataclass
class Card:
    """One of NVIDIA's cards.

    Attributes:
        sizes: free bytes at each reading; the last one stays.
        compute, graphics: programs that compute, that draw.
        draws: a screen hangs on it; None where the driver does not tell.
        instances: parts into which it is divided, None for places that are empty.
        lost: it has fallen off the bus.
        shares_memory: with the computer; it has none to tell of.
    """

    name: str = "NVIDIA GeForce RTX 4070"
    total: int = 12 * GIB
    sizes: list[int] = field(default_factory=lambda: [11 * GIB])
    uuid: str = "GPU-1"
    compute: Sequence[Process] = ()
    graphics: Sequence[Process] = ()
    draws: bool | None = True
    instances: Sequence[Card | None] | None = None
    lost: bool = False
    shares_memory: bool = False


class FakeNvml:
    """What the program uses of pynvml, with its names and its errors.

    Attributes:
        failure: what the driver answers to everything but shutdown; None where it works.
        hangs: while set, a question waits until `answers` is set.
        questions, starts: how often it was asked anything, and initialised.
    """

    NVML_DEVICE_MIG_ENABLE = 1

    class NVMLError(Exception):
        """As pynvml's."""

    class NVMLError_LibraryNotFound(NVMLError):  # noqa: N801, N818
        """No driver is installed."""

    class NVMLError_DriverNotLoaded(NVMLError):  # noqa: N801, N818
        """It is installed, and there is no card."""

    class NVMLError_NotSupported(NVMLError):  # noqa: N801, N818
        """Not by this card."""

    class NVMLError_NotFound(NVMLError):  # noqa: N801, N818
        """No such part."""

    def __init__(self, *cards: Card) -> None:
        self.cards = cards
        self.failure: Exception | None = None
        self.hangs = False
        self.answers = threading.Event()
        self.questions = 0
        self.starts = 0
        self._ready = False

    def nvmlInit(self) -> None:
        self._maybe_fail()
        self.starts += 1
        self._ready = True

    def nvmlShutdown(self) -> None:
        self._ready = False

    def nvmlDeviceGetCount(self) -> int:
        self._maybe_fail()
        if not self._ready:
            raise self.NVMLError("Uninitialized")
        return len(self.cards)

    def nvmlDeviceGetHandleByIndex(self, index: int) -> Card:
        card = self.cards[index]
        if card.lost:
            raise self.NVMLError("GPU is lost")
        return card

    def nvmlDeviceGetMemoryInfo(self, card: Card) -> Memory:
        if card.shares_memory:
            raise self.NVMLError_NotSupported("Not Supported")
        free = card.sizes[0] if len(card.sizes) == 1 else card.sizes.pop(0)
        return Memory(card.total, free)

    def nvmlDeviceGetName(self, card: Card) -> str:
        return card.name

    def nvmlDeviceGetUUID(self, card: Card) -> str:
        return card.uuid

    def nvmlDeviceGetDisplayActive(self, card: Card) -> int:
        if card.draws is None:
            raise self.NVMLError_NotSupported("Not Supported")
        return int(card.draws)

    def nvmlDeviceGetComputeRunningProcesses(self, card: Card) -> Sequence[Process]:
        return card.compute

    def nvmlDeviceGetGraphicsRunningProcesses(self, card: Card) -> Sequence[Process]:
        return card.graphics

    def nvmlDeviceGetMigMode(self, card: Card) -> tuple[int, int]:
        if card.instances is None:
            raise self.NVMLError_NotSupported("Not Supported")
        return 1, 1

    def nvmlDeviceGetMaxMigDeviceCount(self, card: Card) -> int:
        return len(card.instances or ())

    def nvmlDeviceGetMigDeviceHandleByIndex(self, card: Card, index: int) -> Card:
        part = (card.instances or ())[index]
        if part is None:
            raise self.NVMLError_NotFound("Not Found")
        return part

    def _maybe_fail(self) -> None:
        self.questions += 1
        if self.hangs:
            self.answers.wait()
        if self.failure is not None:
            raise self.failure


@dataclass(frozen=True)
class AmdCard:
    """One of AMD's cards below /sys; sizes as the files have them."""

    total: str = str(16 * GIB)
    used: str = str(GIB)
    slot: str = "0000:03:00.0"
    vendor: str = "0x1002"
    connected: bool = True


def write_amd_cards(drm: Path, *cards: AmdCard) -> Path:
    """Write what the kernel shows, outputs and other entries included."""
    for number, card in enumerate(cards):
        device = drm / f"card{number}" / "device"
        device.mkdir(parents=True)
        for name, text in (
            ("vendor", card.vendor),
            ("mem_info_vram_total", card.total),
            ("mem_info_vram_used", card.used),
            ("uevent", f"DRIVER=amdgpu\nPCI_ID=1002:747E\nPCI_SLOT_NAME={card.slot}"),
        ):
            (device / name).write_text(text + "\n", encoding="utf-8")
        output = drm / f"card{number}-DP-1"
        output.mkdir()
        (output / "status").write_text("connected\n" if card.connected else "disconnected\n", encoding="utf-8")
    (drm / "renderD128").mkdir(parents=True)
    return drm


def write_files(root: Path, files: dict[str, str]) -> Path:
    """Write files below `root`, such as those of control groups."""
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return root


def memory(free: int = 60 * GIB, total: int = 64 * GIB) -> Device:
    """The computer's."""
    return Device(
        id=SYSTEM_ID,
        name="",
        kind=DeviceKind.SYSTEM,
        backend=Backend.CPU,
        total_bytes=total,
        free_bytes=free,
        draws=False,
    )


def card(total: int, free: int | None = None, name: str = "card") -> Device:
    """A card without a screen."""
    return Device(
        id=name,
        name=name,
        kind=DeviceKind.CARD,
        backend=Backend.CUDA,
        total_bytes=total,
        free_bytes=total if free is None else free,
        draws=False,
    )


def unified(total: int, free: int) -> Device:
    """A GPU that uses the computer's memory."""
    return Device(
        id="unified",
        name="Apple M2",
        kind=DeviceKind.UNIFIED,
        backend=Backend.METAL,
        total_bytes=total,
        free_bytes=free,
    )


def machine(*gpus: Device, system: Device | None = None) -> Machine:
    """A computer with these GPUs and much memory."""
    return Machine(gpus, system or memory())


MACHINES: dict[str, Callable[[], Machine]] = {
    "6 GB": lambda: machine(card(6 * GIB)),
    "8 GB": lambda: machine(card(8 * GIB)),
    "12 GB": lambda: machine(card(12 * GIB)),
    "16 GB": lambda: machine(card(16 * GIB)),
    "24 GB": lambda: machine(card(24 * GIB)),
    "12 + 6 GB": lambda: machine(card(12 * GIB, name="large"), card(6 * GIB, name="small")),
    "6 + 12 GB": lambda: machine(card(6 * GIB, name="small"), card(12 * GIB, name="large")),
    "1 GB": lambda: machine(card(GIB)),
    "unified": lambda: machine(unified(12 * GIB, 10 * GIB), system=memory(10 * GIB, 16 * GIB)),
    "none": lambda: machine(system=memory(14 * GIB, 16 * GIB)),
}
