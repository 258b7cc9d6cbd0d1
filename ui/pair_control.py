"""Which pair is loaded, which one is loading, and how one comes to be the other."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from PySide6.QtCore import QObject, Signal

from app.engine_client import EngineState
from app.fit.forecast import Forecast
from engine.costs import MeasuredCosts
from engine.errors import ErrorKind, ErrorReport
from engine.protocol import CostsSeen, Event, Failed, Finished, Loaded, LoadProgress, Measuring
from engine.types import EngineInfo, LoadedPair, LoadRequest
from ui.worker import EngineWorker, FindPair, FoundPair, Remedy, Ticket

MOST_RECENT = 6


@dataclass(frozen=True, slots=True)
class Loading:
    """A load under way.

    Attributes:
        ticket: its number.
        name: the target's, by its file.
        preparing: the starter pair is being made; the load itself follows.
        again: the engine died and what was loaded comes back.
        model: "target" or "draft", whichever is read.
        draft_bytes: size of the draft's file. done_bytes, total_bytes: over both; 0 until the engine reports.
        measuring: both are read, and the pair is tried out.
    """

    ticket: int
    name: str = ""
    preparing: bool = False
    again: bool = False
    model: str = "target"
    draft_bytes: int = 0
    done_bytes: int = 0
    total_bytes: int = 0
    measuring: bool = False


@dataclass(frozen=True, slots=True)
class Refusal:
    """A load that failed; `request` is None where the pair was not even found."""

    report: ErrorReport
    request: LoadRequest | None


@dataclass(frozen=True, slots=True)
class Recent:
    request: LoadRequest
    pair: LoadedPair


class PairControl(QObject):
    """Main thread.

    Attributes:
        pair, request: what is loaded and what it was asked for with, None while nothing is.
        forecast: what the loaded pair was going to take; None where nobody could tell.
        costs: what passes of the loaded pair cost when last told; None where nobody told. A reply tells it without
            `changed()`.
        came_back: the loaded pair is what was loaded when the engine died.
        remedy: the same files with settings that fit, where memory was short the last time; None where it was not.
        loading: the load under way, or None. What was loaded before stays until the files were looked at.
        refusal: why the last load failed, until another begins or the user has seen it.
        recent: pairs of this session, newest first.
        engine: what the engine is, or why it did not start; None until it answers.
        state: the engine's state, by its own word.

    Signals:
        changed(): any attribute changed; `progressed()` follows instead where only bytes went on.
    """

    changed = Signal()
    progressed = Signal()

    def __init__(self, worker: EngineWorker, find_starter: FindPair) -> None:
        super().__init__()
        self.pair: LoadedPair | None = None
        self.request: LoadRequest | None = None
        self.forecast: Forecast | None = None
        self.costs: MeasuredCosts | None = None
        self.came_back = False
        self.remedy: LoadRequest | None = None
        self.loading: Loading | None = None
        self.refusal: Refusal | None = None
        self.recent: list[Recent] = []
        self.engine: EngineInfo | ErrorReport | None = None
        self.state = EngineState.STOPPED
        self._worker = worker
        self._find_starter = find_starter
        self._ticket: Ticket | None = None
        self._wanted: LoadRequest | None = None  # what `loading` loads, once it is known
        self._coming: Forecast | None = None  # of that
        self._coming_costs: MeasuredCosts | None = None  # likewise
        self._revivable: LoadRequest | None = None  # loaded again after a death, once
        worker.event.connect(self._on_event)
        worker.informed.connect(self._on_informed)
        worker.state_changed.connect(self._on_state)

    @property
    def died(self) -> bool:
        """Whether the engine is gone although nobody unloaded it."""
        return self.state is EngineState.DIED

    @property
    def other_recent(self) -> list[Recent]:
        """The recent pairs but for the loaded one."""
        return [recent for recent in self.recent if recent.request != self.request]

    def open(self, request: LoadRequest, *, again: bool = False, anyway: bool = False) -> None:
        """Load a pair instead of what is loaded or loading.

        Args:
            again: it was loaded before, until the engine died.
            anyway: whether it fits into memory or not.
        """
        loading = Loading(0, name=Path(request.target).stem, again=again)
        self._begin(lambda _ticket, _report: request, loading, request, anyway=anyway or again)

    def open_starter(self) -> None:
        """Load the starter pair, making it first if it is not there."""
        self._begin(self._find_starter, Loading(0, preparing=True), None)

    def cancel(self) -> None:
        """End the load under way."""
        if self._ticket is not None:
            self._ticket.cancel()

    def unload(self) -> None:
        """Give all memory back: the engine process ends. The next load starts another."""
        self.cancel()
        self._forget_pair()
        self._worker.unload()
        self.changed.emit()

    def dismiss_refusal(self) -> None:
        self.refusal = None
        self.changed.emit()

    def _begin(self, find: FindPair, loading: Loading, wanted: LoadRequest | None, *, anyway: bool = False) -> None:
        self.cancel()
        self.refusal = None
        if not loading.again:  # else what is known of the death still counts
            self.remedy = None
        self._ticket = self._worker.load(find, anyway=anyway)
        self._wanted, self._coming_costs = wanted, None
        self.loading = replace(loading, ticket=self._ticket.number)
        self.changed.emit()

    def _forget_pair(self) -> None:
        self.pair = self.request = self.forecast = self.costs = self._revivable = None

    def _on_event(self, number: int, event: Event | FoundPair | Remedy) -> None:
        if isinstance(event, Finished):
            self._revivable = self.request  # it works, so a later death deserves another restart
        if isinstance(event, Remedy) and (self.loading is None or number == self.loading.ticket):
            self.remedy = event.request  # of the present load, or of a reply; not of a load that was given up
        if self.loading is None or number != self.loading.ticket:
            if isinstance(event, CostsSeen):
                self.costs = event.costs
            return
        match event:
            case CostsSeen(costs=costs):
                self._coming_costs = costs
            case LoadProgress(model=model, done_bytes=done, total_bytes=total):
                self.loading = replace(self.loading, model=model, done_bytes=done, total_bytes=total)
                self.progressed.emit()
            case Measuring():
                self.loading = replace(self.loading, measuring=True)
                self.progressed.emit()
            case FoundPair(request, draft_bytes, forecast):
                self._forget_pair()
                self._coming = forecast
                self._wanted = request
                name, again = Path(request.target).stem, self.loading.again
                self.loading = Loading(number, name=name, again=again, draft_bytes=draft_bytes)
                self.changed.emit()
            case Loaded(pair=pair):
                self._on_loaded(pair, self.loading.again)
            case Failed(report=report):
                self.loading = self._ticket = None
                if report.kind is not ErrorKind.LOAD_CANCELLED:
                    self.refusal = Refusal(report, self._wanted)
                self.changed.emit()

    def _on_loaded(self, pair: LoadedPair, again: bool) -> None:
        request = self._wanted
        assert request is not None
        self.pair, self.request, self.loading, self._ticket = pair, request, None, None
        self.forecast, self.costs, self.came_back = self._coming, self._coming_costs, again
        self._revivable = None if again else request
        kept = [recent for recent in self.recent if recent.request != request]
        self.recent = [Recent(request, pair), *kept][:MOST_RECENT]
        self.changed.emit()

    def _on_informed(self, answer: EngineInfo | ErrorReport) -> None:
        self.engine = answer
        self.changed.emit()

    def _on_state(self, state: EngineState) -> None:
        self.state = state
        if self.died and self.request is not None:
            self._on_death(self.request)
        self.changed.emit()

    def _on_death(self, request: LoadRequest) -> None:
        """Load again what was loaded, once; if it dies again before it wrote a reply, the user decides."""
        revivable = self._revivable
        self._forget_pair()
        if self._ticket is not None and not self._ticket.cancelled:
            return  # another pair comes anyway
        if revivable is not None:
            self.open(request, again=True)
        else:
            self.refusal = Refusal(self._worker.death or ErrorReport(ErrorKind.ENGINE_DIED), request)
