"""The header of a GGUF file, read without llama.cpp: what a model is, whether its file is whole, whether it can write.

Layout, little-endian: "GGUF", version, number of tensors, number of keys, the keys with their values, one record for
each tensor, padding, the tensors' data. llama.cpp trusts counts and lengths as far as the file is long and aborts the
process on some of them, so everything is held to limits here first. They lie well above every known model: the largest
vocabulary has 262,144 tokens and 514,906 merges in a header of 16 MB.
"""

from __future__ import annotations

import math
import os
import stat
import struct
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple, NoReturn, overload

import numpy as np
from numpy.typing import NDArray

from engine.errors import EngineError, ErrorKind

MAX_HEADER_BYTES = 64 << 20
MAX_STRING_BYTES = 16 << 20
MAX_NUMBERS = 4_000_000  # in one array
MAX_STRINGS = 1 << 20  # in one array
MAX_KEYS = 4096
MAX_TENSORS = 65_536
MAX_ALIGNMENT = 65_536
MAX_PARTS = 1000
MAX_LAYERS, MAX_EXPERTS = 512, 1024  # llama.cpp aborts above

_FIRST_READ = 2 << 20  # holds the whole header of most models with up to 50,000 tokens


class TensorType(NamedTuple):
    """An element type: `block` elements take `size` bytes."""

    name: str
    block: int
    size: int


TENSOR_TYPES: Mapping[int, TensorType] = {
    0: TensorType("F32", 1, 4),
    1: TensorType("F16", 1, 2),
    2: TensorType("Q4_0", 32, 18),
    3: TensorType("Q4_1", 32, 20),
    6: TensorType("Q5_0", 32, 22),
    7: TensorType("Q5_1", 32, 24),
    8: TensorType("Q8_0", 32, 34),
    9: TensorType("Q8_1", 32, 36),
    10: TensorType("Q2_K", 256, 84),
    11: TensorType("Q3_K", 256, 110),
    12: TensorType("Q4_K", 256, 144),
    13: TensorType("Q5_K", 256, 176),
    14: TensorType("Q6_K", 256, 210),
    15: TensorType("Q8_K", 256, 292),
    16: TensorType("IQ2_XXS", 256, 66),
    17: TensorType("IQ2_XS", 256, 74),
    18: TensorType("IQ3_XXS", 256, 98),
    19: TensorType("IQ1_S", 256, 50),
    20: TensorType("IQ4_NL", 32, 18),
    21: TensorType("IQ3_S", 256, 110),
    22: TensorType("IQ2_S", 256, 82),
    23: TensorType("IQ4_XS", 256, 136),
    24: TensorType("I8", 1, 1),
    25: TensorType("I16", 1, 2),
    26: TensorType("I32", 1, 4),
    27: TensorType("I64", 1, 8),
    28: TensorType("F64", 1, 8),
    29: TensorType("IQ1_M", 256, 56),
    30: TensorType("BF16", 1, 2),
    34: TensorType("TQ1_0", 256, 54),
    35: TensorType("TQ2_0", 256, 66),
    39: TensorType("MXFP4", 32, 17),
    40: TensorType("NVFP4", 64, 36),
    41: TensorType("Q1_0", 128, 18),
    42: TensorType("Q2_0", 64, 18),
}

# general.file_type: llama.h's llama_ftype without its prefixes
FILE_TYPES: Mapping[int, str] = dict(
    enumerate(
        ["F32", "F16", "Q4_0", "Q4_1", "-", "-", "-", "Q8_0", "Q5_0", "Q5_1", "Q2_K", "Q3_K_S", "Q3_K_M", "Q3_K_L", "Q4_K_S", "Q4_K_M", "Q5_K_S", "Q5_K_M", "Q6_K", "IQ2_XXS", "IQ2_XS", "Q2_K_S", "IQ3_XS", "IQ3_XXS", "IQ1_S", "IQ4_NL", "IQ3_S", "IQ3_M", "IQ2_S", "IQ2_M", "IQ4_XS", "IQ1_M", "BF16", "-", "-", "-", "TQ1_0", "TQ2_0", "MXFP4_MOE", "NVFP4", "Q1_0", "Q2_0"]
    )
)

