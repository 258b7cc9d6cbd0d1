"""Forecasts without files: what a pair is said to need of each device."""

from __future__ import annotations

from collections.abc import Mapping

from app.devices.device import Machine
from app.fit.forecast import Forecast
from app.fit.margin import default_margin_bytes
from app.fit.values import DeviceFit, FitReport, PairSettings, Placement
from engine.fit import DeviceNeed
from engine.types import LoadRequest
from tests.fakes import tapes

NOTHING = DeviceNeed()


def fake_forecast(
    machine: Machine,
    targets: Mapping[str, DeviceNeed],
    drafts: Mapping[str, DeviceNeed] | None = None,
    request: LoadRequest = tapes.REQUEST,
) -> Forecast:
    """A load onto `machine`, by device id; nothing is needed beside the models."""
    parts = tuple(
        DeviceFit(
            device=device,
            target=targets.get(device.id, NOTHING),
            draft=(drafts or {}).get(device.id, NOTHING),
            layers=0,
            output_bytes=0,
            overhead_bytes=0,
            margin_bytes=default_margin_bytes(device, "linux"),
        )
        for device in machine.memories
    )
    report = FitReport(PairSettings(8192), Placement(parts), 8192, 33, 33, None, ())
    return Forecast(request, machine, report)
