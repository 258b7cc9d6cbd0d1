"""Models of llama.cpp: loading, tokens and texts, requantising. `engine.llama_context` computes with them.

Built on llama-cpp-python's low level; its high-level class hides p and q, allocates ctx × vocab floats for a draft
and ignores a failed rollback. All parameters come from `engine.llama_params`.

llama.cpp answers many faults with abort(), so nothing here may run outside the engine process.
"""

from __future__ import annotations

import ctypes
import os
from collections.abc import Callable
from functools import cached_property
from pathlib import Path
from typing import Final

import llama_cpp as llama
from llama_cpp import llama_cpp as binding

from engine.errors import EngineError, ErrorKind
from engine.llama_log import forget_errors, refusal
from engine.llama_params import model_params

_FILE_TYPES: Final = {
    "F32": llama.LLAMA_FTYPE_ALL_F32,
    "Q2_K": llama.LLAMA_FTYPE_MOSTLY_Q2_K,
    "Q3_K_M": llama.LLAMA_FTYPE_MOSTLY_Q3_K_M,
    "Q4_0": llama.LLAMA_FTYPE_MOSTLY_Q4_0,
    "Q4_1": llama.LLAMA_FTYPE_MOSTLY_Q4_1,
    "Q4_K_M": llama.LLAMA_FTYPE_MOSTLY_Q4_K_M,
    "Q8_0": llama.LLAMA_FTYPE_MOSTLY_Q8_0,
}

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


