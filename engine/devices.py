"""What the engine build can compute with. ggml's device calls are not bound by llama-cpp-python, so by ctypes here."""

from __future__ import annotations

import ctypes
import os
import sys
from pathlib import Path
from typing import Any, Final

import llama_cpp as llama
import psutil
from llama_cpp import llama_cpp as binding

from engine.types import DeviceInfo, EngineInfo

_KINDS: Final = {0: "cpu", 1: "gpu", 2: "igpu", 3: "accelerator"}
_NAMES: Final = {"linux": "lib{}.so", "darwin": "lib{}.dylib", "win32": "{}.dll"}


def _library(name: str) -> ctypes.CDLL:
    folder = Path(binding.__file__).parent / "lib"
    return ctypes.CDLL(str(folder / _NAMES[sys.platform].format(name)))


def _function(library: ctypes.CDLL, name: str, result: Any, *arguments: Any) -> Any:
    function = getattr(library, name)
    function.restype = result
    function.argtypes = list(arguments)
    return function


def devices() -> tuple[DeviceInfo, ...]:
    """Every device of the build, GPUs first. Asking a CUDA device creates its context."""
    base, ggml = _library("ggml-base"), _library("ggml")
    pointer, size = ctypes.c_void_p, ctypes.c_size_t
    count = _function(ggml, "ggml_backend_dev_count", size)
    get = _function(ggml, "ggml_backend_dev_get", pointer, size)
    name = _function(base, "ggml_backend_dev_name", ctypes.c_char_p, pointer)
    description = _function(base, "ggml_backend_dev_description", ctypes.c_char_p, pointer)
    kind = _function(base, "ggml_backend_dev_type", ctypes.c_int, pointer)
    memory = _function(base, "ggml_backend_dev_memory", None, pointer, ctypes.POINTER(size), ctypes.POINTER(size))
    found = []
    for index in range(count()):
        device = get(index)
        free, total = size(), size()
        memory(device, ctypes.byref(free), ctypes.byref(total))
        what = _KINDS.get(kind(device), "accelerator")
        free_bytes, total_bytes = free.value, total.value
        if what == "cpu":  # ggml reports free = total there
            system = psutil.virtual_memory()
            free_bytes, total_bytes = system.available, system.total
        found.append(
            DeviceInfo(
                name=name(device).decode(errors="replace"),
                description=description(device).decode(errors="replace").strip(),
                kind=what,
                # Some Vulkan drivers report a budget above the heap's size.
                free_bytes=min(free_bytes, total_bytes),
                total_bytes=total_bytes,
            )
        )
    order = {"gpu": 0, "igpu": 1, "accelerator": 2, "cpu": 3}
    return tuple(sorted(found, key=lambda d: order[d.kind]))


def engine_info() -> EngineInfo:
    """What the engine is, for the window and for bug reports."""
    found = devices()
    return EngineInfo(
        pid=os.getpid(),
        llama_cpp_python=llama.__version__,
        backends=tuple(dict.fromkeys(device.name.rstrip("0123456789") for device in found)),
        gpu_offload=bool(llama.llama_supports_gpu_offload()),
        system_info=llama.llama_print_system_info().decode(errors="replace").strip(),
        devices=found,
    )


def computing_device(gpu_layers: int) -> DeviceInfo:
    """The device that a model with so many layers offloaded runs on."""
    found = devices()
    gpus = [device for device in found if device.kind in ("gpu", "igpu")]
    return gpus[0] if gpus and gpu_layers != 0 else found[-1]
