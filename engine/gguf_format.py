"""The bytes of a GGUF header.

Layout, little-endian: "GGUF", version, number of tensors, number of keys, the keys with their values, one
record for each tensor, padding, the tensors' data. llama.cpp trusts counts and lengths as far as the file is
long and aborts the process on some of them, so everything is held to limits here first. They lie well above
every known model: the largest vocabulary has 262,144 tokens and 514,906 merges in a header of 16 MB. And they are so
low that no header, however long its file, takes more than a second or 64 MiB to be refused.
"""

from __future__ import annotations

import math
import struct
from array import array
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, NamedTuple, overload

import numpy as np
from numpy.typing import NDArray

MAX_HEADER_BYTES = 40 << 20
MAX_STRING_BYTES = 16 << 20
MAX_KEPT_BYTES = 1 << 20  # of one string: some converters put a whole tokenizer.json into one, which nobody reads here
MAX_TEXT_BYTES = 4 << 20  # of all strings that are kept, arrays aside
MAX_NUMBERS = 1 << 20  # in one array
MAX_STRINGS = 3 << 19  # in all arrays together
MAX_KEYS = 4096
MAX_TENSORS = 8192
MAX_ALIGNMENT = 65_536

_SHORT = 32  # bytes; only few tokens have more
# More empty strings in a row than any vocabulary has: the zeros of a sparse file
_HOLE = bytes(64 << 10)


class TensorType(NamedTuple):
    """An element type: `block` elements of a row take `size` bytes."""

    name: str
    block: int
    size: int


# fmt: off
TENSOR_TYPES: Mapping[int, TensorType] = {
    number: TensorType(name, block, size)
    for number, name, block, size in (
        (0, "F32", 1, 4), (1, "F16", 1, 2), (30, "BF16", 1, 2), (28, "F64", 1, 8),
        (24, "I8", 1, 1), (25, "I16", 1, 2), (26, "I32", 1, 4), (27, "I64", 1, 8),
        (2, "Q4_0", 32, 18), (3, "Q4_1", 32, 20), (6, "Q5_0", 32, 22), (7, "Q5_1", 32, 24),
        (8, "Q8_0", 32, 34), (9, "Q8_1", 32, 36), (41, "Q1_0", 128, 18), (42, "Q2_0", 64, 18),
        (10, "Q2_K", 256, 84), (11, "Q3_K", 256, 110), (12, "Q4_K", 256, 144), (13, "Q5_K", 256, 176),
        (14, "Q6_K", 256, 210), (15, "Q8_K", 256, 292), (19, "IQ1_S", 256, 50), (29, "IQ1_M", 256, 56),
        (16, "IQ2_XXS", 256, 66), (17, "IQ2_XS", 256, 74), (22, "IQ2_S", 256, 82),
        (18, "IQ3_XXS", 256, 98), (21, "IQ3_S", 256, 110), (20, "IQ4_NL", 32, 18), (23, "IQ4_XS", 256, 136),
        (34, "TQ1_0", 256, 54), (35, "TQ2_0", 256, 66), (39, "MXFP4", 32, 17), (40, "NVFP4", 64, 36),
    )
}

# general.file_type: llama.h's llama_ftype without its prefixes
FILE_TYPES: Mapping[int, str] = {
    0: "F32", 1: "F16", 32: "BF16", 2: "Q4_0", 3: "Q4_1", 8: "Q5_0", 9: "Q5_1", 7: "Q8_0", 40: "Q1_0",
    41: "Q2_0", 10: "Q2_K", 21: "Q2_K_S", 11: "Q3_K_S", 12: "Q3_K_M", 13: "Q3_K_L", 14: "Q4_K_S",
    15: "Q4_K_M", 16: "Q5_K_S", 17: "Q5_K_M", 18: "Q6_K", 24: "IQ1_S", 31: "IQ1_M", 19: "IQ2_XXS",
    20: "IQ2_XS", 28: "IQ2_S", 29: "IQ2_M", 23: "IQ3_XXS", 22: "IQ3_XS", 26: "IQ3_S", 27: "IQ3_M",
    25: "IQ4_NL", 30: "IQ4_XS", 36: "TQ1_0", 37: "TQ2_0", 38: "MXFP4_MOE", 39: "NVFP4",
}
# fmt: on


