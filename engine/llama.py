"""The only module that decodes with llama.cpp: models, contexts, tokens.

Built on llama-cpp-python's low level; its high-level class hides p and q, allocates ctx × vocab floats for a draft
and ignores a failed rollback. All parameters come from `engine.llama_params`.

llama.cpp answers many faults with abort(), so nothing here may run outside the engine process.
"""

from __future__ import annotations

import ctypes
import os
from collections.abc import Callable, Sequence
from functools import cached_property
from pathlib import Path
from time import perf_counter
from typing import Any, Final

import llama_cpp as llama
import numpy as np
from llama_cpp import llama_cpp as binding

from engine.decoder import CacheState, Interrupted
from engine.distribution import Logits
from engine.errors import EngineError, ErrorKind
from engine.fit import CHUNK_CPU, CHUNK_GPU, FitSettings
from engine.llama_log import forget_errors, refusal
from engine.llama_params import context_params, model_params
from engine.types import MAX_DRAFT_LENGTH, FlashAttention, KvType

_FILE_TYPES: Final = {
    "F32": llama.LLAMA_FTYPE_ALL_F32,
    "Q2_K": llama.LLAMA_FTYPE_MOSTLY_Q2_K,
    "Q3_K_M": llama.LLAMA_FTYPE_MOSTLY_Q3_K_M,
    "Q4_0": llama.LLAMA_FTYPE_MOSTLY_Q4_0,
    "Q4_1": llama.LLAMA_FTYPE_MOSTLY_Q4_1,
    "Q4_K_M": llama.LLAMA_FTYPE_MOSTLY_Q4_K_M,
    "Q8_0": llama.LLAMA_FTYPE_MOSTLY_Q8_0,
}

# Function objects of our own where the binding's signature costs time: a plain address instead of a pointer object.
_get_logits: Any = binding._lib["llama_get_logits"]
_get_logits.argtypes = [ctypes.c_void_p]
_get_logits.restype = ctypes.c_void_p

_MOST_SAVED: Final = 1 << 30  # bytes of a cache that are copied; a longer text is read again instead
_BLANKS: Final = b" \t\n\v\f\r"


def _byte_names() -> dict[int, bytes]:
    """What vocabularies of the kind of GPT-2 call the 256 bytes: each a printable character."""
    printable = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    others = [byte for byte in range(0x100) if byte not in printable]
    codes = [*zip(printable, printable, strict=True), *((byte, 0x100 + place) for place, byte in enumerate(others))]
    return {byte: chr(code).encode() for byte, code in codes}


_NAMED: Final = _byte_names()
_NUMBERED: Final = frozenset(b"<0x%02X>" % byte for byte in range(0x100))  # and what others call them


def _bytes_of(text: str) -> bytes:
    return text.encode("utf-8", errors="surrogatepass")


