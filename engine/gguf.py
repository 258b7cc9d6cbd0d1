"""What a model is, whether its file is whole, and whether it can write: told by its GGUF header alone."""

from __future__ import annotations

import os
import re
import stat
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

from engine import gguf_format
from engine.errors import EngineError, ErrorKind
from engine.gguf_format import FILE_TYPES, MAX_HEADER_BYTES, StringArray, TensorInfo, Value
from engine.header_sense import find_nonsense

MAX_PARTS = 1000

_FIRST_READ = 2 << 20  # holds the whole header of most models with up to 50,000 tokens

# Architectures that write no text token by token. The list is taken from llama.cpp's sources: those for which
# llama_model::create_memory makes no cache (encoders, diffusion models, wavtokenizer-dec), those whose graph
# attends without one (llama-embed) or needs an encoder's pass first (t5, t5encoder), speech models, and "clip",
# the vision half of a model.
# fmt: off
NOT_GENERATIVE = frozenset({
    "bert", "modern-bert", "nomic-bert", "nomic-bert-moe", "neo-bert", "jina-bert-v2", "jina-bert-v3", "eurobert",
    "gemma-embedding", "llama-embed", "t5", "t5encoder", "dream", "llada", "llada-moe", "rnd1",
    "wavtokenizer-dec", "qwen3tts", "pockettts", "clip",
})
# fmt: on

_PART = re.compile(r"-\d{5}-of-\d{5}$")
_QUANTISATION = re.compile(r"[-._](i1-)?(UD-)?(I?Q\d\w*|TQ\d\w*|F16|F32|BF16|MXFP4\w*|NVFP4|fp16)$", re.IGNORECASE)
_SEPARATORS = re.compile(r"[-_]")
_NAMELESS = frozenset({"", "model", "ggml model", "ggml"})

# Heads that read the hidden states of the one target they were trained for
NEEDS_OWN_TARGET = frozenset({"eagle3", "dflash", "gemma4-assistant"})


