"""Events leave from a thread of their own, those of rounds some at a time.

Pickling an event and waking its reader takes 0.1 to 0.2 ms, because a pass leaves nothing of Python in the processor's
caches, and the reader needs as much again. Meanwhile llama.cpp can be at the next pass already: it computes without
Python's lock. Where its threads have all cores, that pass waits for the core that was taken: with one message for each
token of 18 ms, 3 % of the time (SmolLM2 135M F32 on two cores).
"""

from __future__ import annotations

import os
import queue
import threading
import traceback
from collections.abc import Callable
from typing import Final

from engine.protocol import Event
from engine.types import DraftRound

_BROKEN: Final = 1  # exit status: an event that cannot be sent would leave a job without an ending for ever
PAUSE_S: Final = 0.04  # as long as a picture of a film


class Outbox:
    """Sends what is put into it, in that order. After each message, rounds wait 40 ms for more; anything else leaves at
    once, and takes them along."""

    def __init__(
        self, send: Callable[[tuple[Event, ...]], None], gone: Callable[[], None], pause_s: float = PAUSE_S
    ) -> None:
        """`send` may block; where it raises OSError nobody listens any more, and `gone` is called. Both run on the
        thread."""
        self._events: queue.SimpleQueue[Event | None] = queue.SimpleQueue()
        self._hurry = threading.Event()
        self._send = send
        self._gone = gone
        self._pause_s = pause_s
        self._thread = threading.Thread(target=self._run, name="events", daemon=True)
        self._thread.start()

    def put(self, event: Event) -> None:
        """For any thread; never waits."""
        self._events.put(event)
        if not isinstance(event, DraftRound):
            self._hurry.set()

    def close(self) -> None:
        """Waits until all is sent."""
        self._events.put(None)
        self._hurry.set()
        self._thread.join()

    def _run(self) -> None:
        try:
            while self._send_waiting():
                self._hurry.wait(self._pause_s)
                self._hurry.clear()
        except OSError:
            self._gone()
        except Exception:  # noqa: BLE001 – a bug; the log says which, and the app starts a new engine
            traceback.print_exc()
            os._exit(_BROKEN)

    def _send_waiting(self) -> bool:
        """Wait for an event and send it with all that wait behind it. False after the last one."""
        events = [self._events.get()]
        while not self._events.empty():  # only this thread takes
            events.append(self._events.get())
        message = tuple(event for event in events if event is not None)
        if message:
            self._send(message)
        return events[-1] is not None
