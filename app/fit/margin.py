"""What is left free for what no prediction holds, and what the engine takes beside its models.

Not predicted are scratch buffers that grow while a model runs, kernels that are loaded when they are first used, and
what the screen and other programs take meanwhile.
"""

from __future__ import annotations

import sys
from typing import Final

from app.devices.device import Device, DeviceKind
from engine.fit import Backend

_MIB: Final = 1 << 20

# The context that CUDA and HIP keep for each process, with the kernels; 457 MiB is what Ollama measured and reserves.
_CUDA_CONTEXT: Final = 457 * _MIB
_OTHER_CONTEXT: Final = 128 * _MIB
_PROCESS: Final = 64 * _MIB  # the engine's own code and data, which are 49 MB without a GPU's libraries
_PROCESS_WITH_GPU: Final = 384 * _MIB
_TOKEN: Final = 136  # what a vocabulary takes per token: texts, and tables to find them; measured


def overhead_bytes(device: Device, *, with_gpu: bool, tokens: int = 0) -> int:
    """What the engine takes of the device beside the models' buffers.

    Args:
        with_gpu: it uses one.
        tokens: of both vocabularies, which are always in the computer's memory.
    """
    match device.kind:
        case DeviceKind.SYSTEM:
            return (_PROCESS_WITH_GPU if with_gpu else _PROCESS) + tokens * _TOKEN
        case DeviceKind.UNIFIED:
            return _OTHER_CONTEXT + tokens * _TOKEN
        case DeviceKind.CARD:
            if not device.live:  # counted by the engine, with its context in place
                return 0
            return _CUDA_CONTEXT if device.backend is Backend.CUDA else _OTHER_CONTEXT


def default_margin_bytes(device: Device, platform: str = sys.platform) -> int:
    """What to leave free as long as nothing was learned of the device; never more than a quarter of it."""
    if device.kind is not DeviceKind.CARD:
        margin = 1024 * _MIB  # an open page in a browser takes as much
    else:
        margin = max(512 * _MIB, device.total_bytes // 25)
        if device.draws:
            margin = max(margin, (1280 if platform == "win32" else 1024) * _MIB)
        if device.backend is Backend.VULKAN:  # it makes buffers for whole matrices while it runs
            margin += 256 * _MIB
    return min(margin, device.total_bytes // 4)


def margin_bytes(device: Device, learned: int = 0, platform: str = sys.platform) -> int:
    """The default, corrected by what loads took beyond their prediction, or less than that.

    Good experience takes at most half of it away: the screen and other programs are still there. Bad experience adds
    no more than a quarter of the device.
    """
    default = default_margin_bytes(device, platform)
    return default + max(-(default // 2), min(learned, device.total_bytes // 4))


def missing_bytes(device: Device, margin: int) -> int:
    """How much less than the margin is free on a device while a pair runs; 0 where all is well."""
    return max(0, margin - device.free_bytes)
