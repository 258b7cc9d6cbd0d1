"""Every load is judged before it begins, and explained where memory ran out after all."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from app.devices.device import Machine, OwnUse
from app.fit.forecast import Forecast
from app.fit.shortage import explained, may_be_shortage, would_not_fit
from app.fit.values import Verdict
from engine.errors import EngineError, ErrorKind, ErrorReport
from engine.types import EngineInfo, LoadRequest

# What says that there are no figures, rather than that the engine would refuse the files
_NO_FIGURES = frozenset({ErrorKind.FIT_UNMEASURABLE, ErrorKind.FOLDER_UNWRITABLE, ErrorKind.DISK_FULL})


class WouldNotFitError(EngineError):
    """WOULD_NOT_FIT, with what would.

    Attributes:
        remedy: the same files with the best settings that fit, None where there are none.
    """

    def __init__(self, forecast: Forecast) -> None:
        report = would_not_fit(forecast)
        super().__init__(report.kind, report.detail, **dict(report.facts))
        self.remedy = forecast.proposed


@dataclass(frozen=True, slots=True)
class Explained:
    """A fault with what is known of memory; `remedy` as in `WouldNotFitError`."""

    report: ErrorReport
    remedy: LoadRequest | None = None


class Engine(Protocol):
    """What is asked of `app.engine_client.EngineClient`."""

    @property
    def pid(self) -> int | None: ...

    def info(self) -> EngineInfo: ...


class Desk(Protocol):
    """What is asked of `app.fit.desk.FitDesk`."""

    def machine(self, engine: EngineInfo | None, own: OwnUse) -> Machine: ...
    def forecast(self, request: LoadRequest, machine: Machine, *, failed: bool = False) -> Forecast: ...
    def record(self, forecast: Forecast, after: Machine) -> None: ...


class LoadJudge:
    """Thread-safe. Its methods block: on headers, drivers, and llama.cpp where it is close."""

    def __init__(self, desk: Desk, engine: Engine) -> None:
        self._desk = desk
        self._engine = engine

    def judge(self, request: LoadRequest, *, anyway: bool = False) -> Forecast | None:
        """What the load is going to take, and how it is to be asked for; None where nobody can tell.

        Args:
            anyway: it is to be loaded whatever the verdict.

        Raises:
            WouldNotFitError: it would be tight, or too big.
            EngineError: what the engine would refuse.
        """
        try:
            forecast = self._forecast(request)
        except EngineError as error:
            if error.report.kind in _NO_FIGURES:
                return None
            raise
        if forecast.verdict is not Verdict.FITS and not anyway:
            raise WouldNotFitError(forecast)
        return forecast

    def explain(self, report: ErrorReport, request: LoadRequest) -> Explained:
        """A fault of a load, or of a loaded pair, with the figures of memory where it ran out."""
        if not may_be_shortage(report):
            return Explained(report)
        try:
            forecast = self._forecast(request, failed=True)
        except EngineError:  # the fault is what counts
            return Explained(report)
        told = explained(report, forecast)
        return Explained(told, forecast.proposed if told is not report else None)

    def learn(self, forecast: Forecast) -> None:
        """From what a load took, when it is done."""
        self._desk.record(forecast, self._machine())

    def _forecast(self, request: LoadRequest, *, failed: bool = False) -> Forecast:
        return self._desk.forecast(request, self._machine(), failed=failed)

    def _machine(self) -> Machine:
        return self._desk.machine(self._engine.info(), OwnUse(self._engine.pid))
