"""Calls into drivers, which may never return."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Generic, TypeVar

Answer = TypeVar("Answer")


class NoAnswerError(Exception):
    """The call has not returned in time; it goes on, and nothing is asked until it has."""


class Patience(Generic[Answer]):
    """Makes one call at a time, each on a thread of its own that does not keep the program from ending. Thread-safe."""

    def __init__(self, limit_s: float) -> None:
        self._limit_s = limit_s
        self._lock = threading.Lock()
        self._stuck: threading.Thread | None = None

    def call(self, work: Callable[[], Answer]) -> Answer:
        """What `work` gives or raises. Raises NoAnswerError after the limit, and at once while an older call hangs."""
        with self._lock:
            if self._stuck is not None and self._stuck.is_alive():
                raise NoAnswerError
            answers: list[Answer] = []
            errors: list[BaseException] = []

            def run() -> None:
                try:
                    answers.append(work())
                except BaseException as error:  # noqa: BLE001 – raised again in the thread that asked
                    errors.append(error)

            thread = threading.Thread(target=run, name="driver", daemon=True)
            thread.start()
            thread.join(self._limit_s)
            if thread.is_alive():
                self._stuck = thread
                raise NoAnswerError
            if errors:
                raise errors[0]
            return answers[0]
