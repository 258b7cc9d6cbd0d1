"""The rules of rounding and padding that all of the arithmetic shares."""

from __future__ import annotations

from typing import Final, NamedTuple

from engine.fit import Backend, FitSettings
from engine.gguf_format import TENSOR_TYPES, TensorInfo
from engine.types import FlashAttention, KvType

_CELLS: Final = 256  # caches grow in steps of so many tokens
_SIZES: Final = {kind.name: (kind.block, kind.size) for kind in TENSOR_TYPES.values()}


# By what a processor has, the types whose matrices the CPU's kernels hold in an order of their own
_REPACKED: Final = {
    "AVX2": ("Q4_0", "Q4_K", "IQ4_NL", "MXFP4"),
    "AVX512": ("Q2_K",),
    "DOTPROD": ("Q1_0", "Q4_0", "Q4_K", "Q5_K", "Q6_K", "Q8_0", "IQ4_NL", "MXFP4"),
}


def repacked_types(system_info: str) -> frozenset[str]:
    """For `FitSettings.repacked`: told by what llama.cpp says of the processor (`EngineInfo.system_info`)."""
    if "REPACK = 1" not in system_info or "AMX_INT8 = 1" in system_info:  # the engine asks for none beside AMX
        return frozenset()
    return frozenset(name for feature, names in _REPACKED.items() if f" {feature} = 1" in system_info for name in names)


class Rules(NamedTuple):
    """Of one backend: tensors begin at multiples of `alignment` bytes; quantised rows are filled up to a multiple of
    `row_padding` elements, 0 for none."""

    alignment: int
    row_padding: int


_RULES: Final = {
    Backend.CPU: Rules(32, 0),
    Backend.CUDA: Rules(128, 512),
    Backend.VULKAN: Rules(64, 0),  # minStorageBufferOffsetAlignment: up to 256, mostly less
    Backend.METAL: Rules(32, 0),
}


def rules(backend: Backend) -> Rules:
    return _RULES[backend]


def padded(size: int, alignment: int) -> int:
    return size + -size % alignment


def row_bytes(type_name: str, elements: int) -> int:
    """Bytes of so many elements, in whole blocks."""
    block, size = _SIZES[type_name]
    return elements // block * size


def ubatch(settings: FitSettings) -> int:
    """Tokens that the engine computes at once."""
    return max(min(settings.ctx, settings.ubatch), settings.outputs)


def cells(settings: FitSettings, window: int) -> int:
    """Tokens that a layer's cache holds; `window` is 0 for a layer that sees all."""
    all_cells = padded(settings.ctx, _CELLS)
    return padded(min(all_cells, window + ubatch(settings)), _CELLS) if window else all_cells


def is_expert(tensor: TensorInfo) -> bool:
    """Whether these are the matrices of a mixture's experts."""
    return "_exps." in tensor.name or "_chexps." in tensor.name


def is_quantised(kind: KvType) -> bool:
    return kind not in (KvType.F32, KvType.F16, KvType.BF16)


def is_flash(settings: FitSettings) -> bool:
    """AUTO counts as on: all backends have it for all usual heads."""
    return settings.flash_attention is not FlashAttention.OFF
