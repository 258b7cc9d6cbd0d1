"""What the engine build can compute with."""

from __future__ import annotations

import os

import llama_cpp as llama
import psutil

from engine import ggml
from engine.types import DeviceInfo, EngineInfo


def devices() -> tuple[DeviceInfo, ...]:
    """Every device of the build, GPUs first. Asking a CUDA device creates its context."""
    found = []
    for device in ggml.devices():
        name, description = ggml.device_texts(device)
        free_bytes, total_bytes = ggml.device_memory(device)
        kind = ggml.KINDS.get(ggml.device_type(device), "accelerator")
        if kind == "cpu":  # ggml reports free = total there
            system = psutil.virtual_memory()
            free_bytes, total_bytes = system.available, system.total
        found.append(
            DeviceInfo(
                name=name,
                description=description,
                kind=kind,
                # Some Vulkan drivers report a budget above the heap's size.
                free_bytes=min(free_bytes, total_bytes),
                total_bytes=total_bytes,
            )
        )
    order = {"gpu": 0, "igpu": 1, "accelerator": 2, "cpu": 3}
    return tuple(sorted(found, key=lambda d: order[d.kind]))


def engine_info() -> EngineInfo:
    """What the engine is, for the window and for bug reports."""
    found = devices()
    return EngineInfo(
        pid=os.getpid(),
        llama_cpp_python=llama.__version__,
        backends=tuple(dict.fromkeys(device.name.rstrip("0123456789") for device in found)),
        gpu_offload=bool(llama.llama_supports_gpu_offload()),
        system_info=llama.llama_print_system_info().decode(errors="replace").strip(),
        devices=found,
    )


def computing_device(gpu_layers: int) -> DeviceInfo:
    """The device that a model with so many layers offloaded runs on."""
    found = devices()
    gpus = [device for device in found if device.kind in ("gpu", "igpu")]
    return gpus[0] if gpus and gpu_layers != 0 else found[-1]
