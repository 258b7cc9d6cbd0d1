"""What a pair's loads and replies taught about it on one machine: where its next load begins."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from engine.acceptance import LearnedAcceptance
from engine.costs import MeasuredCosts
from engine.types import Drafter


@dataclass(frozen=True, slots=True)
class Knowledge:
    """costs: as they were last; acceptance: of each drafter that was ever judged."""

    costs: MeasuredCosts
    acceptance: Mapping[Drafter, LearnedAcceptance]
