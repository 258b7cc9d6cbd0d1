"""What earlier comparisons came to, so that a pair that became slower is noticed.

Nothing of a prompt or a reply is kept. Figures of the past cannot be measured again, but nothing depends on them
either: a damaged file is made anew, and one that cannot be written only means that nothing is noticed.
"""

from __future__ import annotations

from dataclasses import astuple, fields, replace
from math import isfinite
from pathlib import Path
from statistics import median
from typing import Any, Final

from app.compare.record import Drop, Record
from app.compare.values import SHORT_REPLY
from app.disposable_table import DisposableTable

FILE_NAME: Final = "compare.sqlite"  # in the data folder
_LOOKED_AT: Final = 20  # latest runs with the same settings
_COLUMNS: Final = tuple(field.name for field in fields(Record))
_ADD: Final = f"INSERT INTO run VALUES ({', '.join('?' for _ in _COLUMNS)})"
_OF_PAIR: Final = f"SELECT {', '.join(_COLUMNS)} FROM run WHERE pair = ? ORDER BY at DESC LIMIT 200"


class History:
    """Thread-safe. No method raises."""

    def __init__(self, file: Path) -> None:
        """Opens `file` when it is first needed."""
        self._table = DisposableTable(file, "run", f"({', '.join(_COLUMNS)})", else_in_memory=True)

    def add(self, record: Record) -> None:
        self._table.do((_ADD, astuple(record)))

    def runs(self, pair: str) -> tuple[Record, ...]:
        """Of the pair with this key, latest first. A row that is not what `add` writes is left out."""
        return tuple(_record(row) for row in self._table.do((_OF_PAIR, (pair,))) if _is_sound(*row))

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
        self._table.close()


def _record(row: tuple[Any, ...]) -> Record:
    record = Record(*row)
    return replace(record, identical=bool(record.identical))  # SQLite has no truth values


def _is_sound(*row: object) -> bool:
    """Whether this program can have written it."""
    kinds = (float, str, str, str, str, str, str, float, float, float, float | None, int, int)
    if not all(isinstance(value, kind) for value, kind in zip(row, kinds, strict=True)):
        return False
    return all(isfinite(value) and value >= 0 for value in row if isinstance(value, float))
