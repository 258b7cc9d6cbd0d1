"""A model's header without its tokenizer: a few kilobytes that tell everything about its need of memory.

What llama.cpp reserves depends on the tokenizer by the number of its tokens alone, so this number stays, and texts,
merges and templates go: of some megabytes 10 to 30 KB are left. They are enough for `engine.fit_estimate` and, put
before a hole of the right size, for `engine.dry_load`; they are what is kept of files that are not on this computer.
"""

from __future__ import annotations

import struct
from pathlib import Path
from typing import Final

from engine import gguf, gguf_format

# What is kept of the keys that say where a model comes from
_GENERAL: Final = frozenset(
    f"general.{name}" for name in ("architecture", "alignment", "file_type", "name", "quantization_version", "type")
)


def strip(header: bytes) -> bytes:
    """The header without its tokenizer.

    Args:
        header: the first bytes of a file, at least its whole header; what follows is ignored.

    Raises:
        gguf_format.IncompleteError, NotGgufError, VersionError, BrokenError: as `gguf_format.parse` does.
    """
    content, keys, tensors = gguf_format.records(header)
    size_key = f"{content.metadata.get('general.architecture')}.vocab_size"
    tokens = content.metadata.get("tokenizer.ggml.tokens")
    kept = {name: header[where] for name, where in keys.items() if _is_kept(name)}
    if isinstance(tokens, gguf_format.StringArray):
        kept[size_key] = _key(size_key, 4, struct.pack("<I", len(tokens)))
    if "tokenizer.ggml.model" in keys:  # later parts of a split model have none
        kept["tokenizer.ggml.model"] = _key("tokenizer.ggml.model", 8, _string("none"))
    beginning = b"GGUF" + struct.pack("<IQQ", content.version, len(content.tensors), len(kept))
    stripped = beginning + b"".join(kept.values()) + header[tensors]
    alignment = content.metadata.get("general.alignment", 32)
    assert isinstance(alignment, int)  # the parser saw to it
    return stripped + bytes(-len(stripped) % alignment)


def strip_file(path: Path) -> bytes:
    """`strip` for a file: a model, or a header that was stripped before. Raises as `gguf.read_header` does."""
    return strip(gguf.read_header_bytes(path)[1])


def _is_kept(name: str) -> bool:
    return not name.startswith(("tokenizer.", "general.")) or name in _GENERAL


def _string(text: str) -> bytes:
    data = text.encode()
    return struct.pack("<Q", len(data)) + data


def _key(name: str, kind: int, value: bytes) -> bytes:
    return _string(name) + struct.pack("<I", kind) + value
