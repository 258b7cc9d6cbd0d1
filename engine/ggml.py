"""ggml's own functions: llama-cpp-python does not bind what is asked of devices and buffers, so by ctypes here."""

from __future__ import annotations

import ctypes
import os
from functools import cache
from pathlib import Path
from typing import Any, Final

from llama_cpp import llama_cpp as binding

CPU, GPU, INTEGRATED_GPU, ACCELERATOR = 0, 1, 2, 3  # what `device_type` answers
KINDS: Final = {CPU: "cpu", GPU: "gpu", INTEGRATED_GPU: "igpu", ACCELERATOR: "accelerator"}


@cache
def function(name: str, result: Any, *arguments: Any) -> Any:
    """A function of llama.cpp or of the libraries it stands on, with its types. Raises AttributeError if none has it.

    It is looked up through llama.cpp's own library, which finds what that one uses. The files beside it may be copies
    of the same libraries, and opening them by name would start a second ggml that knows nothing of the first.
    """
    found = None
    for library in _libraries():
        try:
            found = library[name]  # an object of our own, not the one that the binding may have typed otherwise
            break
        except AttributeError:
            continue
    if found is None:
        raise AttributeError(name)
    found.restype = result
    found.argtypes = list(arguments)
    return found


@cache
def _libraries() -> tuple[ctypes.CDLL, ...]:
    if os.name != "nt":
        return (binding._lib,)
    folder = Path(binding.__file__).parent / "lib"  # Windows does not look further, but has one file for each
    return (binding._lib, *(ctypes.CDLL(str(folder / name)) for name in ("ggml.dll", "ggml-base.dll", "ggml-cpu.dll")))


def devices() -> list[int]:
    """All devices, by their addresses."""
    count = function("ggml_backend_dev_count", ctypes.c_size_t)
    get = function("ggml_backend_dev_get", ctypes.c_void_p, ctypes.c_size_t)
    return [get(index) for index in range(count())]


def device_type(device: int) -> int:
    return int(function("ggml_backend_dev_type", ctypes.c_int, ctypes.c_void_p)(device))


def device_memory(device: int) -> tuple[int, int]:
    """Free and total bytes, as the backend reports them. Asking a CUDA device creates its context."""
    size = ctypes.c_size_t
    pointer = ctypes.POINTER(size)
    free, total = size(), size()
    ask = function("ggml_backend_dev_memory", None, ctypes.c_void_p, pointer, pointer)
    ask(device, ctypes.byref(free), ctypes.byref(total))
    return free.value, total.value


def device_texts(device: int) -> tuple[str, str]:
    """Name and description."""
    return _text("ggml_backend_dev_name", device), _text("ggml_backend_dev_description", device)


def buffer_device(buffer_type: int) -> int | None:
    """The device that holds buffers of this type; None where that is the computer's memory."""
    if function("ggml_backend_buft_is_host", ctypes.c_bool, ctypes.c_void_p)(buffer_type):
        return None
    found: int | None = function("ggml_backend_buft_get_device", ctypes.c_void_p, ctypes.c_void_p)(buffer_type)
    return found


def cpu_buffer_type() -> int:
    """The plain memory of the computer."""
    return int(function("ggml_backend_cpu_buffer_type", ctypes.c_void_p)())


def _text(name: str, device: int) -> str:
    text: bytes = function(name, ctypes.c_char_p, ctypes.c_void_p)(device)
    return text.decode(errors="replace").strip()
