"""The graph's buffers, by the stages of a layer.

The allocator gives each tensor its place while it is needed. What counts is the moment at which most is needed: in the
attention of a layer, in its feed-forward part, in a recurrent layer, or where the logits are made. What is put into
the graph from outside, masks above all, is needed in all of them. The factors before the widths are how many tensors
of a width live at that moment.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from engine.fit import Backend, FitSettings
from engine.fit_rules import cells, experts_of, is_flash, row_bytes, ubatch
from engine.fit_shape import Layer, ModelShape
from engine.gguf_format import TensorInfo
from engine.types import KvType

HOST: Final = -1  # among the numbers of devices

_F32: Final = 4
_SMALL: Final = 25  # bytes per token for positions, places in the cache and the like
_PER_LAYER: Final = 5  # tensors as wide as the embeddings of all layers together, while they are made
_LENDING: Final = (Backend.CUDA, Backend.VULKAN)
_LENT_FROM: Final = 32  # tokens; fewer are computed where the weights are
_COPIES: Final = 4  # of what is put into the graph, where several GPUs work on several prompts' pieces at once


def compute_buffers(shape: ModelShape, settings: FitSettings, places: Sequence[int]) -> tuple[list[int], int]:
    """Of each device, and of the computer's memory beside them.

    Args:
        places: the device of each layer, and of the output behind the last.
    """
    tokens = ubatch(settings)
    inputs = _inputs(shape, settings)
    embedded = tokens * shape.width * _F32
    devices = max(1, len(settings.split))
    at_home = [shape.layers[index] for index, place in enumerate(places[:-1]) if place == HOST]
    lends = settings.backend in _LENDING and tokens >= _LENT_FROM and bool(at_home or settings.experts_on_cpu)
    pipelined = devices > 1 and settings.backend in _LENDING and HOST not in places and not settings.experts_on_cpu
    more_inputs = (_COPIES - 1) * inputs if pipelined else 0
    buffers = []
    for device in range(devices):
        held = [shape.layers[index] for index, place in enumerate(places[:-1]) if place == device]
        guests = at_home if lends and device == 0 else []
        lent = _largest_at_home(shape, settings, places) if lends and device == 0 else 0
        stages = [
            _attention(shape, settings, layer) + _cache_copy(shape, settings, guests, layer) for layer in set(guests)
        ]
        borrowed = _borrowed(shape, settings, places, device)
        stages += [stage + borrowed for stage in _stages(shape, settings, [*held, *guests], lent)]
        # The CPU makes the embeddings itself; a GPU gets them, and makes its first tensors over them.
        largest = inputs + max(stages, default=0) - (0 if settings.backend is Backend.CPU else embedded)
        if places[-1] == device:
            logits = _logits(shape, settings)
            # Behind recurrent layers no gap is left that the logits would fit into.
            largest = max(largest, logits + (inputs if shape.is_hybrid and inputs < logits else 0))
        if pipelined:  # what comes in from the CPU, and what goes on from one device to the next
            largest += more_inputs + (1 if device == 0 else 2) * _COPIES * embedded
        buffers.append(max(0, largest) if stages or places[-1] == device else 0)
    if settings.backend is Backend.CPU:
        return buffers, 0
    host = inputs + 2 * embedded
    if pipelined:
        host += more_inputs + (_COPIES - 1) * embedded
    if at_home and not lends:
        host = max(host, inputs + max(_stages(shape, settings, at_home, 0)))
    if places[-1] == HOST:
        host = max(host, _logits(shape, settings))
    return buffers, host


def _inputs(shape: ModelShape, settings: FitSettings) -> int:
    """A number for each pair of a token and a cell of the cache; without flash attention, the place of each value."""
    tokens, flash = ubatch(settings), is_flash(settings)
    windows = {layer.window for layer in shape.layers if layer.attends}
    masks = sum(cells(settings, window) for window in windows) * tokens * (2 if flash else _F32)
    places = 0 if flash or shape.latent else len(windows) * tokens * shape.widest_value * 8
    return masks + places + _SMALL * tokens


def _stages(shape: ModelShape, settings: FitSettings, layers: Iterable[Layer], lent: int) -> list[int]:
    tokens, stages = ubatch(settings), []
    for layer in set(layers):
        stages.append(_feed_forward(shape, tokens, layer) + lent)
        if layer.attends:
            stages.append(_attention(shape, settings, layer))
        if any(layer.state):
            stages.append(_recurrence(shape, tokens, layer) + lent)
    if shape.per_layer and stages:
        stages.append((_PER_LAYER * shape.per_layer + shape.width) * tokens * _F32)
    return stages


def _attention(shape: ModelShape, settings: FitSettings, layer: Layer) -> int:
    tokens, held = ubatch(settings), cells(settings, layer.window)
    queries = layer.heads * layer.key_head
    size = (3 * shape.width + 2 * queries) * tokens * _F32
    if shape.latent:
        size += layer.heads * shape.latent * tokens * _F32
    if not is_flash(settings):
        size += held * tokens * layer.heads * _F32  # a weight for each head, token and cell
        if shape.latent:
            size += held * row_bytes(settings.kv_type.name, shape.latent)
    else:
        size += layer.cached * tokens * _F32
        if settings.backend is Backend.CUDA and settings.kv_type is not KvType.F16:
            size += held * layer.cached * 2  # its kernels read 16-bit numbers: a copy of one layer's cache
    return size


def _cache_copy(shape: ModelShape, settings: FitSettings, guests: Sequence[Layer], layer: Layer) -> int:
    """Of a layer whose cache is in the computer's memory, for a GPU that computes its attention all the same."""
    if not layer.attends:
        return 0
    held = cells(settings, layer.window)
    copy = held * row_bytes(settings.kv_type.name, layer.cached)
    # Where more than one matrix comes between, the keys of the next such layer are copied ahead.
    ahead = (shape.is_hybrid or layer.spread) and sum(guest.attends for guest in guests) > 1
    return copy + (held * row_bytes(settings.kv_type.name, layer.kv_heads * layer.key_head) if ahead else 0)


