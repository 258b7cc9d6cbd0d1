"""What passes of a loaded pair cost, measured before the first reply."""

from __future__ import annotations

from time import perf_counter
from typing import Final

from engine.costs import MeasuredCosts
from engine.decoder import Decoder
from engine.types import MAX_DRAFT_LENGTH

LIMIT_S: Final = 1.2  # after it nothing more is begun; the first passes are measured whatever they take
_FIRST: Final = (1, 5)
_FURTHER: Final = (2, 3, 9, 17, 4, 7, 13)  # tokens in a pass of the target, those that tell most first
_READ: Final = 9  # tokens in a long pass of the draft
_TOKEN: Final = 0  # any will do: a pass costs the same for all
_TIMES: Final = 2  # of which the shorter one counts


def measure(target: Decoder, draft: Decoder | None, limit_s: float = LIMIT_S) -> MeasuredCosts:
    """Both caches are empty before and after. Blocks for the limit and a pass.

    Raises:
        EngineError: a pass failed.
    """
    end = perf_counter() + limit_s
    _pass(target, 1, 1)  # the first pass of a context prepares what the others use
    seen = {tokens: _shortest(target, tokens, tokens) for tokens in _FIRST}
    draft_s, draft_token_s = None, None
    if draft is not None:
        _pass(draft, 1, 1)
        draft_s = _shortest(draft, 1, 1)
        draft_token_s = max(0.0, _shortest(draft, _READ, 1) - draft_s) / (_READ - 1)
    for tokens in _FURTHER:
        if perf_counter() > end:
            break
        seen[tokens] = _shortest(target, tokens, tokens)
    curve = _filled(seen)
    return MeasuredCosts(curve) if draft_s is None else MeasuredCosts(curve, draft_s, draft_token_s)


def _shortest(decoder: Decoder, tokens: int, outputs: int) -> float:
    return min(_pass(decoder, tokens, outputs) for _ in range(_TIMES))


def _pass(decoder: Decoder, tokens: int, outputs: int) -> float:
    """Seconds of one pass over so many tokens."""
    begin = perf_counter()
    decoder.decode([_TOKEN] * tokens, outputs)
    took_s = perf_counter() - begin
    decoder.clear()
    return took_s


def _filled(seen: dict[int, float]) -> tuple[float, ...]:
    """Seconds for 1, 2, … tokens; between what was measured, and beyond it, along a straight line. More tokens never
    cost less: a pass that seems to was disturbed less."""
    known = sorted(seen)
    curve: list[float] = []
    for tokens in range(1, MAX_DRAFT_LENGTH + 2):
        above = next((at for at in known if at >= tokens), known[-1])
        below = max((at for at in known if at < above), default=above)
        share = (tokens - below) / (above - below) if above > below else 0.0
        straight = seen[below] + share * (seen[above] - seen[below])
        curve.append(max(straight, curve[-1] if curve else straight))
    return tuple(curve)
