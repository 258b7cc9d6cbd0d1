"""Whether what llama.cpp, its backends or the system wrote says that memory ran out."""

from __future__ import annotations

import re
from typing import Final

# From ggml-backend.cpp, ggml-alloc.c, ggml.c, ggml-cuda.cu, ggml-vulkan.cpp and ggml-metal.m, llama-mmap.cpp, libstdc++
# and the C library, in this order.
_WORDS: Final = re.compile(
    r"failed to allocate|unable to allocate|insufficient memory|out of memory|ErrorOutOf(Device|Host)Memory"
    r"|std::bad_alloc|Cannot allocate memory|MemoryError",
    re.IGNORECASE,
)


def ran_out_of_memory(said: str) -> bool:
    return _WORDS.search(said) is not None
