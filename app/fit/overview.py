"""What `fit --all` prints: one line for each pair."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from app.amounts import count
from app.fit.document import fit_document
from app.fit.values import FitReport
from app.fit_words import device_name, gigabytes, verdict_in_short
from app.messages import message_for
from app.model_values import CataloguePair, Here
from app.reply_document import Document, error_document
from app.table import table
from engine.errors import ErrorReport

_KEYS: Final = (
    "here", "verdict", "ctx", "device", "need_bytes", "free_bytes", "total_bytes", "short_bytes", "largest_ctx",
    "method", "not_measured",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class JudgedPair:
    """report is None where `error` says why nothing can be told, and `here` then is None too."""

    pair: CataloguePair
    report: FitReport | None = None
    here: Here | None = None
    error: ErrorReport | None = None


def overview_table(judged: Sequence[JudgedPair]) -> str:
    """For people. The need is that of the device which decides."""
    head = ("ID", "NEEDS", "FREE", "LARGEST CONTEXT", "DEVICE", "VERDICT")
    return table([head, *map(_row, judged)], numbers=[1, 2, 3])


def overview_document(judged: Sequence[JudgedPair]) -> list[Document]:
    """The same keys for all pairs, as `fit --json` has them; null where nothing can be told."""
    return [_document(one) for one in judged]


def _row(judged: JudgedPair) -> tuple[str, ...]:
    if judged.report is None:
        assert judged.error is not None
        return judged.pair.id, "?", "?", "?", "", message_for(judged.error).title
    deciding = judged.report.placement.deciding
    return (
        judged.pair.id,
        gigabytes(deciding.need_bytes),
        gigabytes(deciding.device.available_bytes),
        count(judged.report.largest_ctx) if judged.report.largest_ctx else "none",
        device_name(deciding.device),
        verdict_in_short(judged.report),
    )


def _document(judged: JudgedPair) -> Document:
    values: Document = dict.fromkeys(_KEYS)
    if judged.report is not None and judged.here is not None:
        whole = fit_document(judged.report, None, has_draft=True, here=judged.here)
        values = {key: whole[key] for key in _KEYS}
    error = None if judged.error is None else error_document(judged.error)
    return {"id": judged.pair.id, "title": judged.pair.title, **values, "error": error}
