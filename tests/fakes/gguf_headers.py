"""Headers of many architectures, as large as the real models' or small, without weights.

Written as `whole`, a file has its true size but holds nothing behind its header: on most disks a hole, which reads as
zeros, so that llama.cpp can load it. Tensors and keys are those that llama.cpp asks for.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from engine.gguf_format import TENSOR_TYPES
from tests.fakes.gguf_files import raw_array, raw_header, raw_key, raw_string, raw_tensor

Number = int | float | bool | str | Sequence[int] | Sequence[bool]

_TYPES = {kind.name: (number, kind.block, kind.size) for number, kind in TENSOR_TYPES.items()}
_ALIGNMENT = 32


@dataclass(slots=True)
class HeaderModel:
    """A model on paper. `keys` are without the architecture in front; those with "general." and "split." stay."""

    architecture: str
    keys: dict[str, Number] = field(default_factory=dict)
    tensors: list[tuple[str, tuple[int, ...], str]] = field(default_factory=list)
    quantisation: str = "Q4_K"

    def add(self, name: str, *shape: int, kind: str = "") -> None:
        """A matrix in the model's quantisation, or a vector in F32; a narrow matrix is not quantised."""
        kind = kind or ("F32" if len(shape) == 1 else self.quantisation)
        if shape[0] % _TYPES[kind][1]:
            kind = "F16"
        self.tensors.append((name, shape, kind))

    def weight(self, name: str, *shape: int, kind: str = "") -> None:
        self.add(name + ".weight", *shape, kind=kind)

    def ends(self, width: int, vocabulary: int, *, tied: bool) -> None:
        """Embedding and output."""
        self.keys |= {"embedding_length": width, "vocab_size": vocabulary}
        self.weight("token_embd", width, vocabulary)
        self.weight("output_norm", width)
        if not tied:
            self.weight("output", width, vocabulary, kind="Q6_K" if self.quantisation == "Q4_K" else "")

    def write(self, path: Path, *, whole: bool = False) -> Path:
        """The header, with a hole for the weights where `whole`."""
        _write(path, self._encoded_keys(), self.tensors, whole)
        return path

    def write_split(self, folder: Path, *, whole: bool = False) -> list[Path]:
        """The same in two parts."""
        half = len(self.tensors) // 2
        paths = []
        for number, tensors in enumerate((self.tensors[:half], self.tensors[half:])):
            split = raw_key(b"split.no", 2, struct.pack("<H", number))
            split += raw_key(b"split.count", 2, struct.pack("<H", 2))
            split += raw_key(b"split.tensors.count", 5, struct.pack("<i", len(self.tensors)))
            keys = (3, split)
            if number == 0:
                count, own = self._encoded_keys()
                keys = (count + 3, own + split)
            paths.append(folder / f"model-{number + 1:05d}-of-00002.gguf")
            _write(paths[-1], keys, tensors, whole)
        return paths

    def _encoded_keys(self) -> tuple[int, bytes]:
        keys: dict[str, Number] = {"general.architecture": self.architecture, "tokenizer.ggml.model": "none"}
        keys |= {f"{self.architecture}.{name}": value for name, value in self.keys.items()}
        return len(keys), b"".join(_key(name, value) for name, value in keys.items())


def _key(name: str, value: Number) -> bytes:
    match value:
        case bool():
            return raw_key(name.encode(), 7, struct.pack("<?", value))
        case int():
            return raw_key(name.encode(), 4, struct.pack("<I", value))
        case float():
            return raw_key(name.encode(), 6, struct.pack("<f", value))
        case str():
            return raw_key(name.encode(), 8, raw_string(value.encode()))
    if isinstance(value[0], bool):
        return raw_key(name.encode(), 9, raw_array(7, len(value), bytes(value)))
    return raw_key(name.encode(), 9, raw_array(5, len(value), struct.pack(f"<{len(value)}i", *value)))


def _write(
    path: Path, keys: tuple[int, bytes], tensors: Sequence[tuple[str, tuple[int, ...], str]], whole: bool
) -> None:
    records, offset = b"", 0
    for name, shape, kind in tensors:
        number, block, size = _TYPES[kind]
        elements = 1
        for length in shape:
            elements *= length
        records += raw_tensor(name.encode(), shape, number, offset)
        offset += elements // block * size
        offset += -offset % _ALIGNMENT
    header = raw_header(len(tensors), keys[0], keys[1] + records)
    header += bytes(-len(header) % _ALIGNMENT)
    with path.open("wb") as file:
        file.write(header)
        if whole:
            file.truncate(len(header) + offset)


