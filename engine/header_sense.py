"""What a header must not say: values on which llama.cpp ends its process, while it loads or at the first token.

Each check mirrors an assertion or a crash of llama.cpp as llama-cpp-python 0.3.36 has it, found in its sources or by
trying, so that no model is refused that could run. Where llama.cpp itself refuses with an error, nothing is checked.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

import numpy as np

from engine.gguf_format import StringArray, Value

if TYPE_CHECKING:
    from engine.gguf import GgufHeader

MAX_LAYERS, MAX_EXPERTS = 512, 1024

_BUFFER_ALIGNMENT = 32  # ggml's TENSOR_ALIGNMENT, which mapped files must keep
_NOT_COMPUTED = frozenset({"I8", "I16", "I32", "I64", "F64"})  # types that ggml's kernels have no code for
_TABLES = (".ffn_gate_tid2eid.weight",)  # tensors that are looked up and never computed with
_EPSILONS = ("layer_norm_epsilon", "layer_norm_rms_epsilon", "group_norm_epsilon")
_ROPE_SCALINGS = frozenset({"none", "linear", "yarn", "longrope"})
_DENSE_WITH_EXPERT_KEYS = frozenset({"hunyuan-vl", "hunyuan-dense"})


def find_nonsense(header: GgufHeader, parts: Iterable[GgufHeader]) -> str | None:
    """The first thing in a model's header that would end llama.cpp, in words; None if there is none.

    Args:
        parts: the headers of all parts of the model, `header` among them.
    """
    return next(_nonsense(header, parts), None)


def _nonsense(header: GgufHeader, parts: Iterable[GgufHeader]) -> Iterator[str]:
    layers = header.number("{arch}.block_count", 1)
    if not 1 <= layers <= MAX_LAYERS:
        yield "the number of layers is out of range"
    if not 0 <= header.number("{arch}.nextn_predict_layers") <= layers:
        yield "the number of layers that predict further tokens is out of range"
    yield from _experts(header, layers)
    for name in _EPSILONS:
        epsilon = header.metadata.get(f"{header.architecture}.attention.{name}", 0.0)
        if isinstance(epsilon, float) and not epsilon >= 0:
            yield f"attention.{name} is {epsilon}"
    scaling = header.metadata.get(f"{header.architecture}.rope.scaling.type", "none")
    if isinstance(scaling, str) and scaling not in _ROPE_SCALINGS:
        yield "the type of rope scaling is unknown"
    for part in parts:
        if part.tensors and part.data_offset % _BUFFER_ALIGNMENT:
            yield f"the data begin at {part.data_offset}, which is not a multiple of {_BUFFER_ALIGNMENT}"
        for tensor in part.tensors:
            if tensor.type in _NOT_COMPUTED and not tensor.name.endswith(_TABLES):
                yield f"{tensor.name} has the type {tensor.type}"
    if header.has_tokenizer and header.tokens is not None and (twice := _first_twice(header.tokens)) is not None:
        yield f"the token {twice} has the text of another one"


def _experts(header: GgufHeader, layers: int) -> Iterator[str]:
    experts, groups = header.number("{arch}.expert_count"), header.number("{arch}.expert_group_count")
    if header.architecture in _DENSE_WITH_EXPERT_KEYS and experts <= 1:
        return
    used = _largest(header.metadata.get(f"{header.architecture}.expert_used_count", 0), layers)
    if not 0 <= used <= experts <= MAX_EXPERTS or (experts > 0 and used == 0):
        yield "the numbers of experts are out of range"
    used_groups = header.number("{arch}.expert_group_used_count")
    if groups > max(experts - 1, 0) or (groups > 1 and (experts % groups or not 0 < used_groups < groups)):
        yield "the groups of experts are out of range"


def _largest(value: Value, layers: int) -> int:
    """Of a number for all layers, or of an array with one for each."""
    if isinstance(value, np.ndarray):
        return int(value[:layers].max()) if value.dtype.kind in "iu" and len(value) else 0
    return value if isinstance(value, int) else 0


def _first_twice(tokens: StringArray) -> int | None:
    """The first token whose text another one has. For llama.cpp a text ends at its first zero byte, and empty ones are
    named by their number."""
    texts = set()
    for token_id, raw in enumerate(tokens.raw_list(0, len(tokens))):
        text = raw.partition(b"\0")[0] or b"[EMPTY_%d]" % token_id
        if text in texts:
            return token_id
        texts.add(text)
    return None
