"""The engine as the rest of the program sees it: jobs go down, their events come back.

One thread (`app.engine_loop`) owns the engine process and all state. Callers leave a request in its mailbox and
return, so nothing here blocks a window.

The engine is given one job at a time; the others wait here, where a cancel ends them at once. One that does not
answer a cancel in time is killed, and its job ends as cancelled.

An engine that dies costs the jobs in flight and nothing else: each ends with `Failed(ENGINE_DIED)`, the next
job starts a new engine, and the next `generate` or `weigh` first loads again what was loaded.
"""

from __future__ import annotations

import atexit
import itertools
import threading
from concurrent.futures import Future
from dataclasses import replace
from functools import partial
from pathlib import Path

from app.engine_loop import EngineLoop, EngineState, Listener, Patience
from app.engine_process import EngineTarget
from app.jobs import Job, Task
from app.learned import LearnedPairs
from app.mailbox import Mailbox, Request
from engine.errors import EngineError, ErrorReport
from engine.launch import run_engine
from engine.protocol import Generate, Load, Quantize, Weigh
from engine.types import EngineInfo, GenerationRequest, LoadedPair, LoadRequest

__all__ = ["EngineClient", "EngineState", "Job", "Patience"]


class EngineClient:
    """Starts the engine when it is first needed, and again after a death. Thread-safe."""

    def __init__(
        self,
        logs: Path,
        learned: LearnedPairs | None = None,
        *,
        target: EngineTarget = run_engine,
        patience: Patience | None = None,
    ) -> None:
        """`logs` is the folder of the engine's logs, `learned` remembers what pairs taught, `target` is what the
        spawned process runs."""
        self._patience = patience or Patience()
        self._numbers = itertools.count(1)
        self._mailbox = Mailbox()
        self._loop = EngineLoop(target, logs, learned, self._patience, self._mailbox, self._numbers)
        self._thread: threading.Thread | None = None
        self._thread_lock = threading.RLock()  # re-entrant for signal handlers, as the mailbox is
        # Runs before multiprocessing's own exit handler, which would wait for the engine for ever.
        atexit.register(self.close)

    @property
    def pair(self) -> LoadedPair | None:
        """What is loaded now, by the engine's own word."""
        return self._loop.pair

    @property
    def state(self) -> EngineState:
        """As last told to the listeners."""
        return self._loop.state

    @property
    def pid(self) -> int | None:
        """The engine's process id, None while no engine is ready."""
        engine = self._loop.engine
        return engine.info.pid if engine and engine.info else None

    @property
    def death(self) -> ErrorReport | None:
        """What the engine died of the last time, ENGINE_DIED or ENGINE_START_FAILED; set before its state says DIED."""
        return self._loop.death

    def info(self) -> EngineInfo:
        """What the engine is; starts it if need be and blocks until it is ready. Raises EngineError."""
        waiter: Future[EngineInfo] = Future()
        if not self._post(partial(self._loop.ask_info, waiter)):
            raise EngineError.of(self._loop.refusal)
        return waiter.result()

    def load(self, request: LoadRequest) -> Job:
        """Unload what is loaded and load this pair. Ends with Loaded or Failed."""
        job = self._new_job()
        return self._submit(Task(Load(job.id, request), job))

    def generate(self, request: GenerationRequest) -> Job:
        """Write one reply; `request.job` is replaced. Ends with Finished or Failed.

        Where the engine died since the load, the pair's LoadProgress events come first.
        """
        job = self._new_job()
        return self._submit(Task(Generate(replace(request, job=job.id)), job))

    def weigh(self, request: GenerationRequest, reply: tuple[int, ...], tokens: tuple[int, int]) -> Job:
        """Ask the target how near it is to two tokens after this beginning of a reply. Ends with Weighed or Failed.

        Where the engine died since the load, it loads again first, as `generate` does.
        """
        job = self._new_job()
        return self._submit(Task(Weigh(job.id, request, reply, tokens), job))

    def quantize(self, source: Path, destination: Path, file_type: str) -> Job:
        """Write `source` again as `file_type`. Ends with Quantized or Failed."""
        job = self._new_job()
        return self._submit(Task(Quantize(job.id, str(source), str(destination), file_type), job))

    def unload(self) -> None:
        """End the engine, which gives all its memory back; what runs ends as cancelled. Returns at once.

        The next job starts another engine.
        """
        self._post(self._loop.unload)

    def subscribe(self, listener: Listener) -> None:
        """Call `listener` with each new state, on the client's thread; it must return at once."""
        self._post(partial(self._loop.add_listener, listener))

    def close(self) -> None:
        """End what runs as cancelled, then the engine, by force after 3 s. Blocks until it is gone.

        Idempotent, and called at the interpreter's exit in any case.
        """
        if self._post(self._loop.begin_closing) and self._thread is not None:
            self._thread.join(self._patience.close_s + 1.0)
            engine = self._loop.engine
            if engine is not None:  # the thread hangs in a write that a stopped engine does not read
                engine.kill()
        if self._thread is not None:
            self._thread.join()
        atexit.unregister(self.close)  # last: an interrupt before this must not leave an engine behind

    def _new_job(self) -> Job:
        return Job(next(self._numbers), self._ask_cancel)

    def _ask_cancel(self, number: int) -> None:
        self._post(partial(self._loop.cancel, number))

    def _submit(self, task: Task) -> Job:
        if not self._post(partial(self._loop.enqueue, task)):
            self._loop.refuse(task)
        return task.job

    def _post(self, request: Request) -> bool:
        """Leave `request` to the client's thread; False after the close, and after a fault has ended that thread."""
        with self._thread_lock:
            if self._thread is None:
                # A daemon: the interpreter joins all others before it runs the exit handlers.
                self._thread = threading.Thread(target=self._loop.serve, name="engine-client", daemon=True)
                self._thread.start()
        return self._mailbox.post(request)
