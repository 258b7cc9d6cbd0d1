"""What loads really took, beside what was predicted.

Disposable: from a missing or damaged file nothing is learned.
"""

from __future__ import annotations

import contextlib
import json
import threading
from pathlib import Path
from typing import Final

from app.small_file import read_small_file, write_small_file

_KEPT: Final = 8  # of a device: drivers and habits change
_DEVICES: Final = 32
_LARGEST: Final = 1 << 50


class FitHistory:
    """In a file, written after each load. Thread-safe."""

    def __init__(self, folder: Path) -> None:
        """`folder` is the program's state folder, made when it is first needed."""
        self._path = folder / "fit.json"
        self._lock = threading.Lock()

    def learned_bytes(self, device_id: str) -> int:
        """The most that one of the last loads took beyond its prediction; negative if all took less, 0 if unknown."""
        with self._lock:
            return max(self._read().get(device_id, []), default=0)

    def record(self, device_id: str, *, predicted: int, measured: int) -> None:
        """Remember a load. A full or read-only disk costs the memory, never the program."""
        with self._lock, contextlib.suppress(OSError):
            differences = self._read()
            known = differences.pop(device_id, [])
            differences[device_id] = [*known, measured - predicted][-_KEPT:]  # last in the file: used last
            self._path.parent.mkdir(parents=True, exist_ok=True)
            write_small_file(self._path, json.dumps(dict(list(differences.items())[-_DEVICES:]), indent=2))

    def _read(self) -> dict[str, list[int]]:
        try:
            values = json.loads(read_small_file(self._path))
        except (OSError, ValueError, RecursionError):
            return {}
        if not isinstance(values, dict):
            return {}
        return {
            device_id: [number for number in numbers if _is_plausible(number)][-_KEPT:]
            for device_id, numbers in values.items()
            if isinstance(numbers, list)
        }


def _is_plausible(number: object) -> bool:
    return isinstance(number, int) and not isinstance(number, bool) and abs(number) < _LARGEST
