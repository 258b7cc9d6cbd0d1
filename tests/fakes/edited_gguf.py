"""Real models with another vocabulary: some tokens renamed, or the list cut or padded, weights and all."""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import gguf
import numpy as np

from engine.gguf import read_header
from engine.gguf_format import StringArray
from tests.fakes.gguf_files import finish


def with_vocabulary(
    source: Path, path: Path, *, renamed: Mapping[int, str] | None = None, size: int | None = None
) -> Path:
    """Copy a model whose output is tied to its embedding.

    Args:
        renamed: other texts for some ids.
        size: of the vocabulary; what comes on top has embeddings of zeros.
    """
    header = read_header(source)  # gguf's own reader takes ten seconds for a vocabulary
    writer = gguf.GGUFWriter(path, header.architecture)
    for name, value in header.metadata.items():
        if name == "tokenizer.ggml.tokens" and isinstance(value, StringArray):
            tokens = _resized(list(value), size, [f"[PAD{i}]" for i in range(size or 0)])
            for token_id, text in (renamed or {}).items():
                tokens[token_id] = text
            writer.add_token_list(tokens)
        elif name == "tokenizer.ggml.token_type" and isinstance(value, np.ndarray):
            writer.add_token_types(_resized(value.tolist(), size, [gguf.TokenType.UNUSED.value] * (size or 0)))
        elif name == f"{header.architecture}.vocab_size" and size is not None:
            writer.add_vocab_size(size)
        elif isinstance(value, bool):
            writer.add_bool(name, value)
        elif isinstance(value, int):
            writer.add_uint32(name, value)
        elif isinstance(value, float):
            writer.add_float32(name, value)
        elif isinstance(value, str):
            if name != "general.architecture":
                writer.add_string(name, value)
        else:
            writer.add_array(name, list(value))
    data = np.memmap(source, np.uint8, "r")
    for tensor in header.tensors:
        start = header.data_offset + tensor.offset
        rows = np.array(data[start : start + tensor.nbytes]).reshape(math.prod(tensor.shape[1:]), -1)
        if tensor.name == "token_embd.weight" and size is not None:
            rows = np.vstack([rows[:size], np.zeros((max(0, size - len(rows)), rows.shape[1]), np.uint8)])
        plain = len(tensor.shape) == 1
        writer.add_tensor(
            tensor.name,
            rows.reshape(-1).view(np.float32) if plain else rows,
            raw_dtype=gguf.GGMLQuantizationType[tensor.type],
        )
    return finish(writer, path)


def _resized(values: list[Any], size: int | None, padding: list[Any]) -> list[Any]:
    return values if size is None else [*values[:size], *padding[len(values) :]]
