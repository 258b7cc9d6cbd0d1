"""From what the Models page shows to what is asked of memory."""

from __future__ import annotations

from collections.abc import Sequence

from ui.fit_values import OtherPair, Subject
from ui.models_rows import LocalRow, PairRow, same_model


def pair_subjects(rows: Sequence[PairRow]) -> list[Subject]:
    """Files that are here, and what is known at hubs of the others."""
    return [
        Subject(
            row.pair.id,
            row.target or row.pair.target.model,
            row.draft or row.pair.draft.model,
            _smaller(row, rows),
        )
        for row in rows
    ]


def local_subjects(row: LocalRow) -> list[Subject]:
    """A model as a target on its own; none of one that cannot be used."""
    return [] if row.model.problem is not None else [Subject(row.model.path, row.model)]


def _smaller(row: PairRow, rows: Sequence[PairRow]) -> tuple[OtherPair, ...]:
    """The pairs with the same target and a smaller draft, largest first."""
    pair = row.pair
    others = [
        other
        for other in rows
        if same_model(other.pair.target.model, pair.target.model)
        and other.pair.draft.about_bytes < pair.draft.about_bytes
    ]
    others.sort(key=lambda other: -other.pair.draft.about_bytes)
    return tuple(
        OtherPair(
            other.pair.id,
            f"{other.pair.title.rpartition(' + ')[2]} {other.pair.draft.quantisation}",
            other.draft or other.pair.draft.model,
        )
        for other in others
    )