class BrokenError(Exception):
    """The bytes break the format or a limit; the text says how."""


class IncompleteError(Exception):
    """The header goes on behind the bytes at hand, at least up to `end`."""

    def __init__(self, end: int) -> None:
        super().__init__(end)
        self.end = end


class NotGgufError(Exception):
    """The bytes are something else."""


class VersionError(Exception):
    """A version of the format that llama.cpp cannot read."""

    def __init__(self, version: int) -> None:
        super().__init__(version)
        self.version = version


class StringArray(Sequence[str]):
    """An array of strings kept as it stands in the file and decoded one string at a time.

    Bytes that are not UTF-8 become U+FFFD in the text; `raw` has them as they are.
    """

    __slots__ = ("_data", "_starts")

    def __init__(self, data: bytes, starts: NDArray[np.int64]) -> None:
        """`data` holds each string behind its length in 8 bytes; starts[i] is where the length of string i
        stands, and the last of the len + 1 starts is the end of the data."""
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

    def copy(self) -> StringArray:
        """The same strings in memory of their own."""
        first, last = self._starts[0], self._starts[-1]
        return StringArray(self._data[first:last], self._starts - first)

    def raw(self, index: int) -> bytes:
        """String `index` as bytes."""
        if index < 0:
            index += len(self)
        if not 0 <= index < len(self):
            raise IndexError(index)
        return self._data[self._starts[index] + 8 : self._starts[index + 1]]

    def raw_list(self, first: int, last: int) -> list[bytes]:
        """Strings [first, last) as bytes."""
        return [self._data[start + 8 : end] for start, end in pairwise(self._starts[first : last + 1].tolist())]

    def span(self, first: int, last: int) -> bytes:
        """Strings [first, last) as they stand in the file: equal spans hold equal strings."""
        return self._data[self._starts[first] : self._starts[last]]

    def differing(self, other: StringArray) -> NDArray[np.int64]:
        """Indices, of those that both arrays have, at which the bytes differ; ascending."""
        common = min(len(self), len(other))
        if self.span(0, common) == other.span(0, common):
            return np.empty(0, np.int64)
        sizes = np.diff(self._starts[: common + 1])
        unequal = sizes != np.diff(other._starts[: common + 1])
        # Byte by byte through all strings at once: a loop over strings would take ten times as long.
        (ours, theirs), at = (np.frombuffer(array._data, np.uint8) for array in (self, other)), np.flatnonzero(~unequal)
        for byte in range(8, 8 + _SHORT):
            at = at[sizes[at] > byte]
            differs = ours[self._starts[at] + byte] != theirs[other._starts[at] + byte]
            unequal[at[differs]] = True
            at = at[~differs]
        for index in at.tolist():
            unequal[index] = self.raw(index) != other.raw(index)
        return np.flatnonzero(unequal)


Value = bool | int | float | str | StringArray | NDArray[Any]


@dataclass(frozen=True, slots=True)
class TensorInfo:
    """A tensor's record. shape[0] is the length of a row; offset counts from where the data begin."""

    name: str
    shape: tuple[int, ...]
    type: str
    offset: int
    nbytes: int

    @property
    def elements(self) -> int:
        return math.prod(self.shape)


class Content(NamedTuple):
    """What a header holds. data_offset is where the tensors' data begin, data_end the least size of the file."""

    version: int
    metadata: Mapping[str, Value]
    tensors: tuple[TensorInfo, ...]
    data_offset: int
    data_end: int


