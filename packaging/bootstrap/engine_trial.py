"""Evaluates three tokens with the installed engine; run by the Python of .venv with the path of a GGUF file.

An engine made for another processor (an illegal instruction), without a library that it needs, or for another
driver fails here, and not in front of the user. Prints "gpu" when the engine can put layers on a graphics unit.
"""

from __future__ import annotations

import sys

import llama_cpp as llama

TOKENS = (1, 2, 3)


def main(file: str) -> None:
    llama.llama_backend_init()
    model_settings = llama.llama_model_default_params()
    model_settings.n_gpu_layers = -1  # all of them
    model = llama.llama_model_load_from_file(file.encode(), model_settings)
    context_settings = llama.llama_context_default_params()
    context_settings.n_ctx = context_settings.n_batch = context_settings.n_ubatch = 64
    context = llama.llama_init_from_model(model, context_settings)
    if not model or not context:
        sys.exit("the engine could not load the starter model")
    batch = llama.llama_batch_get_one((llama.llama_token * len(TOKENS))(*TOKENS), len(TOKENS))
    if status := llama.llama_decode(context, batch):
        sys.exit(f"the engine failed with status {status}")
    print("gpu" if llama.llama_supports_gpu_offload() else "no gpu")


if __name__ == "__main__":
    main(sys.argv[1])
