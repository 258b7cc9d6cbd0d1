"""The arithmetic against llama.cpp's own figures, and against figures that people published."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.dry_load_client import DryLoads
from engine import gguf
from engine.errors import EngineError, ErrorKind
from engine.fit import CHUNK_GPU, Backend, FitSettings
from engine.fit_estimate import estimate, need
from engine.fit_rules import repacked_types
from engine.fit_shape import ModelShape, read_shape
from engine.types import MAX_DRAFT_LENGTH, FlashAttention, KvType
from tests.fakes.gguf_headers import HeaderModel, real_sizes, small_sizes, transformer
from tests.fakes.real_load import system_info

_GIB = 1 << 30
_CONTEXTS = (2048, 8192, 32768, 131072)
_MODELS = real_sizes()
_VARIED = ("llama-1b-tied", "qwen3-0.6b", "gemma-3-4b", "gemma-4-e4b", "gpt-oss-20b", "qwen3.5-0.8b", "lfm2-1.2b")


@pytest.fixture(scope="module")
def dry_loads(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DryLoads]:
    loads = DryLoads(tmp_path_factory.mktemp("logs"))
    yield loads
    loads.close()


@pytest.fixture(scope="module")
def repacked() -> frozenset[str]:
    return repacked_types(system_info())


@pytest.fixture(scope="module")
def shapes(tmp_path_factory: pytest.TempPathFactory) -> dict[str, ModelShape]:
    folder = tmp_path_factory.mktemp("headers")
    return {name: _shape(model, folder / f"{name}.gguf") for name, model in _MODELS.items()}


def _shape(model: HeaderModel, path: Path) -> ModelShape:
    return read_shape(gguf.read_header(model.write(path), whole=False))


def _variants(name: str, repacked: frozenset[str]) -> list[FitSettings]:
    """All contexts as the engine's target, and for some models one context with what else can be chosen."""
    usual = [FitSettings(ctx, outputs=MAX_DRAFT_LENGTH + 1, repacked=repacked) for ctx in _CONTEXTS]
    if name not in _VARIED:
        return usual
    at_8k = usual[1]
    return [
        *usual,
        replace(at_8k, outputs=1),
        replace(at_8k, ubatch=CHUNK_GPU),
        replace(at_8k, flash_attention=FlashAttention.OFF),
        replace(at_8k, kv_type=KvType.Q8_0),
    ]


@pytest.mark.parametrize("name", _MODELS)
def test_arithmetic_agrees_with_llama_cpp(
    name: str, dry_loads: DryLoads, repacked: frozenset[str], tmp_path: Path
) -> None:
    """Weights, caches and logits to the byte, all together within 1 %, from 2,048 to 131,072 tokens."""
    header = _MODELS[name].write(tmp_path / "header.gguf")
    shape = read_shape(gguf.read_header(header, whole=False))
    for settings in _variants(name, repacked):
        measured, estimated = dry_loads.measure(header, settings), need(shape, settings)
        assert (estimated.weights, estimated.kv, estimated.output) == (measured.weights, measured.kv, measured.output)
        assert estimated.total == pytest.approx(measured.total, rel=0.01), settings


@pytest.mark.parametrize("name", small_sizes())
def test_small_models(name: str, dry_loads: DryLoads, repacked: frozenset[str], tmp_path: Path) -> None:
    """Weights and caches are exact in small models too, whatever their cache."""
    header = small_sizes()[name].write(tmp_path / "header.gguf")
    shape = read_shape(gguf.read_header(header, whole=False))
    for kv_type, ctx in ((KvType.F16, 1001), (KvType.F32, 256)):
        settings = FitSettings(ctx, kv_type=kv_type, repacked=repacked)
        measured, estimated = dry_loads.measure(header, settings), need(shape, settings)
        assert (estimated.weights, estimated.kv) == (measured.weights, measured.kv)


def test_split_model(tmp_path: Path) -> None:
    """The parts of a split model add up to the same need as the model in one file."""
    model = small_sizes()["dense"]
    whole = gguf.read_header(model.write(tmp_path / "whole.gguf"), whole=False)
    first, second = (gguf.read_header(path, whole=False) for path in model.write_split(tmp_path))
    assert estimate(first, FitSettings(2048), [second]) == estimate(whole, FitSettings(2048))


@pytest.mark.parametrize(
    ("name", "ctx", "published_gib"),
    [("gemma-3-27b", 131072, 10.41), ("qwen3.5-27b", 262144, 16.0), ("deepseek-v3.1", 163840, 10.72)],
)
def test_published_caches(name: str, ctx: int, published_gib: float, shapes: dict[str, ModelShape]) -> None:
    """Caches of models that other programs told wrong by up to 80 % come out as published, within 3 %."""
    told = need(shapes[name], FitSettings(ctx, Backend.CUDA, ubatch=CHUNK_GPU))
    assert told.kv / _GIB == pytest.approx(published_gib, rel=0.03)


def test_windows_and_heads_of_each_layer_count(shapes: dict[str, ModelShape]) -> None:
    """A model with windows and heads of its own in each layer needs a fraction of what equal layers would."""
    shape, settings = shapes["gemma-4-31b"], FitSettings(131072, Backend.CUDA, ubatch=CHUNK_GPU)
    every_layer_full = 60 * 131072 * 16 * (256 + 256) * 2
    assert need(shape, settings).kv < every_layer_full / 8


