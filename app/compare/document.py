"""A comparison as JSON: a contract, whose keys may be added to and never renamed."""

from __future__ import annotations

from dataclasses import asdict

from app.compare.difference import different_pair, is_finite
from app.compare.measured import Document, Measured, settings_document
from app.compare.sweep import SweepOutcome
from app.compare.values import Difference, Outcome
from app.json_text import json_text
from app.machine import engine_document, machine_document, versions
from app.reply_document import choice_document, pair_document, stats_document
from engine.types import EngineInfo, LoadedPair


def document_of(measured: Measured) -> Document:
    """All of it. Looks at the computer, so not on a thread that paints."""
    return {
        **outcome_document(measured.outcome, measured.pair),
        "complete": measured.complete,
        "machine": computer_document(measured.engine),
        "pair": pair_document(measured.pair, measured.choice),
        "settings": settings_document(measured),
    }


def document_text(measured: Measured) -> str:
    """`document_of` as the text of a file."""
    return json_text(document_of(measured), indent=2)


def outcome_document(outcome: Outcome, pair: LoadedPair) -> Document:
    """The figures and both texts."""
    shown = different_pair(outcome.pairs) or outcome.pairs[0]
    difference = outcome.difference
    return {
        "off": asdict(outcome.off),
        "on": asdict(outcome.on),
        "ratio": outcome.ratio,
        "ttft_ratio": outcome.ttft_ratio,
        "choice": choice_document(outcome.choice),
        "pairs": [
            {
                "off": stats_document(runs.off.stats, pair),
                "on": stats_document(runs.on.stats, pair),
                "ratio": runs.ratio,
                "first_difference": runs.first_difference,
            }
            for runs in outcome.pairs
        ],
        "text": {
            "identical": difference is None,
            "first_difference": None if difference is None else difference.index,
            "difference": None if difference is None else _difference(difference),
            "off": shown.off.text,
            "on": shown.on.text,
        },
    }


def sweep_document(outcome: SweepOutcome) -> Document:
    """Every policy's figures. "draft_length" is "off", a number or "auto"."""
    return {
        "rows": [
            {
                "draft_length": "off" if row.policy == 0 else "auto" if row.policy is None else row.policy,
                **asdict(row.side),
                "ratio": row.ratio,
                "choice": choice_document(row.choice),
            }
            for row in outcome.rows
        ],
        "best": "off" if outcome.best == 0 else outcome.best,
        "auto_over_best": outcome.auto_over_best,
    }


def computer_document(engine: EngineInfo) -> Document:
    """The computer, the engine's build and what is installed."""
    return {**machine_document(), "engine": engine_document(engine), "versions": versions()}


def _difference(difference: Difference) -> Document:
    """A gap that is infinite is none that JSON could hold; "near_tie" then is false."""
    return {**asdict(difference), "gap": difference.gap if is_finite(difference.gap) else None}
