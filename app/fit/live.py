"""A loaded pair and its devices while they run: what it holds, and whether enough stays free."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Final

from app.devices.device import Device
from app.fit.values import DeviceFit
from engine.fit import DeviceNeed

SLACK_BYTES: Final = 64 << 20  # free memory moves by as much all the time


def as_held(fit: DeviceFit, device: Device) -> DeviceFit:
    """The parts of the prediction, as far as they are filled by what our engine holds of the device now.

    What it holds beyond them is counted as the engine's own, so that the sum is what was read.
    """
    left = device.ours_bytes

    def filled(size: int) -> int:
        nonlocal left
        part = min(size, left)
        left -= part
        return part

    def of_model(need: DeviceNeed) -> DeviceNeed:
        return DeviceNeed(filled(need.weights), filled(need.kv), filled(need.compute))

    target, draft = of_model(fit.target), of_model(fit.draft)
    output = filled(fit.output_bytes)
    return DeviceFit(device, target, draft, fit.layers, output, left, fit.margin_bytes)


class MarginWatch:
    """Notices when less than the margin stays free while a pair runs. One for each load.

    Attributes:
        low: ids of the devices on which that is so, those dismissed left out.
    """

    def __init__(self, accepted: Collection[str] = ()) -> None:
        """`accepted` are devices on which the pair was known to be tight and was loaded in spite of it: there it counts
        only if still less is free later."""
        self.low: tuple[str, ...] = ()
        self._accepted = accepted
        self._limits: dict[str, int] = {}
        self._short: list[str] = []
        self._dismissed: set[str] = set()

    def look(self, devices: Iterable[Device], margins: Mapping[str, int]) -> None:
        """`devices` as they are now. One that is short stays so until there is a bit more than its limit."""
        for device in devices:
            limit = self._limit(device, margins[device.id])
            if device.id in self._short:
                if device.free_bytes >= limit + SLACK_BYTES:
                    self._short.remove(device.id)
                    self._dismissed.discard(device.id)
            elif device.free_bytes < limit:
                self._short.append(device.id)
        self._tell()

    def dismiss(self) -> None:
        """Be silent on what is low now until it was well again."""
        self._dismissed.update(self.low)
        self._tell()

    def _limit(self, device: Device, margin: int) -> int:
        """Free bytes below which it is low."""
        if device.id not in self._accepted:
            return margin
        first = max(device.free_bytes - SLACK_BYTES, device.free_bytes // 2)
        return min(margin, self._limits.setdefault(device.id, first))

    def _tell(self) -> None:
        self.low = tuple(device_id for device_id in self._short if device_id not in self._dismissed)