# Architectures that write no text token by token, from llama.cpp's sources: those for which
# llama_model::create_memory makes no cache (encoders and diffusion models), those whose graph attends without one
# (llama-embed), those with an encoder (t5, t5encoder), speech models, and "clip", the vision half of a model.
NOT_GENERATIVE = frozenset(
    ["bert", "modern-bert", "nomic-bert", "nomic-bert-moe", "neo-bert", "jina-bert-v2", "jina-bert-v3", "eurobert", "gemma-embedding", "llama-embed", "dream", "llada", "llada-moe", "rnd1", "t5", "t5encoder", "wavtokenizer-dec", "qwen3tts", "pockettts", "clip"]
)

# Heads that read the hidden states of the one target they were trained for
NEEDS_OWN_TARGET = frozenset({"eagle3", "dflash", "gemma4-assistant"})


class StringArray(Sequence[str]):
    """An array of strings kept as it stands in the file and decoded one string at a time.

    Bytes that are not UTF-8 become U+FFFD in the text; `raw` has them as they are.
    """

    __slots__ = ("_data", "_starts")

    def __init__(self, data: bytes, starts: NDArray[np.int64]) -> None:
        """`data` holds each string behind its length in 8 bytes; starts[i] is where the length of string i stands,
        and the last of the len + 1 starts is the end of the data."""
        self._data = data
        self._starts = starts

    def __len__(self) -> int:
        return len(self._starts) - 1

    @overload
    def __getitem__(self, index: int) -> str: ...
    @overload
    def __getitem__(self, index: slice) -> list[str]: ...
    def __getitem__(self, index: int | slice) -> str | list[str]:
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(len(self)))]
        return self.raw(index).decode("utf-8", "replace")

    def raw(self, index: int) -> bytes:
        """String `index` as bytes."""
        if index < 0:
            index += len(self)
        if not 0 <= index < len(self):
            raise IndexError(index)
        return self._data[self._starts[index] + 8 : self._starts[index + 1]]

    def raw_list(self) -> list[bytes]:
        """All strings as bytes."""
        starts: list[int] = self._starts.tolist()
        return [self._data[start + 8 : end] for start, end in zip(starts, starts[1:], strict=False)]

    def span(self, first: int, last: int) -> NDArray[np.uint8]:
        """The bytes of strings [first, last), each behind its length: equal spans hold equal strings."""
        return np.frombuffer(self._data, np.uint8)[self._starts[first] : self._starts[last]]

    def index_at(self, first: int, offset: int) -> int:
        """Which string the byte `offset` of a span that begins at string `first` belongs to."""
        return int(np.searchsorted(self._starts, self._starts[first] + offset, side="right")) - 1


Value = bool | int | float | str | StringArray | NDArray[Any]


@dataclass(frozen=True, slots=True)
class TensorInfo:
    """A tensor's record. shape[0] is the length of a row; offset counts from the header's data_offset."""

    name: str
    shape: tuple[int, ...]
    type: str
    offset: int
    nbytes: int

    @property
    def elements(self) -> int:
        return math.prod(self.shape)


