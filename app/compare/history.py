"""What earlier comparisons came to, so that a pair that became slower is noticed.

Nothing of a prompt or a reply is kept. Figures of the past cannot be measured again, but nothing depends on them
either: a damaged file is made anew, and one that cannot be written only means that nothing is noticed.
"""

from __future__ import annotations

import contextlib
import sqlite3
import threading
from dataclasses import astuple, fields, replace
from math import isfinite
from pathlib import Path
from statistics import median
from typing import Any, Final

from app.compare.record import Drop, Record
from app.compare.values import SHORT_REPLY

FILE_NAME: Final = "compare.sqlite"  # in the data folder
_LOOKED_AT: Final = 20  # latest runs with the same settings
_PATIENCE_S: Final = 0.5  # for another program that is writing
_FORMAT: Final = 1
_DAMAGED: Final = (sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_ERROR)  # the last: another table


_COLUMNS: Final = tuple(field.name for field in fields(Record))
_TABLE: Final = f"CREATE TABLE run ({', '.join(_COLUMNS)})"
_ADD: Final = f"INSERT INTO run VALUES ({', '.join('?' for _ in _COLUMNS)})"
_OF_PAIR: Final = f"SELECT {', '.join(_COLUMNS)} FROM run WHERE pair = ? ORDER BY at DESC LIMIT 200"


class History:
    """Thread-safe. No method raises."""

    def __init__(self, file: Path) -> None:
        """Opens `file` when it is first needed."""
        self._file = file
        self._lock = threading.Lock()
        self._connection: sqlite3.Connection | None = None

    def add(self, record: Record) -> None:
        self._do(_ADD, astuple(record))

    def runs(self, pair: str) -> tuple[Record, ...]:
        """Of the pair with this key, latest first. A row that is not what `add` writes is left out."""
        return tuple(_record(row) for row in self._do(_OF_PAIR, (pair,)) if _is_sound(*row))

    def notice(self, record: Record) -> Drop | None:
        """What the pair lost since earlier runs with the same settings; None if nothing, or nothing is known."""
        same = [run for run in self.runs(record.pair) if run.settings == record.settings and run.at < record.at]
        earlier = [run for run in same if run.tokens >= SHORT_REPLY][:_LOOKED_AT]
        if not earlier or record.tokens < SHORT_REPLY:  # a short reply tells no speed
            return None
        rates = [run.acceptance_rate for run in earlier if run.acceptance_rate is not None]
        drop = Drop(
            now=record,
            on_tokens_per_s=median(run.on_tokens_per_s for run in earlier),
            off_tokens_per_s=median(run.off_tokens_per_s for run in earlier),
            acceptance_rate=median(rates) if rates else None,
            engine=earlier[0].engine,
            runs=len(earlier),
        )
        return drop if drop.slower or drop.fewer_accepted else None

    def close(self) -> None:
        with self._lock:
            self._close()

    def _do(self, statement: str, values: tuple[object, ...]) -> list[tuple[Any, ...]]:
        """The rows; none where that cannot be. A file that turns out to be damaged is made anew."""
        with self._lock:
            for _ in range(2):
                try:
                    with self._open() as connection:
                        return connection.execute(statement, values).fetchall()
                except ValueError:  # text that is no Unicode, as of a file's name
                    return []
                except sqlite3.Error as error:
                    self._close()
                    if not _remove_damaged(self._file, error):
                        return []
        return []

    def _close(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def _open(self) -> sqlite3.Connection:
        if self._connection is None:
            self._connection = _connect(self._file)
        return self._connection


def _record(row: tuple[Any, ...]) -> Record:
    record = Record(*row)
    return replace(record, identical=bool(record.identical))  # SQLite has no truth values


def _connect(file: Path) -> sqlite3.Connection:
    """The file, made anew where it is damaged or another program's; one in memory where that cannot be."""
    with contextlib.suppress(OSError):
        file.parent.mkdir(parents=True, exist_ok=True)
    for place in (file, file, ":memory:"):
        connection = None
        try:
            connection = sqlite3.connect(place, timeout=_PATIENCE_S, check_same_thread=False)
            _prepare(connection)
            return connection
        except sqlite3.Error as error:
            if connection is not None:
                connection.close()
            _remove_damaged(file, error)
    raise AssertionError  # one in memory can always be made


def _remove_damaged(file: Path, error: sqlite3.Error) -> bool:
    """Whether the file was the cause, and is gone."""
    if getattr(error, "sqlite_errorcode", None) not in _DAMAGED:
        return False
    with contextlib.suppress(OSError):
        file.unlink(missing_ok=True)
        return True
    return False


def _is_sound(*row: object) -> bool:
    """Whether this program can have written it."""
    kinds = (float, str, str, str, str, str, str, float, float, float, float | None, int, int)
    if not all(isinstance(value, kind) for value, kind in zip(row, kinds, strict=True)):
        return False
    return all(isfinite(value) and value >= 0 for value in row if isinstance(value, float))


def _prepare(connection: sqlite3.Connection) -> None:
    """Make the table, unless this format has it already."""
    columns = tuple(name for _, name, *_ in connection.execute("PRAGMA table_info(run)"))
    if connection.execute("PRAGMA user_version").fetchone() != (_FORMAT,) or columns != _COLUMNS:
        with connection:
            connection.execute("BEGIN IMMEDIATE")
            connection.execute("DROP TABLE IF EXISTS run")
            connection.execute(_TABLE)
            connection.execute(f"PRAGMA user_version = {_FORMAT}")