class Records(NamedTuple):
    """A header, and where its records stand: each key's, name and type included, and all tensors'."""

    content: Content
    keys: Mapping[str, slice]
    tensors: slice


_U32, _U64 = struct.Struct("<I"), struct.Struct("<Q")
_STRING, _ARRAY = 8, 9  # value types
_NUMBERS: Mapping[int, struct.Struct] = {
    number: struct.Struct("<" + code) for number, code in enumerate("BbHhIif?__Qqd") if number not in (_STRING, _ARRAY)
}


def parse(data: bytes) -> Content:
    """Read a header from the first bytes of a file.

    Raises:
        IncompleteError: `data` do not hold the whole header.
        NotGgufError, VersionError, BrokenError: the header cannot be read, or breaks a limit.
    """
    return records(data).content


def records(data: bytes) -> Records:
    """As `parse`, with what is needed to copy parts of the header."""
    cursor = _Cursor(data)
    version, n_tensors, n_keys = cursor.beginning()
    metadata = cursor.metadata(n_keys)
    alignment = _alignment(metadata)
    start = cursor.position
    tensors = cursor.tensors(n_tensors, alignment)
    end = cursor.position
    metadata = {key: _detached(value) for key, value in metadata.items()}  # only now: what is refused costs no copies
    offset = data_end = end
    if tensors:
        offset = _padded(end, alignment)
        data_end = offset + tensors[-1].offset + tensors[-1].nbytes
    return Records(Content(version, metadata, tensors, offset, data_end), cursor.keys, slice(start, end))


def _alignment(metadata: Mapping[str, Value]) -> int:
    alignment = metadata.get("general.alignment", 32)
    if not isinstance(alignment, int) or not 0 < alignment <= MAX_ALIGNMENT or alignment & (alignment - 1):
        raise BrokenError("the alignment is not a small power of two")
    return alignment


def _detached(value: Value) -> Value:
    """The value without the rest of the bytes that it was read from."""
    if isinstance(value, StringArray):
        return value.copy()
    return value.copy() if isinstance(value, np.ndarray) else value


def _padded(size: int, alignment: int) -> int:
    return size + -size % alignment