@dataclass(frozen=True, slots=True, eq=False)
class GgufHeader:
    """What the header of one file says.

    Attributes:
        data_offset: where the tensors' data begins in the file.
        expected_bytes: the least size of a whole file; size_bytes: what the file has.
    """

    path: Path
    version: int
    metadata: Mapping[str, Value]
    tensors: tuple[TensorInfo, ...]
    data_offset: int
    expected_bytes: int
    size_bytes: int

    def text(self, key: str) -> str:
        """The string at `key`; "" where there is none."""
        value = self.metadata.get(key)
        return value if isinstance(value, str) else ""

    def number(self, key: str, default: int = 0) -> int:
        """The integer at `key`; `default` where there is none. "{arch}" stands for the architecture."""
        value = self.metadata.get(key.replace("{arch}", self.architecture))
        return value if isinstance(value, int) else default

    @property
    def architecture(self) -> str:
        return self.text("general.architecture")

    @property
    def name(self) -> str:
        return self.text("general.name").strip() or self.path.stem

    @property
    def quantisation(self) -> str:
        """As its maker calls it ("Q4_K_M"), or else the type that takes most bytes."""
        label = FILE_TYPES.get(self.number("general.file_type", -1), "-")
        if label != "-":
            return label
        bytes_by_type: Counter[str] = Counter()
        for tensor in self.tensors:
            bytes_by_type[tensor.type] += tensor.nbytes
        return bytes_by_type.most_common(1)[0][0] if bytes_by_type else ""

    @property
    def parameters(self) -> int:
        """Elements of all tensors in this file; a split model's other parts are not counted."""
        return sum(tensor.elements for tensor in self.tensors)

    @property
    def context_length(self) -> int:
        """Tokens the model was trained with; 0 if unknown."""
        return self.number("{arch}.context_length")

    @property
    def tokens(self) -> StringArray | None:
        value = self.metadata.get("tokenizer.ggml.tokens")
        return value if isinstance(value, StringArray) else None

    @property
    def vocab_size(self) -> int:
        return self.number("{arch}.vocab_size") if self.tokens is None else len(self.tokens)

    @property
    def has_tokenizer(self) -> bool:
        return self.tokens is not None and self.text("tokenizer.ggml.model") not in ("", "none", "no_vocab")

    @property
    def chat_template(self) -> str | None:
        """The default template; None if the model brings none."""
        return self.text("tokenizer.chat_template") or None

    @property
    def split_no(self) -> int:
        return self.number("split.no")

    @property
    def split_count(self) -> int:
        """Into how many parts the model is split; 1 for a model in one file."""
        return max(1, self.number("split.count"))

    @property
    def is_vocabulary_only(self) -> bool:
        return not self.tensors and self.split_count == 1  # the first part of a split model may hold no tensors

    def parts(self) -> tuple[Path, ...]:
        """The files of the model, this one included, by the names that llama.cpp will look for."""
        if self.split_count == 1:
            return (self.path,)
        ending = f"-{self.split_no + 1:05d}-of-{self.split_count:05d}.gguf"
        prefix = self.path.name.removesuffix(ending)
        numbers = range(1, self.split_count + 1)
        return tuple(self.path.with_name(f"{prefix}-{i:05d}-of-{self.split_count:05d}.gguf") for i in numbers)


def read_header(path: str | Path) -> GgufHeader:
    """Read the header of a file, and nothing behind it. Safe on hostile files: at most 64 MiB are read.

    Raises:
        EngineError: FILE_MISSING, FILE_UNREADABLE, NOT_GGUF, GGUF_VERSION, GGUF_BROKEN, or GGUF_TRUNCATED, where
            expected_bytes is only a lower bound if the header itself is cut off.
    """
    path = Path(path)
    try:
        status = path.stat()
        if not stat.S_ISREG(status.st_mode):  # opening a pipe would wait for its other end
            raise EngineError(ErrorKind.FILE_UNREADABLE, path=str(path), reason="not a regular file")
        with path.open("rb") as file:
            size = os.fstat(file.fileno()).st_size
            data = file.read(_FIRST_READ)
            while True:
                try:
                    return _parse(path, data, size)
                except _Incomplete as incomplete:
                    end = incomplete.end
                if end > MAX_HEADER_BYTES:
                    raise _Broken(f"the header is longer than {MAX_HEADER_BYTES} bytes")
                if len(data) >= size:
                    raise EngineError(
                        ErrorKind.GGUF_TRUNCATED, path=str(path), size_bytes=size, expected_bytes=end
                    )
                length = min(max(4 * len(data), end), MAX_HEADER_BYTES)
                file.seek(0)
                data = b""  # never two copies of a large header
                data = file.read(length)
    except FileNotFoundError as error:
        raise EngineError(ErrorKind.FILE_MISSING, path=str(path)) from error
    except OSError as error:
        reason = error.strerror or str(error)
        raise EngineError(ErrorKind.FILE_UNREADABLE, path=str(path), reason=reason) from error
    except _Broken as broken:
        raise EngineError(ErrorKind.GGUF_BROKEN, path=str(path), reason=str(broken)) from None


