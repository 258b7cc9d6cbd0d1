"""What the window needs of the app to know about memory."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from app.devices.device import Machine
from app.fit import loads


class Desk(loads.Desk, Protocol):
    """As `app.fit.desk.FitDesk`. Every method may block, `machine` for seconds where a driver hangs.

    Attributes:
        held: what our engine holds of devices that do not tell it; set by `MemoryControl`, read by all.
    """

    held: Mapping[str, int]

    def close(self) -> None:
        """Answer nothing more, and let nobody wait for an answer."""

    def margins(self, machine: Machine) -> Mapping[str, int]: ...
