"""What of a model's header decides over memory, layer by layer, as llama.cpp reads it.

The tables and defaults are those of llama.cpp's src/models and of llama_model::create_memory.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

import numpy as np

from engine.errors import EngineError, ErrorKind
from engine.gguf import GgufHeader
from engine.gguf_format import TensorInfo
from engine.header_sense import MAX_LAYERS

OUTPUT: Final = -1  # the pseudo-layer of what stands behind the last layer
INPUT: Final = -2  # of what stands before the first, which never moves to a GPU

# Every how many layers one has no sliding window, and whether that is the first of them rather than the last. A key
# overrides the number, or lists the layers one by one.
_WINDOWED: Final = {
    "afmoe": (4, False),
    "cohere2": (4, False),
    "cohere2moe": (4, True),
    "exaone-moe": (4, False),
    "exaone4": (4, False),
    "gemma2": (2, False),
    "gemma3": (6, False),
    "gemma3n": (5, False),
    "gpt-oss": (2, False),
    "laguna": (4, True),
    "llama4": (4, False),
    "mellum": (4, False),
    "muse-glimmer": (4, False),
    "olmo2": (4, False),
    "plamo3": (8, False),
    "smallthinker": (4, True),
}
_WINDOWED_BY_LIST: Final = frozenset({"gemma4", "granite_swa", "maple", "mimo2", "spark2_5", "step35"})
_DEFAULT_WINDOW: Final = {"gemma2": 4096, "llama4": 8192, "exaone4": 4096}
_FIXED_WINDOW: Final = {"llama4": 8192, "smallthinker": 4096}  # whatever the key says, unless that is 0

_RECURRENT: Final = frozenset({"arwkv7", "mamba", "mamba2", "rwkv6", "rwkv6qwen2", "rwkv7"})
# Hybrids: every n-th layer attends, unless a key lists the recurrent ones …
_ATTENDS_EVERY: Final = {"minimax-01": 8, "qwen3next": 4, "qwen35": 4, "qwen35moe": 4}
# … or those attend that have heads for keys
_ATTENDS_WITH_HEADS: Final = frozenset(
    {"bailingmoe3", "granitehybrid", "jamba", "kimi-k3", "kimi-linear", "lfm2", "lfm2moe", "plamo2"}
)
_NEMOTRON: Final = frozenset({"nemotron_h", "nemotron_h_moe"})
HYBRID: Final = frozenset({*_ATTENDS_EVERY, *_ATTENDS_WITH_HEADS, *_NEMOTRON, "falcon-h1"})

# Their caches follow rules of their own (indexers, compressed states, layers that run several times).
_UNKNOWN_CACHES: Final = frozenset(
    {"deepseek32", "deepseek4", "dots3note", "glm-dsa", "glm5-next", "hy-v4", "minimax-m3", "nanbeige", "qwen4exp"}
)


class Layer(NamedTuple):
    """One layer.

    Attributes:
        key_head, value_head: elements per head in the cache; value_head is 0 where only keys are cached.
        window: tokens that the layer sees; 0 for all.
        caches: has keys and values of its own in the cache. attends: reads some, perhaps another layer's.
        state: elements of the recurrent state, in its two tensors; (0, 0) for none.
        inner: width of the feed-forward part, over all experts that one token uses.
        spread: elements per token that the experts of one token give back; 0 without experts.
    """

    heads: int
    kv_heads: int
    key_head: int
    value_head: int
    window: int
    caches: bool
    attends: bool
    state: tuple[int, int]
    inner: int
    spread: int

    @property
    def cached(self) -> int:
        """Elements of a token's keys and values."""
        return self.kv_heads * (self.key_head + self.value_head)


@dataclass(frozen=True, slots=True, eq=False)
class ModelShape:
    """A model, all parts of a split one.

    Attributes:
        layers: all of them, those for tokens after the next included; `trunk` of them are used.
        tensors: of each layer, of INPUT and of OUTPUT, those that are loaded.
        tied: the embedding, where it serves as output too.
        shared: small tensors that stand once on each device.
        latent: rank of what multi-head latent attention caches, 0 for other models.
        recurrent: widths of the recurrent layers: channels of the convolution, what is projected, inner width.
        per_layer: width of what is embedded for each layer, over all layers.
    """

    architecture: str
    width: int
    vocabulary: int
    trunk: int
    layers: tuple[Layer, ...]
    tensors: dict[int, list[TensorInfo]]
    tied: TensorInfo | None
    shared: list[TensorInfo]
    latent: int
    widest_value: int
    recurrent: tuple[int, int, int]
    per_layer: int
    sums: dict[Any, Any] = field(default_factory=dict)  # what was added up before, by its question

    @property
    def scans(self) -> bool:
        """Whether recurrent layers are Mamba's, rather than delta nets, or only convolutions."""
        return self.architecture not in _ATTENDS_EVERY and self.recurrent[0] > 0

    @property
    def is_hybrid(self) -> bool:
        return self.architecture in HYBRID


