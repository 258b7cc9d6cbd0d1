"""Memory need by arithmetic, from a header.

Weights and caches follow llama.cpp's rules to the byte. The buffers of its graph come out of an allocator that packs
some thousand tensors; they are told here by the stages that can be the largest, which was checked against many dry
loads and is right within some percent.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from itertools import accumulate
from typing import Final

from engine.fit import Backend, DeviceNeed, FitSettings, ModelNeed
from engine.fit_compute import compute_buffers
from engine.fit_partial import HOST, stays
from engine.fit_rules import cells, is_flash, padded, row_bytes, rules
from engine.fit_shape import INPUT, OUTPUT, Layer, ModelShape, read_shape
from engine.gguf import GgufHeader
from engine.gguf_format import TensorInfo

_F32: Final = 4
_ALWAYS_TWICE: Final = frozenset({"gemma3n", "gemma4"})  # made as output first, where nothing is there to share yet
_TURNS_WITHOUT_WINDOW: Final = frozenset({"gemma4"})  # layers with one have no use for what is shared


def estimate(header: GgufHeader, settings: FitSettings, parts: Sequence[GgufHeader] = ()) -> ModelNeed:
    """What a load would take. Reading a header's shape takes a millisecond or two, so for many settings keep it and
    ask `need`. Raises as `read_shape` does."""
    return need(read_shape(header, parts), settings)


def need(shape: ModelShape, settings: FitSettings) -> ModelNeed:
    """What a load would take."""
    places = _places(shape, settings)
    buffers, host_buffer = compute_buffers(shape, settings, places)
    devices = tuple(_held(shape, settings, places, number, buffer) for number, buffer in enumerate(buffers))
    on_cpu = settings.backend is Backend.CPU
    host = DeviceNeed() if on_cpu else _held(shape, settings, places, HOST, host_buffer)
    return ModelNeed(devices, host, settings.outputs * shape.vocabulary * _F32)


def _places(shape: ModelShape, settings: FitSettings) -> list[int]:
    """The device of each layer, and of the output behind the last."""
    count = len(shape.layers) + 1
    if settings.backend is Backend.CPU:
        return [0] * count
    moved = count if settings.gpu_layers < 0 else min(settings.gpu_layers, count)
    first = count - moved
    shares = list(accumulate(settings.split or (1.0,)))
    bounds = [share / shares[-1] for share in shares]
    return [HOST if index < first else bisect_right(bounds, (index - first) / moved) for index in range(count)]


def _held(shape: ModelShape, settings: FitSettings, places: list[int], device: int, compute: int) -> DeviceNeed:
    """Weights and caches of the layers on one device."""
    layers = [index for index, place in enumerate(places[:-1]) if place == device]
    has_input = settings.backend is Backend.CPU or device == HOST
    beside = Backend.CPU if device == HOST else settings.backend
    # What stays beside Vulkan lies in memory that it can read, by its rules (ggml_backend_vk_host_buffer_type).
    backend = settings.backend if settings.backend is Backend.VULKAN else beside
    weights = sum(_layer_weights(shape, settings, backend, index, device) for index in layers)
    if places[-1] == device:
        weights += _sum(shape, backend, OUTPUT)
        if shape.tied and not (has_input and _serves_twice(shape, shape.tied, settings)):
            weights += _tensor_bytes(shape.tied, backend)
    if has_input:
        weights += _sum(shape, backend, INPUT)
    if any(not (shape.layers[index].window and shape.architecture in _TURNS_WITHOUT_WINDOW) for index in layers):
        weights += sum(_tensor_bytes(tensor, backend) for tensor in shape.shared)
    if device == HOST:
        elsewhere = [index for index, place in enumerate(places[:-1]) if place != HOST]
        weights += sum(_kept_bytes(shape, settings, beside, index) for index in elsewhere)
    kv = sum(_cache_bytes(shape, settings, beside, shape.layers[index]) for index in layers)
    return DeviceNeed(weights, kv, compute)


def _layer_weights(shape: ModelShape, settings: FitSettings, backend: Backend, index: int, device: int) -> int:
    total = _sum(shape, backend, index)
    return total if device == HOST else total - _kept_bytes(shape, settings, backend, index)


def _sum(shape: ModelShape, backend: Backend, layer: int) -> int:
    question = backend, layer
    if question not in shape.sums:
        shape.sums[question] = sum(_tensor_bytes(tensor, backend) for tensor in shape.tensors.get(layer, ()))
    total: int = shape.sums[question]
    return total


def _kept_bytes(shape: ModelShape, settings: FitSettings, backend: Backend, layer: int) -> int:
    """Of a layer on a GPU, what stays in the computer's memory all the same."""
    question = backend, layer, settings.backend, settings.experts_on_cpu
    if question not in shape.sums:
        kept = (t for t in shape.tensors.get(layer, ()) if stays(shape, settings, t))
        shape.sums[question] = sum(_tensor_bytes(tensor, backend) for tensor in kept)
    total: int = shape.sums[question]
    return total


def _serves_twice(shape: ModelShape, tied: TensorInfo, settings: FitSettings) -> bool:
    """Whether an embedding in the computer's memory is looked up and multiplied with in one place: not where the CPU's
    kernels want it in another order, which they do not beside a GPU that may multiply in their stead."""
    if shape.architecture in _ALWAYS_TWICE:
        return False
    return settings.backend in (Backend.CUDA, Backend.VULKAN) or tied.type not in settings.repacked


def _tensor_bytes(tensor: TensorInfo, backend: Backend) -> int:
    return _allocated(tensor.nbytes, tensor.type, tensor.shape[0], backend)


def _allocated(size: int, type_name: str, row: int, backend: Backend) -> int:
    """What so many bytes take of a buffer, in rows of so many elements."""
    rule = rules(backend)
    if rule.row_padding and type_name not in ("F32", "F16", "BF16") and row % rule.row_padding:
        size += row_bytes(type_name, rule.row_padding - row % rule.row_padding)
    return padded(size, rule.alignment)


def _cache_bytes(shape: ModelShape, settings: FitSettings, backend: Backend, layer: Layer) -> int:
    """Keys and values, or state, of one layer."""
    alignment = rules(backend).alignment
    total = sum(padded(elements * _F32, alignment) for elements in layer.state)
    if not layer.caches:
        return total
    type_name, count = settings.kv_type.name, cells(settings, layer.window)
    keys, values = layer.kv_heads * layer.key_head, layer.kv_heads * layer.value_head
    if values and not is_flash(settings):
        values = shape.widest_value  # transposed, and as wide in all layers
    rows = (keys, values) if values else (keys,)
    return total + sum(_allocated(count * row_bytes(type_name, row), type_name, row, backend) for row in rows)
