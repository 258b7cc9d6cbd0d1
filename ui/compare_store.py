"""What is known from before: earlier comparisons, and what speculation brought on the user's own texts."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QObject, Signal

from app.compare.history import Drop, History, Record, record_of
from app.compare.measured import Measured, pair_key
from app.mix import Mix, MixRow, mix_key
from app.paths import storage_error
from engine.errors import ErrorReport
from engine.types import LoadedPair, LoadRequest
from ui.models_pool import Pool, Task

Known = tuple[tuple[MixRow, ...], tuple[Record, ...]]


class CompareStore(QObject):
    """Main thread; disks are read and written in a thread, in the order in which it is asked.

    Attributes:
        mix, runs: of the pair that was looked at last; runs latest first.
        drop: what it lost against its own history, until the user has seen it.
        problem: why a file was not written, until the user has seen it.

    Signals:
        changed(): any attribute changed.
    """

    changed = Signal()

    def __init__(self, history: History, mix: Mix) -> None:
        super().__init__()
        self.mix: tuple[MixRow, ...] = ()
        self.runs: tuple[Record, ...] = ()
        self.drop: Drop | None = None
        self.problem: ErrorReport | None = None
        self._history, self._mix = history, mix
        self._reading: Task | None = None
        self._pool = Pool(threads=1)

    def look(self, pair: LoadedPair, load: LoadRequest) -> None:
        """Read what is known of a pair; `changed` follows."""

        def read(_: Task) -> Known:
            return self._mix.own_mix(mix_key(load)), self._history.runs(pair_key(pair))

        if self._reading is not None:
            self._reading.cancel()
        self._reading = self._pool.run(read, self._on_read)

    def remember(self, measured: Measured) -> None:
        """Keep what a comparison came to; `changed` follows, with what the pair lost since earlier ones."""

        def add(_: Task) -> Drop | None:
            record = record_of(measured, time.time())
            drop = self._history.notice(record)
            self._history.add(record)
            return drop

        self._pool.run(add, self._on_added)
        self.look(measured.pair, measured.load)

    def write(self, file: Path, content: Callable[[], bytes], on_done: Callable[[], object]) -> None:
        """Make a file, whole or not at all; `content` is called in the thread. `problem` says why it was not made."""

        def make(_: Task) -> None:
            fresh = file.with_name(f"{file.name}.new")
            try:
                fresh.write_bytes(content())
                os.replace(fresh, file)
            except OSError as error:
                raise storage_error(file, error) from error

        self._pool.run(make, lambda _: on_done(), self._on_problem)

    def dismiss_drop(self) -> None:
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
        self._mix.close()

    def _on_read(self, known: Known) -> None:
        self._reading = None
        self.mix, self.runs = known
        self.changed.emit()

    def _on_added(self, drop: Drop | None) -> None:
        self.drop = drop
        self.changed.emit()

    def _on_problem(self, report: ErrorReport) -> None:
        self.problem = report
        self.changed.emit()
