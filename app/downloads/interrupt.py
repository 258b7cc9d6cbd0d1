"""Stops a download wherever it is: in a wait, or in the middle of a read."""

from __future__ import annotations

import contextlib
import socket
import threading


class InterruptedDownload(Exception):  # noqa: N818 – no error
    """The user, or the end of the program, stopped it."""


class Interrupt:
    """One for each run of a download. Thread-safe."""

    def __init__(self) -> None:
        self._event = threading.Event()
        self._lock = threading.Lock()
        self._socket: socket.socket | None = None

    def set(self) -> None:
        """Stop the download. Returns at once."""
        self._event.set()
        with self._lock:
            self._break()

    def check(self) -> None:
        """Raises InterruptedDownload."""
        if self._event.is_set():
            raise InterruptedDownload

    def sleep(self, seconds: float) -> None:
        """Raises InterruptedDownload."""
        self._event.wait(seconds)
        self.check()

    def watch(self, connection: socket.socket | None) -> None:
        """The connection that `set` breaks from now on."""
        with self._lock:
            self._socket = connection
            if self._event.is_set():
                self._break()

    def _break(self) -> None:
        if self._socket is not None:
            with contextlib.suppress(OSError):  # it is closed already
                # Of the plain class: a TLS socket's own `shutdown` takes the keys away from the thread that reads.
                socket.socket.shutdown(self._socket, socket.SHUT_RDWR)
