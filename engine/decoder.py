"""What the loop needs of a language model: a cache that grows, rows of logits, and a rollback that may fail.

`engine.llama_context.LlamaContext` is the real one; tests use a transition table with the same shape.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from math import inf
from typing import Any, Protocol

from engine.distribution import Logits


@dataclass(frozen=True, slots=True)
class CacheState:
    """What a cache held, copied.

    Attributes:
        tokens: that it held, in order.
        data: what was computed of them; only a decoder of the same kind can read it.
    """

    tokens: tuple[int, ...]
    data: Any


class Decoder(Protocol):
    """A model with one sequence in its cache.

    Attributes:
        tokens: what the cache holds, in order. Owned by the decoder; others only read it.
        chunk: how many tokens one call to `decode` may take at most.
        spent_s: seconds spent inside the model so far.
    """

    tokens: list[int]
    chunk: int
    spent_s: float

    @property
    def vocab_size(self) -> int: ...

    @property
    def ctx(self) -> int:
        """Tokens the cache can hold."""

    def decode(self, tokens: Sequence[int], outputs: int, limit_s: float = inf) -> Logits:
        """Append `tokens` (1 to `chunk`) and return the logits of the last `outputs` of them.

        Args:
            limit_s: seconds after which it is given up, where the device can be interrupted.

        Returns:
            [outputs, vocab_size] float32, valid until the next call; the caller may write into it.

        Raises:
            EngineError: DECODE_FAILED; the cache then still holds `tokens` as before the call.
            Interrupted: the cancel flag was set; likewise.
            Overdue: given up; likewise.
        """

    def truncate(self, length: int) -> bool:
        """Forget all tokens from `length` on. False if the model cannot; then nothing changed."""

    def clear(self) -> None:
        """Forget everything."""

    def can_save(self) -> bool:
        """Whether what the cache holds, or held some tokens ago, is little enough to be copied. Cheap; `save` looks
        closer."""

    def save(self) -> CacheState | None:
        """What the cache holds; None if it cannot be copied."""

    def restore(self, state: CacheState) -> bool:
        """Hold what was saved from this decoder or from another of the same shape, and nothing else. False if that
        cannot be, for its shape say; the cache is empty then."""


class Interrupted(Exception):  # noqa: N818 – cancelling is not an error
    """The reply was cancelled while the model was computing."""


class Overdue(Exception):  # noqa: N818 – the pass may have been right, only too slow
    """A pass took longer than it was given."""


def read(
    decoder: Decoder,
    tokens: Sequence[int],
    cancelled: Callable[[], bool],
) -> Iterator[int]:
    """Append any number of tokens without logits, a chunk at a time.

    Yields:
        How many of `tokens` are in the cache, after each chunk.

    Raises:
        Interrupted: `cancelled()` became true between two chunks, or inside one.
        EngineError: as `Decoder.decode`.
    """
    for start in range(0, len(tokens), decoder.chunk):
        if cancelled():
            raise Interrupted
        part = tokens[start : start + decoder.chunk]
        decoder.decode(part, 0)
        yield start + len(part)


def rewind(decoder: Decoder, length: int) -> bool:
    """Make the cache hold its first `length` tokens; where it cannot forget, it is cleared and False returned."""
    if len(decoder.tokens) <= length:
        return True
    if decoder.truncate(length):
        return True
    decoder.clear()
    return False

