"""Whole comparisons, without an engine."""

from __future__ import annotations

from dataclasses import replace

from app.compare.figures import outcome_of
from app.compare.measured import Measured
from app.compare.values import PairOfRuns
from tests.fakes.tapes import ENGINE, PAIR, REQUEST
from tests.unit.app.compare.replies import LONG, PLAN, pair


def measured(
    *pairs: PairOfRuns, preset: str = "code", draft_length: int | None = None, build: str = "0.3.36", seed: int = 7
) -> Measured:
    """Of these pairs; two of long replies, twice as fast with speculation, where none are given."""
    request = replace(PLAN.request, draft_length=draft_length, sampling=replace(PLAN.request.sampling, seed=seed))
    plan = replace(PLAN, request=request, preset=preset)
    outcome = outcome_of(pairs or (pair(LONG, LONG), pair(LONG, LONG)))
    return Measured(plan, outcome, REQUEST, PAIR, replace(ENGINE, llama_cpp_python=build))
