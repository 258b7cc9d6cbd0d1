"""What a drafter proposes at a fixed length, without a loop around it."""

from __future__ import annotations

from collections.abc import Callable

from engine.drafting import Guess, Proposer
from engine.policy import FixedLength
from engine.types import MAX_DRAFT_LENGTH

_ENDLESS = 1_000_000


def proposed(
    drafting: Proposer,
    committed: list[int],
    length: int,
    vocab_size: int,
    *,
    free: int = MAX_DRAFT_LENGTH,
    position: int = 0,
    p_min: float = 0.0,
    cancelled: Callable[[], bool] = lambda: False,
) -> list[Guess]:
    """`free` is the limit of the lookup."""
    plan = FixedLength(length, p_min, free).plan(drafting.offers(committed), _ENDLESS)
    if plan.drafter is None:
        return []
    return drafting.propose(committed, plan, position, vocab_size, cancelled)
