"""How much memory a model needs: the values that the arithmetic, the dry load and the verdict share.

The arithmetic is in `engine.fit_estimate`, the exact figures come from `engine.dry_load`.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Final

from engine.types import FlashAttention, KvType

CHUNK_CPU: Final = 128  # a prompt is read in pieces this long; each may be cancelled
CHUNK_GPU: Final = 512
REPACKED: Final = frozenset({"Q4_0", "Q4_K", "IQ4_NL", "MXFP4"})  # on nearly all processors


class Backend(Enum):
    """What computes: its rules for padding and placing tensors differ. HIP counts as CUDA, whose code it is."""

    CPU = "cpu"
    CUDA = "cuda"
    VULKAN = "vulkan"
    METAL = "metal"


class Method(Enum):
    """Where the figures come from."""

    MEASURED = "measured"  # llama.cpp's own, from a dry load
    ESTIMATED = "estimated"  # arithmetic from the header


@dataclass(frozen=True, slots=True)
class FitSettings:
    """How one model of a pair will be loaded.

    Attributes:
        ctx: tokens.
        ubatch: tokens computed at once; the engine takes CHUNK_CPU or CHUNK_GPU, and never more than ctx.
        outputs: most rows of logits asked for at once: MAX_DRAFT_LENGTH + 1 for a target, 1 for a draft.
        gpu_layers: -1 means all; the output layer is the first to move to the GPU. Nothing moves on Backend.CPU.
        experts_on_cpu: the experts of a mixture stay in the computer's memory.
        split: shares of several GPUs, in their order, of any sum; empty for one device.
        repacked: types of which the CPU's kernels hold matrices in an order of their own, so that an embedding that
            serves as output too stands twice (`fit_rules.repacked_types`); counts on Backend.CPU alone.
    """

    ctx: int
    backend: Backend = Backend.CPU
    kv_type: KvType = KvType.F16
    flash_attention: FlashAttention = FlashAttention.AUTO
    ubatch: int = CHUNK_CPU
    outputs: int = 1
    gpu_layers: int = -1
    experts_on_cpu: bool = False
    split: tuple[float, ...] = ()
    repacked: frozenset[str] = REPACKED


@dataclass(frozen=True, slots=True)
class DeviceNeed:
    """Bytes on one device.

    Attributes:
        kv: the cache, and the state of recurrent layers.
        compute: the graph's buffers, the logits of one call included.
    """

    weights: int = 0
    kv: int = 0
    compute: int = 0

    @property
    def total(self) -> int:
        return self.weights + self.kv + self.compute


@dataclass(frozen=True, slots=True)
class ModelNeed:
    """What one model needs, in bytes. What programs need beside their buffers (a CUDA context, say) is not in it.

    Attributes:
        devices: one for each share of the split, one without a split. On Backend.CPU that is the memory.
        host: what stays in the computer's memory beside them; nothing on Backend.CPU.
        output: where logits are read from; always in the computer's memory, and not in `host`.
    """

    devices: tuple[DeviceNeed, ...]
    host: DeviceNeed
    output: int

    @property
    def weights(self) -> int:
        return sum(device.weights for device in self.devices)

    @property
    def kv(self) -> int:
        return sum(device.kv for device in self.devices)

    @property
    def compute(self) -> int:
        return sum(device.compute for device in self.devices)

    @property
    def total(self) -> int:
        """On the devices."""
        return self.weights + self.kv + self.compute
