"""Where all questions about memory are asked: it has what answering them needs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from app.devices.device import Machine, OwnUse
from app.devices.devices import Devices
from app.dry_load_client import DryLoads
from app.fit.files import rooms
from app.fit.forecast import Forecast, forecast
from app.fit.history import FitHistory
from app.fit.taken import lesson, taken_by_device
from app.paths import Paths
from engine.types import EngineInfo, LoadRequest


class FitDesk:
    """Thread-safe. Every method may block, `machine` for seconds where a driver hangs.

    Attributes:
        history, dry_loads: what earlier loads taught, and llama.cpp's own word.
        held: what our engine holds of devices that do not tell it per program, in bytes by the device's id. Whoever
            follows the loads sets another mapping.
    """

    def __init__(self, paths: Paths, devices: Devices | None = None) -> None:
        """`devices` are those of this computer if nothing else is said."""
        self.history = FitHistory(paths.state)
        self.dry_loads = DryLoads(paths.logs)
        self.held: Mapping[str, int] = {}
        self._devices = devices or Devices()

    def machine(self, engine: EngineInfo | None, own: OwnUse) -> Machine:
        """The devices as they are now. `own` is what our engine holds beside `held`; a load may take both."""
        return self._devices.read(engine, replace(own, by_device={**self.held, **own.by_device}))

    def margins(self, machine: Machine) -> Mapping[str, int]:
        """Bytes that are to stay free, by the device's id."""
        return rooms(machine, self.history).margins

    def forecast(self, request: LoadRequest, machine: Machine, *, failed: bool = False) -> Forecast:
        """As `app.fit.forecast.forecast`."""
        return forecast(request, machine, self.history, self.dry_loads, failed=failed)

    def record(self, forecast: Forecast, after: Machine) -> None:
        """Learn from a load.

        Args:
            after: read when it was done, while `held` was empty. Where the engine was gone by then, nothing is learned.
        """
        if not after.system.ours_bytes:
            return
        placement = forecast.report.placement
        taken = taken_by_device(placement, forecast.machine, after)
        mapped = {device.id: device.mapped_bytes for device in after.memories}
        for part in placement.devices:
            if part.device.id in taken:
                measured = lesson(part, taken[part.device.id], mapped[part.device.id])
                self.history.record(part.device.id, predicted=part.need_bytes, measured=measured)

    def close(self) -> None:
        self.dry_loads.close()
