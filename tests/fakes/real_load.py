"""What real loads hold, by llama.cpp's own account, asked in a process of its own.

Each question is (file, settings, by the engine's own loading); each answer (weights, kv, compute), None where llama.cpp
refuses. The engine maps files, for which llama.cpp names the file's range instead of the weights; the other way reads
them into memory.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from engine.fit import FitSettings
from engine.types import FlashAttention, KvType
from tests.fakes.own_process import answer_of


def real_loads(questions: Sequence[tuple[Path, FitSettings, bool]]) -> list[tuple[int, int, int] | None]:
    """All answers from one process."""
    lines = [
        [str(path), s.ctx, s.kv_type.value, s.flash_attention.value, s.ubatch, s.outputs, s.gpu_layers, engine]
        for path, s, engine in questions
    ]
    answers = answer_of("tests.fakes.real_load", question=lines)
    return [answer if answer is None else tuple(answer) for answer in answers]


def system_info() -> str:
    """What llama.cpp says of this processor."""
    code = "import llama_cpp; print(llama_cpp.llama_print_system_info().decode())"
    return subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, text=True).stdout


def main() -> None:
    answers = []
    for path, ctx, kv, flash, ubatch, outputs, gpu_layers, engine in json.load(sys.stdin):
        settings = FitSettings(
            ctx,
            kv_type=KvType(kv),
            flash_attention=FlashAttention(flash),
            ubatch=ubatch,
            outputs=outputs,
            gpu_layers=gpu_layers,
        )
        answers.append(_by_engine(path, settings) if engine else _into_memory(path, settings))
    json.dump(answers, sys.stdout)


def _into_memory(path: str, settings: FitSettings) -> tuple[int, int, int] | None:
    import llama_cpp as llama

    from engine.llama_params import context_params, model_params

    params = model_params(settings.gpu_layers)
    params.load_mode = llama.LLAMA_LOAD_MODE_NONE
    model = llama.llama_model_load_from_file(path.encode(), params)
    if not model:
        return None
    context = llama.llama_init_from_model(model, context_params(settings, 1))
    answer = _sums(context) if context else None
    if context:
        llama.llama_free(context)
    llama.llama_model_free(model)
    return answer


def _by_engine(path: str, settings: FitSettings) -> tuple[int, int, int]:
    from engine.llama import LlamaModel
    from engine.llama_context import LlamaContext

    model = LlamaModel(path, settings.gpu_layers, lambda done: True)
    context = LlamaContext(
        model,
        settings.ctx,
        outputs=settings.outputs,
        kv_type=settings.kv_type,
        flash_attention=settings.flash_attention,
        threads=1,
        on_gpu=False,
        cancelled=lambda: False,
        ubatch=settings.ubatch,
    )
    tokens = [0] * min(settings.ctx // 2, settings.ubatch)
    context.decode(tokens, 0)
    context.decode([0] * settings.outputs, settings.outputs)
    answer = _sums(context._handle)
    context.close()
    model.close()
    return answer


def _sums(context: Any) -> tuple[int, int, int]:
    from engine.dry_load import breakdown

    buffers = breakdown(context)
    return (
        sum(need.weights for need in buffers),
        sum(need.kv for need in buffers),
        sum(need.compute for need in buffers),
    )


if __name__ == "__main__":
    main()
