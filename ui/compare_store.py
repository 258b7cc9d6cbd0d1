"""What earlier comparisons came to, and the files that a new one is saved in."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QObject, Signal

from app.compare.history import History
from app.compare.measured import Measured, pair_key
from app.compare.record import Drop, Record, record_of
from app.paths import storage_error
from app.small_file import write_small_file
from engine.errors import ErrorReport
from engine.types import LoadedPair
from ui.models_pool import Pool, Task


class CompareStore(QObject):
    """Main thread; disks are read and written in a thread, in the order in which it is asked.

    Attributes:
        runs: of the pair that was looked at last, latest first.
        drop: what it lost against its own history, until the user has seen it.
        problem: why a file was not written, until the user has seen it.

    Signals:
        changed(): any attribute changed.
    """

    changed = Signal()

    def __init__(self, history: History) -> None:
        super().__init__()
        self.runs: tuple[Record, ...] = ()
        self.drop: Drop | None = None
        self.problem: ErrorReport | None = None
        self._history = history
        self._reading: Task | None = None
        self._adding: Task | None = None  # whose drop is still to be told
        self._pool = Pool(threads=1)

    def look(self, pair: LoadedPair) -> None:
        """Read what is known of a pair; `changed` follows."""
        if self._reading is not None:
            self._reading.cancel()
        self._reading = self._pool.run(lambda _: self._history.runs(pair_key(pair)), self._on_read)

    def remember(self, measured: Measured) -> None:
        """Keep what a comparison came to; `changed` follows, with what the pair lost since earlier ones."""

        def add(_: Task) -> Drop | None:
            record = record_of(measured, time.time())
            drop = self._history.notice(record)
            self._history.add(record)
            return drop

        self._adding = task = self._pool.run(add, lambda drop: self._on_added(task, drop))
        self.look(measured.pair)

    def write(self, file: Path, content: Callable[[], bytes], on_done: Callable[[], object]) -> None:
        """Make a file, whole or not at all; `content` is called in the thread. `problem` says why it was not made."""

        def make(_: Task) -> None:
            try:
                _write(Path(os.path.realpath(file)), content())
            except OSError as error:
                raise storage_error(file, error) from error

        self._pool.run(make, lambda _: on_done(), self._on_problem)

    def dismiss_drop(self) -> None:
        """One that is still to be found is not told either."""
        self._adding = None
        if self.drop is not None:
            self.drop = None
            self.changed.emit()

    def dismiss_problem(self) -> None:
        if self.problem is not None:
            self.problem = None
            self.changed.emit()

    def close(self) -> None:
        """Write what waits to be written, then close the files."""
        self._pool.close(finish=True)
        self._history.close()

    def _on_read(self, runs: tuple[Record, ...]) -> None:
        self._reading = None
        self.runs = runs
        self.changed.emit()

    def _on_added(self, task: Task, drop: Drop | None) -> None:
        if task is self._adding:
            self.drop = drop
            self.changed.emit()

    def _on_problem(self, report: ErrorReport) -> None:
        self.problem = report
        self.changed.emit()


def _write(file: Path, content: bytes) -> None:
    """Whole or not at all; what is no regular file, a device say, is written where it is."""
    if file.exists() and not file.is_file():
        file.write_bytes(content)
    else:
        write_small_file(file, content)