def _attention(
    model: HeaderModel, layer: int, width: int, heads: int, kv_heads: int, head: int, *, qk_norm: bool, bias: bool
) -> None:
    prefix = f"blk.{layer}.attn_"
    model.weight(f"{prefix}q", width, heads * head)
    model.weight(f"{prefix}k", width, kv_heads * head)
    model.weight(f"{prefix}v", width, kv_heads * head, kind="Q6_K" if model.quantisation == "Q4_K" else "")
    model.weight(f"{prefix}output", heads * head, width)
    if qk_norm:
        model.weight(f"{prefix}q_norm", head)
        model.weight(f"{prefix}k_norm", head)
    if bias:
        for part, length in (("q", heads * head), ("k", kv_heads * head), ("v", kv_heads * head)):
            model.add(f"{prefix}{part}.bias", length)


def _feed_forward(model: HeaderModel, layer: int, width: int, inner: int, suffix: str = "") -> None:
    model.weight(f"blk.{layer}.ffn_gate{suffix}", width, inner)
    model.weight(f"blk.{layer}.ffn_up{suffix}", width, inner)
    model.weight(f"blk.{layer}.ffn_down{suffix}", inner, width)


def _experts(model: HeaderModel, layer: int, width: int, inner: int, count: int) -> None:
    model.weight(f"blk.{layer}.ffn_gate_inp", width, count, kind="F32")
    model.weight(f"blk.{layer}.ffn_gate_exps", width, inner, count)
    model.weight(f"blk.{layer}.ffn_up_exps", width, inner, count)
    model.weight(f"blk.{layer}.ffn_down_exps", inner, width, count)


def transformer(
    architecture: str,
    *,
    layers: int,
    width: int,
    heads: int,
    kv_heads: int,
    inner: int,
    vocabulary: int,
    head: int = 0,
    tied: bool = False,
    bias: bool = False,
    qk_norm: bool = False,
    post_norms: bool = False,
    window: int = 0,
    experts: tuple[int, int, int] = (0, 0, 0),
    dense: int = 0,
    nextn: int = 0,
    keys: Mapping[str, Number] | None = None,
    quantisation: str = "Q4_K",
) -> HeaderModel:
    """A common transformer. `experts` is their number, how many are used, and their width; the first `dense` layers
    have none; the last `nextn` of `layers` predict further tokens."""
    model = HeaderModel(architecture, quantisation=quantisation)
    own_head = head or width // heads
    model.keys |= {
        "block_count": layers,
        "context_length": 131072,
        "feed_forward_length": inner,
        "attention.head_count": heads,
        "attention.head_count_kv": kv_heads,
        "attention.layer_norm_rms_epsilon": 1e-5,
    }
    if head:
        model.keys |= {"attention.key_length": head, "attention.value_length": head}
    if window:
        model.keys["attention.sliding_window"] = window
    count, used, expert_inner = experts
    if count:
        model.keys |= {"expert_count": count, "expert_used_count": used, "expert_feed_forward_length": expert_inner}
        if dense:
            model.keys["leading_dense_block_count"] = dense
    if nextn:
        model.keys["nextn_predict_layers"] = nextn
    model.keys |= keys or {}
    model.ends(width, vocabulary, tied=tied)
    for layer in range(layers):
        model.weight(f"blk.{layer}.attn_norm", width)
        _attention(model, layer, width, heads, kv_heads, own_head, qk_norm=qk_norm, bias=bias)
        if architecture in ("glm4moe", "gpt-oss"):
            model.weight(f"blk.{layer}.post_attention_norm", width)
        else:
            model.weight(f"blk.{layer}.ffn_norm", width)
        if post_norms:
            model.weight(f"blk.{layer}.post_attention_norm", width)
            model.weight(f"blk.{layer}.post_ffw_norm", width)
        if count and layer >= dense:
            _experts(model, layer, width, expert_inner, count)
            if architecture == "glm4moe":
                model.add(f"blk.{layer}.exp_probs_b.bias", count)
                _feed_forward(model, layer, width, expert_inner, "_shexp")
            if architecture == "gpt-oss":
                _gpt_oss_extras(model, layer, width, heads, count, expert_inner)
        else:
            _feed_forward(model, layer, width, inner)
        if layer >= layers - nextn:
            model.weight(f"blk.{layer}.nextn.eh_proj", 2 * width, width)
            model.weight(f"blk.{layer}.nextn.enorm", width)
            model.weight(f"blk.{layer}.nextn.hnorm", width)
            model.weight(f"blk.{layer}.nextn.shared_head_norm", width)
    return model