def read_shape(header: GgufHeader, parts: Sequence[GgufHeader] = ()) -> ModelShape:
    """Everything that the arithmetic needs.

    Args:
        header: of the model, or of the first part of a split one; stripped or not.
        parts: the others.

    Raises:
        EngineError: FIT_UNMEASURABLE where the keys make no sense or the architecture's rules are unknown.
    """
    architecture = header.architecture
    if architecture in _UNKNOWN_CACHES:
        raise _unmeasurable(header, architecture)
    keys = _Keys(header)
    count = keys.number("block_count")
    trunk = count - keys.number("nextn_predict_layers")
    if not 0 < trunk <= count <= MAX_LAYERS:
        raise _unmeasurable(header, "the number of layers is out of range")
    if keys.number("embedding_length") <= 0:
        raise _unmeasurable(header, "the length of its embeddings is out of range")
    layers = _layers(keys, count, trunk)
    tensors, tied, shared = _placed([*header.tensors, *(t for part in parts for t in part.tensors)], trunk)
    inner, state = keys.number("ssm.inner_size"), keys.number("ssm.state_size")
    channels = inner + 2 * keys.number("ssm.group_count") * state
    mla = keys.is_latent
    return ModelShape(
        architecture=architecture,
        width=keys.number("embedding_length"),
        vocabulary=header.vocab_size,
        trunk=trunk,
        layers=layers,
        tensors=tensors,
        tied=tied,
        shared=shared,
        latent=keys.number("attention.kv_lora_rank") if mla else 0,
        widest_value=max(layer.kv_heads * layer.value_head for layer in layers),
        recurrent=(channels, inner + channels + keys.number("ssm.time_step_rank"), inner),
        per_layer=keys.number("embedding_length_per_layer_input") * trunk,
    )


class _Keys:
    """The keys of one architecture."""

    def __init__(self, header: GgufHeader) -> None:
        self._header = header
        self.architecture = header.architecture

    def value(self, name: str) -> Any:
        return self._header.metadata.get(f"{self.architecture}.{name}")

    def number(self, name: str, default: int = 0) -> int:
        """The number; of an array, its first."""
        value = self.value(name)
        if isinstance(value, np.ndarray) and value.size:
            value = value[0].item()
        return value if isinstance(value, int) and value >= 0 else default

    def numbers(self, name: str, count: int) -> list[int]:
        """One for each layer, whether the key holds one for all or an array."""
        value = self.value(name)
        if isinstance(value, np.ndarray):
            listed = [max(0, int(number)) for number in value[:count]]
            return listed + [0] * (count - len(listed))
        return [self.number(name)] * count

    @property
    def is_latent(self) -> bool:
        return bool(self.number("attention.key_length_mla") and self.number("attention.value_length_mla"))


def _layers(keys: _Keys, count: int, trunk: int) -> tuple[Layer, ...]:
    width = keys.number("embedding_length")
    heads = keys.numbers("attention.head_count", count)
    kv_heads = heads
    if keys.value("attention.head_count_kv") is not None:
        kv_heads = keys.numbers("attention.head_count_kv", count)
    full, local = _head_sizes(keys, heads[0])
    window, windowed = _windows(keys, count, trunk)
    inner = keys.numbers("feed_forward_length", count)
    recurrent = _recurrent(keys, count, trunk, kv_heads, inner)
    own_caches = _own_caches(keys, count, trunk)
    dense = keys.number("leading_dense_block_count") if keys.number("expert_count") else count
    used = keys.numbers("expert_used_count", count)
    expert_inner = keys.numbers("expert_feed_forward_length", count)
    layers = []
    for index in range(count):
        key_head, value_head = local if windowed[index] else full
        attends = index < trunk and keys.architecture not in _RECURRENT
        if keys.architecture in _NEMOTRON:
            attends = attends and inner[index] == 0
        if keys.architecture != "falcon-h1":  # whose layers are both
            attends = attends and not recurrent[index]
        sparse = index >= dense
        layers.append(
            Layer(
                heads=heads[index],
                kv_heads=kv_heads[index],
                key_head=key_head,
                value_head=0 if keys.is_latent else value_head,
                window=window if windowed[index] else 0,
                caches=attends and index < own_caches,
                attends=attends,
                state=_state(keys, heads[index] or heads[0]) if recurrent[index] else (0, 0),
                inner=used[index] * (expert_inner[index] or inner[index]) if sparse else inner[index],
                spread=used[index] * width if sparse else 0,
            )
        )
    return tuple(layers)


def _head_sizes(keys: _Keys, heads: int) -> tuple[tuple[int, int], tuple[int, int]]:
    """Elements of a head's key and value, in layers without a window and in those with."""
    if not heads:
        return (0, 0), (0, 0)
    usual = keys.number("embedding_length") // heads
    key = keys.number("attention.key_length", usual)
    value = keys.number("attention.value_length", usual)
    local_key = keys.number("attention.key_length_swa", key)
    return (key, value), (local_key, keys.number("attention.value_length_swa", value))


