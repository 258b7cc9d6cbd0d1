"""ggml's own functions: llama-cpp-python does not bind what is asked of devices and buffers, so by ctypes here."""

from __future__ import annotations

import ctypes
import sys
from functools import cache
from pathlib import Path
from typing import Any, Final

from llama_cpp import llama_cpp as binding

CPU, GPU, INTEGRATED_GPU, ACCELERATOR = 0, 1, 2, 3  # what `device_type` answers
KINDS: Final = {CPU: "cpu", GPU: "gpu", INTEGRATED_GPU: "igpu", ACCELERATOR: "accelerator"}

_NAMES: Final = {"linux": "lib{}.so", "darwin": "lib{}.dylib", "win32": "{}.dll"}


@cache
def library(name: str) -> ctypes.CDLL:
    """ "ggml", "ggml-base" or "ggml-cpu", as they lie beside llama.cpp."""
    return ctypes.CDLL(str(Path(binding.__file__).parent / "lib" / _NAMES[sys.platform].format(name)))


def function(owner: ctypes.CDLL, name: str, result: Any, *arguments: Any) -> Any:
    """A function of a library, with its types."""
    found = owner[name]  # an object of our own, not the one that the binding may have typed otherwise
    found.restype = result
    found.argtypes = list(arguments)
    return found


def devices() -> list[int]:
    """All devices, by their addresses. Asking for the first time starts the backends."""
    ggml = library("ggml")
    count = function(ggml, "ggml_backend_dev_count", ctypes.c_size_t)
    get = function(ggml, "ggml_backend_dev_get", ctypes.c_void_p, ctypes.c_size_t)
    return [get(index) for index in range(count())]


def device_type(device: int) -> int:
    return int(function(library("ggml-base"), "ggml_backend_dev_type", ctypes.c_int, ctypes.c_void_p)(device))


def device_memory(device: int) -> tuple[int, int]:
    """Free and total bytes, as the backend reports them."""
    size = ctypes.c_size_t
    ask = function(
        library("ggml-base"), "ggml_backend_dev_memory", None, ctypes.c_void_p, *[ctypes.POINTER(size)] * 2
    )
    free, total = size(), size()
    ask(device, ctypes.byref(free), ctypes.byref(total))
    return free.value, total.value


def device_texts(device: int) -> tuple[str, str]:
    """Name and description."""
    base = library("ggml-base")
    texts = [
        function(base, f"ggml_backend_dev_{what}", ctypes.c_char_p, ctypes.c_void_p)(device)
        for what in ("name", "description")
    ]
    name, description = (text.decode(errors="replace").strip() for text in texts)
    return name, description


def buffer_name(buffer_type: int) -> str:
    ask = function(library("ggml-base"), "ggml_backend_buft_name", ctypes.c_char_p, ctypes.c_void_p)
    return str(ask(buffer_type).decode(errors="replace"))


def buffer_device(buffer_type: int) -> int | None:
    """The device of the buffer type; None where it has none, or is a device's memory on the host's side."""
    base = library("ggml-base")
    if function(base, "ggml_backend_buft_is_host", ctypes.c_bool, ctypes.c_void_p)(buffer_type):
        return None
    ask = function(base, "ggml_backend_buft_get_device", ctypes.c_void_p, ctypes.c_void_p)
    found: int | None = ask(buffer_type)
    return found


def cpu_buffer_type() -> int:
    """The plain memory of the computer."""
    return int(function(library("ggml-base"), "ggml_backend_cpu_buffer_type", ctypes.c_void_p)())