def _gpt_oss_extras(model: HeaderModel, layer: int, width: int, heads: int, count: int, inner: int) -> None:
    prefix = f"blk.{layer}."
    model.weight(prefix + "attn_sinks", heads)
    model.add(prefix + "attn_output.bias", width)
    model.add(prefix + "ffn_gate_inp.bias", count)
    model.add(prefix + "ffn_gate_exps.bias", inner, count, kind="F32")
    model.add(prefix + "ffn_up_exps.bias", inner, count, kind="F32")
    model.add(prefix + "ffn_down_exps.bias", width, count, kind="F32")


def gemma4(*, layers: int, width: int, heads: int, kv_heads: tuple[int, int], heads_size: tuple[int, int], inner: int,
           vocabulary: int, window: int, shared: int = 0, per_layer: int = 0) -> HeaderModel:
    """Pairs are for layers with a window and for the others; every sixth layer has none, and no V of its own."""
    model = HeaderModel("gemma4")
    windowed = [layer % 6 != 5 for layer in range(layers)]
    model.keys |= {
        "block_count": layers,
        "context_length": 262144,
        "feed_forward_length": inner,
        "attention.head_count": heads,
        "attention.head_count_kv": [kv_heads[0] if local else kv_heads[1] for local in windowed],
        "attention.key_length": heads_size[1],
        "attention.value_length": heads_size[1],
        "attention.key_length_swa": heads_size[0],
        "attention.value_length_swa": heads_size[0],
        "attention.sliding_window": window,
        "attention.sliding_window_pattern": windowed,
        "attention.shared_kv_layers": shared,
        "attention.layer_norm_rms_epsilon": 1e-6,
        "embedding_length_per_layer_input": per_layer,
        "rope.dimension_count": heads_size[1],
        "rope.dimension_count_swa": heads_size[0],
        "final_logit_softcapping": 30.0,
    }
    model.ends(width, vocabulary, tied=True)
    model.weight("rope_freqs", heads_size[1] // 2)
    if per_layer:
        model.weight("per_layer_token_embd", per_layer * layers, vocabulary)
        model.weight("per_layer_model_proj", width, per_layer * layers, kind="BF16")
        model.weight("per_layer_proj_norm", per_layer)
    for layer, local in enumerate(windowed):
        prefix = f"blk.{layer}."
        head, count = (heads_size[0], kv_heads[0]) if local else (heads_size[1], kv_heads[1])
        model.weight(prefix + "attn_norm", width)
        model.weight(prefix + "attn_q", width, heads * head)
        if layer < layers - shared:
            model.weight(prefix + "attn_k", width, count * head)
            if local:
                model.weight(prefix + "attn_v", width, count * head)
            model.weight(prefix + "attn_k_norm", head)
        model.weight(prefix + "attn_output", heads * head, width)
        model.weight(prefix + "attn_q_norm", head)
        for norm in ("post_attention_norm", "ffn_norm", "post_ffw_norm"):
            model.weight(prefix + norm, width)
        model.weight(prefix + "layer_output_scale", 1)
        _feed_forward(model, layer, width, inner)
        if per_layer:
            model.weight(prefix + "inp_gate", width, per_layer)
            model.weight(prefix + "proj", per_layer, width)
            model.weight(prefix + "post_norm", width)
    return model


def deepseek2(*, layers: int, width: int, heads: int, inner: int, vocabulary: int, experts: tuple[int, int, int],
              dense: int, q_rank: int, kv_rank: int, rope: int, nope: int, value: int) -> HeaderModel:
    """Multi-head latent attention."""
    model = HeaderModel("deepseek2")
    count, used, expert_inner = experts
    model.keys |= {
        "block_count": layers,
        "context_length": 163840,
        "feed_forward_length": inner,
        "leading_dense_block_count": dense,
        "attention.head_count": heads,
        "attention.head_count_kv": 1,
        "attention.layer_norm_rms_epsilon": 1e-6,
        "attention.q_lora_rank": q_rank,
        "attention.kv_lora_rank": kv_rank,
        "attention.key_length": kv_rank + rope,
        "attention.value_length": kv_rank,
        "attention.key_length_mla": nope + rope,
        "attention.value_length_mla": value,
        "rope.dimension_count": rope,
        "expert_count": count,
        "expert_used_count": used,
        "expert_feed_forward_length": expert_inner,
        "expert_shared_count": 1,
        "expert_gating_func": 2,
        "expert_group_count": 1,
        "expert_group_used_count": 1,
    }
    model.ends(width, vocabulary, tied=False)
    for layer in range(layers):
        prefix = f"blk.{layer}."
        model.weight(prefix + "attn_norm", width)
        model.weight(prefix + "attn_q_a_norm", q_rank)
        model.weight(prefix + "attn_kv_a_norm", kv_rank)
        model.weight(prefix + "attn_q_a", width, q_rank)
        model.weight(prefix + "attn_q_b", q_rank, heads * (nope + rope))
        model.weight(prefix + "attn_kv_a_mqa", width, kv_rank + rope)
        model.weight(prefix + "attn_k_b", nope, kv_rank, heads, kind="Q8_0")
        model.weight(prefix + "attn_v_b", kv_rank, value, heads, kind="Q8_0")
        model.weight(prefix + "attn_output", heads * value, width)
        model.weight(prefix + "ffn_norm", width)
        if layer < dense:
            _feed_forward(model, layer, width, inner)
        else:
            _experts(model, layer, width, expert_inner, count)
            model.add(prefix + "exp_probs_b.bias", count)
            _feed_forward(model, layer, width, expert_inner, "_shexp")
    return model


def qwen35(*, layers: int, width: int, heads: int, kv_heads: int, head: int, inner: int, vocabulary: int, groups: int,
           value_heads: int, tied: bool = False, nextn: int = 0, experts: tuple[int, int, int] = (0, 0, 0),
           state: int = 128) -> HeaderModel:
    """Three of four layers are recurrent (gated delta nets)."""
    count, used, expert_inner = experts
    model = HeaderModel("qwen35moe" if count else "qwen35")
    keys, values = state * groups, state * value_heads
    model.keys |= {
        "block_count": layers,
        "context_length": 262144,
        "attention.head_count": heads,
        "attention.head_count_kv": kv_heads,
        "attention.key_length": head,
        "attention.value_length": head,
        "attention.layer_norm_rms_epsilon": 1e-6,
        "rope.dimension_count": 64,
        "rope.dimension_sections": [11, 11, 10, 0],
        "ssm.conv_kernel": 4,
        "ssm.inner_size": values,
        "ssm.state_size": state,
        "ssm.time_step_rank": value_heads,
        "ssm.group_count": groups,
        "full_attention_interval": 4,
    }
    if count:
        model.keys |= {
            "expert_count": count,
            "expert_used_count": used,
            "expert_feed_forward_length": expert_inner,
            "expert_shared_feed_forward_length": expert_inner,
        }
    else:
        model.keys["feed_forward_length"] = inner
    if nextn:
        model.keys["nextn_predict_layers"] = nextn
    model.ends(width, vocabulary, tied=tied)
    for layer in range(layers):
        prefix = f"blk.{layer}."
        model.weight(prefix + "attn_norm", width)
        model.weight(prefix + "post_attention_norm", width)
        if layer % 4 == 3 or layer >= layers - nextn:
            model.weight(prefix + "attn_q", width, 2 * heads * head)
            model.weight(prefix + "attn_k", width, kv_heads * head)
            model.weight(prefix + "attn_v", width, kv_heads * head)
            model.weight(prefix + "attn_output", heads * head, width)
            model.weight(prefix + "attn_q_norm", head)
            model.weight(prefix + "attn_k_norm", head)
        else:
            model.weight(prefix + "attn_qkv", width, 2 * keys + values)
            model.weight(prefix + "attn_gate", width, values)
            model.weight(prefix + "ssm_conv1d", 4, 2 * keys + values, kind="F32")
            model.add(prefix + "ssm_dt.bias", value_heads)
            model.add(prefix + "ssm_a", value_heads)
            model.weight(prefix + "ssm_beta", width, value_heads)
            model.weight(prefix + "ssm_alpha", width, value_heads)
            model.weight(prefix + "ssm_norm", state)
            model.weight(prefix + "ssm_out", values, width)
        if count:
            _experts(model, layer, width, expert_inner, count)
            model.weight(prefix + "ffn_gate_inp_shexp", width)
            _feed_forward(model, layer, width, expert_inner, "_shexp")
        else:
            _feed_forward(model, layer, width, inner)
        if layer >= layers - nextn:
            model.weight(prefix + "nextn.eh_proj", 2 * width, width)
            model.weight(prefix + "nextn.enorm", width)
            model.weight(prefix + "nextn.hnorm", width)
            model.weight(prefix + "nextn.shared_head_norm", width)
    return model


def _mamba2(model: HeaderModel, layer: int, width: int, inner: int, state: int, groups: int, heads: int) -> None:
    prefix = f"blk.{layer}.ssm_"
    channels = inner + 2 * groups * state
    model.weight(prefix + "in", width, inner + channels + heads)
    model.weight(prefix + "conv1d", 4, channels, kind="F32")
    model.add(prefix + "conv1d.bias", channels)
    model.add(prefix + "dt.bias", heads)
    model.add(prefix + "a", 1, heads, kind="F32")
    model.add(prefix + "d", 1, heads, kind="F32")
    model.weight(prefix + "norm", inner // groups, groups, kind="F32")
    model.weight(prefix + "out", inner, width)


def granite_hybrid(*, layers: int, width: int, heads: int, kv_heads: int, inner: int, vocabulary: int, state: int,
                   ssm_heads: int, attention: Sequence[int]) -> HeaderModel:
    """Mamba-2 layers, and a few with attention."""
    model = HeaderModel("granitehybrid")
    model.keys |= {
        "block_count": layers,
        "context_length": 131072,
        "feed_forward_length": inner,
        "attention.head_count": heads,
        "attention.head_count_kv": [kv_heads if layer in attention else 0 for layer in range(layers)],
        "attention.layer_norm_rms_epsilon": 1e-5,
        "ssm.conv_kernel": 4,
        "ssm.inner_size": 2 * width,
        "ssm.state_size": state,
        "ssm.time_step_rank": ssm_heads,
        "ssm.group_count": 1,
    }
    model.ends(width, vocabulary, tied=True)
    for layer in range(layers):
        model.weight(f"blk.{layer}.attn_norm", width)
        if layer in attention:
            _attention(model, layer, width, heads, kv_heads, width // heads, qk_norm=False, bias=False)
        else:
            _mamba2(model, layer, width, 2 * width, state, 1, ssm_heads)
        model.weight(f"blk.{layer}.ffn_norm", width)
        _feed_forward(model, layer, width, inner)
    return model


def mamba2(*, layers: int, width: int, vocabulary: int, state: int, groups: int, heads: int) -> HeaderModel:
    """Recurrent all through."""
    model = HeaderModel("mamba2")
    model.keys |= {
        "block_count": layers,
        "context_length": 1048576,
        "feed_forward_length": 0,
        "attention.head_count": 0,
        "attention.layer_norm_rms_epsilon": 1e-5,
        "ssm.conv_kernel": 4,
        "ssm.inner_size": 2 * width,
        "ssm.state_size": state,
        "ssm.time_step_rank": heads,
        "ssm.group_count": groups,
    }
    model.ends(width, vocabulary, tied=True)
    for layer in range(layers):
        model.weight(f"blk.{layer}.attn_norm", width)
        _mamba2(model, layer, width, 2 * width, state, groups, heads)
    return model


def lfm2(*, layers: int, width: int, heads: int, kv_heads: int, inner: int, vocabulary: int,
         attention: Sequence[int]) -> HeaderModel:
    """Short convolutions, and a few layers with attention."""
    model = HeaderModel("lfm2")
    model.keys |= {
        "block_count": layers,
        "context_length": 128000,
        "feed_forward_length": inner,
        "attention.head_count": heads,
        "attention.head_count_kv": [kv_heads if layer in attention else 0 for layer in range(layers)],
        "attention.layer_norm_rms_epsilon": 1e-5,
        "shortconv.l_cache": 3,
    }
    model.ends(width, vocabulary, tied=True)
    model.tensors = [("token_embd_norm.weight" if n == "output_norm.weight" else n, s, k) for n, s, k in model.tensors]
    for layer in range(layers):
        model.weight(f"blk.{layer}.ffn_norm", width)
        _feed_forward(model, layer, width, inner)
        model.weight(f"blk.{layer}.attn_norm", width)
        if layer in attention:
            _attention(model, layer, width, heads, kv_heads, width // heads, qk_norm=True, bias=False)
        else:
            model.weight(f"blk.{layer}.shortconv.conv", 3, width, kind="F32")
            model.weight(f"blk.{layer}.shortconv.in_proj", width, 3 * width)
            model.weight(f"blk.{layer}.shortconv.out_proj", width, width)
    return model


def falcon_h1(*, layers: int, width: int, heads: int, kv_heads: int, head: int, inner: int, vocabulary: int,
              ssm_inner: int, state: int, ssm_heads: int) -> HeaderModel:
    """Each layer has both attention and a recurrent part."""
    model = HeaderModel("falcon-h1")
    model.keys |= {
        "block_count": layers,
        "context_length": 262144,
        "feed_forward_length": inner,
        "attention.head_count": heads,
        "attention.head_count_kv": kv_heads,
        "attention.key_length": head,
        "attention.value_length": head,
        "attention.layer_norm_rms_epsilon": 1e-5,
        "ssm.conv_kernel": 4,
        "ssm.inner_size": ssm_inner,
        "ssm.state_size": state,
        "ssm.time_step_rank": ssm_heads,
        "ssm.group_count": 1,
    }
    model.ends(width, vocabulary, tied=False)
    for layer in range(layers):
        _mamba2(model, layer, width, ssm_inner, state, 1, ssm_heads)
        model.weight(f"blk.{layer}.attn_norm", width)
        _attention(model, layer, width, heads, kv_heads, head, qk_norm=False, bias=False)
        model.add(f"blk.{layer}.ffn_norm", width)
        _feed_forward(model, layer, width, inner)
    return model


def nemotron_h(*, kinds: str, width: int, heads: int, kv_heads: int, head: int, inner: int, vocabulary: int,
               ssm_inner: int, state: int, groups: int, ssm_heads: int) -> HeaderModel:
    """A layer is one thing only: "M" recurrent, "*" attention, "-" feed-forward."""
    model = HeaderModel("nemotron_h")
    model.keys |= {
        "block_count": len(kinds),
        "context_length": 131072,
        "feed_forward_length": [inner if kind == "-" else 0 for kind in kinds],
        "attention.head_count": heads,
        "attention.head_count_kv": [kv_heads if kind == "*" else 0 for kind in kinds],
        "attention.key_length": head,
        "attention.value_length": head,
        "attention.layer_norm_epsilon": 1e-5,
        "attention.layer_norm_rms_epsilon": 1e-5,
        "ssm.conv_kernel": 4,
        "ssm.inner_size": ssm_inner,
        "ssm.state_size": state,
        "ssm.time_step_rank": ssm_heads,
        "ssm.group_count": groups,
    }
    model.ends(width, vocabulary, tied=False)
    for layer, kind in enumerate(kinds):
        model.weight(f"blk.{layer}.attn_norm", width)
        if kind == "M":
            _mamba2(model, layer, width, ssm_inner, state, groups, ssm_heads)
        elif kind == "*":
            _attention(model, layer, width, heads, kv_heads, head, qk_norm=False, bias=False)
        else:
            model.weight(f"blk.{layer}.ffn_up", width, inner)
            model.weight(f"blk.{layer}.ffn_down", inner, width)
    return model


def phi3(*, layers: int, width: int, heads: int, kv_heads: int, inner: int, vocabulary: int) -> HeaderModel:
    """Joint matrices, factors for long contexts, and a window that llama.cpp leaves alone."""
    model = HeaderModel("phi3")
    head = width // heads
    model.keys |= {
        "block_count": layers,
        "context_length": 131072,
        "feed_forward_length": inner,
        "attention.head_count": heads,
        "attention.head_count_kv": kv_heads,
        "attention.layer_norm_rms_epsilon": 1e-5,
        "attention.sliding_window": 262144,
    }
    model.ends(width, vocabulary, tied=False)
    model.weight("rope_factors_long", head // 2)
    model.weight("rope_factors_short", head // 2)
    for layer in range(layers):
        model.weight(f"blk.{layer}.attn_norm", width)
        model.weight(f"blk.{layer}.attn_qkv", width, (heads + 2 * kv_heads) * head)
        model.weight(f"blk.{layer}.attn_output", width, width)
        model.weight(f"blk.{layer}.ffn_norm", width)
        model.weight(f"blk.{layer}.ffn_up", width, 2 * inner)
        model.weight(f"blk.{layer}.ffn_down", inner, width)
    return model


def real_sizes() -> dict[str, HeaderModel]:
    """As large as the models they are called after."""
    return {
        "llama-8b": transformer("llama", layers=32, width=4096, heads=32, kv_heads=8, inner=14336, vocabulary=128256),
        "llama-1b-tied": transformer(
            "llama", layers=16, width=2048, heads=32, kv_heads=8, inner=8192, vocabulary=128256, tied=True
        ),
        "mistral-24b": transformer(
            "llama", layers=40, width=5120, heads=32, kv_heads=8, head=128, inner=32768, vocabulary=131072
        ),
        "qwen2.5-7b": transformer(
            "qwen2", layers=28, width=3584, heads=28, kv_heads=4, inner=18944, vocabulary=152064, bias=True
        ),
        "qwen2.5-0.5b": transformer(
            "qwen2", layers=24, width=896, heads=14, kv_heads=2, inner=4864, vocabulary=151936, bias=True, tied=True,
            quantisation="Q8_0",
        ),
        "qwen3-0.6b": transformer(
            "qwen3", layers=28, width=1024, heads=16, kv_heads=8, head=128, inner=3072, vocabulary=151936,
            qk_norm=True, tied=True, quantisation="Q8_0",
        ),
        "qwen3-32b": transformer(
            "qwen3", layers=64, width=5120, heads=64, kv_heads=8, head=128, inner=25600, vocabulary=151936,
            qk_norm=True,
        ),
        "qwen3-30b-a3b": transformer(
            "qwen3moe", layers=48, width=2048, heads=32, kv_heads=4, head=128, inner=6144, vocabulary=151936,
            qk_norm=True, experts=(128, 8, 768),
        ),
        "gpt-oss-20b": transformer(
            "gpt-oss", layers=24, width=2880, heads=64, kv_heads=8, head=64, inner=2880, vocabulary=201088,
            window=128, experts=(32, 4, 2880), bias=True, quantisation="MXFP4",
            keys={"rope.dimension_count": 64},
        ),
        "gemma-2-9b": transformer(
            "gemma2", layers=42, width=3584, heads=16, kv_heads=8, head=256, inner=14336, vocabulary=256000,
            tied=True, post_norms=True, window=4096,
            keys={"attn_logit_softcapping": 50.0, "final_logit_softcapping": 30.0},
        ),
        "gemma-3-4b": transformer(
            "gemma3", layers=34, width=2560, heads=8, kv_heads=4, head=256, inner=10240, vocabulary=262144, tied=True,
            qk_norm=True, post_norms=True, window=1024,
        ),
        "gemma-3-27b": transformer(
            "gemma3", layers=62, width=5376, heads=32, kv_heads=16, head=128, inner=21504, vocabulary=262208,
            tied=True, qk_norm=True, post_norms=True, window=1024,
        ),
        "gemma-4-31b": gemma4(
            layers=60, width=5376, heads=32, kv_heads=(16, 4), heads_size=(256, 512), inner=21504, vocabulary=262144,
            window=1024,
        ),
        "gemma-4-e4b": gemma4(
            layers=42, width=2560, heads=8, kv_heads=(2, 2), heads_size=(256, 512), inner=10240, vocabulary=262144,
            window=512, shared=18, per_layer=256,
        ),
        "deepseek-v3.1": deepseek2(
            layers=61, width=7168, heads=128, inner=18432, vocabulary=129280, experts=(256, 8, 2048), dense=3,
            q_rank=1536, kv_rank=512, rope=64, nope=128, value=128,
        ),
        "qwen3.5-27b": qwen35(
            layers=64, width=5120, heads=24, kv_heads=4, head=256, inner=17408, vocabulary=248320, groups=16,
            value_heads=48,
        ),
        "qwen3.5-0.8b": qwen35(
            layers=24, width=1024, heads=8, kv_heads=2, head=256, inner=3584, vocabulary=248320, groups=16,
            value_heads=16, tied=True,
        ),
        "qwen3.5-9b-mtp": qwen35(
            layers=33, width=4096, heads=16, kv_heads=4, head=256, inner=12288, vocabulary=248320, groups=16,
            value_heads=32, nextn=1,
        ),
        "qwen3.5-35b-a3b": qwen35(
            layers=40, width=2048, heads=16, kv_heads=2, head=256, inner=0, vocabulary=248320, groups=16,
            value_heads=32, experts=(256, 8, 512),
        ),
        "glm-4.5-air": transformer(
            "glm4moe", layers=47, width=4096, heads=96, kv_heads=8, head=128, inner=10944, vocabulary=151552,
            bias=True, experts=(128, 8, 1408), dense=1, nextn=1,
            keys={"expert_shared_count": 1, "rope.dimension_count": 64},
        ),
        "granite-4-h-small": granite_hybrid(
            layers=40, width=2048, heads=32, kv_heads=8, inner=8192, vocabulary=100352, state=128, ssm_heads=64,
            attention=(5, 15, 25, 35),
        ),
        "falcon-h1-7b": falcon_h1(
            layers=44, width=3072, heads=12, kv_heads=2, head=128, inner=12288, vocabulary=130048, ssm_inner=3072,
            state=256, ssm_heads=24,
        ),
        "nemotron-nano-9b": nemotron_h(
            kinds="M-M-M-MM-M-M-M*-M-M-M*-M-M-M-M*-M-M-M-M*-M-MM-M-M-M-M-", width=4480, heads=40, kv_heads=8, head=128,
            inner=15680, vocabulary=131072, ssm_inner=10240, state=128, groups=8, ssm_heads=128,
        ),
        "phi-4-mini": phi3(layers=32, width=3072, heads=24, kv_heads=8, inner=8192, vocabulary=200064),
        "mamba2-2.7b": mamba2(layers=64, width=2560, vocabulary=50288, state=128, groups=1, heads=80),
        "lfm2-1.2b": lfm2(
            layers=16, width=2048, heads=32, kv_heads=8, inner=8192, vocabulary=65536, attention=(2, 5, 8, 10, 12, 14)
        ),
    }


def small_sizes() -> dict[str, HeaderModel]:
    """Small enough to be loaded with zeros for weights."""
    return {
        "dense": transformer("llama", layers=3, width=256, heads=8, kv_heads=2, inner=768, vocabulary=1024),
        "tied": transformer("llama", layers=2, width=256, heads=4, kv_heads=4, inner=512, vocabulary=2048, tied=True),
        "bias": transformer(
            "qwen2", layers=2, width=256, heads=4, kv_heads=2, inner=512, vocabulary=1024, bias=True,
            quantisation="Q8_0",
        ),
        "wide heads": transformer(
            "qwen3", layers=3, width=256, heads=4, kv_heads=2, head=128, inner=512, vocabulary=1024, qk_norm=True,
            tied=True, quantisation="Q4_0",
        ),
        "sliding window": transformer(
            "gemma3", layers=8, width=256, heads=4, kv_heads=2, head=64, inner=512, vocabulary=1024, tied=True,
            qk_norm=True, post_norms=True, window=300,
        ),
        "large vocabulary": transformer(
            "gemma3", layers=2, width=64, heads=2, kv_heads=1, head=32, inner=128, vocabulary=262144, tied=True,
            qk_norm=True, post_norms=True, window=128, quantisation="Q8_0",
        ),
        "window by default": transformer(
            "gemma2", layers=4, width=256, heads=4, kv_heads=2, head=64, inner=512, vocabulary=1024, tied=True,
            post_norms=True, keys={"attn_logit_softcapping": 50.0, "final_logit_softcapping": 30.0},
        ),
        "experts": transformer(
            "qwen3moe", layers=2, width=256, heads=4, kv_heads=2, head=64, inner=512, vocabulary=1024, qk_norm=True,
            experts=(8, 2, 256),
        ),
        "experts with sinks": transformer(
            "gpt-oss", layers=4, width=128, heads=4, kv_heads=2, head=32, inner=128, vocabulary=1024, window=128,
            experts=(4, 2, 128), bias=True, quantisation="MXFP4", keys={"rope.dimension_count": 32},
        ),
        "next tokens": transformer(
            "glm4moe", layers=3, width=256, heads=4, kv_heads=2, head=64, inner=512, vocabulary=1024, bias=True,
            experts=(4, 2, 256), dense=1, nextn=1, keys={"expert_shared_count": 1, "rope.dimension_count": 32},
        ),
        "latent": deepseek2(
            layers=3, width=256, heads=4, inner=512, vocabulary=1024, experts=(4, 2, 256), dense=1, q_rank=128,
            kv_rank=128, rope=32, nope=32, value=32,
        ),
        "heads by layer": gemma4(
            layers=12, width=256, heads=4, kv_heads=(4, 1), heads_size=(64, 128), inner=512, vocabulary=1024,
            window=200, shared=6,
        ),
        "hybrid": qwen35(
            layers=8, width=256, heads=4, kv_heads=2, head=128, inner=512, vocabulary=1024, groups=2, value_heads=4,
        ),
        "hybrid with next tokens": qwen35(
            layers=5, width=256, heads=4, kv_heads=2, head=128, inner=512, vocabulary=1024, groups=2, value_heads=4,
            nextn=1, experts=(4, 2, 256),
        ),
        "hybrid mamba": granite_hybrid(
            layers=4, width=256, heads=4, kv_heads=2, inner=512, vocabulary=1024, state=64, ssm_heads=8, attention=(1,)
        ),
        "both in each layer": falcon_h1(
            layers=2, width=256, heads=4, kv_heads=2, head=64, inner=512, vocabulary=1024, ssm_inner=256, state=64,
            ssm_heads=8,
        ),
        "one thing a layer": nemotron_h(
            kinds="M-M*-M", width=256, heads=4, kv_heads=2, head=64, inner=512, vocabulary=1024, ssm_inner=512,
            state=64, groups=2, ssm_heads=8,
        ),
        "joint matrices": phi3(layers=2, width=256, heads=4, kv_heads=2, inner=512, vocabulary=1024),
        "recurrent": mamba2(layers=2, width=256, vocabulary=1024, state=64, groups=1, heads=8),
        "convolutions": lfm2(
            layers=4, width=256, heads=4, kv_heads=2, inner=512, vocabulary=1024, attention=(1, 3)
        ),
    }