def _borrowed(shape: ModelShape, settings: FitSettings, places: Sequence[int], device: int) -> int:
    """For layers that read the cache of an earlier layer in the computer's memory: copies, all at once."""
    own = [index for index, layer in enumerate(shape.layers) if layer.caches]
    total = 0
    for index, layer in enumerate(shape.layers):
        if places[index] == device and layer.attends and not layer.caches:
            lenders = [other for other in own if shape.layers[other].window == layer.window]
            if lenders and places[lenders[-1]] == HOST:
                total += cells(settings, layer.window) * row_bytes(settings.kv_type.name, layer.cached)
    return total


def _recurrence(shape: ModelShape, tokens: int, layer: Layer) -> int:
    channels, projected, inner = shape.recurrent
    return ((shape.width + projected + 2 * channels + inner) * tokens + 2 * layer.state[1]) * _F32


def _feed_forward(shape: ModelShape, tokens: int, layer: Layer) -> int:
    # What attention leaves behind is a gap as wide as its queries, which nothing else fits into.
    queries = 0 if shape.is_hybrid else min(other.heads * other.key_head for other in shape.layers)
    size = max(3 * layer.inner, 2 * layer.spread)
    return (size + 3 * shape.width + queries) * tokens * _F32


def _logits(shape: ModelShape, settings: FitSettings) -> int:
    tokens = ubatch(settings)
    outputs = min(settings.outputs, tokens)
    return (outputs * (shape.vocabulary + shape.width) + tokens * shape.width) * _F32


def _largest_at_home(shape: ModelShape, settings: FitSettings, places: Sequence[int]) -> int:
    """The largest matrix that stays in the computer's memory: it is copied to a GPU while a prompt is read."""
    largest = 0
    for index, place in enumerate(places[:-1]):
        tensors: Iterable[TensorInfo] = shape.tensors.get(index, ())
        if place != HOST:
            tensors = experts_of(tensors) if settings.experts_on_cpu else ()
        largest = max((largest, *(tensor.nbytes for tensor in tensors)))
    return largest