@given(data=st.data())
def test_layers_are_somewhere(data: st.DataObject, shapes: dict[str, ModelShape]) -> None:
    """However many layers move to how many GPUs, the same weights and caches are somewhere."""
    shape = shapes[data.draw(st.sampled_from(sorted(shapes)))]
    settings = FitSettings(4096, Backend.METAL, outputs=17, repacked=frozenset(), gpu_layers=0)
    moved = replace(
        settings,
        gpu_layers=data.draw(st.integers(-1, len(shape.layers) + 3)),
        experts_on_cpu=data.draw(st.booleans()),
        split=tuple(data.draw(st.lists(st.floats(0.1, 9.0), max_size=4))),
    )
    before, after = need(shape, settings), need(shape, moved)
    slack = 2 * sum(tensor.nbytes for tensor in shape.shared) * (len(moved.split) + 1)
    if shape.tied is not None:
        slack += shape.tied.nbytes  # a GPU that makes the logits has a copy of its own
    assert abs(after.weights + after.host.weights - before.host.weights) <= slack
    assert after.kv + after.host.kv == before.host.kv
    assert before.weights == before.kv == 0
    assert len(after.devices) == max(1, len(moved.split))


@given(ctx=st.integers(1, 1 << 20), data=st.data())
def test_more_tokens_never_need_less(ctx: int, data: st.DataObject, shapes: dict[str, ModelShape]) -> None:
    """A longer context needs at least as much, on every device."""
    shape = shapes[data.draw(st.sampled_from(sorted(shapes)))]
    settings = FitSettings(
        ctx,
        data.draw(st.sampled_from(Backend)),
        flash_attention=data.draw(st.sampled_from(FlashAttention)),
        ubatch=data.draw(st.sampled_from((128, 512))),
        gpu_layers=data.draw(st.integers(-1, 60)),
        kv_type=data.draw(st.sampled_from((KvType.F16, KvType.Q8_0))),
    )
    longer = replace(settings, ctx=ctx + data.draw(st.integers(0, 1 << 18)))
    short, long = need(shape, settings), need(shape, longer)
    assert short.total <= long.total
    assert short.host.total <= long.host.total


def test_experts_move(shapes: dict[str, ModelShape]) -> None:
    """With its experts in the computer's memory a mixture leaves a GPU little but attention and cache."""
    settings = FitSettings(8192, Backend.CUDA, ubatch=CHUNK_GPU, outputs=17)
    everything = need(shapes["qwen3-30b-a3b"], settings)
    little = need(shapes["qwen3-30b-a3b"], replace(settings, experts_on_cpu=True))
    assert little.weights < everything.weights / 15
    assert little.host.weights > everything.weights * 0.9
    assert little.kv == everything.kv


def test_quantised_cache_costs_buffers_on_cuda(shapes: dict[str, ModelShape]) -> None:
    """What a quantised cache saves is partly taken back by CUDA's 16-bit copy of a layer."""
    settings = FitSettings(131072, Backend.CUDA, ubatch=CHUNK_GPU, outputs=17)
    full, quantised = (
        need(shapes["llama-8b"], replace(settings, kv_type=kind)) for kind in (KvType.F16, KvType.Q4_0)
    )
    assert quantised.compute - full.compute >= 131072 * 2048 * 2 - 150_000_000
    assert quantised.total < full.total


def test_unknown_rules_are_not_guessed(tmp_path: Path) -> None:
    """An architecture with caches of its own kind, and keys without sense, are refused by name."""
    model = transformer(
        "deepseek32", layers=2, width=256, heads=4, kv_heads=2, inner=512, vocabulary=1024, quantisation="F16"
    )
    with pytest.raises(EngineError) as caught:
        estimate(gguf.read_header(model.write(tmp_path / "new.gguf"), whole=False), FitSettings(2048))
    assert caught.value.report.kind is ErrorKind.FIT_UNMEASURABLE
    assert caught.value.report.fact("reason") == "deepseek32"
    for keys in ({"block_count": 0}, {"block_count": 100_000}, {"nextn_predict_layers": 9}, {"embedding_length": 0}):
        broken = small_sizes()["dense"]
        broken.keys |= keys
        with pytest.raises(EngineError) as caught:
            estimate(gguf.read_header(broken.write(tmp_path / "broken.gguf"), whole=False), FitSettings(2048))
        assert caught.value.report.kind is ErrorKind.FIT_UNMEASURABLE


def test_processors_differ() -> None:
    """Which types are held in another order is told by the processor, and none beside AMX."""
    avx = "CPU : SSE3 = 1 | AVX2 = 1 | REPACK = 1 | "
    assert repacked_types(avx) == {"Q4_0", "Q4_K", "IQ4_NL", "MXFP4"}
    assert "Q2_K" in repacked_types(avx + "AVX512 = 1 | ")
    assert "Q8_0" in repacked_types("CPU : NEON = 1 | DOTPROD = 1 | REPACK = 1 | ")
    assert not repacked_types(avx + "AMX_INT8 = 1 | ")
    assert not repacked_types("CPU : AVX2 = 1 | ")
