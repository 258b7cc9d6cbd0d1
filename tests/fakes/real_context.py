"""A cache of a real model on the processor, for modules that run in a process of their own."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from engine.llama_context import LlamaContext


@contextmanager
def real_context(path: str, outputs: int) -> Iterator[LlamaContext]:
    """For 512 tokens, with so many rows of logits at once. llama.cpp is not loaded before."""
    from engine.llama import LlamaModel
    from engine.llama_context import LlamaContext
    from engine.types import FlashAttention, KvType

    model = LlamaModel(path, 0, lambda done: True)
    context = LlamaContext(
        model,
        512,
        outputs=outputs,
        kv_type=KvType.F16,
        flash_attention=FlashAttention.AUTO,
        threads=2,
        on_gpu=False,
        cancelled=lambda: False,
    )
    yield context
    context.close()
    model.close()
