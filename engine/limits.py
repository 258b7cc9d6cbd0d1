"""What a request may ask for. Every way into the engine ends here, so none can make llama.cpp abort with a number."""

from __future__ import annotations

import math
from typing import Final

from engine.errors import EngineError, ErrorKind
from engine.types import (
    LEAST_UBATCH,
    MAX_CTX,
    MAX_DRAFT_LENGTH,
    MAX_GPU_LAYERS,
    MAX_GPUS,
    MAX_REPEAT_PENALTY,
    MAX_THREADS,
    MAX_UBATCH,
    FlashAttention,
    GenerationRequest,
    KvType,
    LoadRequest,
)

_UNQUANTISED: Final = (KvType.F32, KvType.F16, KvType.BF16)


def check_request(request: GenerationRequest) -> None:
    """Raises EngineError(SETTING_INVALID) with name, value and range of the first setting out of range."""
    sampling = request.sampling
    _check(
        ("temperature", sampling.temperature, 0.0, math.inf),
        ("top_k", sampling.top_k, 0, math.inf),
        ("top_p", sampling.top_p, 0.0, 1.0),
        ("min_p", sampling.min_p, 0.0, 1.0),
        ("repeat_penalty", sampling.repeat_penalty, math.ulp(0.0), MAX_REPEAT_PENALTY),
        ("repeat_window", sampling.repeat_window, 0, math.inf),
        ("seed", sampling.seed, 0, math.inf),
        ("p_min", request.p_min, 0.0, 1.0),
        ("draft_length", request.draft_length or 0, 0, MAX_DRAFT_LENGTH),
        ("drafters", len(request.drafters), 1, math.inf),
        ("max_tokens", 1 if request.max_tokens is None else request.max_tokens, 1, math.inf),
    )


def check_load(request: LoadRequest) -> None:
    """Raises EngineError(SETTING_INVALID) as `check_request` does, or CACHE_NEEDS_FLASH."""
    _check(
        ("ctx", 1 if request.ctx is None else request.ctx, 1, MAX_CTX),
        ("threads", 1 if request.threads is None else request.threads, 1, MAX_THREADS),
        ("gpu_layers", request.gpu_layers, -1, MAX_GPU_LAYERS),
        ("draft_gpu_layers", request.draft_gpu_layers, -1, MAX_GPU_LAYERS),
        ("ubatch", LEAST_UBATCH if request.ubatch is None else request.ubatch, LEAST_UBATCH, MAX_UBATCH),
        *_shares("split", request.split),
        *_shares("draft_split", request.draft_split),
    )
    # llama.cpp cannot read quantised values of the cache without it, and only says that it got no context.
    if request.flash_attention is FlashAttention.OFF and request.kv_type not in _UNQUANTISED:
        raise EngineError(ErrorKind.CACHE_NEEDS_FLASH, kv_type=request.kv_type.value)


def _shares(name: str, split: tuple[float, ...]) -> list[tuple[str, float, float, float]]:
    """How many, and each."""
    return [(name, len(split), 0, MAX_GPUS), *((name, share, 0.0, math.inf) for share in split)]


def _check(*ranges: tuple[str, float, float, float]) -> None:
    """Each range is name, value, least and most."""
    for name, value, least, most in ranges:
        if not least <= value <= most or math.isinf(value):  # NaN is in no range
            reason = f"{least:g} to {most:g}" if most < math.inf else f"{least:g} or more"
            raise EngineError(ErrorKind.SETTING_INVALID, name=name, value=value, reason=reason)
