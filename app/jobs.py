"""A piece of the engine's work as its caller holds it, and as the client's thread keeps it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from queue import Empty, SimpleQueue

from engine.errors import ErrorKind, ErrorReport
from engine.protocol import Event, Failed, Finished, Generate, Load, Loaded, Quantize, Quantized, Weigh, Weighed
from engine.types import EndReason

_SIGNAL_INTERVAL_S = 0.5  # Windows runs signal handlers, Ctrl-C's too, only between two waits

Ending = Finished | Loaded | Weighed | Quantized | Failed


class Job:
    """Iterate over it, from one thread, for its events; the ending comes last and exactly once.

    The queue behind it is unbounded: events are a few small messages per round, and a slow reader must never
    hold up the one thread that serves every job.
    """

    def __init__(self, number: int, cancel: Callable[[int], None]) -> None:
        self.id = number
        self._cancel = cancel
        self._events: SimpleQueue[Event] = SimpleQueue()
        self._ended = False

    def __iter__(self) -> Iterator[Event]:
        while not self._ended:
            event = self.next_event(_SIGNAL_INTERVAL_S)
            if event is not None:
                yield event

    def next_event(self, timeout_s: float | None = None) -> Event | None:
        """The next event; None when `timeout_s` passed without one, or the ending was already given."""
        if self._ended:
            return None
        try:
            event = self._events.get(timeout=timeout_s)
        except Empty:
            return None
        self._ended = isinstance(event, Ending)
        return event

    def cancel(self) -> None:
        """Ask for an early end; the ending still comes. Returns at once, in any thread or signal handler."""
        self._cancel(self.id)

    def deliver(self, event: Event) -> None:
        """For the client: what the next `next_event` gives."""
        self._events.put(event)


@dataclass(slots=True)
class Task:
    """A command on its way and the job that hears of it.

    Attributes:
        reload: the client's own Load before a reply; `job` is then that reply's.
        kill_at: when to kill the engine if it has not answered the cancel by then, monotonic seconds.
    """

    command: Load | Generate | Weigh | Quantize
    job: Job
    reload: bool = False
    cancelled: bool = False
    kill_at: float | None = None

    @property
    def number(self) -> int:
        return self.command.request.job if isinstance(self.command, Generate) else self.command.job

    def cancelled_ending(self) -> Ending:
        if isinstance(self.command, Generate):
            return Finished(self.job.id, EndReason.CANCELLED, tail="", ttft_s=0.0, decode_s=0.0)
        return Failed(self.job.id, ErrorReport(ErrorKind.LOAD_CANCELLED))

    def ending(self, report: ErrorReport) -> Ending:
        """How it ends when the engine is gone."""
        return self.cancelled_ending() if self.cancelled else Failed(self.job.id, report)
