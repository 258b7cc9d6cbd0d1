"""Requests from any thread to one thread that also waits for pipes and processes."""

from __future__ import annotations

import multiprocessing
import threading
from collections.abc import Callable
from multiprocessing.connection import Connection

Request = Callable[[], None]


class Mailbox:
    """The owner waits for `reader` with `multiprocessing.connection.wait`, then runs what `take` gives.

    Attributes:
        reader: becomes readable when there is something to take.
    """

    def __init__(self) -> None:
        self.reader: Connection
        self.reader, self._writer = multiprocessing.Pipe(duplex=False)
        # Re-entrant, so that a signal handler may post while its own thread is posting.
        self._lock = threading.RLock()
        self._requests: list[Request] = []
        self._waking = False  # its owner has been told of them
        self._closed = False

    def post(self, request: Request) -> bool:
        """Leave `request`; returns at once. False after the close."""
        with self._lock:
            if self._closed:
                return False
            self._requests.append(request)
            if not self._waking:
                # In this order: where a signal handler raises between the two, the next post wakes the owner, once more
                # if need be, but nobody ever waits for a message that was not sent.
                self._writer.send_bytes(b"\0")
                self._waking = True
        return True

    def take(self) -> list[Request]:
        """All requests so far, in order; there may be none. Call only when `reader` is readable."""
        with self._lock:
            self.reader.recv_bytes()
            self._waking = False
            requests, self._requests = self._requests, []
        return requests

    def close(self) -> list[Request]:
        """Refuse further requests; gives those that were not taken."""
        with self._lock:
            self._closed = True
            self.reader.close()
            self._writer.close()
            requests, self._requests = self._requests, []
        return requests
