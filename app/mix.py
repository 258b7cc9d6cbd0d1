"""What speculation has brought on the user's own texts: sums by day, pair and kind of text, of the last weeks.

Nothing of the texts is kept, nor when in a day they were written. The file is disposable: a damaged one is made anew.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date
from math import isfinite
from pathlib import Path
from typing import Final

from app.disposable_table import DisposableTable
from app.text_kind import KINDS
from engine.costs import MeasuredCosts
from engine.stats import GenerationStats
from engine.types import LoadRequest

KEPT_DAYS: Final = 35
_DEFINITION: Final = """(
    day INTEGER, pair TEXT, kind TEXT, tokens INTEGER, rested INTEGER, decode_s REAL, plain_s REAL, fixed INTEGER,
    PRIMARY KEY (day, pair, kind, fixed)
) WITHOUT ROWID"""
_ADD: Final = """
INSERT INTO mix VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET
    tokens = tokens + excluded.tokens, rested = rested + excluded.rested,
    decode_s = decode_s + excluded.decode_s, plain_s = plain_s + excluded.plain_s
"""
_FORGET: Final = "DELETE FROM mix WHERE day <= ?"
_SINCE: Final = "SELECT kind, tokens, rested, decode_s, plain_s, fixed FROM mix WHERE day BETWEEN ? AND ? AND pair = ?"


@dataclass(frozen=True, slots=True)
class MixedReply:
    """What is remembered of a reply.

    Attributes:
        kind: of text, one of `app.text_kind.KINDS`.
        tokens: those that the time is of. rested: those of them that were written while guessing did not pay.
        decode_s: what they took. plain_s: what they would have taken without speculation.
        fixed: the draft length was set, not chosen by time.
    """

    kind: str
    tokens: int
    rested: int
    decode_s: float
    plain_s: float
    fixed: bool = False


@dataclass(frozen=True, slots=True)
class MixRow:
    """One kind of text, apart with and without draft lengths that were set.

    Attributes:
        ratio: of the time that plain decoding would have taken to the time that was taken; above 1 is faster.
        resting: share of the tokens that were written while guessing did not pay, 0 … 1.
        tokens: that this is known from.
        fixed: the draft lengths were set, not chosen by time.
    """

    kind: str
    ratio: float
    resting: float
    tokens: int
    fixed: bool = False


def mixed_reply(kind: str, stats: GenerationStats, costs: MeasuredCosts | None = None) -> MixedReply | None:
    """What is remembered of a reply that has ended; None where nothing was guessed or timed, or no costs are known.

    Args:
        costs: what passes of its pair cost, as far as that is known beside the reply. A reply whose lengths were chosen
            by time has its own; one with a length that was set tells nothing of plain decoding.
    """
    if stats.inactive is not None or not stats.timed_tokens or stats.decode_s <= 0:
        return None
    if stats.costs is not None:
        return MixedReply(kind, stats.timed_tokens, stats.rested, stats.decode_s, stats.plain_s)
    if costs is None:
        return None
    plain_s = stats.timed_tokens * costs.verify_s[0]
    return MixedReply(kind, stats.timed_tokens, 0, stats.decode_s, plain_s, fixed=True)


def mix_key(load: LoadRequest) -> str:
    """What tells pairs apart: the names of their files."""
    return " + ".join(Path(path).name for path in (load.target, load.draft) if path)


class Mix:
    """Thread-safe. Every method reads or writes a file and waits for it; none raises."""

    def __init__(self, file: Path) -> None:
        """The file is made with the first call that needs it."""
        self._table = DisposableTable(file, "mix", _DEFINITION)

    def add(self, pair: str, reply: MixedReply, today: date | None = None) -> None:
        """Remember a reply of `pair`, and forget what is older than KEPT_DAYS."""
        day = (today or date.today()).toordinal()
        row = (day, pair, reply.kind, reply.tokens, reply.rested, reply.decode_s, reply.plain_s, int(reply.fixed))
        self._table.do((_ADD, row), (_FORGET, (day - KEPT_DAYS,)))

    def own_mix(self, pair: str, days: int = 7, today: date | None = None) -> tuple[MixRow, ...]:
        """What `pair` has brought in the last days, today included: most tokens first."""
        day = (today or date.today()).toordinal()
        rows = self._table.do((_SINCE, (day - days + 1, day, pair)))
        return _summed(MixedReply(*row) for row in rows if _is_sound(*row))

    def close(self) -> None:
        self._table.close()


def _is_sound(
    kind: object, tokens: object, rested: object, decode_s: object, plain_s: object, fixed: object
) -> bool:
    """Whether this program can have written it."""
    if kind not in KINDS or fixed not in (0, 1) or not isinstance(tokens, int) or not isinstance(rested, int):
        return False
    times = (decode_s, plain_s)
    return 0 <= rested <= tokens > 0 and all(isinstance(s, float) and isfinite(s) and s > 0 for s in times)


def _summed(parts: Iterable[MixedReply]) -> tuple[MixRow, ...]:
    sums: dict[tuple[str, bool], MixedReply] = {}
    for part in parts:
        key = part.kind, bool(part.fixed)  # SQLite has no truth values
        so_far = sums.get(key, MixedReply(part.kind, 0, 0, 0.0, 0.0))
        sums[key] = MixedReply(
            part.kind,
            so_far.tokens + part.tokens,
            so_far.rested + part.rested,
            so_far.decode_s + part.decode_s,
            so_far.plain_s + part.plain_s,
        )
    rows = [
        MixRow(kind, s.plain_s / s.decode_s, s.rested / s.tokens, s.tokens, fixed) for (kind, fixed), s in sums.items()
    ]
    return tuple(sorted(rows, key=lambda row: -row.tokens))
