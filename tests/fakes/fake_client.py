"""An engine client without an engine: the same methods, replaying tapes of protocol events."""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from pathlib import Path

from app.engine_client import EngineState
from engine.errors import EngineError, ErrorKind, ErrorReport
from engine.protocol import DraftRound, Event, Failed, Finished, Loaded, LoadProgress, Quantized, Weighed
from engine.types import EndReason, EngineInfo, GenerationRequest, LoadedPair, LoadRequest
from tests.fakes.tapes import ENGINE, Crash, Hold, Tape, loading, reply

DEFAULT_REPLY = reply("The lighthouse keeper counted the ships, as every evening, and wrote the number down.")


class FakeJob:
    """Plays one tape in the thread that iterates."""

    def __init__(self, client: FakeClient, number: int, tape: Tape, cancelled_ending: Event) -> None:
        self.id = number
        self._client = client
        self._tape = tape
        self._cancelled = threading.Event()
        self._cancelled_ending = cancelled_ending

    def cancel(self) -> None:
        self._cancelled.set()
        self._client.wake()

    def __iter__(self) -> Iterator[Event]:
        for item in self._tape:
            if isinstance(item, Hold):
                self._client.wait_for_release(_never if item.deaf else self._cancelled.is_set)
            elif isinstance(item, DraftRound) and math.isfinite(self._client.speed):
                self._cancelled.wait(item.wall_s / self._client.speed)
            if self._cancelled.is_set():
                yield replace(self._cancelled_ending, job=self.id)
                return
            if self._client.dead:
                yield self._client.die(self.id, "the engine was killed")
                return
            if isinstance(item, Crash):
                yield self._client.die(self.id, item.log)
                return
            if isinstance(item, Loaded):
                self._client.pair = item.pair
            if not isinstance(item, Hold):
                yield replace(item, job=self.id)


class FakeClient:
    """Thread-safe like the real one.

    Attributes:
        speed: 1 replays rounds as fast as they were, infinity without any wait.
        gap: between the two tokens of every weighing.
        loads, requests, weighings: what was asked for, in order. `measured` has which of the loads were to measure.
    """

    def __init__(
        self,
        *,
        replies: Iterable[Tape] = (DEFAULT_REPLY,),
        loads: Iterable[Tape] = (),
        speed: float = math.inf,
        engine: EngineInfo | ErrorReport = ENGINE,
    ) -> None:
        self.speed = speed
        self.gap = 0.008
        self.loads: list[LoadRequest] = []
        self.measured: list[bool] = []
        self.requests: list[GenerationRequest] = []
        self.weighings: list[tuple[tuple[int, ...], tuple[int, int]]] = []
        self.pair: LoadedPair | None = None
        self.pid: int | None = None
        self.death: ErrorReport | None = None
        self.dead = False
        self.closed = False
        self._replies = list(replies)
        self._load_tapes = list(loads)
        self._engine = engine
        self._listeners: list[Callable[[EngineState], None]] = []
        self._condition = threading.Condition()
        self._released = 0
        self._jobs = 0
        self._refusals: list[EngineError] = []
        self._job: FakeJob | None = None  # the newest

    # what the window uses

    def info(self) -> EngineInfo:
        if isinstance(self._engine, ErrorReport):
            raise EngineError(self._engine.kind, self._engine.detail, **dict(self._engine.facts))
        self._start()
        return self._engine

    def load(self, request: LoadRequest) -> FakeJob:
        self._start()
        self.loads.append(replace(request, measure=False))
        self.measured.append(request.measure)
        self.pair = None
        tape = self._load_tapes.pop(0) if self._load_tapes else loading()
        return self._begin(tape, Failed(0, ErrorReport(ErrorKind.LOAD_CANCELLED)))

    def generate(self, request: GenerationRequest) -> FakeJob:
        self._start()
        self.requests.append(request)
        tape = self._replies.pop(0) if len(self._replies) > 1 else self._replies[0]
        return self._begin(tape, Finished(0, EndReason.CANCELLED, "", 0.2, 0.5))

    def weigh(self, request: GenerationRequest, reply: tuple[int, ...], tokens: tuple[int, int]) -> FakeJob:
        self._start()
        self.weighings.append((reply, tokens))
        answer = Weighed(0, (14.25, 14.25 - self.gap), tokens[0], self.gap)
        return self._begin((answer,), Failed(0, ErrorReport(ErrorKind.LOAD_CANCELLED)))

    def quantize(self, source: Path, destination: Path, file_type: str) -> FakeJob:
        self._start()
        tape = (LoadProgress(0, "target", 1, 1), Quantized(0, str(destination)))
        return self._begin(tape, Failed(0, ErrorReport(ErrorKind.LOAD_CANCELLED)))

    def unload(self) -> None:
        if self._job is not None:
            self._job.cancel()
        self.pair = self.pid = None
        self._notify(EngineState.STOPPED)

    def subscribe(self, listener: Callable[[EngineState], None]) -> None:
        self._listeners.append(listener)

    def close(self) -> None:
        with self._condition:
            self.closed = self.dead = True
            self._condition.notify_all()
        self.pair = self.pid = None
        self._notify(EngineState.STOPPED)

    def check(self, request: LoadRequest) -> None:
        """In place of a look at the files, which are not there. Raises what `refuse_next` was given, once."""
        if self._refusals:
            raise self._refusals.pop()

    # what tests use

    def refuse_next(self, kind: ErrorKind, **facts: str | int | float) -> None:
        """The files of the next pair look wrong."""
        self._refusals.append(EngineError(kind, **facts))

    def play_next(self, *replies: Tape) -> None:
        """Replace the replies to come."""
        self._replies = list(replies)

    def load_next(self, *loads: Tape) -> None:
        self._load_tapes = list(loads)

    def release(self) -> None:
        """Let one `Hold` go on."""
        with self._condition:
            self._released += 1
            self._condition.notify_all()

    def kill(self) -> None:
        """The engine dies now, whatever it is doing."""
        with self._condition:
            self.dead = True
            self._condition.notify_all()
        self._die("the engine was killed")

    # what jobs use

    def wake(self) -> None:
        with self._condition:
            self._condition.notify_all()

    def wait_for_release(self, cancelled: Callable[[], bool]) -> None:
        with self._condition:
            self._condition.wait_for(lambda: self._released > 0 or cancelled() or self.dead)
            self._released = max(0, self._released - 1)

    def die(self, job: int, log: str) -> Failed:
        """The ending of a job whose engine is gone."""
        if not self.dead:
            self._die(log)
        return Failed(job, _death(log))

    def _die(self, log: str) -> None:
        self.pair = self.pid = None
        self.death = _death(log)
        self._notify(EngineState.DIED)

    def _start(self) -> None:
        if self.closed:
            raise RuntimeError("the client is closed")
        self.dead = False
        if self.pid is None:
            self.pid = ENGINE.pid
            self._notify(EngineState.IDLE)

    def _begin(self, tape: Tape, cancelled_ending: Event) -> FakeJob:
        self._jobs += 1
        self._job = FakeJob(self, self._jobs, tape, cancelled_ending)
        return self._job

    def _notify(self, state: EngineState) -> None:
        for listener in self._listeners:
            listener(state)


def _never() -> bool:
    return False


def _death(log: str) -> ErrorReport:
    facts = (("exit_code", -6), ("signal", "SIGABRT"), ("log_path", "engine.log"))
    return ErrorReport(ErrorKind.ENGINE_DIED, facts, log)
