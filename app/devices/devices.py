"""All devices of this computer, as far as the engine's build can use them."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Final

from app.devices.amd import DRM, amd_cards
from app.devices.device import Device, DeviceKind, Machine, OwnUse
from app.devices.nvml import Nvml
from app.devices.system import system_memory
from engine.fit import Backend
from engine.types import DeviceInfo, EngineInfo

_NOTHING: Final = OwnUse()

# What the names begin with that ggml's backends give their devices. HIP is CUDA's code, compiled for AMD.
_BACKENDS: Final = {
    "CUDA": Backend.CUDA,
    "ROCm": Backend.CUDA,
    "Vulkan": Backend.VULKAN,
    "MTL": Backend.METAL,
    "Metal": Backend.METAL,
}
# Backends see a little less of a card than its driver does.
_SAME_TOTAL: Final = 0.125


class Devices:
    """Reads them anew each time. Thread-safe."""

    def __init__(
        self,
        nvml: Nvml | None = None,
        drm: Path = DRM,
        system: Callable[[OwnUse], Device] = system_memory,
    ) -> None:
        """What is read from; for other sources than the real ones."""
        self._nvml = nvml or Nvml()
        self._drm = drm
        self._system = system

    def read(self, engine: EngineInfo | None = None, own: OwnUse = _NOTHING) -> Machine:
        """The devices as they are now. Blocks on drivers, for some seconds at worst.

        Args:
            engine: decides which cards can be used; None takes it that all can.
            own: what our engine holds, which does not count as used.
        """
        found = self._nvml.read(own) if sys.platform != "darwin" else None
        cards = [*(found.devices if found else ()), *amd_cards(own, self._drm)]
        system = self._system(own)
        gpus = cards if engine is None else _usable(engine.devices, cards, system, own)
        used = {gpu.id for gpu in gpus}
        unused = tuple(card for card in cards if card.id not in used)
        return Machine(tuple(gpus), system, unused, found.problems if found else ())


def _usable(infos: Sequence[DeviceInfo], cards: Sequence[Device], system: Device, own: OwnUse) -> list[Device]:
    """The devices that llama.cpp will take, each once, with what the driver knows of them."""
    own_memory = [info for info in infos if info.kind == "gpu"]
    gpus: list[Device] = []
    left = list(cards)
    # A GPU without memory of its own is only taken where there is no other.
    for info in own_memory or [info for info in infos if info.kind == "igpu"][:1]:
        backend = _backend(info.name)
        if info.kind == "igpu" or backend is Backend.METAL:
            gpus.append(_unified(info, backend, system, own))
            continue
        card = min(filter(partial(_same, info), left), key=partial(_difference, info), default=None)
        if card is not None:
            left.remove(card)
            # What the driver does not call a card by, the backend does.
            gpus.append(replace(card, backend=backend, name=info.description or card.name))
        elif not any(gpu.name == info.description and gpu.backend is not backend for gpu in gpus):
            gpus.append(_as_reported(info, backend))  # and not a card once more, by a second backend
    return gpus


def _same(info: DeviceInfo, card: Device) -> bool:
    """Whether the engine and the driver may speak of the same card."""
    if card.backend is Backend.CUDA and info.description:  # NVIDIA's name is the same everywhere
        return card.name == info.description
    return abs(card.total_bytes - info.total_bytes) <= _SAME_TOTAL * card.total_bytes


def _difference(info: DeviceInfo, card: Device) -> tuple[int, int]:
    """Of two equal cards, of which the engine may see only one, it is the one with as much to be had."""
    return abs(card.total_bytes - info.total_bytes), abs(card.available_bytes - info.free_bytes)


def _backend(name: str) -> Backend:
    for beginning, backend in _BACKENDS.items():
        if name.startswith(beginning):
            return backend
    return Backend.VULKAN  # SYCL, OpenCL and others pad as little


def _unified(info: DeviceInfo, backend: Backend, system: Device, own: OwnUse) -> Device:
    """A GPU that uses the computer's memory: never more than the system lets it, nor than is free there now.

    What a driver keeps for a process is not among what the system counts as the process's own.
    """
    total = min(info.total_bytes or system.total_bytes, system.total_bytes)
    device_id = f"{info.name} {info.description}"
    return Device(
        id=device_id,
        name=info.description or info.name,
        kind=DeviceKind.UNIFIED,
        backend=backend,
        total_bytes=total,
        free_bytes=min(total, system.free_bytes),
        ours_bytes=max(system.ours_bytes, own.by_device.get(device_id, 0)),
        mapped_bytes=system.mapped_bytes,
    )


def _as_reported(info: DeviceInfo, backend: Backend) -> Device:
    """A card of which only the engine can tell. It counted at its start, when it held nothing itself."""
    return Device(
        id=f"{info.name} {info.description}",
        name=info.description or info.name,
        kind=DeviceKind.CARD,
        backend=backend,
        total_bytes=info.total_bytes,
        free_bytes=min(info.free_bytes, info.total_bytes),
        live=False,
    )
