"""A desk for questions about memory on a computer that is not there, where every pair is one of models on paper."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from app.devices.device import Machine, OwnUse
from app.fit.figures import FileFigures
from app.fit.files import estimator, rooms
from app.fit.forecast import Forecast, forecast_of
from app.fit.history import FitHistory
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
    """

    def __init__(self, folder: Path, check: Callable[[LoadRequest], object] = lambda request: None) -> None:
        """`folder` is for headers and for what is learned."""
        self.now: Machine = machine(card(12 * GIB, 11 * GIB, name="RTX 4070"))
        self.models: Models | None = None
        self.check = check
        self.history = FitHistory(folder)
        self._folder = folder

    def machine(self, engine: EngineInfo | None, own: OwnUse) -> Machine:
        return self.now

    def forecast(self, request: LoadRequest, machine: Machine, *, failed: bool = False) -> Forecast:
        self.check(request)
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