def check_loadable(header: GgufHeader) -> None:
    """Refuse what llama.cpp would not load, or would load without being able to write text with it.

    Reads the headers of a split model's other parts too.

    Raises:
        EngineError: SPLIT_INCOMPLETE, VOCABULARY_ONLY, NOT_GENERATIVE, NEEDS_OWN_TARGET, GGUF_BROKEN, and for other
            parts all that `read_header` raises.
    """
    path, architecture = str(header.path), header.architecture
    tensors = {tensor.name for part in _all_parts(header) for tensor in part.tensors}
    kind = header.text("general.type")
    if kind in ("adapter", "imatrix", "mmproj"):
        raise EngineError(ErrorKind.NOT_GENERATIVE, path=path, architecture=kind)
    if not architecture:
        _broken(header, "no general.architecture")
    if architecture in NEEDS_OWN_TARGET or _is_side_file(tensors):
        raise EngineError(ErrorKind.NEEDS_OWN_TARGET, path=path, architecture=architecture)
    pools = header.number("{arch}.pooling_type") > 0  # 0 is none, -1 unspecified
    causal = header.metadata.get(f"{architecture}.attention.causal", True)
    if architecture in NOT_GENERATIVE or (pools and not causal):
        raise EngineError(ErrorKind.NOT_GENERATIVE, path=path, architecture=architecture)
    if not tensors:
        raise EngineError(ErrorKind.VOCABULARY_ONLY, path=path)
    if not 1 <= header.number("{arch}.block_count", 1) <= MAX_LAYERS:
        _broken(header, "the number of layers is out of range")
    experts = header.number("{arch}.expert_count")
    if not 0 <= header.number("{arch}.expert_used_count") <= experts <= MAX_EXPERTS:
        _broken(header, "the numbers of experts are out of range")


def _is_side_file(tensors: set[str]) -> bool:
    """Next-token heads without the trunk that they belong to: llama.cpp would crash on them."""
    return "blk.0.attn_norm.weight" not in tensors and any(".nextn." in name for name in tensors)


def _all_parts(header: GgufHeader) -> Iterator[GgufHeader]:
    """The headers of all parts of a model, checked to belong together. `header` must be the first part's."""
    parts = header.parts()
    if header.split_no != 0:
        raise EngineError(ErrorKind.SPLIT_INCOMPLETE, path=str(header.path), missing=str(parts[0]))
    yield header
    tensors = len(header.tensors)
    for number, path in enumerate(parts[1:], start=1):
        if not path.is_file():
            raise EngineError(ErrorKind.SPLIT_INCOMPLETE, path=str(header.path), missing=str(path))
        part = read_header(path)
        if (part.split_no, part.split_count) != (number, header.split_count):
            _broken(part, f"not part {number + 1} of {header.split_count}")
        tensors += len(part.tensors)
        yield part
    if header.split_count > 1 and tensors != header.number("split.tensors.count", tensors):
        _broken(header, "the parts do not hold all tensors")


def _broken(header: GgufHeader, reason: str) -> NoReturn:
    raise EngineError(ErrorKind.GGUF_BROKEN, path=str(header.path), reason=reason)


class _Broken(Exception):
    """The bytes break the format or a limit; the text says how."""


class _Incomplete(Exception):
    """The header goes on behind the bytes at hand, at least up to `end`."""

    def __init__(self, end: int) -> None:
        super().__init__(end)
        self.end = end


_U32, _U64 = struct.Struct("<I"), struct.Struct("<Q")
_BOOL, _STRING, _ARRAY = 7, 8, 9  # value types
_SCALARS: Mapping[int, struct.Struct] = {
    number: struct.Struct("<" + code)
    for number, code in enumerate(["B", "b", "H", "h", "I", "i", "f", "?", "-", "-", "Q", "q", "d"])
    if code != "-"
}
_NUMBERS: Mapping[int, np.dtype[Any]] = {
    number: np.dtype("?" if layout.format == "<?" else layout.format) for number, layout in _SCALARS.items()
}


class _Cursor:
    """Reads values one after the other from the front of a file."""

    __slots__ = ("data", "position")

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.position = 0

    def skip(self, size: int) -> int:
        """Step over `size` bytes and return where they begin."""
        start = self.position
        if start + size > len(self.data):
            raise _Incomplete(start + size)
        self.position = start + size
        return start

    def scalar(self, layout: struct.Struct) -> Any:
        return layout.unpack_from(self.data, self.skip(layout.size))[0]

    def string(self, limit: int = MAX_STRING_BYTES) -> bytes:
        length: int = self.scalar(_U64)
        if length > limit:
            raise _Broken(f"a string of {length} bytes")
        start = self.skip(length)
        return self.data[start : self.position]

    def value(self, kind: int) -> Value:
        if kind in _SCALARS:
            scalar: bool | int | float = self.scalar(_SCALARS[kind])
            return scalar
        if kind == _STRING:
            return self.string().decode("utf-8", "replace")
        if kind != _ARRAY:
            raise _Broken(f"a value of type {kind}")
        kind = self.scalar(_U32)
        count: int = self.scalar(_U64)
        if kind == _STRING:
            return self._strings(count)
        if kind not in _NUMBERS:
            raise _Broken(f"an array of type {kind}")
        if count > MAX_NUMBERS:
            raise _Broken(f"an array of {count} numbers")
        start = self.skip(count * _NUMBERS[kind].itemsize)
        return np.frombuffer(self.data, _NUMBERS[kind], count, start).copy()

    def _strings(self, count: int) -> StringArray:
        if count > MAX_STRINGS:
            raise _Broken(f"an array of {count} strings")
        data, first = self.data, self.position
        position, starts, length_at = first, [first], _U64.unpack_from
        try:
            for _ in range(count):
                position += 8 + length_at(data, position)[0]
                starts.append(position)
        except struct.error:  # the data end here
            position += 8
        if len(starts) > 1 and (longest := max(map(int.__sub__, starts[1:], starts)) - 8) > MAX_STRING_BYTES:
            raise _Broken(f"a string of {longest} bytes")
        self.skip(position - first)
        return StringArray(data[first:position], np.array(starts, np.int64) - first)


