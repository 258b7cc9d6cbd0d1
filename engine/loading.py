"""From two files to a session. Everything a header can tell is checked before llama.cpp sees a byte."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from time import perf_counter
from typing import Final

import numpy as np
import psutil

from engine import gguf
from engine.devices import computing_device
from engine.drafting import NOTHING_MASKED
from engine.errors import EngineError, ErrorKind
from engine.knowledge import Knowledge
from engine.limits import check_load
from engine.llama import LlamaModel
from engine.llama_context import LlamaContext
from engine.prompt import PromptMaker
from engine.protocol import LoadProgress, Measuring
from engine.session import Session
from engine.threads import candidates, choose, lent_cores
from engine.types import MAX_DRAFT_LENGTH, Inactive, LoadedPair, LoadRequest, ModelInfo, context_of
from engine.vocabulary import require_match

_PROGRESS_INTERVAL_S: Final = 0.05


def load_session(
    job: int,
    request: LoadRequest,
    knowledge: Knowledge | None,
    report: Callable[[LoadProgress | Measuring], None],
    cancelled: Callable[[], bool],
) -> Session:
    """Load a target and perhaps a draft.

    Args:
        knowledge: what was learned of this pair before.
        report: called on this thread, with progress at most 20 times a second, then with Measuring.
        cancelled: asked as often as llama.cpp reports progress.

    Raises:
        EngineError: everything that can be wrong with files, pair or memory.
    """
    begin = perf_counter()
    check_load(request)
    target_header = gguf.read_header(request.target)
    gguf.check_loadable(target_header)
    draft_header, masked = None, NOTHING_MASKED
    if request.draft is not None:
        draft_header = gguf.read_header(request.draft)
        gguf.check_loadable(draft_header)
        masked = np.array(require_match(target_header, draft_header).masked, np.int64)
    total = _file_bytes(target_header) + (_file_bytes(draft_header) if draft_header else 0)
    # llama.cpp cuts its batch to the context, and a round must fit into a batch.
    ctx = context_of(request, target_header.context_length)
    cores = lent_cores()
    threads = request.threads or cores.physical
    with ExitStack() as resources:

        def load(
            header: gguf.GgufHeader, role: str, done_before: int, gpu_layers: int, split: tuple[float, ...]
        ) -> LlamaModel:
            last = 0.0
            size_bytes = _file_bytes(header)

            def progress(fraction: float) -> bool:
                nonlocal last
                now = perf_counter()
                if now - last >= _PROGRESS_INTERVAL_S or fraction >= 1.0:
                    last = now
                    report(LoadProgress(job, role, done_before + int(fraction * size_bytes), total))
                return not cancelled()

            experts_on_cpu = request.experts_on_cpu and role == "target"
            model = LlamaModel(str(header.path), gpu_layers, progress, experts_on_cpu=experts_on_cpu, split=split)
            resources.callback(model.close)
            if not model.can_decode:
                raise EngineError(
                    ErrorKind.NOT_GENERATIVE, path=str(header.path), architecture=header.architecture
                )
            return model

        def context(
            model: LlamaModel, outputs: int, gpu_layers: int, stand_in: int | None = None
        ) -> LlamaContext:
            if cancelled():
                raise EngineError(ErrorKind.LOAD_CANCELLED)
            made = LlamaContext(
                model,
                ctx,
                outputs=outputs,
                kv_type=request.kv_type,
                flash_attention=request.flash_attention,
                threads=threads,
                on_gpu=computing_device(gpu_layers).kind != "cpu",
                cancelled=lambda: False,
                ubatch=request.ubatch,
                stand_in=stand_in,
            )
            resources.callback(made.close)
            return made

        # The target first, context included: what is left of the device's memory is the draft's.
        model = load(target_header, "target", 0, request.gpu_layers, request.split)
        target = context(model, MAX_DRAFT_LENGTH + 1, request.gpu_layers)
        draft = None
        if draft_header is not None:
            done = _file_bytes(target_header)
            draft_model = load(draft_header, "draft", done, request.draft_gpu_layers, request.draft_split)
            # A line break says least in the place of what the draft cannot read, which is mostly a chat's marks.
            stand_in = max(draft_model.newline, 0) if draft_model.vocab_size < model.vocab_size else None
            draft = context(draft_model, 1, request.draft_gpu_layers, stand_in)
        report(Measuring(job))
        inactive = _inactive(target, draft)
        if request.threads is None:
            for made, gpu_layers in ((target, request.gpu_layers), (draft, request.draft_gpu_layers)):
                if made is not None and computing_device(gpu_layers).kind == "cpu":
                    choose(made, candidates(cores))
        device = computing_device(request.gpu_layers)
        pair = LoadedPair(
            target=_info(model, target_header),
            draft=_info(draft.model, draft_header) if draft is not None and draft_header is not None else None,
            ctx=target.ctx,
            device=device.description or device.name,
            backend=device.name,
            inactive=inactive,
            load_s=perf_counter() - begin,
            memory_bytes=psutil.Process().memory_info().rss,
            masked=len(masked),
        )
        prompts = PromptMaker(model, pair.target.name, target_header.chat_template, target.ctx)
        return Session(pair, model, target, draft, masked, prompts, resources.pop_all(), knowledge)


def _file_bytes(header: gguf.GgufHeader) -> int:
    """Size of a model on disk, all parts of a split one."""
    return sum(part.stat().st_size for part in header.parts())


def _inactive(target: LlamaContext, draft: LlamaContext | None) -> Inactive | None:
    """Why the pair cannot speculate. Trying the rollback also warms both models up."""
    if not target.can_roll_back():
        return Inactive.TARGET_ROLLBACK
    if draft is None:
        return Inactive.NO_DRAFT
    return None if draft.can_roll_back() else Inactive.DRAFT_ROLLBACK


def _info(model: LlamaModel, header: gguf.GgufHeader) -> ModelInfo:
    return ModelInfo(
        path=model.path,
        name=header.name,
        architecture=header.architecture,
        quantisation=header.quantisation,
        parameters=model.parameters,
        size_bytes=_file_bytes(header),
        vocab_size=model.vocab_size,
        trained_ctx=model.trained_ctx,
        has_chat_template=header.chat_template is not None,
    )
