"""What a request may ask for. Every way into the engine ends here, so none can make llama.cpp abort with a number."""

from __future__ import annotations

import math

from engine.errors import EngineError, ErrorKind
from engine.types import MAX_DRAFT_LENGTH, GenerationRequest


def check_request(request: GenerationRequest) -> None:
    """Raises EngineError(SETTING_INVALID) with name, value and range of the first setting out of range."""
    sampling = request.sampling
    ranges: tuple[tuple[str, float, float, float], ...] = (
        ("temperature", sampling.temperature, 0.0, math.inf),
        ("top_k", sampling.top_k, 0, math.inf),
        ("top_p", sampling.top_p, 0.0, 1.0),
        ("min_p", sampling.min_p, 0.0, 1.0),
        ("repeat_penalty", sampling.repeat_penalty, math.ulp(0.0), math.inf),
        ("repeat_window", sampling.repeat_window, 0, math.inf),
        ("seed", sampling.seed, 0, math.inf),
        ("p_min", request.p_min, 0.0, 1.0),
        ("draft_length", request.draft_length, 0, MAX_DRAFT_LENGTH),
        ("max_tokens", 1 if request.max_tokens is None else request.max_tokens, 1, math.inf),
    )
    for name, value, least, most in ranges:
        if not least <= value <= most or math.isinf(value):  # NaN is in no range
            reason = f"{least:g} to {most:g}" if most < math.inf else f"{least:g} or more"
            raise EngineError(ErrorKind.SETTING_INVALID, name=name, value=value, reason=reason)
