"""What llama.cpp itself makes of files, asked in a process of its own because it may abort.

`python -m tests.fakes.llama_probe WHAT FILE…` prints one JSON list with an answer for each file, null where llama.cpp
refuses it; `ask` starts that and reads it.
"""

from __future__ import annotations

import ctypes
import json
import subprocess
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

_ROOT = Path(__file__).parents[2]
_STEPS = 60


def ask(what: str, paths: Iterable[Path]) -> list[Any]:
    """`what` is "vocabulary", "greedy" or "types"."""
    command = [sys.executable, "-m", "tests.fakes.llama_probe", what, *map(str, paths)]
    done = subprocess.run(command, cwd=_ROOT, capture_output=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr.decode(errors="replace")
    answers: list[Any] = json.loads(done.stdout)
    return answers


def main(what: str, paths: list[str]) -> None:
    import llama_cpp as llama

    quiet = llama.llama_log_callback(lambda level, text, data: None)
    llama.llama_log_set(quiet, None)
    answer: Callable[[Any, Any], object] = {"vocabulary": _vocabulary, "greedy": _greedy}.get(what, _vocabulary)
    answers: list[object] = []
    if what == "types":
        answers.append(_types(llama))
    for path in paths:
        params = llama.llama_model_default_params()
        params.vocab_only = what == "vocabulary"
        params.load_mode = llama.LLAMA_LOAD_MODE_NONE
        params.use_extra_bufts = False
        model = llama.llama_model_load_from_file(path.encode(), params)
        answers.append(answer(llama, model) if model else None)
    json.dump(answers, sys.stdout)


def _vocabulary(llama: Any, model: Any) -> dict[str, Any]:
    vocab = llama.llama_model_get_vocab(model)
    size = llama.llama_vocab_n_tokens(vocab)
    return {
        "type": llama.llama_vocab_type(vocab),
        "add_bos": llama.llama_vocab_get_add_bos(vocab),
        "add_eos": llama.llama_vocab_get_add_eos(vocab),
        "bos": llama.llama_vocab_bos(vocab),
        "eos": llama.llama_vocab_eos(vocab),
        "size": size,
        "texts": [llama.llama_vocab_get_text(vocab, i).hex() for i in range(size)],
    }


def _greedy(llama: Any, model: Any) -> dict[str, Any]:
    """A greedy walk from one prompt, and whether the last five tokens can be forgotten."""
    import numpy as np

    vocab = llama.llama_model_get_vocab(model)
    size = llama.llama_vocab_n_tokens(vocab)
    params = llama.llama_context_default_params()
    params.n_ctx, params.n_threads, params.n_threads_batch = 512, 1, 1
    context = llama.llama_init_from_model(model, params)
    prompt = (llama.llama_token * 64)()
    text = "the rain, é 中 🙂".encode()
    fed = list(prompt[: llama.llama_tokenize(vocab, text, len(text), prompt, 64, False, True)])
    buffer, told = ctypes.create_string_buffer(64), b""
    for token in fed:
        length = llama.llama_token_to_piece(vocab, token, buffer, 64, 0, True)
        told += buffer.raw[:length]
    position, walk, finite = 0, [], True
    for _ in range(_STEPS):
        batch = (llama.llama_token * len(fed))(*fed)
        assert llama.llama_decode(context, llama.llama_batch_get_one(batch, len(fed))) == 0
        position += len(fed)
        row = np.ctypeslib.as_array(llama.llama_get_logits_ith(context, -1), (size,))
        finite = finite and bool(np.isfinite(row).all())
        fed = [int(row.argmax())]
        walk += fed
    forgets = llama.llama_memory_seq_rm(llama.llama_get_memory(context), 0, position - 5, -1)
    return {"walk": walk, "finite": finite, "forgets": bool(forgets), "prompt": text.hex(), "told": told.hex()}


def _types(llama: Any) -> dict[int, tuple[str, int, int]]:
    folder = Path(llama.__file__).parent / "lib"
    names = {"linux": "libggml-base.so", "darwin": "libggml-base.dylib", "win32": "ggml-base.dll"}
    library = ctypes.CDLL(str(folder / names[sys.platform]))
    library.ggml_type_name.restype = ctypes.c_char_p
    library.ggml_blck_size.restype = ctypes.c_int64
    library.ggml_type_size.restype = ctypes.c_size_t
    types = {}
    for number in range(43):  # GGML_TYPE_COUNT; numbers of removed types have a block size of 0
        if block := library.ggml_blck_size(number):
            types[number] = (library.ggml_type_name(number).decode().upper(), block, library.ggml_type_size(number))
    return types


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