def _own_caches(keys: _Keys, count: int, trunk: int) -> int:
    """How many layers, from the first on, do not read another layer's cache."""
    match keys.architecture:
        case "gemma4":
            return count - keys.number("attention.shared_kv_layers")
        case "gemma3n":
            return 20
        case _:
            return trunk


def _windows(keys: _Keys, count: int, trunk: int) -> tuple[int, list[bool]]:
    """How wide sliding windows are, and which layers have one."""
    architecture, none = keys.architecture, [False] * count
    window = keys.number("attention.sliding_window", _DEFAULT_WINDOW.get(architecture, 0))
    if window:
        window = _FIXED_WINDOW.get(architecture, window)
    listed = keys.value("attention.sliding_window_pattern")
    if not window or (architecture == "exaone4" and trunk != 64):
        return 0, none
    if architecture == "lfm2":
        return window, [index < trunk for index in range(count)]
    if isinstance(listed, np.ndarray) and (architecture in _WINDOWED or architecture in _WINDOWED_BY_LIST):
        flags = [bool(flag) for flag in listed[:count]]
        return window, flags + [False] * (count - len(flags))
    if architecture not in _WINDOWED:
        return 0, none
    period, dense_first = _WINDOWED[architecture]
    period = keys.number("attention.sliding_window_pattern", period)
    full = 0 if dense_first else period - 1
    return window, [index < trunk and (period == 0 or index % period != full) for index in range(count)]


def _recurrent(keys: _Keys, count: int, trunk: int, kv_heads: list[int], inner: list[int]) -> list[bool]:
    architecture = keys.architecture
    if architecture in _RECURRENT or architecture == "falcon-h1":
        return [index < trunk for index in range(count)]
    if architecture in _NEMOTRON:
        return [index < trunk and kv_heads[index] == 0 and inner[index] == 0 for index in range(count)]
    if architecture in _ATTENDS_WITH_HEADS:
        return [index < trunk and kv_heads[index] == 0 for index in range(count)]
    if architecture in _ATTENDS_EVERY:
        if keys.value("attention.recurrent_layers") is not None:
            listed = keys.numbers("attention.recurrent_layers", count)
            return [index < trunk and bool(listed[index]) for index in range(count)]
        every = keys.number("full_attention_interval", _ATTENDS_EVERY[architecture]) or 1
        return [index < trunk and (index + 1) % every != 0 for index in range(count)]
    return [False] * count


def _state(keys: _Keys, heads: int) -> tuple[int, int]:
    """Elements of what a recurrent layer remembers: of its convolution, and of its state."""
    width = keys.number("embedding_length")
    if head := keys.number("wkv.head_size"):
        shifts = keys.number("token_shift_count", 2)
        return shifts * width, head * width
    if kernel := keys.number("shortconv.l_cache"):
        return (kernel - 1) * width, 0
    kernel = keys.number("ssm.conv_kernel")
    if head := keys.number("kda.head_dim"):
        return 3 * (kernel - 1 if kernel else 3) * heads * head, head * head * heads
    if keys.architecture == "minimax-01":
        head = keys.number("attention.key_length", width // heads)
        return 0, head * head * heads
    inner, state = keys.number("ssm.inner_size"), keys.number("ssm.state_size")
    channels = inner + 2 * keys.number("ssm.group_count") * state
    return max(0, kernel - 1) * channels, state * inner


_INPUTS: Final = ("token_embd.", "position_embd.", "token_types.", "per_layer_token_embd.")
_LAZY_BYTES: Final = 4 << 30  # a table of embeddings per layer above this is read row by row from the disk
_ONCE_PER_DEVICE: Final = ("rope_freqs.", "rope_factors_long.", "rope_factors_short.")
_FIRST_LAYER: Final = ("per_layer_model_proj.", "per_layer_proj_norm.")


def _placed(
    tensors: Sequence[TensorInfo], trunk: int
) -> tuple[dict[int, list[TensorInfo]], TensorInfo | None, list[TensorInfo]]:
    """Tensors by layer, the tied embedding, and what stands on every device."""
    placed: dict[int, list[TensorInfo]] = {}
    shared: list[TensorInfo] = []
    embedding = output = None
    for tensor in tensors:
        name = tensor.name
        if name.startswith("blk."):
            number = name[4 : name.find(".", 4)]
            layer = int(number) if number.isdecimal() else 0
            if layer >= trunk:  # for tokens after the next: not loaded
                continue
        elif name.startswith(_INPUTS):
            if name == "token_embd.weight":
                embedding = tensor
            if name.startswith("per_layer") and tensor.nbytes > _LAZY_BYTES:
                continue
            layer = INPUT
        elif name.startswith(_ONCE_PER_DEVICE):
            shared.append(tensor)
            continue
        elif name.startswith(_FIRST_LAYER):
            layer = 0
        else:
            layer = OUTPUT
            output = tensor if name == "output.weight" else output
        placed.setdefault(layer, []).append(tensor)
    return placed, None if output else embedding, shared


def _unmeasurable(header: GgufHeader, reason: str) -> EngineError:
    return EngineError(ErrorKind.FIT_UNMEASURABLE, path=str(header.path), reason=reason)
