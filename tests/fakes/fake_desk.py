"""A computer whose memory changes when a test says so, in place of the desk that asks drivers."""

from __future__ import annotations

import threading
from collections.abc import Mapping

from app.devices.device import Machine, OwnUse
from app.fit.forecast import Forecast
from app.fit.margin import default_margin_bytes
from engine.types import EngineInfo
from tests.fakes.devices import GIB, machine, memory


class FakeDesk:
    """Thread-safe like the real one.

    Attributes:
        now: what is read next.
        gate: while it is not set, the driver hangs.
        questions: whose memory was asked for, in order; those that hang included.
        records: what was learned.
        failure: raised in place of an answer.
    """

    def __init__(self, now: Machine | None = None) -> None:
        self.now = now or machine(system=memory(14 * GIB, 16 * GIB))
        self.gate = threading.Event()
        self.gate.set()
        self.questions: list[OwnUse] = []
        self.records: list[tuple[Forecast, Machine]] = []
        self.failure: Exception | None = None

    def machine(self, engine: EngineInfo | None, own: OwnUse) -> Machine:
        self.questions.append(own)
        self.gate.wait()
        if self.failure is not None:
            raise self.failure
        return self.now

    def margins(self, machine: Machine) -> Mapping[str, int]:
        return {device.id: default_margin_bytes(device, "linux") for device in (*machine.gpus, machine.system)}

    def record(self, forecast: Forecast, after: Machine) -> None:
        self.records.append((forecast, after))
