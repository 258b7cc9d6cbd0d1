"""The graph's buffers, by the stages of a layer.

The allocator gives each tensor its place while it is needed. What counts is the moment at which most is needed: in the
attention of a layer, in its feed-forward part, in a recurrent layer, or where the logits are made. What is put into
the graph from outside, masks above all, is needed in all of them. The factors before the widths are how many tensors
of a width live at that moment.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from engine.fit import Backend, FitSettings
from engine.fit_partial import (
    HOST,
    LENDING,
    attends_at_home,
    attention_weights,
    home_stages,
    lends,
    lent_stage,
    stays_flash,
)
from engine.fit_rules import cells, is_flash, is_quantised, row_bytes, ubatch
from engine.fit_shape import Layer, ModelShape
from engine.types import KvType

_F32: Final = 4
_SMALL: Final = 25  # bytes per token for positions, places in the cache and the like
_PER_LAYER: Final = 5  # tensors as wide as the embeddings of all layers together, while they are made
_TURNED: Final = 64  # elements that are turned together: values always, keys in multiples of two
_COPIES: Final = 4  # of what is put into the graph, where several GPUs work on several prompts' pieces at once


def compute_buffers(shape: ModelShape, settings: FitSettings, places: Sequence[int]) -> tuple[list[int], int]:
    """Of each device, and of the computer's memory beside them.

    Args:
        places: the device of each layer, and of the output behind the last.
    """
    devices = range(max(1, len(settings.split)))
    flash = stays_flash(shape, settings, places)
    pipelined = (
        len(devices) > 1 and settings.backend in LENDING and HOST not in places and not settings.experts_on_cpu
    )
    buffers = [_device_buffer(shape, settings, places, device, flash, pipelined) for device in devices]
    if settings.backend is Backend.CPU:
        return buffers, 0
    return buffers, _host_buffer(shape, settings, places, flash, pipelined)


def _device_buffer(
    shape: ModelShape, settings: FitSettings, places: Sequence[int], device: int, flash: bool, pipelined: bool
) -> int:
    tokens = ubatch(settings)
    embedded = tokens * shape.width * _F32
    lent = lends(settings, places)
    here = [index for index, place in enumerate(places[:-1]) if place == device]
    guests = [index for index, place in enumerate(places[:-1]) if place == HOST] if lent and device == 0 else []
    attends = any(shape.layers[index].attends for index in here)
    attends |= any(shape.layers[index].attends and not attends_at_home(shape, index) for index in guests)
    inputs = _inputs(shape, settings, flash) if attends or not lent else _SMALL * tokens
    borrowed = _borrowed(shape, settings, places, device)
    # The CPU makes the embeddings itself; a GPU gets them, and makes its first tensors over them.
    given = 0 if settings.backend is Backend.CPU else embedded
    held = {shape.layers[index] for index in here}
    stages = [stage + borrowed - given for layer in held for stage in _stages(shape, settings, layer, flash)]
    stages += [_guest_stage(shape, settings, index, flash) for index in guests]
    if lent and settings.experts_on_cpu and device == 0:  # for the layers on other devices too
        stages += [lent_stage(shape, tokens, index, experts_alone=True) for index in range(shape.trunk)]
    largest = inputs + max(stages, default=0)
    if places[-1] == device:
        logits = _logits(shape, settings)
        # Behind recurrent layers no gap is left that the logits would fit into.
        largest = max(largest, logits + (inputs if shape.is_hybrid and inputs < logits else 0))
    if pipelined:  # what comes in from the CPU, and what goes on from one device to the next
        passed = 2 * embedded if device else embedded + tokens * shape.per_layer * _F32
        largest += (_COPIES - 1) * inputs + _COPIES * passed
    return max(0, largest) if stages or places[-1] == device else 0


def _host_buffer(
    shape: ModelShape, settings: FitSettings, places: Sequence[int], flash: bool, pipelined: bool
) -> int:
    tokens = ubatch(settings)
    inputs = _inputs(shape, settings, flash)
    embedded = tokens * shape.width * _F32
    stages = [2 * embedded + tokens * shape.per_layer * _F32]  # one is the place for embeddings that a caller has made
    if lends(settings, places):
        stages += [embedded + stage for stage in home_stages(shape, settings, places, flash)]
    else:
        at_home = {shape.layers[index] for index, place in enumerate(places[:-1]) if place == HOST}
        stages += [stage for layer in at_home for stage in _stages(shape, settings, layer, flash)]
    largest = inputs + max(stages)
    if pipelined:
        largest += (_COPIES - 1) * (inputs + embedded)
    return max(largest, _logits(shape, settings) if places[-1] == HOST else 0)


def _inputs(shape: ModelShape, settings: FitSettings, flash: bool) -> int:
    """A number for each pair of a token and a cell of the cache; the place of each value where they lie transposed; and
    for a quantised cache what turns keys and values (llama_kv_cache::build_input_k_rot and build_input_v_rot)."""
    tokens = ubatch(settings)
    caches = {(layer.window, layer.key_head, layer.value_head) for layer in shape.layers if layer.attends}
    windows = {window for window, _, _ in caches}
    masks = sum(cells(settings, window) for window in windows) * tokens * (2 if flash else _F32)
    places = 0 if is_flash(settings) or shape.latent else len(windows) * tokens * shape.widest_value * 8
    turns = 0
    if is_quantised(settings.kv_type):
        for _, key, value in caches:
            turns += (key & -key) ** 2 * _F32 if key % _TURNED == 0 else 0
            turns += _TURNED**2 * _F32 if value and value % _TURNED == 0 else 0
    return masks + places + turns + _SMALL * tokens


def _stages(shape: ModelShape, settings: FitSettings, layer: Layer, flash: bool) -> list[int]:
    """Of a layer that is computed where it is."""
    tokens = ubatch(settings)
    stages = [_feed_forward(shape, tokens, layer)]
    if layer.attends:
        stages.append(_attention(shape, settings, layer, flash))
    if any(layer.state):
        stages.append(_recurrence(shape, tokens, layer))
    if shape.per_layer:
        stages.append((_PER_LAYER * shape.per_layer + shape.width) * tokens * _F32)
    return stages


def _guest_stage(shape: ModelShape, settings: FitSettings, index: int, flash: bool) -> int:
    """Of a layer in the computer's memory, the largest on the GPU that its matrices are lent to."""
    tokens, layer = ubatch(settings), shape.layers[index]
    stages = [lent_stage(shape, tokens, index, experts_alone=False)]
    if layer.attends and not attends_at_home(shape, index):
        copy = cells(settings, layer.window) * row_bytes(settings.kv_type.name, layer.cached)
        stages.append(_attention(shape, settings, layer, flash) + copy)
    if any(layer.state):
        stages.append(_recurrence(shape, tokens, layer))  # no large matrix comes in while most is held
    return max(stages)


def _attention(shape: ModelShape, settings: FitSettings, layer: Layer, flash: bool) -> int:
    tokens, held = ubatch(settings), cells(settings, layer.window)
    queries = layer.heads * layer.key_head
    size = (3 * shape.width + 2 * queries) * tokens * _F32
    if shape.latent:
        size += layer.heads * shape.latent * tokens * _F32
    if not flash:
        size += attention_weights(settings, layer)
        if shape.latent:
            size += held * row_bytes(settings.kv_type.name, shape.latent)
    else:
        size += layer.cached * tokens * _F32
        if settings.backend is Backend.CUDA and settings.kv_type is not KvType.F16:
            size += held * layer.cached * 2  # its kernels read 16-bit numbers: a copy of one layer's cache
    return size


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
