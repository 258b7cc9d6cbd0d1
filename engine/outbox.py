"""Events leave from a thread of their own.

Pickling an event and waking its reader takes 0.1 to 0.2 ms, because a pass leaves nothing of Python in the processor's
caches. Meanwhile llama.cpp can be at the next pass already: it computes without Python's lock.
"""

from __future__ import annotations

import os
import queue
import threading
import traceback
from collections.abc import Callable
from typing import Final

from engine.protocol import Event

_BROKEN: Final = 1  # exit status: an event that cannot be sent would leave a job without an ending for ever


class Outbox:
    """Sends what is put into it, in that order. `put` is for any thread and never waits.

    Attributes:
        put: takes an event.
    """

    def __init__(self, send: Callable[[Event], None], gone: Callable[[], None]) -> None:
        """`send` may block; where it raises OSError nobody listens any more, and `gone` is called. Both run on the
        thread."""
        self._events: queue.SimpleQueue[Event | None] = queue.SimpleQueue()
        self._send = send
        self._gone = gone
        self.put: Callable[[Event], None] = self._events.put
        self._thread = threading.Thread(target=self._run, name="events", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Waits until all is sent."""
        self._events.put(None)
        self._thread.join()

    def _run(self) -> None:
        while (event := self._events.get()) is not None:
            try:
                self._send(event)
            except OSError:
                self._gone()
                return
            except Exception:  # noqa: BLE001 – a bug; the log says which, and the app starts a new engine
                traceback.print_exc()
                os._exit(_BROKEN)
