"""Headers that would end llama.cpp are refused with their reason, and only those."""

from __future__ import annotations

import struct
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import gguf
import numpy as np
import pytest
from gguf import GGUFValueType as Type

from engine.errors import EngineError, ErrorKind
from engine.gguf import check_loadable, read_header
from tests.fakes import gguf_files, llama_probe
from tests.fakes.gguf_files import Tiny, raw_header, raw_key, raw_string, raw_tensor

ROOT = Path(__file__).parents[3]

Keys = Mapping[str, gguf.GGUFValue]


def number(value: int) -> gguf.GGUFValue:
    return gguf.GGUFValue(value, Type.UINT32)


def fraction(value: float) -> gguf.GGUFValue:
    return gguf.GGUFValue(value, Type.FLOAT32)


def text(value: str) -> gguf.GGUFValue:
    return gguf.GGUFValue(value, Type.STRING)


def numbers(*values: int) -> gguf.GGUFValue:
    return gguf.GGUFValue(list(values), Type.ARRAY, Type.UINT32)


@dataclass(frozen=True)
class Change:
    """What a good model's file says otherwise: keys without their architecture, a tensor's type, its tokens, and a
    word that the reason must have where it is refused."""

    keys: Keys | None = None
    tensor: str = ""
    dtype: str = "float32"
    twice: bool = False
    reason: str = ""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("sense")


@pytest.fixture(scope="module")
def good(folder: Path) -> Path:
    return gguf_files.write_model(folder / "good.gguf", Tiny(width=32, vocab_size=300))


def changed(good: Path, path: Path, change: Change) -> Path:
    """A copy of the good model with the change."""
    reader = gguf.GGUFReader(good)
    writer = gguf.GGUFWriter(path, "llama")
    for key, entry in reader.fields.items():
        if key.startswith("GGUF.") or key == "general.architecture":
            continue
        value = entry.contents()
        if key == "tokenizer.ggml.tokens" and change.twice:
            value[280] = value[290]
        element = entry.types[-1] if entry.types[0] is Type.ARRAY else None
        writer.add_key_value(key, value, entry.types[0], sub_type=element)
    for key, replacement in (change.keys or {}).items():
        writer.kv_data[0][f"llama.{key}"] = replacement
    for tensor in reader.tensors:
        dtype = change.dtype if tensor.name == change.tensor else "float32"
        writer.add_tensor(tensor.name, np.array(tensor.data).astype(dtype))
    return gguf_files.finish(writer, path)


EPSILON = "attention.layer_norm_rms_epsilon"
MIXTURE = {"expert_count": number(8), "expert_used_count": number(2)}
FATAL = {
    "a token twice": Change(twice=True, reason="token 290"),
    "experts and none used": Change({"expert_count": number(8)}, reason="experts"),
    "more used than there are": Change({"expert_count": number(8), "expert_used_count": number(9)}, reason="experts"),
    "used without any": Change({"expert_used_count": numbers(0, 1)}, reason="experts"),
    "none used in any layer": Change({"expert_count": number(8), "expert_used_count": numbers(0, 0)}, reason="experts"),
    "too many experts": Change({**MIXTURE, "expert_count": number(1025)}, reason="experts"),
    "as many groups as experts": Change({**MIXTURE, "expert_group_count": number(8)}, reason="groups"),
    "uneven groups": Change({**MIXTURE, "expert_group_count": number(3)}, reason="groups"),
    "all groups used": Change(
        {**MIXTURE, "expert_group_count": number(4), "expert_group_used_count": number(4)}, reason="groups"
    ),
    "groups of nothing": Change({"expert_group_count": number(1)}, reason="groups"),
    "no layers": Change({"block_count": number(0)}, reason="layers"),
    "too many layers": Change({"block_count": number(513)}, reason="layers"),
    "more heads than layers": Change({"nextn_predict_layers": number(3)}, reason="further tokens"),
    "epsilon is no number": Change({EPSILON: fraction(float("nan"))}, reason="epsilon"),
    "epsilon below zero": Change({EPSILON: fraction(-1.0)}, reason="epsilon"),
    "a scaling nobody knows": Change({"rope.scaling.type": text("bogus")}, reason="rope scaling"),
    "an embedding of bytes": Change(tensor="token_embd.weight", dtype="int8", reason="token_embd.weight"),
    "whole numbers as weights": Change(tensor="blk.1.attn_q.weight", dtype="int32", reason="I32"),
    "double precision": Change(tensor="output.weight", dtype="float64", reason="F64"),
    "a norm of long numbers": Change(tensor="output_norm.weight", dtype="int64", reason="I64"),
}
HARMLESS = {
    "nothing": Change(),
    "experts by layer": Change({"expert_count": number(8), "expert_used_count": numbers(0, 2)}),
    "one group": Change({**MIXTURE, "expert_group_count": number(1)}),
    "groups": Change({**MIXTURE, "expert_group_count": number(4), "expert_group_used_count": number(2)}),
    "no experts by layer": Change({"expert_used_count": numbers(0, 0)}),
    "epsilon is zero": Change({EPSILON: fraction(0.0)}),
    "a scaling": Change({"rope.scaling.type": text("yarn")}),
    "half precision": Change(tensor="output.weight", dtype="float16"),
    "causal by layer": Change({"attention.causal": gguf.GGUFValue([True, False], Type.ARRAY, Type.BOOL)}),
    "causal by layer, pooling": Change(
        {"attention.causal": gguf.GGUFValue([True, False], Type.ARRAY, Type.BOOL), "pooling_type": number(1)}
    ),
}


