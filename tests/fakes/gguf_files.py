"""Tiny GGUF files, written from fixed seeds: real models that llama.cpp loads and decodes, and files that are none.

The models walk through their vocabulary: the output row of a token is the embedding of the token that comes before
it in one fixed cycle, so without layers each token leads to the next. The layers add a part that depends on the
context, which leads elsewhere now and then. Greedy text is therefore varied, its logits are peaked and finite, and
the same weights with noise make a draft that agrees most of the time. Any text can be tokenised, and the cycle leads
through characters of two, three and four bytes, a byte a token.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import gguf
import numpy as np
import numpy.typing as npt

SPECIAL_TOKENS = ("<|endoftext|>", "<|im_start|>", "<|im_end|>", "<|pad|>", "<|unused|>")
BOS, EOS = 0, 2
FIRST_BYTE = len(SPECIAL_TOKENS)  # the byte b is the token FIRST_BYTE + b
FIRST_WORD = FIRST_BYTE + 256

CHATML = (
    "{% for message in messages %}<|im_start|>{{ message['role'] }}\n{{ message['content'] }}<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)

_WHOLE_CHARACTERS = ("é", "中", "🙂")  # no two share a byte, so that each byte has one successor

Weights = dict[str, npt.NDArray[np.float32]]
Matrix = Callable[..., npt.NDArray[np.float32]]


@dataclass(frozen=True, slots=True)
class Tiny:
    """A tiny model.

    Attributes:
        architecture: "llama"; "gemma3", whose first layer has a sliding window; or "mamba", which cannot roll back.
        seed: of the weights; the vocabulary depends on its size alone.
        noise: standard deviation of what is added to each weight, in standard deviations of its tensor.
        restless: how strong the layers are beside the embedding; 0 makes the model follow its cycle alone.
        sharpness: scale of the logits.
        ends: the cycle leads through the end token.
        changed_tokens: other texts for some ids.
        sliding_window: tokens, for "gemma3".
    """

    architecture: str = "llama"
    vocab_size: int = 512
    layers: int = 2
    width: int = 64
    context_length: int = 1024
    seed: int = 0
    noise: float = 0.0
    noise_seed: int = 1
    restless: float = 1.5
    sharpness: float = 0.25
    ends: bool = False
    add_bos: bool = False
    chat_template: str | None = CHATML
    changed_tokens: tuple[tuple[int, str], ...] = ()
    sliding_window: int = 16
    name: str = "Tiny"


def write_model(path: Path, model: Tiny | None = None) -> Path:
    """Write a model with F32 weights."""
    model = model or Tiny()
    writer = _writer(path, model)
    _add_weights(writer, _weights(model))
    return finish(writer, path)


def write_split_model(folder: Path, model: Tiny | None = None) -> list[Path]:
    """Write a model in two parts; the first of the paths is the one to load."""
    model = model or Tiny()
    weights = _weights(model)
    writer = _writer(folder / "split.gguf", model, split_max_tensors=(len(weights) + 1) // 2)
    _add_weights(writer, weights)
    finish(writer, folder / "split.gguf")
    return [folder / f"split-{number:05d}-of-00002.gguf" for number in (1, 2)]


def write_vocabulary_only(path: Path, model: Tiny | None = None) -> Path:
    """Write a file with a tokenizer and no tensors."""
    return finish(_writer(path, model or Tiny()), path)


def write_embedding_model(path: Path) -> Path:
    """Write the header of an encoder, as "bert" has it, with one small tensor."""
    writer = gguf.GGUFWriter(path, "bert")
    writer.add_block_count(1)
    writer.add_context_length(512)
    writer.add_embedding_length(32)
    writer.add_causal_attention(False)
    writer.add_pooling_type(gguf.PoolingType.MEAN)
    _add_weights(writer, {"token_embd.weight": np.zeros((8, 32), np.float32)})
    return finish(writer, path)


def write_truncated(source: Path, path: Path, size: int) -> Path:
    """Copy the first `size` bytes."""
    path.write_bytes(source.read_bytes()[:size])
    return path


def write_text_file(path: Path) -> Path:
    """Write what some servers send instead of a model."""
    path.write_text("<!doctype html><title>404</title><p>Entry not found</p>")
    return path


def write_header(path: Path, keys: Mapping[str, object], tensors: Mapping[str, Sequence[int]] | None = None) -> Path:
    """Write a file with these keys and with F32 tensors of these shapes, rows last, filled with zeros.

    For headers that no converter would write. Strings, whole numbers, truth values, lists of strings.
    """
    writer = gguf.GGUFWriter(path, str(keys.get("general.architecture", "llama")))
    for key, value in keys.items():
        if key == "general.architecture":
            continue
        if isinstance(value, bool):
            writer.add_bool(key, value)
        elif isinstance(value, int):
            writer.add_uint32(key, value)
        elif isinstance(value, str):
            writer.add_string(key, value)
        elif isinstance(value, list):
            writer.add_array(key, value)
        else:
            raise TypeError(f"{key}: {value!r}")
    _add_weights(writer, {name: np.zeros(shape, np.float32) for name, shape in (tensors or {}).items()})
    return finish(writer, path)


def raw_header(n_tensors: int, n_keys: int, rest: bytes = b"", version: int = 3) -> bytes:
    """The bytes of a header that need not hold what its counts say."""
    return b"GGUF" + struct.pack("<IQQ", version, n_tensors, n_keys) + rest


def raw_string(text: bytes, length: int | None = None) -> bytes:
    """A string as it stands in a header; `length` may lie."""
    return struct.pack("<Q", len(text) if length is None else length) + text


def raw_key(name: bytes, kind: int, value: bytes) -> bytes:
    """A key with a value of type number `kind`."""
    return raw_string(name) + struct.pack("<I", kind) + value


def raw_array(kind: int, count: int, items: bytes = b"") -> bytes:
    """The value of a key of kind 9; `count` may lie."""
    return struct.pack("<IQ", kind, count) + items


def raw_tensor(name: bytes, shape: Sequence[int], kind: int = 0, offset: int = 0) -> bytes:
    """A tensor's record."""
    dimensions = struct.pack(f"<I{len(shape)}Q", len(shape), *shape)
    return raw_string(name) + dimensions + struct.pack("<IQ", kind, offset)