@dataclass(frozen=True, slots=True, eq=False)
class GgufHeader:
    """What the header of one file says.

    Attributes:
        data_offset: where the tensors' data begin in the file.
        expected_bytes: the least size of a whole file; size_bytes is what the file has.
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
        """The integer at `key`, in which {arch} stands for the architecture; `default` where there is none."""
        value = self.metadata.get(key.replace("{arch}", self.architecture))
        return value if isinstance(value, int) else default

    @property
    def architecture(self) -> str:
        return self.text("general.architecture")

    @property
    def name(self) -> str:
        """What people call the model: the file's name without quantisation and part, "-" and "_" as blanks.

        `general.name` is often the name of a training run ("Smollm2 135M 8k Lc100K Mix1 Ep2"); it serves for files
        that are just called model.gguf. Bytes of the file's name that are no UTF-8 become U+FFFD.
        """
        file_stem = os.fsencode(self.path.stem).decode("utf-8", errors="replace")
        stem = _PART.sub("", file_stem)
        stem = _QUANTISATION.sub("", stem)
        words = " ".join(_SEPARATORS.sub(" ", stem).split())
        if words.lower() in _NAMELESS:
            return self.text("general.name").strip() or file_stem
        return words

    @property
    def quantisation(self) -> str:
        """As its maker calls it ("Q4_K_M"), or else the type that takes most bytes; "" without tensors."""
        if label := FILE_TYPES.get(self.number("general.file_type", -1)):
            return label
        bytes_by_type: Counter[str] = Counter()
        for tensor in self.tensors:
            bytes_by_type[tensor.type] += tensor.nbytes
        return max(bytes_by_type, key=bytes_by_type.__getitem__, default="")

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
        """The first part of a split model may hold no tensors either, and is not meant here."""
        return not self.tensors and self.split_count == 1

    def parts(self) -> tuple[Path, ...]:
        """The files of the model, this one included, by the names that llama.cpp will look for."""
        if self.split_count == 1:
            return (self.path,)
        prefix = self.path.name.removesuffix(_part_ending(self.split_no, self.split_count))
        return tuple(
            self.path.with_name(prefix + _part_ending(number, self.split_count)) for number in range(self.split_count)
        )


def _part_ending(number: int, count: int) -> str:
    return f"-{number + 1:05d}-of-{count:05d}.gguf"


def read_header(path: str | Path, *, whole: bool = True) -> GgufHeader:
    """Read the header of a file and little more; safe on hostile files. Blocks on the disk.

    Args:
        whole: False where the file may end behind its header.

    Raises:
        EngineError: FILE_MISSING, FILE_UNREADABLE, and what `grow_header` raises.
    """
    header, _ = read_header_bytes(path)
    return _whole(header) if whole else header


def read_header_bytes(path: str | Path) -> tuple[GgufHeader, bytes]:
    """The header, and bytes of the file that begin with it. As `read_header` otherwise, where not whole."""
    path = Path(path)
    if "\0" in str(path):  # no disk has such a name, and Python raises errors of its own
        raise EngineError(ErrorKind.FILE_MISSING, path=str(path))
    try:
        if not stat.S_ISREG(path.stat().st_mode):  # opening a pipe would wait for its other end
            raise EngineError(ErrorKind.FILE_UNREADABLE, path=str(path), reason="not a regular file", wanted="file")
        with path.open("rb") as file:

            def first_bytes(length: int) -> bytes:
                file.seek(0)
                return file.read(length)

            return _grown(path, os.fstat(file.fileno()).st_size, first_bytes, growth=8)
    except (FileNotFoundError, NotADirectoryError) as error:
        raise EngineError(ErrorKind.FILE_MISSING, path=str(path)) from error
    except OSError as error:
        reason = error.strerror or str(error)
        raise EngineError(ErrorKind.FILE_UNREADABLE, path=str(path), reason=reason) from error


def grow_header(path: Path, size: int, first_bytes: Callable[[int], bytes], growth: int = 8) -> GgufHeader:
    """Ask for more and more of the bytes of a file until they hold its header.

    Args:
        path: what the file is called; it need not be on this disk.
        size: of the whole file.
        first_bytes: gives that many bytes from the beginning, fewer only where the file has no more.
        growth: each time so many times as much is asked for.

    Raises:
        EngineError: NOT_GGUF, GGUF_VERSION, GGUF_BROKEN, or GGUF_TRUNCATED, where expected_bytes is only a lower
            bound if the header itself is cut off.
    """
    return _whole(_grown(path, size, first_bytes, growth)[0])


def _whole(header: GgufHeader) -> GgufHeader:
    if header.size_bytes < header.expected_bytes:
        raise _truncated(header.path, header.size_bytes, header.expected_bytes)
    return header


def _grown(
    path: Path, size: int, first_bytes: Callable[[int], bytes], growth: int
) -> tuple[GgufHeader, bytes]:
    """As `grow_header`, with bytes that begin with the header; the file may end behind it."""
    try:
        header, data = _grow(path, size, first_bytes, growth)
    except gguf_format.NotGgufError as error:
        raise EngineError(ErrorKind.NOT_GGUF, path=str(path)) from error
    except gguf_format.VersionError as error:
        raise EngineError(ErrorKind.GGUF_VERSION, path=str(path), version=error.version) from error
    except gguf_format.BrokenError as error:
        raise EngineError(ErrorKind.GGUF_BROKEN, path=str(path), reason=str(error)) from error
    if not 0 <= header.split_no < header.split_count <= MAX_PARTS:
        _broken(header, f"part {header.split_no + 1} of {header.split_count}")
    return header, data


def _grow(
    path: Path, size: int, first_bytes: Callable[[int], bytes], growth: int
) -> tuple[GgufHeader, bytes]:
    length = _FIRST_READ
    while True:
        data = first_bytes(length)
        try:
            return GgufHeader(path, *gguf_format.parse(data), size), data
        except gguf_format.IncompleteError as error:
            end = error.end
        if end > MAX_HEADER_BYTES:
            raise gguf_format.BrokenError(f"the header is longer than {MAX_HEADER_BYTES} bytes")
        if len(data) < length:  # that was all of the file
            raise _truncated(path, size, end)
        del data  # never two copies of a large header
        length = min(max(growth * length, end), MAX_HEADER_BYTES)


def check_loadable(header: GgufHeader) -> tuple[GgufHeader, ...]:
    """Refuse what llama.cpp would not load, or would load without being able to write text with it.

    Reads the headers of a split model's other parts too, and gives those of all parts.

    Raises:
        EngineError: SPLIT_INCOMPLETE, VOCABULARY_ONLY, NOT_GENERATIVE, NEEDS_OWN_TARGET, GGUF_BROKEN, and for
            other parts all that `read_header` raises.
    """
    parts = tuple(read_parts(header))
    tensors = {tensor.name for part in parts for tensor in part.tensors}
    check_writes_text(header, tensors)
    if not tensors:
        raise EngineError(ErrorKind.VOCABULARY_ONLY, path=str(header.path))
    if (reason := find_nonsense(header, parts)) is not None:
        _broken(header, reason)
    return parts


def check_writes_text(header: GgufHeader, tensors: Collection[str]) -> None:
    """Refuse what cannot write text by itself, told by the header at hand: no file is opened.

    Args:
        tensors: the names of the model's tensors, as far as they are known.

    Raises:
        EngineError: NOT_GENERATIVE, NEEDS_OWN_TARGET, GGUF_BROKEN.
    """
    path, architecture = str(header.path), header.architecture
    kind = header.text("general.type")
    if kind in ("adapter", "imatrix", "mmproj"):
        raise EngineError(ErrorKind.NOT_GENERATIVE, path=path, architecture=kind)
    if not architecture:
        _broken(header, "no general.architecture")
    if architecture in NEEDS_OWN_TARGET or _is_side_file(header, tensors):
        raise EngineError(ErrorKind.NEEDS_OWN_TARGET, path=path, architecture=architecture)
    pools = header.number("{arch}.pooling_type") > 0  # 0 is none, -1 unspecified
    causal = header.metadata.get(f"{architecture}.attention.causal", True)
    if architecture in NOT_GENERATIVE or (pools and causal is False):
        raise EngineError(ErrorKind.NOT_GENERATIVE, path=path, architecture=architecture)


def _is_side_file(header: GgufHeader, tensors: Collection[str]) -> bool:
    """Heads for the tokens after the next, without the trunk they belong to: llama.cpp would crash on them."""
    if "blk.0.attn_norm.weight" in tensors or not tensors:
        return False
    if any(".nextn." in name for name in tensors):
        return True
    # A head by its key alone. The first part of a split model may hold no layer yet.
    declared = header.number("{arch}.nextn_predict_layers") > 0 and header.split_count == 1
    return declared and not any(name.startswith("blk.0.") for name in tensors)


def read_parts(header: GgufHeader) -> Iterator[GgufHeader]:
    """The headers of all parts of a model, checked to belong together. `header` must be the first part's.

    Raises:
        EngineError: SPLIT_INCOMPLETE, GGUF_BROKEN, and all that `read_header` raises.
    """
    parts = header.parts()
    if header.split_no != 0:
        raise EngineError(ErrorKind.SPLIT_INCOMPLETE, path=str(header.path), missing=str(parts[0]))
    yield header
    tensors = len(header.tensors)
    for number, path in enumerate(parts[1:], start=1):
        if not os.path.isfile(path):  # never an exception
            raise EngineError(ErrorKind.SPLIT_INCOMPLETE, path=str(header.path), missing=str(path))
        part = read_header(path)
        if (part.split_no, part.split_count) != (number, header.split_count):
            _broken(part, f"not part {number + 1} of {header.split_count}")
        tensors += len(part.tensors)
        yield part
    if header.split_count > 1 and tensors != header.number("split.tensors.count", tensors):
        _broken(header, "the parts do not hold all tensors")


def check_length(header: GgufHeader) -> None:
    """Refuse a file that goes on behind its last tensor, but for the padding that some programs put there.

    Raises:
        EngineError: GGUF_BROKEN.
    """
    end = header.expected_bytes + -header.expected_bytes % header.number("general.alignment", 32)
    if header.size_bytes > end:
        _broken(header, f"{header.size_bytes - end} bytes behind the end of the model")


def _truncated(path: Path, size: int, expected: int) -> EngineError:
    return EngineError(ErrorKind.GGUF_TRUNCATED, path=str(path), size_bytes=size, expected_bytes=expected)


def _broken(header: GgufHeader, reason: str) -> NoReturn:
    raise EngineError(ErrorKind.GGUF_BROKEN, path=str(header.path), reason=reason)
