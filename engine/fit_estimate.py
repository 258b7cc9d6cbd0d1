"""Memory need by arithmetic, from a header.

Weights and caches follow llama.cpp's rules to the byte. The buffers of its graph come out of an allocator that packs
some thousand tensors; they are told here by the stages that can be the largest, which was checked against many dry
loads and is right within some percent.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from itertools import accumulate
from typing import Final

from engine.fit import Backend, DeviceNeed, FitSettings, ModelNeed
from engine.fit_compute import device_buffer, host_buffer
from engine.fit_rules import cells, is_flash, padded, row_bytes, rules, ubatch
from engine.fit_shape import INPUT, OUTPUT, Layer, ModelShape, read_shape
from engine.gguf import GgufHeader
from engine.gguf_format import TensorInfo

_F32: Final = 4
_HOST: Final = -1  # among the numbers of devices


def estimate(header: GgufHeader, settings: FitSettings, parts: Sequence[GgufHeader] = ()) -> ModelNeed:
    """What a load would take. Reading a header's shape takes a millisecond or two, so for many settings keep it and
    ask `need`. Raises as `read_shape` does."""
    return need(read_shape(header, parts), settings)


def need(shape: ModelShape, settings: FitSettings) -> ModelNeed:
    """What a load would take."""
    places = _places(shape, settings)
    last = max(1, len(settings.split)) - 1
    devices = [_device_need(shape, settings, places, number) for number in range(last + 1)]
    host = DeviceNeed()
    if settings.backend is not Backend.CPU:
        host = _device_need(shape, settings, places, _HOST)
    output = settings.outputs * shape.vocabulary * _F32
    return ModelNeed(tuple(devices), host, output)


def _places(shape: ModelShape, settings: FitSettings) -> list[int]:
    """The device of each layer, and of the output behind the last."""
    count = len(shape.layers) + 1
    if settings.backend is Backend.CPU:
        return [0] * count
    moved = count if settings.gpu_layers < 0 else min(settings.gpu_layers, count)
    first = count - moved
    shares = list(accumulate(settings.split or (1.0,)))
    bounds = [share / shares[-1] for share in shares]
    return [
        _HOST if index < first else bisect_right(bounds, (index - first) / moved) for index in range(count)
    ]


def _device_need(shape: ModelShape, settings: FitSettings, places: list[int], device: int) -> DeviceNeed:
    on_cpu = settings.backend is Backend.CPU
    held = [index for index, place in enumerate(places[:-1]) if place == device]
    has_output = places[-1] == device
    holds_input = on_cpu or device == _HOST
    backend = Backend.CPU if device == _HOST else settings.backend
    weights = sum(_layer_weights(shape, settings, backend, index, device) for index in held)
    if has_output:
        weights += _sum(shape, backend, OUTPUT)
        if shape.tied and not (holds_input and _serves_twice(shape.tied, settings)):
            weights += _tensor_bytes(shape.tied, backend)
    if holds_input:
        weights += _sum(shape, backend, INPUT)
    if held:
        weights += sum(_tensor_bytes(tensor, backend) for tensor in shape.shared)
    if device == _HOST and settings.experts_on_cpu:
        weights += sum(
            _experts_bytes(shape, backend, index) for index, place in enumerate(places[:-1]) if place != _HOST
        )
    kv = sum(_cache_bytes(shape, settings, backend, shape.layers[index]) for index in held)
    if device == _HOST:
        elsewhere = any(place != _HOST for place in places)
        compute = host_buffer(shape, settings, [shape.layers[index] for index in held], has_output, elsewhere)
    else:
        lent = 0 if on_cpu else _largest_lent(shape, settings, places)
        compute = device_buffer(shape, settings, [shape.layers[index] for index in held], has_output, lent)
    return DeviceNeed(weights, kv, compute)


def _layer_weights(shape: ModelShape, settings: FitSettings, backend: Backend, index: int, device: int) -> int:
    total = _sum(shape, backend, index)
    if settings.experts_on_cpu and device != _HOST and settings.backend is not Backend.CPU:
        total -= _experts_bytes(shape, backend, index)
    return total


def _sum(shape: ModelShape, backend: Backend, layer: int) -> int:
    question = backend, layer
    if question not in shape.sums:
        shape.sums[question] = sum(_tensor_bytes(tensor, backend) for tensor in shape.tensors.get(layer, ()))
    total: int = shape.sums[question]
    return total


def _experts_bytes(shape: ModelShape, backend: Backend, layer: int) -> int:
    question = backend, layer, "experts"
    if question not in shape.sums:
        shape.sums[question] = sum(_tensor_bytes(t, backend) for t in _experts(shape.tensors.get(layer, ())))
    total: int = shape.sums[question]
    return total


def _experts(tensors: Iterable[TensorInfo]) -> Iterable[TensorInfo]:
    return (tensor for tensor in tensors if ("_exps." in tensor.name or "_chexps." in tensor.name))


def _serves_twice(tied: TensorInfo, settings: FitSettings) -> bool:
    """Whether the embedding can be looked up and multiplied with in one place: not where the CPU's kernels want it in
    another order."""
    return tied.type not in settings.repacked


def _tensor_bytes(tensor: TensorInfo, backend: Backend) -> int:
    rule = rules(backend)
    size = tensor.nbytes
    if rule.row_padding and tensor.type not in ("F32", "F16", "BF16") and tensor.shape[0] % rule.row_padding:
        size += row_bytes(tensor.type, rule.row_padding - tensor.shape[0] % rule.row_padding)
    return padded(size, rule.alignment)


def _cache_bytes(shape: ModelShape, settings: FitSettings, backend: Backend, layer: Layer) -> int:
    """Keys and values, or state, of one layer."""
    alignment = rules(backend).alignment
    total = sum(padded(elements * _F32, alignment) for elements in layer.state)
    if not layer.caches:
        return total
    type_name, count = settings.kv_type.name, cells(settings, layer.window)
    total += padded(count * row_bytes(type_name, layer.kv_heads * layer.key_head), alignment)
    values = layer.kv_heads * layer.value_head
    if values and not is_flash(settings):
        values = shape.widest_value  # transposed, and as wide in all layers
    return total + padded(count * row_bytes(type_name, values), alignment)


def _largest_lent(shape: ModelShape, settings: FitSettings, places: list[int]) -> int:
    """The largest matrix that stays in the computer's memory and is copied to the GPU when a prompt is read."""
    if ubatch(settings) < _LENT_FROM:
        return 0
    largest = 0
    for index, place in enumerate(places[:-1]):
        tensors: Iterable[TensorInfo] = shape.tensors.get(index, ())
        if place != _HOST:
            tensors = _experts(tensors) if settings.experts_on_cpu else ()
        largest = max((largest, *(tensor.nbytes for tensor in tensors)))
    return largest


_LENT_FROM: Final = 32  # tokens; fewer are computed where the weights are
