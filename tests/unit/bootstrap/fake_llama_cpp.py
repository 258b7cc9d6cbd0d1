"""A module with the calls of llama_cpp that the engine's trial makes."""

from __future__ import annotations

import ctypes
from types import SimpleNamespace

llama_token = ctypes.c_int


def llama_backend_init() -> None: ...
def llama_model_default_params() -> SimpleNamespace:
    return SimpleNamespace()


def llama_context_default_params() -> SimpleNamespace:
    return SimpleNamespace()


def llama_model_load_from_file(file: bytes, settings: SimpleNamespace) -> bool:
    return True


def llama_init_from_model(model: bool, settings: SimpleNamespace) -> bool:
    return True


def llama_batch_get_one(tokens: object, count: int) -> int:
    return count


def llama_decode(context: bool, batch: int) -> int:
    return 0


def llama_supports_gpu_offload() -> bool:
    return False
