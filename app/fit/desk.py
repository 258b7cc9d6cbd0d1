"""Where all questions about memory are asked: it has what answering them needs."""

from __future__ import annotations

from collections.abc import Mapping

from app.devices.device import Machine, OwnUse
from app.devices.devices import Devices
from app.dry_load_client import DryLoads
from app.fit.files import rooms
from app.fit.forecast import Forecast, forecast
from app.fit.history import FitHistory, taken_bytes
from app.paths import Paths
from engine.types import EngineInfo, LoadRequest


class FitDesk:
    """Thread-safe. Every method may block, `machine` for seconds where a driver hangs.

    Attributes:
        history, dry_loads: what earlier loads taught, and llama.cpp's own word.
    """

    def __init__(self, paths: Paths, devices: Devices | None = None) -> None:
        """`devices` are those of this computer if nothing else is said."""
        self.history = FitHistory(paths.state)
        self.dry_loads = DryLoads(paths.logs)
        self._devices = devices or Devices()

    def machine(self, engine: EngineInfo | None, own: OwnUse) -> Machine:
        """The devices as they are now. `own` is what our engine holds, which a load may take."""
        return self._devices.read(engine, own)

    def margins(self, machine: Machine) -> Mapping[str, int]:
        """Bytes that are to stay free, by the device's id."""
        return rooms(machine, self.history).margins

    def forecast(self, request: LoadRequest, machine: Machine, *, failed: bool = False) -> Forecast:
        """As `app.fit.forecast.forecast`."""
        return forecast(request, machine, self.history, self.dry_loads, failed=failed)

    def record(self, forecast: Forecast, after: Machine) -> None:
        """Learn from a load. `after` was read when it was done."""
        before = {device.id: device for device in (*forecast.machine.gpus, forecast.machine.system)}
        now = {device.id: device for device in (*after.gpus, after.system)}
        for part in forecast.report.placement.devices:
            number = part.device.id
            if number in now and now[number].live and part.need_bytes:
                taken = taken_bytes(before[number], now[number])
                self.history.record(number, predicted=part.need_bytes, measured=taken)

    def close(self) -> None:
        self.dry_loads.close()