class LlamaModel:
    """Weights and vocabulary of one GGUF file. Close it after its contexts."""

    def __init__(
        self,
        path: str,
        gpu_layers: int,
        progress: Callable[[float], bool],
        *,
        experts_on_cpu: bool = False,
        split: tuple[float, ...] = (),
    ) -> None:
        """Load a file.

        Args:
            gpu_layers, experts_on_cpu, split: see `FitSettings`.
            progress: called with 0…1 on this thread while loading; loading stops when it returns False.

        Raises:
            EngineError: LOAD_CANCELLED, LOAD_FAILED.
        """
        go_on = True

        def report(done: float, _: object) -> bool:
            nonlocal go_on
            go_on = go_on and progress(done)
            return go_on

        callback = binding.llama_progress_callback(report)  # must outlive the call
        params = model_params(gpu_layers, experts_on_cpu=experts_on_cpu, split=split)
        params.progress_callback = callback
        forget_errors()
        model = llama.llama_model_load_from_file(os.fsencode(path), params)
        if not model:
            if not go_on:
                raise EngineError(ErrorKind.LOAD_CANCELLED)
            raise refusal(ErrorKind.LOAD_FAILED, path=path)
        self.handle = model
        self.path = path
        self._vocab = llama.llama_model_get_vocab(model)
        self.vocab_size: int = llama.llama_vocab_n_tokens(self._vocab)
        self.sliding_window: int = llama.llama_model_n_swa(model)
        self.add_bos: bool = llama.llama_vocab_get_add_bos(self._vocab)
        self.bos: int = llama.llama_vocab_bos(self._vocab)  # -1 where there is none
        self.eos: int = llama.llama_vocab_eos(self._vocab)
        self.newline: int = llama.llama_vocab_nl(self._vocab)  # likewise
        self._pieces: dict[int, bytes] = {}
        self._ends: dict[int, bool] = {}
        self._piece_buffer = ctypes.create_string_buffer(1024)

    @property
    def can_decode(self) -> bool:
        """False for encoders."""
        return bool(llama.llama_model_has_decoder(self.handle)) and not llama.llama_model_has_encoder(self.handle)

    @property
    def parameters(self) -> int:
        return int(llama.llama_model_n_params(self.handle))

    @property
    def size_bytes(self) -> int:
        return int(llama.llama_model_size(self.handle))

    @property
    def trained_ctx(self) -> int:
        return int(llama.llama_model_n_ctx_train(self.handle))

    def tokenize(self, text: str) -> list[int]:
        """Token ids of `text`, special tokens recognised; one BOS in front where the model wants it and none stands."""
        data = _bytes_of(text)
        size = len(data) + 16
        while True:
            buffer = (llama.llama_token * size)()
            count = llama.llama_tokenize(self._vocab, data, len(data), buffer, size, False, True)
            if count >= 0:
                break
            size = -count
        tokens = list(buffer[:count])
        if self.add_bos and self.bos >= 0 and tokens[:1] != [self.bos]:
            tokens.insert(0, self.bos)
        return tokens

    def fewest_tokens(self, text: str) -> int:
        """A number of tokens that `text` has at least, found without tokenising it, which takes minutes for a text of
        many megabytes. 0 where nothing is certain."""
        if self._measure is None:
            return 0
        longest, dropped = self._measure
        return -(-len(_bytes_of(text).translate(None, dropped)) // longest)

    @cached_property
    def _measure(self) -> tuple[int, bytes] | None:
        """Bytes of the longest token as the file has it, which are at least those that it stands for; and the bytes of
        a text that may stand in no token: blanks beside a special one, and what the vocabulary has no name for. None
        for the kinds of vocabulary that join what they do not know."""
        texts = {llama.llama_vocab_get_text(self._vocab, token) for token in range(self.vocab_size)}
        kind = llama.llama_vocab_type(self._vocab)
        if kind == llama.LLAMA_VOCAB_TYPE_BPE:
            unknown = bytes(byte for byte, name in _NAMED.items() if name not in texts)
        elif kind == llama.LLAMA_VOCAB_TYPE_SPM and texts.issuperset(_NUMBERED):
            unknown = b""
        else:
            return None
        return max(map(len, texts)), _BLANKS + unknown

    def piece(self, token: int) -> bytes:
        """The bytes a reader sees for a token; empty for control tokens."""
        known = self._pieces.get(token)
        if known is None:
            known = self._pieces[token] = self._to_bytes(token, special=False)
        return known

    def text_of(self, token: int) -> str:
        """A token as text for showing it alone: control tokens by name, incomplete characters as U+FFFD."""
        return self._to_bytes(token, special=True).decode("utf-8", errors="replace") if token >= 0 else ""

    def _to_bytes(self, token: int, *, special: bool) -> bytes:
        buffer = self._piece_buffer
        count = llama.llama_token_to_piece(self._vocab, token, buffer, len(buffer), 0, special)
        if count < 0:
            buffer = self._piece_buffer = ctypes.create_string_buffer(-count)
            count = llama.llama_token_to_piece(self._vocab, token, buffer, len(buffer), 0, special)
        return bytes(buffer.raw[:count])

    def is_end(self, token: int) -> bool:
        """Whether a token ends the generation (end of text, of turn, of message …)."""
        known = self._ends.get(token)
        if known is None:
            known = self._ends[token] = bool(llama.llama_vocab_is_eog(self._vocab, token))
        return known

    def close(self) -> None:
        if self.handle:
            llama.llama_model_free(self.handle)
            self.handle = None


class LlamaContext:
    """One sequence in the cache of a model; a `Decoder`. Used on one thread only.

    Attributes:
        cancelled: asked while llama.cpp computes a prompt on the CPU; a GPU is asked between chunks.
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
        self._make_batch(int(params.n_batch))
        self.cancelled = cancelled
        self._abort = binding.ggml_abort_callback(lambda _: self.cancelled())
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

    def decode(self, tokens: Sequence[int], outputs: int) -> Logits:
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
        if long:  # asking Python at every node of the graph costs a millisecond: worth it for prompts only
            llama.llama_set_abort_callback(self._handle, self._abort, None)
            llama.llama_set_n_threads(self._handle, self._threads, self._threads)
        begin = perf_counter()
        code = llama.llama_decode(self._handle, self._batch)
        if code == 0:
            # GPU backends return before they are done; waiting here is what makes the time that of the model.
            rows = self._logits(outputs) if outputs else self._wait()
        self.spent_s += perf_counter() - begin
        if long:
            llama.llama_set_abort_callback(self._handle, self._never_abort, None)
            llama.llama_set_n_threads(self._handle, *self._short_threads)
        if code != 0:
            self._undo(held)
            if code == 2:
                raise Interrupted
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

    def save(self) -> CacheState | None:
        """See `Decoder.save`."""
        size = int(llama.llama_state_seq_get_size(self._handle, 0))
        if size > _MOST_SAVED:
            return None
        begin = perf_counter()
        try:
            data = (ctypes.c_uint8 * size)()
        except MemoryError:
            return None
        written = llama.llama_state_seq_get_data(self._handle, data, size, 0)
        self.spent_s += perf_counter() - begin
        return CacheState(tuple(self.tokens), data) if written == size else None

    def restore(self, state: CacheState) -> bool:
        """See `Decoder.restore`."""
        self.clear()
        begin = perf_counter()
        size = len(state.data)
        read = llama.llama_state_seq_set_data(self._handle, state.data, size, 0)
        self.spent_s += perf_counter() - begin
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


def quantize(source: Path, destination: Path, file_type: str, threads: int) -> None:
    """Write `source`, all parts of a split model, into one file requantised to `file_type`, a key of _FILE_TYPES.

    Raises:
        EngineError: QUANTIZE_FAILED.
    """
    params = llama.llama_model_quantize_default_params()
    params.ftype = _FILE_TYPES[file_type]
    params.nthread = threads
    params.allow_requantize = True
    code = llama.llama_model_quantize(
        os.fsencode(source), os.fsencode(destination), ctypes.byref(params)
    )
    if code != 0:
        raise refusal(ErrorKind.QUANTIZE_FAILED, path=str(source), reason=f"code {code}")