def _parse(path: Path, data: bytes, size: int) -> GgufHeader:
    """`data` are the first bytes of a file of `size` bytes. Raises _Incomplete if they do not hold the header."""
    if data[:4] != b"GGUF":
        raise EngineError(ErrorKind.NOT_GGUF, path=str(path))
    cursor = _Cursor(data)
    cursor.skip(4)
    version: int = cursor.scalar(_U32)
    if version != 0 and version & 0xFFFF == 0:
        raise _Broken("the byte order is big-endian")
    if version not in (2, 3):
        raise EngineError(ErrorKind.GGUF_VERSION, path=str(path), version=version)
    n_tensors: int = cursor.scalar(_U64)
    n_keys: int = cursor.scalar(_U64)
    if n_tensors > MAX_TENSORS or n_keys > MAX_KEYS:
        raise _Broken(f"{n_tensors} tensors and {n_keys} keys")

    metadata: dict[str, Value] = {}
    for _ in range(n_keys):
        key = cursor.string(limit=65_535)
        if not key or not key.isascii():
            raise _Broken("a key that is not ASCII text")
        name = key.decode("ascii")
        if name in metadata:
            raise _Broken(f"the key {name} stands twice")
        metadata[name] = cursor.value(cursor.scalar(_U32))
    if not 0 <= (parts := metadata.get("split.count", 0)) <= MAX_PARTS:  # type: ignore[operator]
        raise _Broken(f"{parts} parts")

    alignment = metadata.get("general.alignment", 32)
    if not isinstance(alignment, int) or not 0 < alignment <= MAX_ALIGNMENT or alignment & (alignment - 1):
        raise _Broken("the alignment is not a small power of two")
    tensors = _tensors(cursor, n_tensors, alignment)
    data_offset = cursor.position
    if tensors:
        data_offset += -data_offset % alignment
    expected = data_offset + (tensors[-1].offset + tensors[-1].nbytes if tensors else 0)
    if size < expected:
        raise EngineError(ErrorKind.GGUF_TRUNCATED, path=str(path), size_bytes=size, expected_bytes=expected)
    return GgufHeader(path, version, metadata, tensors, data_offset, expected, size)


def _tensors(cursor: _Cursor, count: int, alignment: int) -> tuple[TensorInfo, ...]:
    tensors: dict[str, TensorInfo] = {}
    end = 0
    for _ in range(count):
        name = cursor.string(limit=63).decode("utf-8", "replace")
        dimensions: int = cursor.scalar(_U32)
        if name in tensors:
            raise _Broken(f"the tensor {name} stands twice")
        if not 1 <= dimensions <= 4:
            raise _Broken(f"{name} has {dimensions} dimensions")
        shape = tuple(cursor.scalar(_U64) for _ in range(dimensions))
        number: int = cursor.scalar(_U32)
        offset: int = cursor.scalar(_U64)
        kind = TENSOR_TYPES.get(number)
        if kind is None:
            raise _Broken(f"{name} has the unknown type {number}")
        elements = math.prod(shape)
        if not 0 < elements < 1 << 60 or shape[0] % kind.block:
            raise _Broken(f"{name} has the shape {shape}")
        if offset != end:
            raise _Broken(f"{name} begins at {offset}, not at {end}")
        tensors[name] = TensorInfo(name, shape, kind.name, offset, elements // kind.block * kind.size)
        end += tensors[name].nbytes + -tensors[name].nbytes % alignment
    return tuple(tensors.values())
