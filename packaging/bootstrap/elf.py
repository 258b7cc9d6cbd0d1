"""Which shared libraries a program file of Linux asks for, read from the file itself."""

from __future__ import annotations

import struct
from pathlib import Path

PT_LOAD, PT_DYNAMIC = 1, 2
DT_NULL, DT_NEEDED, DT_STRTAB = 0, 1, 5


def needed_libraries(file: Path) -> list[str]:
    """The sonames in a 64-bit little-endian ELF file, as `ldd` would start from; [] for any other file."""
    data = file.read_bytes()
    if data[:6] != b"\x7fELF\x02\x01":
        return []
    (headers_at,) = struct.unpack_from("<Q", data, 0x20)
    header_size, header_count = struct.unpack_from("<HH", data, 0x36)
    segments = [  # (type, flags, offset, address, physical address, size in file, size in memory, alignment)
        struct.unpack_from("<IIQQQQQQ", data, headers_at + index * header_size) for index in range(header_count)
    ]
    entries = [entry for segment in segments if segment[0] == PT_DYNAMIC for entry in _entries(data, segment)]
    names = [value for tag, value in entries if tag == DT_NEEDED]
    table = next((value for tag, value in entries if tag == DT_STRTAB), 0)
    table_at = next(
        (s[2] + table - s[3] for s in segments if s[0] == PT_LOAD and s[3] <= table < s[3] + s[5]), 0
    )
    return [data[table_at + name : data.index(b"\0", table_at + name)].decode() for name in names]


def _entries(data: bytes, segment: tuple[int, ...]) -> list[tuple[int, int]]:
    """The (tag, value) pairs of a dynamic segment, up to its end mark."""
    pairs = list(struct.iter_unpack("<QQ", data[segment[2] : segment[2] + segment[5] // 16 * 16]))
    end = next((index for index, (tag, _) in enumerate(pairs) if tag == DT_NULL), len(pairs))
    return [(int(tag), int(value)) for tag, value in pairs[:end]]
