"""The graph's buffers, by the stages of a layer.

The allocator gives each tensor its place while it is needed. What counts is the moment at which most is needed: in the
attention of a layer, in its feed-forward part, in a recurrent layer, or where the logits are made; masks are needed in
all of them. The factors before the widths are how many tensors of a width live at that moment.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from engine.fit import Backend, FitSettings
from engine.fit_rules import cells, is_flash, row_bytes, ubatch
from engine.fit_shape import Layer, ModelShape
from engine.types import KvType

_F32: Final = 4
_PER_LAYER: Final = 5  # tensors as wide as the embeddings of all layers together, while they are made
_SMALL: Final = 25  # bytes per token for positions, places in the cache and the like


def device_buffer(
    shape: ModelShape, settings: FitSettings, layers: Sequence[Layer], has_output: bool, lent: int
) -> int:
    """Of a device with these layers; `lent` is the largest matrix that is copied to it for the time of a product."""
    if not layers and not has_output:
        return 0
    tokens = ubatch(settings)
    masks = _masks(shape, settings)
    stages = [0]
    if shape.per_layer:
        stages.append((_PER_LAYER * shape.per_layer + shape.width) * tokens * _F32)
    for layer in set(layers):
        if layer.attends:
            stages.append(_attention(shape, settings, layer))
        if any(layer.state):
            stages.append(_recurrence(shape, tokens, layer))
        stages.append(_feed_forward(shape, tokens, layer))
    largest = masks + max(stages) + _SMALL * tokens
    if has_output:
        outputs = min(settings.outputs, tokens)
        logits = (outputs * (shape.vocabulary + shape.width) + tokens * shape.width) * _F32
        # Behind recurrent layers no gap is left that the logits would fit into.
        largest = max(largest, logits + (masks if shape.is_hybrid and masks < logits else 0))
    return largest + lent


def host_buffer(
    shape: ModelShape, settings: FitSettings, layers: Sequence[Layer], has_output: bool, elsewhere: bool
) -> int:
    """Of the computer's memory beside a GPU: the embedded tokens and the masks, before they are copied. What a GPU
    does for layers that stay here needs no room here."""
    tokens = ubatch(settings)
    inputs = _masks(shape, settings) + (tokens * shape.width + _SMALL) * _F32
    if elsewhere or not (layers or has_output):
        return inputs
    return max(inputs, device_buffer(shape, settings, layers, has_output, 0))


def _masks(shape: ModelShape, settings: FitSettings) -> int:
    """One for all layers without a window, one for all with: a number for each pair of a token and a cell."""
    element = 2 if is_flash(settings) else _F32
    windows = {layer.window for layer in shape.layers if layer.attends}
    return sum(cells(settings, window) for window in windows) * ubatch(settings) * element


def _attention(shape: ModelShape, settings: FitSettings, layer: Layer) -> int:
    tokens, held = ubatch(settings), cells(settings, layer.window)
    queries, keys = layer.heads * layer.key_head, layer.kv_heads * layer.key_head
    values = layer.kv_heads * layer.value_head
    size = (3 * shape.width + 2 * queries + keys + values) * tokens * _F32
    if shape.latent:
        size += layer.heads * shape.latent * tokens * _F32
    if not is_flash(settings):
        size += held * tokens * layer.heads * _F32  # a weight for each head, token and cell
        if shape.latent:
            size += held * row_bytes(settings.kv_type.name, shape.latent)
    elif settings.backend is Backend.CUDA and settings.kv_type is not KvType.F16:
        size += held * (keys + values) * 2  # its kernels read 16-bit numbers: a copy of one layer's cache
    return size


def _recurrence(shape: ModelShape, tokens: int, layer: Layer) -> int:
    channels, projected, inner = shape.recurrent
    return ((shape.width + projected + 2 * channels + inner) * tokens + 2 * layer.state[1]) * _F32


def _feed_forward(shape: ModelShape, tokens: int, layer: Layer) -> int:
    # What attention leaves behind is a gap as wide as its queries, which nothing else fits into.
    queries = 0 if shape.is_hybrid else min(other.heads * other.key_head for other in shape.layers)
    size = max(3 * layer.inner, 2 * layer.spread)
    return (size + 3 * shape.width + queries) * tokens * _F32
