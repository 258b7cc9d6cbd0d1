"""Layers that stay in the computer's memory beside a GPU: where llama.cpp computes them.

Backends that lend (`LENDING`) copy one matrix after the other to the first GPU while a prompt is read, and what stands
between two products goes there too. What writes to a cache or a state is bound to the memory that this is in, and so
is what stands between two such writes. That is ggml_backend_sched_split_graph in ggml-backend.cpp, and the order of
operations in llama.cpp's src/models.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from engine.fit import Backend, FitSettings
from engine.fit_rules import cells, is_expert, is_flash, is_quantised, row_bytes, ubatch
from engine.fit_shape import Layer, ModelShape
from engine.gguf_format import TensorInfo
from engine.types import FlashAttention

HOST: Final = -1  # among the numbers of devices

LENDING: Final = (Backend.CUDA, Backend.VULKAN)

_F32: Final = 4
_LENT_FROM: Final = 32  # tokens; fewer are computed where the weights are
_CUDA_SCANNED: Final = frozenset({96, 128, 256})  # elements that Mamba 2 remembers of each
_CUDA_FLASH_HEADS: Final = frozenset({40, 64, 72, 80, 96, 112, 128, 256})
# Their graphs fetch the state of a recurrent layer (build_rs in llama-graph.cpp) before they finish the layer with
# attention in front of it.
_FETCH_AHEAD: Final = frozenset(
    {"falcon-h1", "granitehybrid", "jamba", "lfm2", "lfm2moe", "nemotron_h", "nemotron_h_moe", "plamo2"}
)


def lends(settings: FitSettings, places: Sequence[int]) -> bool:
    """Whether a GPU computes with weights that stay in the computer's memory."""
    at_home = settings.experts_on_cpu or HOST in places[:-1]
    return at_home and settings.backend in LENDING and ubatch(settings) >= _LENT_FROM


