"""The only module that decodes with llama.cpp: a cache, passes over tokens, their logits."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from math import inf
from time import perf_counter
from typing import Any, Final

import llama_cpp as llama
import numpy as np
import psutil
from llama_cpp import llama_cpp as binding

from engine.decoder import CacheState, Interrupted, Overdue
from engine.distribution import Logits
from engine.errors import ErrorKind
from engine.fit import CHUNK_CPU, CHUNK_GPU, FitSettings
from engine.llama import LlamaModel
from engine.llama_log import forget_errors, refusal
from engine.llama_params import context_params
from engine.types import MAX_DRAFT_LENGTH, FlashAttention, KvType

# Function objects of our own where the binding's signature costs time: a plain address instead of a pointer object.
_get_logits: Any = binding._lib["llama_get_logits"]
_get_logits.argtypes = [ctypes.c_void_p]
_get_logits.restype = ctypes.c_void_p

# A copy of a cache that would take more is not made; a long text is read again instead.
_MOST_SAVED: Final = 1 << 30  # bytes
_FREE_SHARE: Final = 4  # nor more than this part of what memory is free
_LITTLE: Final = 64 << 20  # bytes that are not worth asking the system for
# Tokens by which a cache changes before its size is asked for again: llama.cpp walks through all of it to tell, which
# behind 14,000 tokens of a tiny model takes 0.4 ms, and each round wants to know.
_ANOTHER_SIZE: Final = 256


class LlamaContext:
    """One sequence in the cache of a model; a `Decoder`. Used on one thread only.

    Attributes:
        cancelled: asked while llama.cpp computes a prompt or a pass with a limit on the CPU; a GPU cannot be
            interrupted and is asked between chunks.
    """

    def __init__(
        self,
        model: LlamaModel,
        ctx: int,
        *,
        outputs: int,
        kv_type: KvType,
        flash_attention: FlashAttention,
        threads: int,
        on_gpu: bool,
        cancelled: Callable[[], bool],
        ubatch: int | None = None,
        stand_in: int | None = None,
    ) -> None:
        """Allocate cache and buffers.

        Args:
            ubatch: tokens computed at once; None chooses by `on_gpu`.
            outputs: most logits rows one call may ask for; decides the size of a device buffer.
            stand_in: read in the place of ids beyond the model's vocabulary, which a draft meets whose target has more
                tokens; None where there are no such ids.

        Raises:
            EngineError: CONTEXT_FAILED, for want of memory or because the KV type does not suit the model.
        """
        settings = FitSettings(
            ctx,
            kv_type=kv_type,
            flash_attention=flash_attention,
            ubatch=ubatch or (CHUNK_GPU if on_gpu else CHUNK_CPU),
            outputs=outputs,
        )
        params = context_params(settings, threads)
        self.chunk = min(ctx, settings.ubatch)
        forget_errors()
        self._handle = llama.llama_init_from_model(model.handle, params)
        if not self._handle:
            raise refusal(ErrorKind.CONTEXT_FAILED, path=model.path, ctx=ctx, kv_type=kv_type.value)
        self._memory = llama.llama_get_memory(self._handle)
        self.model = model
        self.ctx = int(llama.llama_n_ctx(self._handle))
        self.tokens: list[int] = []
        self.spent_s = 0.0
        self._outputs = outputs
        self._threads = threads
        self._short_threads = threads, threads
        self._stand_in = stand_in
        self._rows: tuple[int, Logits] | None = None
        self._savable = 0, True  # an empty cache can be copied; tokens, and whether as many can
        self._make_batch(int(params.n_batch))
        self.cancelled = cancelled
        self._until = inf  # the pass under way is given up then
        self._abort = binding.ggml_abort_callback(lambda _: self.cancelled() or perf_counter() > self._until)
        self._never_abort = binding.ggml_abort_callback()

    @property
    def vocab_size(self) -> int:
        return self.model.vocab_size

    def set_threads(self, single: int, several: int) -> None:
        """See `engine.threads.Threaded`. A prompt is always read with as many as the context was made with."""
        self._short_threads = single, several
        llama.llama_set_n_threads(self._handle, single, several)

    def _make_batch(self, size: int) -> None:
        """Buffers that every batch reuses; the batch struct keeps pointing at them."""
        self._token: Any = (ctypes.c_int32 * size)()  # any sequence may be assigned to a slice; the stubs ask for lists
        self._pos: Any = (ctypes.c_int32 * size)()
        self._wanted: Any = (ctypes.c_int8 * size)()
        self._seq_count = (ctypes.c_int32 * size)(*[1] * size)
        self._seqs = (ctypes.POINTER(ctypes.c_int32) * size)(*[ctypes.pointer(ctypes.c_int32(0))] * size)
        self._batch = llama.llama_batch(0, self._token, None, self._pos, self._seq_count, self._seqs, self._wanted)

    def decode(self, tokens: Sequence[int], outputs: int, limit_s: float = inf) -> Logits:
        """See `Decoder.decode`."""
        count = len(tokens)
        if not 0 < count <= len(self._token) or outputs > min(count, self._outputs):
            raise ValueError(f"{count} tokens with {outputs} outputs")  # llama.cpp would abort
        held = len(self.tokens)
        # Arrays of ctypes: for the few tokens of a round a third of what numpy's slices cost.
        self._token[:count] = self._readable(tokens)
        self._pos[:count] = range(held, held + count)
        self._wanted[:count] = [0] * (count - outputs) + [1] * outputs
        self._batch.n_tokens = count
        long = count > MAX_DRAFT_LENGTH + 1
        asking = long or limit_s < inf  # Python at every node of the graph, which costs a millisecond
        if asking:
            llama.llama_set_abort_callback(self._handle, self._abort, None)
        if long:
            llama.llama_set_n_threads(self._handle, self._threads, self._threads)
        begin = perf_counter()
        self._until = begin + limit_s
        code = llama.llama_decode(self._handle, self._batch)
        if code == 0:
            # GPU backends return before they are done; waiting here is what makes the time that of the model.
            rows = self._logits(outputs) if outputs else self._wait()
        self.spent_s += perf_counter() - begin
        if asking:
            llama.llama_set_abort_callback(self._handle, self._never_abort, None)
        if long:
            llama.llama_set_n_threads(self._handle, *self._short_threads)
        if code != 0:
            self._undo(held)
            if code == 2:
                raise Interrupted if self.cancelled() else Overdue
            if code == -2:
                raise refusal(ErrorKind.OUT_OF_MEMORY, stage="decode", path=self.model.path)
            raise refusal(ErrorKind.DECODE_FAILED, code=code, path=self.model.path)
        self.tokens.extend(tokens)
        return rows

    def _readable(self, tokens: Sequence[int]) -> Sequence[int]:
        if self._stand_in is None:
            return tokens
        return [token if token < self.vocab_size else self._stand_in for token in tokens]

    def _logits(self, outputs: int) -> Logits:
        address = _get_logits(self._handle)
        if self._rows is None or self._rows[0] != address:
            array = (ctypes.c_float * (self._outputs * self.vocab_size)).from_address(address)
            rows: Logits = np.ctypeslib.as_array(array).reshape(self._outputs, self.vocab_size)
            self._rows = address, rows
        return self._rows[1][:outputs]

    def _wait(self) -> Logits:
        llama.llama_synchronize(self._handle)
        return np.empty((0, self.vocab_size), np.float32)

    def _undo(self, held: int) -> None:
        """A failed batch may have left some of its ubatches in the cache."""
        if not llama.llama_memory_seq_rm(self._memory, 0, held, -1):
            self.clear()

    def truncate(self, length: int) -> bool:
        """See `Decoder.truncate`. A sliding window must still reach back far enough from the new end."""
        if length >= len(self.tokens):
            return True
        window = self.model.sliding_window
        if window > 0:
            oldest = int(llama.llama_memory_seq_pos_min(self._memory, 0))
            if oldest > max(0, length - window):
                return False
        if not llama.llama_memory_seq_rm(self._memory, 0, length, -1):
            return False
        del self.tokens[length:]
        return True

    def clear(self) -> None:
        llama.llama_memory_clear(self._memory, False)  # zeroing the buffers too would take 10 ms and change nothing
        self.tokens.clear()

    def can_save(self) -> bool:
        """See `Decoder.can_save`."""
        held, (asked, possible) = len(self.tokens), self._savable
        if abs(held - asked) >= _ANOTHER_SIZE:
            possible = _has_room(self._state_bytes())
            self._savable = held, possible
        return possible

    def _state_bytes(self) -> int:
        return int(llama.llama_state_seq_get_size(self._handle, 0))

    def save(self) -> CacheState | None:
        """See `Decoder.save`."""
        size = self._state_bytes()
        if not _has_room(size):
            return None
        data = (ctypes.c_uint8 * size)()
        written = llama.llama_state_seq_get_data(self._handle, data, size, 0)
        return CacheState(tuple(self.tokens), data) if written == size else None

    def restore(self, state: CacheState) -> bool:
        """See `Decoder.restore`."""
        self.clear()
        size = len(state.data)
        read = llama.llama_state_seq_set_data(self._handle, state.data, size, 0)
        if read != size:  # other layers, other types, no room
            self.clear()
            return False
        self.tokens.extend(state.tokens)
        return True

    def can_roll_back(self) -> bool:
        """Try it: some tokens in, all but one out. Recurrent and hybrid memories refuse. Leaves the cache empty.

        With as many logits as will ever be asked for, so that the memory for them is taken now, and not found missing
        in the middle of a reply.
        """
        self.clear()
        token = max(self.model.bos, 0)
        self.decode([token] * max(2, self._outputs), self._outputs)
        possible = self.truncate(1)
        self.clear()
        return possible

    def close(self) -> None:
        if self._handle:
            llama.llama_free(self._handle)
            self._handle = None


def _has_room(size: int) -> bool:
    """For a copy of so many bytes."""
    return size <= _LITTLE or size <= min(_MOST_SAVED, psutil.virtual_memory().available // _FREE_SHARE)
