"""What a verdict is made of. Plain values only; sizes are bytes."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from app.devices.device import Device
from engine.fit import DeviceNeed, Method
from engine.types import FlashAttention, KvType


class Verdict(Enum):
    """Best first."""

    FITS = "fits"
    TIGHT = "tight"  # within the margin: it may run out while it runs
    TOO_BIG = "too_big"

    @property
    def rank(self) -> int:
        return list(Verdict).index(self)


@dataclass(frozen=True, slots=True)
class PairSettings:
    """How a pair would be loaded.

    Attributes:
        ubatch: tokens computed at once; None is the engine's own choice.
        gpu_layers: of the target, its output counted as one; -1 means all.
        with_draft: False leaves the draft away, and with it speculation.
        split: how many of the target's layers each GPU gets, in their order; empty lets the placement choose.
    """

    ctx: int
    kv_type: KvType = KvType.F16
    flash_attention: FlashAttention = FlashAttention.AUTO
    ubatch: int | None = None
    gpu_layers: int = -1
    draft_gpu_layers: int = -1
    experts_on_cpu: bool = False
    with_draft: bool = True
    split: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class DeviceFit:
    """What a pair needs of one device.

    Attributes:
        layers: of the target, on a GPU.
        output_bytes: where both models' logits are read from.
        overhead_bytes: of the engine itself: its code, and what the driver keeps for it.
    """

    device: Device
    target: DeviceNeed
    draft: DeviceNeed
    layers: int
    output_bytes: int
    overhead_bytes: int
    margin_bytes: int

    @property
    def need_bytes(self) -> int:
        return self.target.total + self.draft.total + self.output_bytes + self.overhead_bytes

    @property
    def needed_bytes(self) -> int:
        """Of the whole device, for a pair that fits: what others hold and the margin included."""
        return self.device.others_bytes + self.need_bytes + self.margin_bytes

    @property
    def left_bytes(self) -> int:
        """What stays free above the margin; negative where the pair does not fit."""
        return self.device.available_bytes - self.need_bytes - self.margin_bytes

    @property
    def short_bytes(self) -> int:
        """By how much the pair is too big, even without a margin."""
        return max(0, self.need_bytes - self.device.available_bytes)

    @property
    def verdict(self) -> Verdict:
        if self.short_bytes > 0:
            return Verdict.TOO_BIG
        return Verdict.TIGHT if self.left_bytes < 0 else Verdict.FITS


@dataclass(frozen=True, slots=True)
class Placement:
    """Where a pair would go.

    Attributes:
        devices: the GPUs in their order, then the computer's memory; only one where they are the same.
        draft_gpu: which of the GPUs has the draft.
    """

    devices: tuple[DeviceFit, ...]
    draft_gpu: int = 0

    @property
    def verdict(self) -> Verdict:
        """The worst of all devices."""
        return max((device.verdict for device in self.devices), key=lambda verdict: verdict.rank)

    @property
    def deciding(self) -> DeviceFit:
        """The device that is worst off; among those where the pair fits, the one it is mainly on."""
        if self.verdict is Verdict.FITS:
            return self.devices[0]
        return min(self.devices, key=lambda device: (-device.verdict.rank, device.left_bytes))

    @property
    def short_bytes(self) -> int:
        """By how much it is too big, on all devices together."""
        return sum(device.short_bytes for device in self.devices)

    @property
    def over_bytes(self) -> int:
        """By how much need and margin together are more than there is, on all devices."""
        return sum(max(0, -device.left_bytes) for device in self.devices)

    @property
    def left_bytes(self) -> int:
        """On the device that has least."""
        return min(device.left_bytes for device in self.devices)


class AdviceKind(Enum):
    """What makes a pair smaller where it does not fit."""

    CONTEXT = "context"
    KV_TYPE = "kv_type"
    UBATCH = "ubatch"  # costs speed while a prompt is read
    SMALLER_DRAFT = "smaller_draft"
    NO_DRAFT = "no_draft"  # costs speculation
    EXPERTS = "experts"  # in the computer's memory
    LAYERS = "layers"  # fewer of them on the GPU


@dataclass(frozen=True, slots=True)
class Advice:
    """One change of the settings, all others as they are.

    Attributes:
        verdict: with this change.
        saves_bytes: on the device that decides.
        speed: of the target, as a share of what it would be; None where it stays.
        layers: of the target in all, for LAYERS.
        draft_id, draft_title: for SMALLER_DRAFT.
    """

    kind: AdviceKind
    settings: PairSettings
    verdict: Verdict
    saves_bytes: int
    speed: float | None = None
    layers: int = 0
    draft_id: str = ""
    draft_title: str = ""


class NotMeasured(Enum):
    """Why figures are estimated."""

    NOT_ASKED = "not_asked"
    FAILED = "failed"  # llama.cpp refused the header, or died of it


@dataclass(frozen=True, slots=True)
class FitReport:
    """The answer.

    Attributes:
        largest_ctx: that fits with the other settings as they are; 0 if none does.
        layers: of the target, its output included. fitting_layers: how many of them fit on the GPUs.
        not_measured: why the figures are estimated; None where they are llama.cpp's own.
        advice: empty where the pair fits.
    """

    settings: PairSettings
    placement: Placement
    largest_ctx: int
    layers: int
    fitting_layers: int
    not_measured: NotMeasured | None
    advice: tuple[Advice, ...]

    @property
    def verdict(self) -> Verdict:
        """For `settings.ctx` tokens."""
        return self.placement.verdict

    @property
    def method(self) -> Method:
        return Method.ESTIMATED if self.not_measured else Method.MEASURED