class _Cursor:
    """Reads one thing after the other."""

    __slots__ = ("data", "keys", "position", "strings", "text_bytes")

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.position = 0
        self.strings = 0  # in arrays
        self.text_bytes = 0  # of other strings
        self.keys: dict[str, slice] = {}  # where the record of each key stands

    def beginning(self) -> tuple[int, int, int]:
        """Version, number of tensors, number of keys."""
        if self.data[:4] != b"GGUF":
            raise NotGgufError
        self.skip(4)
        version: int = self.scalar(_U32)
        if version and version & 0xFFFF == 0:
            raise BrokenError("the byte order is big-endian")
        if version not in (2, 3):
            raise VersionError(version)
        n_tensors: int = self.scalar(_U64)
        n_keys: int = self.scalar(_U64)
        if n_tensors > MAX_TENSORS or n_keys > MAX_KEYS:
            raise BrokenError(f"{n_tensors} tensors and {n_keys} keys")
        return version, n_tensors, n_keys

    def skip(self, size: int) -> int:
        """Step over `size` bytes and return where they begin."""
        start = self.position
        if start + size > len(self.data):
            raise IncompleteError(start + size)
        self.position = start + size
        return start

    def scalar(self, layout: struct.Struct) -> Any:
        return layout.unpack_from(self.data, self.skip(layout.size))[0]

    def string(self, limit: int, kept: int | None = None) -> bytes:
        """At most the first `kept` bytes of a string."""
        length: int = self.scalar(_U64)
        if length > limit:
            raise BrokenError(f"a string of {length} bytes")
        if self.data.find(_HOLE, self.position, self.position + length) >= 0:
            raise BrokenError("a string that is full of zeros")
        start = self.skip(length)
        return self.data[start : self.position if kept is None else min(self.position, start + kept)]

    def metadata(self, count: int) -> dict[str, Value]:
        metadata: dict[str, Value] = {}
        for _ in range(count):
            start = self.position
            key = self.string(limit=65_535)
            if not key or not key.isascii():
                raise BrokenError("a key that is not ASCII text")
            name = key.decode("ascii")
            if name in metadata:
                raise BrokenError(f"the key {name[:64]} stands twice")
            metadata[name] = self._value(self.scalar(_U32))
            self.keys[name] = slice(start, self.position)
        return metadata

    def _value(self, kind: int) -> Value:
        if kind in _NUMBERS:
            number: bool | int | float = self.scalar(_NUMBERS[kind])
            return number
        if kind == _STRING:
            text = self.string(MAX_STRING_BYTES, MAX_KEPT_BYTES)
            self.text_bytes += len(text)
            if self.text_bytes > MAX_TEXT_BYTES:
                raise BrokenError(f"more than {MAX_TEXT_BYTES} bytes of text")
            return text.decode("utf-8", "replace")
        if kind == _ARRAY:
            return self._array(self.scalar(_U32), self.scalar(_U64))
        raise BrokenError(f"a value of type {kind}")

    def _array(self, kind: int, count: int) -> Value:
        if kind == _STRING:
            return self._strings(count)
        if kind not in _NUMBERS:
            raise BrokenError(f"an array of type {kind}")
        if count > MAX_NUMBERS:
            raise BrokenError(f"an array of {count} numbers")
        dtype = np.dtype(_NUMBERS[kind].format)
        start = self.skip(count * dtype.itemsize)
        return np.frombuffer(self.data, dtype, count, start)

    def _strings(self, count: int) -> StringArray:
        self.strings += count
        if self.strings > MAX_STRINGS:
            raise BrokenError(f"an array of {count} strings")
        data, first, length_at = self.data, self.position, _U64.unpack_from
        if data.find(_HOLE, first, first + 8 * count) >= 0:
            raise BrokenError("an array of strings that is full of zeros")
        position, starts = first, array("q")
        try:
            for _ in range(count):
                starts.append(position)
                position += 8 + length_at(data, position)[0]
        except (struct.error, OverflowError):
            position += 8  # the data end before the length of this string
        if position > len(data) + MAX_STRING_BYTES:
            raise BrokenError(f"a string of more than {MAX_STRING_BYTES} bytes")
        self.skip(position - first)
        starts.append(position)
        return StringArray(data, np.frombuffer(starts, np.int64))

    def tensors(self, count: int, alignment: int) -> tuple[TensorInfo, ...]:
        tensors: dict[str, TensorInfo] = {}
        end = 0
        for _ in range(count):
            tensor = self._tensor()
            if tensor.name in tensors:
                raise BrokenError(f"the tensor {tensor.name} stands twice")
            if tensor.offset != end:
                raise BrokenError(f"{tensor.name} begins at {tensor.offset}, not at {end}")
            tensors[tensor.name] = tensor
            end = _padded(end + tensor.nbytes, alignment)
        return tuple(tensors.values())

    def _tensor(self) -> TensorInfo:
        name = self.string(limit=63).decode("utf-8", "replace")
        dimensions: int = self.scalar(_U32)
        if not 1 <= dimensions <= 4:
            raise BrokenError(f"{name} has {dimensions} dimensions")
        shape = tuple(self.scalar(_U64) for _ in range(dimensions))
        number: int = self.scalar(_U32)
        kind = TENSOR_TYPES.get(number)
        if kind is None:
            raise BrokenError(f"{name} has the unknown type {number}")
        elements = math.prod(shape)
        if not 0 < elements < 1 << 60 or shape[0] % kind.block:
            raise BrokenError(f"{name} has the shape {shape}")
        return TensorInfo(name, shape, kind.name, self.scalar(_U64), elements // kind.block * kind.size)