def stays(shape: ModelShape, settings: FitSettings, tensor: TensorInfo) -> bool:
    """Whether a tensor of a layer on a GPU stays in the computer's memory: experts by wish, and what Mamba's scan is
    told by where CUDA cannot scan (ggml_backend_cuda_device_supports_op)."""
    if settings.backend is Backend.CPU:
        return False
    if settings.experts_on_cpu and is_expert(tensor):
        return True
    if settings.backend is not Backend.CUDA or not shape.scans or not tensor.name.endswith(".ssm_a"):
        return False
    inner = max(1, shape.recurrent[2])
    remembered, steps = tensor.shape[0], max(1, tensor.shape[-1])
    if remembered > 1:  # the first Mamba
        return not (remembered == 16 and inner % 128 == 0)
    state = max(layer.state[1] for layer in shape.layers) // inner
    return not (state in _CUDA_SCANNED and inner // steps % 16 == 0)


def stays_flash(shape: ModelShape, settings: FitSettings, places: Sequence[int]) -> bool:
    """Whether attention is computed in one operation. AUTO is given up where, in a trial with one token, a layer's
    attention is not computed where the layer is (llama_context::resolve_fused_ops): a GPU cannot, or a fetch on a GPU
    draws it there from the last layer that stays. A quantised cache rules that out."""
    if settings.flash_attention is not FlashAttention.AUTO or is_quantised(settings.kv_type):
        return is_flash(settings)
    attending = [(index, layer) for index, layer in enumerate(shape.layers) if layer.attends]
    if settings.backend is Backend.CUDA:
        on_gpu = {layer for index, layer in attending if places[index] != HOST}
        if not all(_cuda_has_flash(layer, shape.latent) for layer in on_gpu):
            return False
    fetching = (_fetching_behind(shape, index) for index, _ in attending if places[index] == HOST)
    return all(other is None or places[other] == HOST for other in fetching)


def _cuda_has_flash(layer: Layer, latent: int) -> bool:
    """By the sizes of heads (ggml_cuda_get_best_fattn_kernel in ggml-cuda/fattn.cu)."""
    shared = layer.heads // max(1, layer.kv_heads)  # queries for one key
    match layer.key_head, latent or layer.value_head:
        case key, value if key == value and key in _CUDA_FLASH_HEADS:
            return True
        case (192, 128):
            return shared % 8 == 0
        case (320, 256):
            return shared % 32 == 0
        case (512, 512) | (576, 512):
            return shared > 1
        case _:
            return False


def attends_at_home(shape: ModelShape, index: int) -> bool:
    """Whether a layer's attention, the layer being at home, is computed there even where a GPU is lent its matrices."""
    return _fetching_behind(shape, index) is not None


def _fetching_behind(shape: ModelShape, index: int) -> int | None:
    """The layer whose state is fetched between the attention of this one and the product behind it."""
    if shape.architecture not in _FETCH_AHEAD or not shape.layers[index].attends:
        return None
    if any(shape.layers[index].state):
        return index
    behind = range(index + 1, shape.trunk)
    following = next((other for other in behind if shape.layers[other].attends or any(shape.layers[other].state)), None)
    return following if following is not None and any(shape.layers[following].state) else None


def home_stages(shape: ModelShape, settings: FitSettings, places: Sequence[int], flash: bool) -> list[int]:
    """What the computer's memory holds at once for layers of which a GPU computes the products."""
    tokens = ubatch(settings)
    stages = []
    for index, layer in enumerate(shape.layers):
        if places[index] != HOST:
            continue
        if layer.caches:
            stages.append(layer.cached * tokens * _F32)  # on their way into the cache
        if layer.attends and attends_at_home(shape, index):
            queries = layer.heads * layer.key_head * tokens * _F32
            weights = queries if flash else attention_weights(settings, layer)
            stages.append(queries + weights + layer.cached * tokens * _F32)
        if any(layer.state):
            stages.append(_state_at_home(shape, tokens, layer))
    return stages


def attention_weights(settings: FitSettings, layer: Layer) -> int:
    """Without flash attention: a weight for each head, token and cell; and the values of the cache transposed, unless
    they lie so in it (as they do not where AUTO was given up too late)."""
    held = cells(settings, layer.window)
    values = layer.kv_heads * layer.value_head if is_flash(settings) else 0
    return held * (ubatch(settings) * layer.heads * _F32 + row_bytes(settings.kv_type.name, values))


def _state_at_home(shape: ModelShape, tokens: int, layer: Layer) -> int:
    """A convolution's channels, of which the last tokens are remembered. Of Mamba the whole scan, whose output counts
    as one row and so as too little to be lent for: three views of the channels, what it makes of them, and the state.
    """
    channels, projected, inner = shape.recurrent
    convolution, state = layer.state
    steps = projected - channels - inner
    if not state or not shape.scans:
        return ((channels or shape.width) * tokens + convolution + 2 * state) * _F32
    return ((3 * channels + steps + inner) * tokens + state) * _F32


def lent_stage(shape: ModelShape, tokens: int, index: int, *, experts_alone: bool) -> int:
    """What the first GPU holds at once where matrices of a layer's feed-forward part are lent to it one by one: what
    goes past that part, its input, and a matrix between what it takes and what it makes."""
    widening, narrowing = _largest_matrices(shape, index, experts_alone)
    if not widening and not narrowing:
        return 0
    layer = shape.layers[index]
    past = (3 * shape.width + layer.heads * layer.key_head) * tokens * _F32  # and what attention leaves as a gap
    inner = layer.inner * tokens * _F32
    made = max(shape.width, layer.spread) * tokens * _F32
    return past + max(2 * inner + widening, inner + made + narrowing)


def _largest_matrices(shape: ModelShape, index: int, experts_alone: bool) -> tuple[int, int]:
    """Bytes of the largest that leads into the feed-forward part, and of the largest that leads out of it."""
    question = "matrices", index, experts_alone
    if question not in shape.sums:
        tensors = shape.tensors.get(index, ())
        chosen = [t for t in tensors if (is_expert(t) if experts_alone else ".ffn_" in t.name)]
        widening = max((tensor.nbytes for tensor in chosen if "_down" not in tensor.name), default=0)
        narrowing = max((tensor.nbytes for tensor in chosen if "_down" in tensor.name), default=0)
        shape.sums[question] = widening, narrowing
    found: tuple[int, int] = shape.sums[question]
    return found
