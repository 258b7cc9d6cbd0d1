"""What llama.cpp makes of each tensor when a model is requantised: told from headers, before anything is written.

The rules are those of llama-quant.cpp (llama_tensor_get_type) without an importance matrix, for the file types that
make a draft. A file type is a mixture: the layers that suffer most keep more bits. Rows that a type's blocks do not
divide fall back to a type whose blocks do. Exceptions for single architectures are left out; they concern small
tensors, so a file's predicted size is still right to a few percent.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from engine.gguf import GgufHeader
from engine.gguf_format import TENSOR_TYPES, TensorInfo

_MAIN_TYPES: Final = {"Q2_K": "Q2_K", "Q3_K_M": "Q3_K", "Q4_0": "Q4_0", "Q4_K_M": "Q4_K", "Q8_0": "Q8_0"}
DRAFT_FILE_TYPES: Final = tuple(_MAIN_TYPES)

_FALLBACKS: Final = {"Q2_K": "Q4_0", "Q3_K": "Q4_0", "Q4_K": "Q5_0", "Q5_K": "Q5_1", "Q6_K": "Q8_0"}
_LAYOUTS: Final = {kind.name: (kind.block, kind.size) for kind in TENSOR_TYPES.values()}
_KEPT: Final = (
    "_norm.weight", "ffn_gate_inp.weight", "altup", "laurel", "per_layer_model_proj", "ssm_conv1d", "shortconv.conv",
    "time_mix_",
)  # fmt: skip
_EMBEDDINGS: Final = frozenset({"token_embd.weight", "per_layer_token_embd.weight"})
_SENSITIVE: Final = ("attn_v.weight", "attn_qkv.weight", "attn_kv_b.weight")
_LAYER: Final = re.compile(r"blk\.(\d+)\.")
_PADDING: Final = 32  # bytes to which llama.cpp pads each tensor


@dataclass(frozen=True, slots=True)
class NewTensor:
    """A tensor of the new file.

    Attributes:
        type: its element type there. nbytes: its size there, padding included.
        wanted: the type that the mixture asks for where the rows do not fit it; else the same as `type`.
    """

    old: TensorInfo
    type: str
    nbytes: int
    wanted: str


def requantised(headers: Iterable[GgufHeader], file_type: str) -> Iterator[NewTensor]:
    """What becomes of each tensor.

    Args:
        headers: of all parts of the model, in their order.
        file_type: one of DRAFT_FILE_TYPES.
    """
    parts = list(headers)
    tensors = sorted((tensor for part in parts for tensor in part.tensors), key=_order)
    mixture = _Mixture(parts[0], tensors, file_type)
    for tensor in tensors:
        wanted = mixture.type_of(tensor) if _is_quantised(tensor) else tensor.type
        kind = _fitting(wanted, tensor.shape[0]) if _is_quantised(tensor) else tensor.type
        block, size = _LAYOUTS[kind]
        nbytes = tensor.elements // block * size
        yield NewTensor(tensor, kind, nbytes + -nbytes % _PADDING, wanted)


def _order(tensor: TensorInfo) -> tuple[int, str]:
    """As llama.cpp goes through them, which counts layers on the way."""
    layer = _LAYER.match(tensor.name)
    return (int(layer[1]) if layer else -1, tensor.name)


def _is_quantised(tensor: TensorInfo) -> bool:
    is_matrix = any(length > 1 for length in tensor.shape[1:])
    return is_matrix and tensor.name.endswith("weight") and not any(part in tensor.name for part in _KEPT)


def _fitting(wanted: str, row: int) -> str:
    """`wanted`, or what it falls back to where its blocks do not divide a row."""
    for kind in (wanted, _FALLBACKS.get(wanted, wanted)):
        if row % _LAYOUTS[kind][0] == 0:
            return kind
    return "F16"


class _Mixture:
    """The type that a file type gives to each tensor, asked for in llama.cpp's order."""

    def __init__(self, header: GgufHeader, tensors: list[TensorInfo], file_type: str) -> None:
        heads, kv_heads = header.number("{arch}.attention.head_count"), header.number("{arch}.attention.head_count_kv")
        self._file_type = file_type
        self._main = _MAIN_TYPES[file_type]
        self._layers = header.number("{arch}.block_count", 1)
        self._experts = header.number("{arch}.expert_count")
        self._shares_heads = kv_heads > 0 and heads >= 4 * kv_heads
        self._is_70b = header.architecture == "llama" and self._layers == 80 and heads != kv_heads
        self._tied = all(tensor.name != "output.weight" for tensor in tensors)
        self._sensitive = sum(tensor.name.endswith(_SENSITIVE) for tensor in tensors)
        self._sensitive_seen = self._down_seen = 0

    def type_of(self, tensor: TensorInfo) -> str:
        """Counts what it is asked for."""
        name = tensor.name
        if name == "output.weight" or (self._tied and name in _EMBEDDINGS):
            return "Q8_0" if self._main == "Q8_0" or tensor.shape[0] % _LAYOUTS[self._main][0] else "Q6_K"
        if name in _EMBEDDINGS:
            return self._main
        if name.endswith(_SENSITIVE):
            seen, self._sensitive_seen = self._sensitive_seen, self._sensitive_seen + 1
            return self._value_type(seen)
        if name.endswith("attn_k.weight"):
            return "Q8_0" if self._experts == 8 else self._main
        if name.endswith("attn_output.weight"):
            return self._output_type()
        if "ffn_down" in name:
            seen, self._down_seen = self._down_seen, self._down_seen + 1
            layer = _LAYER.match(name)
            return self._down_type(int(layer[1]) if self._experts > 1 and layer else seen)
        return self._main

    def _value_type(self, layer: int) -> str:
        if self._experts == 8:
            return "Q8_0"
        match self._file_type:
            case "Q2_K":
                kind = "Q4_K" if self._shares_heads else "Q3_K"
            case "Q3_K_M":
                kind = "Q5_K" if layer < 2 else "Q4_K"
            case "Q4_K_M":
                kind = "Q6_K" if _has_more_bits(layer, self._sensitive) else "Q4_K"
            case _:
                return self._main
        return "Q5_K" if self._is_70b and kind in ("Q3_K", "Q4_K") else kind

    def _output_type(self) -> str:
        if self._experts == 8:
            return self._main if self._file_type in ("Q4_0", "Q8_0") else "Q5_K"
        return {"Q2_K": "Q3_K", "Q3_K_M": "Q4_K"}.get(self._file_type, self._main)

    def _down_type(self, layer: int) -> str:
        match self._file_type:
            case "Q2_K":
                return "Q3_K"
            case "Q3_K_M":
                return "Q5_K" if layer < self._layers // 16 else "Q4_K"
            case "Q4_K_M":
                return "Q6_K" if _has_more_bits(layer, self._layers) else "Q4_K"
            case _:
                return self._main


def _has_more_bits(layer: int, layers: int) -> bool:
    eighth = layers // 8
    return layer < eighth or layer >= 7 * layers // 8 or (layer - eighth) % 3 == 2


def estimated_seconds(tensors: Iterable[NewTensor], threads: int) -> float:
    """How long the work takes, to a factor of two or so: arithmetic on `threads` cores, then the disk.

    The rates are those of a server's core: K-quants search for their scales, the other types compute them.
    """
    arithmetic = disk = 0.0
    for tensor in tensors:
        per_second = 20e6 if tensor.type.endswith("_K") else 100e6
        arithmetic += tensor.old.elements / per_second if tensor.type != tensor.old.type else 0.0
        disk += (tensor.old.nbytes + tensor.nbytes) / 1e9
    return arithmetic / threads + disk
