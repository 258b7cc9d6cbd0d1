"""What llama.cpp itself would reserve for a model, from the header alone.

The model is loaded without its weights (`no_alloc`) and a context is made, with the parameters of a real load;
llama.cpp then tells, buffer type by buffer type, what it would have allocated. Only the state of recurrent layers and
the rows of logits are allocated in earnest meanwhile. A wrong header may make llama.cpp abort, and asking a GPU takes
some of its memory, so this belongs into a process of its own that ends soon.
"""

from __future__ import annotations

import ctypes
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final, NamedTuple

import llama_cpp as llama

from engine import ggml, gguf
from engine.errors import EngineError, ErrorKind
from engine.fit import DeviceNeed, FitSettings, ModelNeed
from engine.gguf_strip import strip
from engine.llama_log import forget_errors, refusal
from engine.llama_params import context_params, model_params

# Where std::map keeps its root and its size, and its nodes their children, in words of 8 bytes: libstdc++ and libc++.
_MAPS: Final = {"linux": (2, 5, 2, 3), "darwin": (1, 2, 0, 1)}
_VALUE_AT: Final = 4  # in a node: buffer type, weights, cache, compute
_MOST_BUFFER_TYPES: Final = 64


class _Map(ctypes.Structure):
    """Room for a std::map of any library; so large that it is returned through a pointer everywhere."""

    _fields_ = (("words", ctypes.c_uint64 * 6),)


class BufferNeed(NamedTuple):
    """Bytes in buffers of one type, which is told by its address."""

    buffer_type: int
    weights: int
    kv: int
    compute: int


def measure(files: Sequence[Path], settings: FitSettings, folder: Path) -> ModelNeed:
    """What a load would take.

    Args:
        folder: for what has to be written meanwhile.
        files: the model, all parts of a split one; files that hold nothing but a header will do.
        settings: `backend` is ignored, the build decides.

    Raises:
        EngineError: FIT_UNMEASURABLE, or what is wrong with the files.
    """
    path = str(files[0])
    with _hollow_copy(files, folder) as model_path:
        forget_errors()
        params = model_params(settings.gpu_layers, experts_on_cpu=settings.experts_on_cpu, split=settings.split)
        params.no_alloc = True
        params.load_mode = llama.LLAMA_LOAD_MODE_NONE  # the only one besides direct I/O that does not abort here
        model = llama.llama_model_load_from_file(str(model_path).encode(), params)
        if not model:
            raise refusal(ErrorKind.FIT_UNMEASURABLE, path=path, reason="llama.cpp refused the header")
        try:
            context = llama.llama_init_from_model(model, context_params(settings, threads=1))
            if not context:
                raise refusal(ErrorKind.FIT_UNMEASURABLE, path=path, reason="llama.cpp refused the settings")
            try:
                vocabulary = llama.llama_vocab_n_tokens(llama.llama_model_get_vocab(model))
                output = settings.outputs * vocabulary * ctypes.sizeof(ctypes.c_float)
                return _by_device(breakdown(context), _devices(model), output)
            finally:
                llama.llama_free(context)
        finally:
            llama.llama_model_free(model)


def breakdown(context: Any) -> list[BufferNeed]:
    """What llama.cpp holds, or would hold, for a context and its model. Leaks some hundred bytes.

    Raises:
        EngineError: FIT_UNMEASURABLE where this build's answer cannot be read.
    """
    layout = _MAPS.get(sys.platform)
    try:
        ask = ggml.function("_Z26llama_get_memory_breakdownPK13llama_context", _Map, ctypes.c_void_p)
    except AttributeError:
        layout = None
    if layout is None:
        raise EngineError(ErrorKind.FIT_UNMEASURABLE, path="", reason="this build of llama.cpp does not tell")
    root_at, size_at, left, right = layout
    answer = ask(context)
    nodes: list[BufferNeed] = []
    pending = [answer.words[root_at]]
    while pending and len(nodes) <= _MOST_BUFFER_TYPES:
        if address := pending.pop():
            words = (ctypes.c_uint64 * (_VALUE_AT + 4)).from_address(address)
            nodes.append(BufferNeed(*words[_VALUE_AT:]))
            pending += words[left], words[right]
    if len(nodes) != answer.words[size_at]:
        raise EngineError(ErrorKind.FIT_UNMEASURABLE, path="", reason="this build of llama.cpp answers otherwise")
    return nodes


def _devices(model: Any) -> list[int]:
    """The GPUs of a model, in the order of its split."""
    pointer, number = ctypes.c_void_p, ctypes.c_int32
    count = ggml.function("_Z21llama_model_n_devicesPK11llama_model", number, pointer)
    get = ggml.function("_Z22llama_model_get_devicePK11llama_modeli", pointer, pointer, number)
    return [get(model, index) for index in range(count(model))]


def _by_device(buffers: list[BufferNeed], devices: list[int], output: int) -> ModelNeed:
    def of(wanted: int | None) -> DeviceNeed:
        held = [need for need in buffers if _place(need.buffer_type, devices) == wanted]
        return DeviceNeed(
            sum(need.weights for need in held), sum(need.kv for need in held), sum(need.compute for need in held)
        )

    if not devices:
        return ModelNeed((of(None),), DeviceNeed(), output)
    return ModelNeed(tuple(of(device) for device in devices), of(None), output)


def _place(buffer_type: int, devices: list[int]) -> int | None:
    """The device that a buffer is on, None for the computer's memory."""
    device = ggml.buffer_device(buffer_type)
    return device if device in devices else None


@contextmanager
def _hollow_copy(files: Sequence[Path], folder: Path) -> Iterator[Path]:
    """The model as llama.cpp must find it: headers without tokenizers, and holes as long as the data would be."""
    with tempfile.TemporaryDirectory(dir=folder, ignore_cleanup_errors=True) as place:
        copies = []
        for number, source in enumerate(files):
            header, data = gguf.read_header_bytes(source)
            stripped = strip(data)
            name = f"model-{number + 1:05d}-of-{len(files):05d}.gguf"  # what llama.cpp looks for where it is split
            copies.append(Path(place, name))
            with copies[-1].open("wb") as file:
                file.write(stripped)
                file.truncate(len(stripped) + header.expected_bytes - header.data_offset)
        yield copies[0]