@pytest.mark.parametrize("name", FATAL)
def test_what_would_end_the_engine_is_refused(name: str, good: Path, tmp_path: Path) -> None:
    """The reason names what is wrong, and llama.cpp really dies of the file."""
    path = changed(good, tmp_path / "fatal.gguf", FATAL[name])
    with pytest.raises(EngineError) as caught:
        check_loadable(read_header(path))
    assert caught.value.report.kind is ErrorKind.GGUF_BROKEN
    assert FATAL[name].reason in str(caught.value.report.fact("reason"))
    command = [sys.executable, "-m", "tests.fakes.llama_probe", "greedy", str(path)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, timeout=120, check=False)
    assert done.returncode != 0


def test_what_would_not_is_passed_on(good: Path, tmp_path: Path) -> None:
    """Unusual values that llama.cpp runs, or refuses with an error of its own, are left to it."""
    paths = [changed(good, tmp_path / f"{name}.gguf", change) for name, change in HARMLESS.items()]
    for path in paths:
        check_loadable(read_header(path))
    assert len(llama_probe.ask("greedy", paths)) == len(paths)  # it lived


def test_data_that_begin_unaligned_are_refused(good: Path, tmp_path: Path) -> None:
    """Mapped into memory, they would not lie where the engine's kernels want them; luck is accepted."""
    named = raw_key(b"general.architecture", 8, raw_string(b"llama"))
    aligned = raw_key(b"general.alignment", 4, struct.pack("<I", 8))
    path, refused, accepted = tmp_path / "m.gguf", 0, 0
    for padding in range(0, 32, 4):
        keys = named + aligned + raw_key(b"k", 8, raw_string(b"x" * padding))
        header = raw_header(1, 3, keys + raw_tensor(b"blk.0.attn_norm.weight", [32]))
        path.write_bytes(header + bytes(-len(header) % 8) + bytes(128))
        offset = read_header(path).data_offset
        if offset % 32:
            with pytest.raises(EngineError) as caught:
                check_loadable(read_header(path))
            assert str(offset) in str(caught.value.report.fact("reason"))
            refused += 1
        else:
            check_loadable(read_header(path))
            accepted += 1
    assert (refused, accepted) == (6, 2)


def test_a_table_of_experts_is_of_whole_numbers(tmp_path: Path) -> None:
    """Tensors that are only looked up may have the type of an index."""
    writer = gguf.GGUFWriter(tmp_path / "m.gguf", "deepseek4")
    writer.add_block_count(1)
    writer.add_tensor("blk.0.attn_norm.weight", np.zeros(32, np.float32))
    writer.add_tensor("blk.0.ffn_gate_tid2eid.weight", np.zeros((8, 4), np.int32))
    check_loadable(read_header(gguf_files.finish(writer, tmp_path / "m.gguf")))


@pytest.mark.parametrize("architecture", ["hunyuan-dense", "hunyuan-vl"])
def test_dense_models_with_keys_for_experts_are_models(architecture: str, tmp_path: Path) -> None:
    """llama.cpp does not look at the experts of these where there is at most one."""
    keys = {"general.architecture": architecture, f"{architecture}.block_count": 1}
    experts = {f"{architecture}.expert_count": 1, f"{architecture}.expert_used_count": 2}
    path = gguf_files.write_header(tmp_path / "m.gguf", keys | experts, {"blk.0.attn_norm.weight": [32]})
    check_loadable(read_header(path))


def test_texts_that_are_the_same_to_llama_cpp_are_the_same(tmp_path: Path) -> None:
    """A text ends at its first zero byte, and empty texts are all different."""

    def refused(*tokens: bytes) -> bool:
        array = struct.pack("<IQ", 8, len(tokens)) + b"".join(map(raw_string, tokens))
        keys = raw_key(b"general.architecture", 8, raw_string(b"llama"))
        keys += raw_key(b"tokenizer.ggml.model", 8, raw_string(b"gpt2")) + raw_key(b"tokenizer.ggml.tokens", 9, array)
        header = raw_header(1, 3, keys + raw_tensor(b"blk.0.attn_norm.weight", [32]))
        path = tmp_path / "m.gguf"
        path.write_bytes(header + bytes(-len(header) % 32) + bytes(128))
        try:
            check_loadable(read_header(path))
        except EngineError as error:
            return "token" in str(error.report.fact("reason"))
        return False

    assert not refused(b"a", b"b", b"", b"", b"\0")
    assert refused(b"a", b"b\0c", b"b\0d")
    assert refused(b"a", b"", b"[EMPTY_1]")
