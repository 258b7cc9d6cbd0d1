"""Settings out of range are refused by name before anything computes."""

from __future__ import annotations

import math

import pytest

from engine.errors import EngineError, ErrorKind
from engine.limits import check_load, check_request
from engine.types import FlashAttention, GenerationRequest, KvType, LoadRequest, SamplingSettings


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("temperature", -0.1),
        ("temperature", math.nan),
        ("temperature", math.inf),
        ("top_k", -1),
        ("top_p", 1.5),
        ("min_p", -0.5),
        ("repeat_penalty", 0.0),
        ("repeat_window", -1),
        ("seed", -1),
    ],
)
def test_sampling_out_of_range_is_named(name: str, value: float) -> None:
    """Each sampling setting out of its range is refused under its own name."""
    request = GenerationRequest(1, prompt="x", sampling=SamplingSettings(**{name: value}))  # type: ignore[arg-type]
    with pytest.raises(EngineError) as caught:
        check_request(request)
    assert caught.value.report.kind is ErrorKind.SETTING_INVALID
    assert caught.value.report.fact("name") == name


@pytest.mark.parametrize(
    ("name", "value"), [("draft_length", 17), ("draft_length", -1), ("p_min", 2.0), ("max_tokens", 0)]
)
def test_request_out_of_range_is_named(name: str, value: float) -> None:
    """So is each setting of the request itself."""
    with pytest.raises(EngineError) as caught:
        check_request(GenerationRequest(1, prompt="x", **{name: value}))  # type: ignore[arg-type]
    assert caught.value.report.fact("name") == name


def test_edges_of_the_ranges_pass() -> None:
    """The ends of every range are allowed."""
    check_request(
        GenerationRequest(
            1,
            prompt="x",
            sampling=SamplingSettings(temperature=0.0, top_k=0, top_p=0.0, min_p=1.0, repeat_window=0, seed=0),
            draft_length=16,
            p_min=1.0,
            max_tokens=1,
        )
    )


@pytest.mark.parametrize("kv_type", KvType)
def test_quantised_cache_needs_flash_attention(kv_type: KvType) -> None:
    """With flash attention off, the three types of floats load, and every other is refused by its name."""
    request = LoadRequest("x.gguf", kv_type=kv_type, flash_attention=FlashAttention.OFF)
    if kv_type in (KvType.F32, KvType.F16, KvType.BF16):
        check_load(request)
        return
    with pytest.raises(EngineError) as caught:
        check_load(request)
    assert caught.value.report.kind is ErrorKind.CACHE_NEEDS_FLASH
    assert caught.value.report.fact("kv_type") == kv_type.value


@pytest.mark.parametrize("name", ["split", "draft_split"])
@pytest.mark.parametrize("split", [(-1.0,), (1.0, math.nan), (math.inf,), (1.0,) * 17])
def test_shares_of_gpus_are_few_and_finite(name: str, split: tuple[float, ...]) -> None:
    """A split that llama.cpp could not read is refused under its own name; sixteen shares pass."""
    with pytest.raises(EngineError) as caught:
        check_load(LoadRequest("model.gguf", **{name: split}))  # type: ignore[arg-type]
    assert caught.value.report.fact("name") == name
    check_load(LoadRequest("model.gguf", **{name: (0.0, 1.0) * 8}))  # type: ignore[arg-type]


@pytest.mark.parametrize("ubatch", [0, 31, 4097])
def test_batches_are_neither_tiny_nor_huge(ubatch: int) -> None:
    """A batch must hold a round of the longest draft; the ends of the range pass."""
    with pytest.raises(EngineError) as caught:
        check_load(LoadRequest("model.gguf", ubatch=ubatch))
    assert caught.value.report.fact("name") == "ubatch"
    for allowed in (None, 32, 4096):
        check_load(LoadRequest("model.gguf", ubatch=allowed))
