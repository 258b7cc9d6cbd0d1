"""The parameters that llama.cpp gets, for loading and for measuring what a load would take.

Every parameter that matters is set here, because upstream's defaults move and some cost gigabytes: `swa_full` (on by
default: a full-size cache for sliding-window layers), `n_outputs_max` (0 reserves logits for a whole batch on the
device), flash attention, batch sizes.
"""

from __future__ import annotations

import ctypes
from typing import Any, Final

import llama_cpp as llama

from engine.fit import FitSettings
from engine.ggml import cpu_buffer_type
from engine.types import FlashAttention, KvType

_KV_TYPES: Final = {
    KvType.F32: llama.GGML_TYPE_F32,
    KvType.F16: llama.GGML_TYPE_F16,
    KvType.BF16: 30,  # GGML_TYPE_BF16, which the binding does not name
    KvType.Q8_0: llama.GGML_TYPE_Q8_0,
    KvType.Q5_1: llama.GGML_TYPE_Q5_1,
    KvType.Q5_0: llama.GGML_TYPE_Q5_0,
    KvType.Q4_1: llama.GGML_TYPE_Q4_1,
    KvType.Q4_0: llama.GGML_TYPE_Q4_0,
    KvType.IQ4_NL: llama.GGML_TYPE_IQ4_NL,
}
_FLASH: Final = {
    FlashAttention.AUTO: llama.LLAMA_FLASH_ATTN_TYPE_AUTO,
    FlashAttention.ON: llama.LLAMA_FLASH_ATTN_TYPE_ENABLED,
    FlashAttention.OFF: llama.LLAMA_FLASH_ATTN_TYPE_DISABLED,
}

# GCC before 14 drops the stores that fill the tile configuration (its _tile_loadconfig declares 8 of the 64 bytes as
# read), so a build of this version with AMX dies with SIGSEGV in its first quantised product. Without the extra
# buffer types those kernels are never chosen. Only some Xeons have AMX.
_AMX: Final = b"AMX_INT8 = 1" in llama.llama_print_system_info()

_EXPERTS: Final = rb"blk\.\d+\.ffn_(up|down|gate|gate_up)_(ch|)exps"


class _Override(ctypes.Structure):
    """llama_model_tensor_buft_override, which the binding does not define."""

    _fields_ = (("pattern", ctypes.c_char_p), ("buffer_type", ctypes.c_void_p))


def model_params(gpu_layers: int, *, experts_on_cpu: bool = False, split: tuple[float, ...] = ()) -> Any:
    """llama_model_params. Keep the result for as long as the model is being loaded: it owns what it points to.

    Args:
        gpu_layers, experts_on_cpu, split: see `FitSettings`.
    """
    params = llama.llama_model_default_params()
    params.n_gpu_layers = gpu_layers
    # Never AUTO: llama.cpp picks by device there, and it aborts together with no_alloc.
    params.load_mode = llama.LLAMA_LOAD_MODE_MMAP if llama.llama_supports_mmap() else llama.LLAMA_LOAD_MODE_NONE
    params.use_extra_bufts = not _AMX
    if split:
        params.tensor_split = (ctypes.c_float * llama.llama_max_devices())(*split)  # it reads so many
    if experts_on_cpu:
        overrides = (_Override * 2)(_Override(_EXPERTS, cpu_buffer_type()))
        params.tensor_buft_overrides = ctypes.cast(overrides, ctypes.c_void_p)
        params.overrides = overrides
    return params


def context_params(settings: FitSettings, threads: int) -> Any:
    """llama_context_params for one sequence."""
    params = llama.llama_context_default_params()
    params.n_ctx = settings.ctx
    params.n_batch = params.n_ubatch = max(min(settings.ctx, settings.ubatch), settings.outputs)
    params.n_seq_max = 1
    params.n_rs_seq = 0
    params.n_outputs_max = settings.outputs
    params.n_threads = params.n_threads_batch = threads
    params.type_k = params.type_v = _KV_TYPES[settings.kv_type]
    params.flash_attn_type = _FLASH[settings.flash_attention]
    params.swa_full = False
    params.kv_unified = True
    params.offload_kqv = True
    params.op_offload = True
    params.embeddings = False
    params.no_perf = True
    return params