@cache
def _byte_texts() -> tuple[str, ...]:
    """How byte-level BPE writes each byte: printable ones as they are, the others from U+0100 on."""
    printable = {*range(ord("!"), ord("~") + 1), *range(ord("¡"), ord("¬") + 1), *range(ord("®"), ord("ÿ") + 1)}
    others = iter(range(256, 512))
    return tuple(chr(byte) if byte in printable else chr(next(others)) for byte in range(256))


@cache
def vocabulary(size: int) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The texts of `size` tokens, at least FIRST_WORD, and the merges that lead to those above the bytes."""
    random = np.random.default_rng(7)
    words = [*"etaoinshrdlu", _byte_texts()[ord(" ")]]
    merges: dict[str, str] = {}
    while FIRST_WORD + len(merges) < size:
        first, second = (words[i] for i in random.integers(len(words), size=2))
        if len(first + second) <= 8 and first + second not in merges:
            words.append(first + second)
            merges[first + second] = f"{first} {second}"
    return (*SPECIAL_TOKENS, *_byte_texts(), *merges), tuple(merges.values())


def _writer(path: Path, model: Tiny, split_max_tensors: int = 0) -> gguf.GGUFWriter:
    texts, merges = vocabulary(model.vocab_size)
    tokens = list(texts)
    for token_id, text in model.changed_tokens:
        tokens[token_id] = text
    special, normal = gguf.TokenType.CONTROL, gguf.TokenType.NORMAL
    writer = gguf.GGUFWriter(path, model.architecture, split_max_tensors=split_max_tensors)
    writer.add_name(model.name)
    writer.add_file_type(gguf.LlamaFileType.ALL_F32)
    writer.add_context_length(model.context_length)
    writer.add_embedding_length(model.width)
    writer.add_block_count(model.layers)
    writer.add_layer_norm_rms_eps(1e-5)
    if model.architecture == "mamba":
        writer.add_feed_forward_length(0)
        writer.add_head_count(0)
        writer.add_ssm_conv_kernel(4)
        writer.add_ssm_inner_size(2 * model.width)
        writer.add_ssm_state_size(16)
        writer.add_ssm_time_step_rank(4)
    else:
        writer.add_feed_forward_length(2 * model.width)
        writer.add_head_count(4)
        writer.add_head_count_kv(2)
        writer.add_key_length(model.width // 4)
        writer.add_value_length(model.width // 4)
    if model.architecture == "gemma3":
        writer.add_sliding_window(model.sliding_window)
        writer.add_sliding_window_pattern(2)
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre("gpt-2")
    writer.add_token_list(tokens)
    writer.add_token_types([special if i < FIRST_BYTE else normal for i in range(len(tokens))])
    writer.add_token_merges(list(merges))
    writer.add_bos_token_id(BOS)
    writer.add_eos_token_id(EOS)
    writer.add_add_bos_token(model.add_bos)
    if model.chat_template is not None:
        writer.add_chat_template(model.chat_template)
    return writer


def _add_weights(writer: gguf.GGUFWriter, weights: Weights) -> None:
    for name, values in weights.items():
        writer.add_tensor(name, values)


def finish(writer: gguf.GGUFWriter, path: Path) -> Path:
    """Write everything that was added, and close."""
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path


def _cycle(model: Tiny) -> list[int]:
    """The tokens through which the model walks, in order."""
    random = np.random.default_rng(model.seed)
    steps = [[FIRST_BYTE + byte] for byte in (*range(32, 127), 10)]
    steps += [[FIRST_BYTE + byte for byte in character.encode()] for character in _WHOLE_CHARACTERS]
    steps += [[token] for token in range(FIRST_WORD, model.vocab_size)]
    if model.ends:
        steps.append([EOS])
    return [token for i in random.permutation(len(steps)) for token in steps[i]]


def _weights(model: Tiny) -> Weights:
    """[out, in] per tensor. Parts without noise are the same for all models that differ in noise alone."""
    random = np.random.default_rng(model.seed)
    width = model.width

    def matrix(rows: int, columns: int, scale: float = 1.0) -> npt.NDArray[np.float32]:
        return np.float32(scale / np.sqrt(columns)) * random.standard_normal((rows, columns)).astype(np.float32)

    embedding = random.standard_normal((model.vocab_size, width)).astype(np.float32)
    output = np.zeros_like(embedding)
    cycle = _cycle(model)
    output[np.roll(cycle, -1)] = embedding[cycle] * model.sharpness
    weights: Weights = {"token_embd.weight": embedding, "output.weight": output}
    match model.architecture:
        case "llama":
            for layer in range(model.layers):
                weights |= _attention_layer(f"blk.{layer}.", width, matrix, model.restless)
        case "gemma3":
            # The embedding is scaled by the root of the width there, and norms behind the layers set their strength.
            strength = np.full(width, 0.53 * model.restless * np.sqrt(width), np.float32)
            for layer in range(model.layers):
                prefix = f"blk.{layer}."
                weights |= _attention_layer(prefix, width, matrix, 1.0)
                weights |= {prefix + f"post_{part}_norm.weight": strength for part in ("attention", "ffw")}
                weights |= {prefix + f"attn_{part}_norm.weight": np.ones(width // 4, np.float32) for part in "qk"}
        case "mamba":
            for layer in range(model.layers):
                weights |= _mamba_layer(f"blk.{layer}.", width, matrix, model.restless)
        case _:
            raise ValueError(model.architecture)
    noise = np.random.default_rng(model.noise_seed)
    for name, values in weights.items():
        if model.noise and name.endswith(".weight") and values.ndim == 2:
            deviation = model.noise * values.std()
            weights[name] = values + (noise.standard_normal(values.shape) * deviation).astype(np.float32)
    weights["output_norm.weight"] = np.ones(width, np.float32)
    return weights


def _attention_layer(prefix: str, width: int, matrix: Matrix, strength: float) -> Weights:
    ones = np.ones(width, np.float32)
    return {
        prefix + "attn_norm.weight": ones,
        prefix + "attn_q.weight": matrix(width, width, 2.0),
        prefix + "attn_k.weight": matrix(width // 2, width, 2.0),
        prefix + "attn_v.weight": matrix(width // 2, width),
        prefix + "attn_output.weight": matrix(width, width, strength),
        prefix + "ffn_norm.weight": ones,
        prefix + "ffn_gate.weight": matrix(2 * width, width),
        prefix + "ffn_up.weight": matrix(2 * width, width),
        prefix + "ffn_down.weight": matrix(width, 2 * width, strength),
    }


def _mamba_layer(prefix: str, width: int, matrix: Matrix, strength: float) -> Weights:
    inner, state, rank, kernel = 2 * width, 16, 4, 4
    return {
        prefix + "attn_norm.weight": np.ones(width, np.float32),
        prefix + "ssm_in.weight": matrix(2 * inner, width),
        prefix + "ssm_conv1d.weight": matrix(inner, kernel),
        prefix + "ssm_conv1d.bias": np.zeros(inner, np.float32),
        prefix + "ssm_x.weight": matrix(rank + 2 * state, inner),
        prefix + "ssm_dt.weight": matrix(inner, rank),
        prefix + "ssm_dt.bias": np.zeros(inner, np.float32),
        prefix + "ssm_a": -np.tile(np.arange(1, state + 1, dtype=np.float32), (inner, 1)),
        prefix + "ssm_d": np.ones(inner, np.float32),
        prefix + "ssm_out.weight": matrix(width, inner, strength),
    }
