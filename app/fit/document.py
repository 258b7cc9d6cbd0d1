"""What `fit --json` prints. The keys are a contract: some may be added, none renamed."""

from __future__ import annotations

from app.fit.proposal import Proposal
from app.fit.values import Advice, DeviceFit, FitReport, PairSettings
from app.model_values import Here
from app.reply_document import Document
from engine.fit import DeviceNeed


def fit_document(
    report: FitReport, proposal: Proposal | None, *, has_draft: bool, here: Here = Here.READY
) -> Document:
    """The figures at the top are those of the device that decides; `devices` has all. `here` is what is on this
    computer of the pair: the headers are enough for a verdict."""
    deciding = report.placement.deciding
    return {
        "verdict": report.verdict.value,
        "ctx": report.settings.ctx,
        "device": _name(deciding),
        "target": _model(deciding.target),
        "draft": _model(deciding.draft) if has_draft else None,
        "output_bytes": deciding.output_bytes,
        "overhead_bytes": deciding.overhead_bytes,
        "margin_bytes": deciding.margin_bytes,
        "need_bytes": deciding.need_bytes,
        "free_bytes": deciding.device.available_bytes,
        "total_bytes": deciding.device.total_bytes,
        "others_bytes": deciding.device.others_bytes,
        "short_bytes": report.placement.short_bytes,
        "largest_ctx": report.largest_ctx,
        "layers": report.layers,
        "fitting_layers": report.fitting_layers,
        "method": report.method.value,
        "not_measured": report.not_measured.value if report.not_measured else None,
        "here": here.value,
        "advice": [_advice(advice) for advice in report.advice],
        "settings": settings_document(report.settings),
        "proposal": None if proposal is None else settings_document(proposal.settings),
        "devices": [_device(part) for part in report.placement.devices],
    }


def settings_document(settings: PairSettings) -> Document:
    """By the names that a load uses."""
    return {
        "ctx": settings.ctx,
        "kv_type": settings.kv_type.value,
        "flash_attention": settings.flash_attention.value,
        "ubatch": settings.ubatch,
        "gpu_layers": settings.gpu_layers,
        "draft_gpu_layers": settings.draft_gpu_layers,
        "experts_on_cpu": settings.experts_on_cpu,
        "with_draft": settings.with_draft,
        "split": list(settings.split),
    }


def _model(need: DeviceNeed) -> Document:
    return {"weights_bytes": need.weights, "kv_bytes": need.kv, "compute_bytes": need.compute}


def _advice(advice: Advice) -> Document:
    return {
        "kind": advice.kind.value,
        "verdict": advice.verdict.value,
        "saves_bytes": advice.saves_bytes,
        "speed": advice.speed,
        "draft": advice.draft_id or None,
        "settings": settings_document(advice.settings),
    }


def _device(part: DeviceFit) -> Document:
    device = part.device
    return {
        "id": device.id,
        "name": _name(part),
        "kind": device.kind.value,
        "verdict": part.verdict.value,
        "layers": part.layers,
        "target": _model(part.target),
        "draft": _model(part.draft),
        "output_bytes": part.output_bytes,
        "overhead_bytes": part.overhead_bytes,
        "margin_bytes": part.margin_bytes,
        "need_bytes": part.need_bytes,
        "free_bytes": device.available_bytes,
        "total_bytes": device.total_bytes,
        "others_bytes": device.others_bytes,
        "users": [{"pid": user.pid, "name": user.name, "bytes": user.size_bytes} for user in device.users],
        "live": device.live,
    }


def _name(part: DeviceFit) -> str:
    return part.device.name or "memory"
