"""What llama.cpp writes: to standard error all of it, and its last complaints remembered, the only reasons it gives."""

from __future__ import annotations

import os
from collections import deque
from typing import Final

import llama_cpp as llama
from llama_cpp import llama_cpp as binding

from engine.errors import EngineError, ErrorKind
from engine.memory_words import ran_out_of_memory

# What llama.cpp refuses for want of memory among other reasons, and what it was doing then
_STAGES: Final = {
    ErrorKind.LOAD_FAILED: "load",
    ErrorKind.CONTEXT_FAILED: "context",
    ErrorKind.DECODE_FAILED: "decode",
}
_LOG_DEBUG, _LOG_ERROR = 1, 4  # ggml_log_level
_errors: Final[deque[str]] = deque(maxlen=8)


def _write_log(level: int, text: bytes, _: object) -> None:
    if level != _LOG_DEBUG:
        os.write(2, text)
    if level == _LOG_ERROR:
        _errors.append(text.decode("utf-8", errors="replace").rstrip())


_log_callback = binding.llama_log_callback(_write_log)  # llama.cpp keeps the address for as long as it lives
llama.llama_log_set(_log_callback, None)


def forget_errors() -> None:
    """Call before what may be refused."""
    _errors.clear()


def refusal(kind: ErrorKind, **facts: str | int) -> EngineError:
    """An error with llama.cpp's own words as its detail; OUT_OF_MEMORY where they say so."""
    said = "\n".join(_errors)
    if kind in _STAGES and ran_out_of_memory(said):
        return EngineError(ErrorKind.OUT_OF_MEMORY, said, stage=_STAGES[kind], **facts)
    return EngineError(kind, said, **facts)
