"""A desk for questions about memory on a computer that is not there, where every pair is one of models on paper."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from pathlib import Path

from app.devices.device import Machine, OwnUse
from app.fit.figures import FileFigures
from app.fit.files import estimator, rooms
from app.fit.forecast import Forecast, forecast_of
from app.fit.history import FitHistory
from app.fit.margin import default_margin_bytes
from app.fit.placing import Pair
from app.fit.search import Search
from engine import gguf
from engine.errors import EngineError, ErrorKind
from engine.types import EngineInfo, LoadRequest
from tests.fakes.devices import GIB, card, machine
from tests.fakes.gguf_headers import real_sizes

Models = tuple[str, str | None]  # names of `real_sizes`: target, draft


class FakeDesk:
    """As `app.fit.desk.FitDesk`. Settable from tests at any time.

    Attributes:
        now: the computer.
        models: what every pair is; None where nobody can tell what it takes.
        check: refuses files as the engine would.
        given: what every load is said to take, in place of what `models` would.
        held: see `FitDesk`.
        gate: while it is not set, the driver hangs.
        failure: raised in place of the computer.
        questions: how often the computer was asked for, with whose pid; records: what was to be learned.
    """

    def __init__(self, folder: Path, check: Callable[[LoadRequest], object] = lambda request: None) -> None:
        """`folder` is for headers and for what is learned."""
        self.now: Machine = machine(card(12 * GIB, 11 * GIB, name="RTX 4070"))
        self.models: Models | None = None
        self.check = check
        self.given: Forecast | None = None
        self.held: Mapping[str, int] = {}
        self.gate = threading.Event()
        self.gate.set()
        self.failure: Exception | None = None
        self.questions: list[int | None] = []
        self.records: list[tuple[Forecast, Machine]] = []
        self.history = FitHistory(folder)
        self._folder = folder

    def close(self) -> None:
        """Nothing of it waits."""

    def machine(self, engine: EngineInfo | None, own: OwnUse) -> Machine:
        self.questions.append(own.pid)
        self.gate.wait()
        if self.failure is not None:
            raise self.failure
        return self.now

    def margins(self, machine: Machine) -> Mapping[str, int]:
        return {device.id: default_margin_bytes(device, "linux") for device in (*machine.gpus, machine.system)}

    def record(self, forecast: Forecast, after: Machine) -> None:
        self.records.append((forecast, after))

    def forecast(self, request: LoadRequest, machine: Machine, *, failed: bool = False) -> Forecast:
        self.check(request)
        if self.given is not None:
            return self.given
        if self.models is None:
            raise EngineError(ErrorKind.FIT_UNMEASURABLE, path=request.target, reason="nobody can tell")
        target, draft = self.models
        with_draft = draft is not None and request.draft is not None
        pair = Pair(self._figures(target), self._figures(draft) if with_draft and draft is not None else None)
        return forecast_of(request, Search(pair, rooms(machine, self.history)), failed=failed)

    def _figures(self, name: str) -> FileFigures:
        path = self._folder / f"{name}.gguf"
        if not path.exists():
            real_sizes()[name].write(path)
        header = gguf.read_header(path, whole=False)
        return FileFigures(header, estimator(header))
