"""What the window needs of the app to know about memory."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from app.devices.device import Machine, OwnUse
from app.fit.forecast import Forecast
from engine.types import EngineInfo


class Desk(Protocol):
    """As `app.fit.desk.FitDesk`. Every method may block, `machine` for seconds where a driver hangs."""

    def machine(self, engine: EngineInfo | None, own: OwnUse) -> Machine: ...
    def margins(self, machine: Machine) -> Mapping[str, int]: ...
    def record(self, forecast: Forecast, after: Machine) -> None: ...
