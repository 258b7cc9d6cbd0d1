"""A table in an SQLite file of its own that nothing depends on: a damaged file is made anew."""

from __future__ import annotations

import contextlib
import sqlite3
import threading
from functools import partial
from pathlib import Path
from typing import Any, Final

_PATIENCE_S: Final = 0.5  # for another program that is writing
_DAMAGED: Final = (sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_ERROR)  # the last: another table

Statement = tuple[str, tuple[object, ...]]  # SQL, and the values for its question marks
Row = tuple[Any, ...]  # what stands in a file may be anything


class DisposableTable:
    """Thread-safe. Every method reads or writes a file and waits for it; none raises."""

    def __init__(self, file: Path, name: str, definition: str, *, else_in_memory: bool = False) -> None:
        """Opens `file` when it is first needed.

        Args:
            definition: what follows the name in CREATE TABLE; a table that was made by another one is replaced.
            else_in_memory: where the file cannot be had, rows are kept as long as this object. If not, none are kept.
        """
        self._file = file
        self._name = name
        self._creation = f"CREATE TABLE {name} {definition}"
        self._else_in_memory = else_in_memory
        self._lock = threading.Lock()
        self._connection: sqlite3.Connection | None = None

    def do(self, *statements: Statement) -> list[Row]:
        """All of them or none, and the rows of the last one; no rows where that cannot be."""
        with self._lock:
            for _ in range(2):
                connection = self._open()
                if connection is None:
                    break
                try:
                    with connection:
                        return [connection.execute(*statement).fetchall() for statement in statements][-1]
                except (ValueError, OverflowError):  # text that is no Unicode, as of a file's name; a number too large
                    break
                except sqlite3.Error as error:
                    self._close()
                    if not self._discard(error):
                        break
        return []

    def close(self) -> None:
        """The next call opens the file again."""
        with self._lock:
            self._close()

    def _close(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def _open(self) -> sqlite3.Connection | None:
        """The file, made anew where it is damaged or another program's."""
        if self._connection is not None:
            return self._connection
        with contextlib.suppress(OSError):
            self._file.parent.mkdir(parents=True, exist_ok=True)
        places: list[Path | str] = [self._file, self._file]
        if self._else_in_memory:
            places.append(":memory:")
        for place in places:
            try:
                self._connection = self._connect(place)
                break
            except sqlite3.Error as error:
                self._discard(error)
        return self._connection

    def _connect(self, place: Path | str) -> sqlite3.Connection:
        """Raises sqlite3.Error."""
        connection = sqlite3.connect(place, timeout=_PATIENCE_S, check_same_thread=False)
        try:
            connection.text_factory = partial(str, encoding="utf-8", errors="replace")  # one bad row is not the table
            found = connection.execute("SELECT sql FROM sqlite_master WHERE name = ?", (self._name,)).fetchone()
            if found != (self._creation,):
                with connection:
                    connection.execute("BEGIN IMMEDIATE")
                    connection.execute(f"DROP TABLE IF EXISTS {self._name}")
                    connection.execute(self._creation)
        except sqlite3.Error:
            connection.close()
            raise
        return connection

    def _discard(self, error: sqlite3.Error) -> bool:
        """Whether the file was the cause, and is gone."""
        if getattr(error, "sqlite_errorcode", None) not in _DAMAGED:
            return False
        with contextlib.suppress(OSError):  # another program has it open
            self._file.unlink(missing_ok=True)
            return True
        return False
