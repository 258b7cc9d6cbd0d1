"""What is known of the models on this computer, kept between starts so that no file is read twice.

Everything here can be found again, so the cache never fails: a damaged file is made anew, and one that is locked or
cannot be written only means that more has to be read again.
"""

from __future__ import annotations

import contextlib
import json
import os
import sqlite3
import threading
import zlib
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from app.library.part_names import is_part_of, part_of
from app.library.reading import shown
from app.model_values import LocalModel, PlaceKind
from app.version import VERSION
from engine.errors import ErrorKind, ErrorReport
from engine.gguf_format import FILE_TYPES, TENSOR_TYPES

_PATIENCE_S = 0.1  # for another program that is writing

# What another version of the program wrote is not asked: it may have judged the same files in another way.
_FORMAT = zlib.crc32(f"2 {VERSION}".encode()) >> 1
_COLUMNS = (
    "path, stamp, parts, place, size_bytes, name, architecture, quantisation, parameters, vocab_size, context, problem"
)
_TABLE = """
CREATE TABLE model (
    path BLOB PRIMARY KEY, stamp TEXT, parts TEXT, place TEXT, size_bytes INTEGER, name TEXT, architecture TEXT,
    quantisation TEXT, parameters INTEGER, vocab_size INTEGER, context INTEGER, problem TEXT
) WITHOUT ROWID
"""
_STORE = "INSERT OR REPLACE INTO model VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"

_QUANTISATIONS = frozenset({"", *FILE_TYPES.values(), *(kind.name for kind in TENSOR_TYPES.values())})
_PLACES = {place.value: place for place in PlaceKind}

Row = tuple[bytes, str, str, str, int, str, str, str, int, int, int, str]


@dataclass(frozen=True, slots=True)
class KnownModel:
    """A model as it was when its files had this stamp."""

    stamp: str
    model: LocalModel


class ModelCache:
    """Thread-safe. No method raises."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._lock = threading.Lock()
        self._connection = _open(file)

    def load(self) -> list[KnownModel]:
        """Everything that is known. Rows that make no sense are left out, and their files read anew."""
        with self._lock:
            try:
                rows = self._connection.execute(f"SELECT {_COLUMNS} FROM model").fetchall()
            except (sqlite3.Error, ValueError, OverflowError, MemoryError):
                self._start_anew()
                return []
        return [known for row in rows if (known := _model(row)) is not None]

    def store(self, models: Iterable[KnownModel]) -> None:
        with self._lock, contextlib.suppress(sqlite3.Error, ValueError), self._connection:
            self._connection.executemany(_STORE, map(_row, models))

    def forget(self, paths: Iterable[Path]) -> None:
        with self._lock, contextlib.suppress(sqlite3.Error, ValueError), self._connection:
            self._connection.executemany("DELETE FROM model WHERE path = ?", ((os.fsencode(path),) for path in paths))

    def close(self) -> None:
        with self._lock:
            self._connection.close()

    def _start_anew(self) -> None:
        self._connection.close()
        with contextlib.suppress(OSError):  # another program has it open
            self._file.unlink(missing_ok=True)
        self._connection = _open(self._file)


def _open(file: Path) -> sqlite3.Connection:
    """The cache's file, made anew where it is damaged; a cache in memory where that cannot be."""
    with contextlib.suppress(OSError):
        file.parent.mkdir(parents=True, exist_ok=True)
    for place in (file, file, ":memory:"):
        connection = None
        try:
            connection = sqlite3.connect(place, timeout=_PATIENCE_S, check_same_thread=False)
            connection.execute("PRAGMA synchronous = OFF")  # what a power cut damages is made anew
            _prepare(connection)
            return connection
        except (sqlite3.Error, ValueError) as error:  # of a damaged file, even the message may be no text
            if connection is not None:
                connection.close()
            code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_CORRUPT)
            if code in (sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_CORRUPT):
                with contextlib.suppress(OSError):
                    file.unlink(missing_ok=True)
    raise AssertionError  # a cache in memory can always be made


def _prepare(connection: sqlite3.Connection) -> None:
    """Make the table, unless the same format has it already."""
    if connection.execute("PRAGMA user_version").fetchone() != (_FORMAT,):
        with connection:
            connection.execute("BEGIN IMMEDIATE")
            connection.execute("DROP TABLE IF EXISTS model")
            connection.execute(_TABLE)
            connection.execute(f"PRAGMA user_version = {_FORMAT}")


# Names that are not UTF-8 have lone surrogates, which SQLite refuses; JSON escapes them.


def _row(known: KnownModel) -> Row:
    model, problem = known.model, known.model.problem
    return (
        os.fsencode(model.path),
        known.stamp,
        "" if model.parts == (model.path,) else json.dumps([str(part) for part in model.parts]),
        model.place.value,
        model.size_bytes,
        model.name,
        model.architecture,
        model.quantisation,
        model.parameters,
        model.vocab_size,
        model.context,
        "" if problem is None else json.dumps([problem.kind.value, problem.facts, problem.detail]),
    )


def _model(row: Row) -> KnownModel | None:
    """None for what this program did not write."""
    file, stamp, parts, place, size, name, architecture, quantisation, parameters, vocab_size, context, problem = row
    texts: tuple[object, ...] = (stamp, parts, place, name, architecture, quantisation, problem)
    numbers: tuple[object, ...] = (size, parameters, vocab_size, context)
    if not isinstance(file, bytes) or not all(isinstance(text, str) for text in texts):
        return None
    if not all(isinstance(number, int) and number >= 0 for number in numbers):
        return None
    if quantisation not in _QUANTISATIONS or not all(shown(text) == text for text in (name, architecture)):
        return None
    try:
        path = Path(os.fsdecode(file))
        return KnownModel(
            stamp,
            LocalModel(
                path=path,
                parts=_parts(path, parts),
                place=_PLACES[place],
                size_bytes=size,
                name=name,
                architecture=architecture,
                quantisation=quantisation,
                parameters=parameters,
                vocab_size=vocab_size,
                context=context,
                problem=_problem(problem) if problem else None,
            ),
        )
    except (LookupError, ValueError, TypeError, RecursionError):
        return None


def _parts(path: Path, text: str) -> tuple[Path, ...]:
    """The model's own file, and others only where they lie beside it and are parts by their names. Raises
    ValueError."""
    parts = tuple(map(Path, json.loads(text))) if text else (path,)
    group = part_of(path.name)
    others = group is not None and all(
        part.parent == path.parent and is_part_of(part.name, group) for part in parts[1:]
    )
    if not path.is_absolute() or "\0" in str(path) or parts[:1] != (path,) or not (others or len(parts) == 1):
        raise ValueError(text)
    return parts


def _problem(text: str) -> ErrorReport:
    kind, facts, detail = json.loads(text)
    if not isinstance(detail, str):
        raise TypeError(text)
    if not all(isinstance(name, str) and isinstance(value, str | int) for name, value in facts):
        raise TypeError(text)
    return ErrorReport(ErrorKind(kind), tuple((name, value) for name, value in facts), detail)
