"""NVIDIA's cards by NVML, which makes no CUDA context and so costs no memory of the card."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from importlib import import_module
from typing import Any, Final

import psutil

from app.devices.device import Device, DeviceKind, DeviceProblem, DeviceTrouble, MemoryUser, OwnUse
from app.devices.patience import NoAnswerError, Patience
from engine.fit import Backend

_LIMIT_S: Final = 5.0  # the first question wakes a laptop's card


@dataclass(frozen=True, slots=True)
class CardsFound:
    """The cards of one driver."""

    devices: tuple[Device, ...] = ()
    problems: tuple[DeviceProblem, ...] = ()


class Nvml:
    """Thread-safe. Where there is no driver there are no cards, and that is no problem."""

    def __init__(self, library: Any = None, limit_s: float = _LIMIT_S) -> None:
        """`library` is pynvml, or what behaves like it; None imports it when it is first needed."""
        self._library = library
        self._started = False
        self._patience: Patience[CardsFound] = Patience(limit_s)

    def read(self, own: OwnUse) -> CardsFound:
        """The cards as they are now; blocks for up to the limit, and not at all while the driver hangs."""
        try:
            return self._patience.call(lambda: self._read(own))
        except NoAnswerError:
            return CardsFound(problems=(DeviceProblem(DeviceTrouble.HANGS),))

    def _read(self, own: OwnUse) -> CardsFound:
        if self._library is None:
            self._library = import_module("pynvml")  # by name: it has no types
        nvml = self._library
        try:
            if not self._started:
                nvml.nvmlInit()
                self._started = True
            return self._cards(nvml.nvmlDeviceGetCount(), own)
        except (nvml.NVMLError_LibraryNotFound, nvml.NVMLError_DriverNotLoaded):
            return CardsFound()
        except (nvml.NVMLError, OSError, AttributeError) as error:  # the latter: a library without some of its calls
            if self._started:  # a driver that was replaced meanwhile needs a new beginning
                self._started = False
                with suppress(nvml.NVMLError):
                    nvml.nvmlShutdown()
            return CardsFound(problems=(DeviceProblem(DeviceTrouble.DRIVER, str(error)),))

    def _cards(self, count: int, own: OwnUse) -> CardsFound:
        nvml = self._library
        devices: list[Device] = []
        problems: list[DeviceProblem] = []
        for index in range(count):
            try:
                for handle in self._parts(nvml.nvmlDeviceGetHandleByIndex(index)):
                    with suppress(nvml.NVMLError_NotSupported):  # it uses the computer's memory and has none to tell
                        devices.append(self._device(handle, own))
            except nvml.NVMLError as error:
                problems.append(DeviceProblem(DeviceTrouble.CARD_LOST, str(error)))
        return CardsFound(tuple(devices), tuple(problems))

    def _parts(self, card: Any) -> Iterator[Any]:
        """The card, or the instances into which it is divided: then only they can be used."""
        nvml = self._library
        mode, _ = self._ask(lambda: nvml.nvmlDeviceGetMigMode(card), (0, 0))
        if mode != nvml.NVML_DEVICE_MIG_ENABLE:
            yield card
            return
        for index in range(nvml.nvmlDeviceGetMaxMigDeviceCount(card)):
            with suppress(nvml.NVMLError_NotFound):  # not every place is taken
                yield nvml.nvmlDeviceGetMigDeviceHandleByIndex(card, index)

    def _device(self, handle: Any, own: OwnUse) -> Device:
        nvml = self._library
        memory = nvml.nvmlDeviceGetMemoryInfo(handle)
        device_id = str(nvml.nvmlDeviceGetUUID(handle))
        users = tuple(self._users(handle))
        device = Device(
            id=device_id,
            name=str(nvml.nvmlDeviceGetName(handle)),
            kind=DeviceKind.CARD,
            backend=Backend.CUDA,
            total_bytes=int(memory.total),
            free_bytes=int(memory.free),
            ours_bytes=own.by_device.get(device_id, 0),
            users=tuple(user for user in users if user.pid != own.pid),
            draws=self._ask(lambda: bool(nvml.nvmlDeviceGetDisplayActive(handle)), True),
        )
        for user in users:
            if user.pid == own.pid and user.size_bytes is not None:
                return replace(device, ours_bytes=user.size_bytes)
        return device

    def _users(self, handle: Any) -> Iterator[MemoryUser]:
        """The programs on the card, those that hold most first."""
        nvml = self._library
        sizes: dict[int, int | None] = {}
        for ask in (nvml.nvmlDeviceGetComputeRunningProcesses, nvml.nvmlDeviceGetGraphicsRunningProcesses):
            for process in self._ask(partial(ask, handle), []):
                size = process.usedGpuMemory  # None where Windows manages the memory
                sizes[process.pid] = max(size or 0, sizes.get(process.pid) or 0) or None
        for pid, size in sorted(sizes.items(), key=lambda item: -(item[1] or 0)):
            yield MemoryUser(pid, _name(pid), size)

    def _ask(self, question: Callable[[], Any], otherwise: Any) -> Any:
        """What not every card, driver or system can answer."""
        try:
            return question()
        except (self._library.NVMLError, AttributeError, ctypes.ArgumentError):
            return otherwise


def _name(pid: int) -> str:
    try:
        return psutil.Process(pid).name()
    except psutil.Error:  # it has ended, belongs to another user, or lives outside this container
        return ""
