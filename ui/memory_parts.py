"""What stands in a memory bar: the parts of a device's memory, their colours and their words."""

from __future__ import annotations

from dataclasses import dataclass

from app.fit.values import DeviceFit
from app.fit_words import gigabytes
from app.translate import translate
from ui.bars import Segments
from ui.theme import theme


@dataclass(frozen=True, slots=True)
class MemoryPart:
    """Attributes:
    name: in the present language. colour: as #rrggbb, of the present theme.
    """

    name: str
    colour: str
    size_bytes: int


def memory_parts(fit: DeviceFit) -> tuple[MemoryPart, ...]:
    """In the order of the bar; parts of no size are left out."""
    t = theme()
    buffers = fit.target.compute + fit.draft.compute + fit.output_bytes + fit.overhead_bytes
    parts = (
        MemoryPart(translate("fit", "Target weights"), t.target_weights, fit.target.weights),
        MemoryPart(translate("memory", "Target KV cache"), t.target_cache, fit.target.kv),
        MemoryPart(translate("fit", "Draft weights"), t.draft_weights, fit.draft.weights),
        MemoryPart(translate("fit", "Draft KV cache"), t.draft_cache, fit.draft.kv),
        MemoryPart(translate("memory", "Buffers and the engine itself"), t.buffers, buffers),
        MemoryPart(translate("memory", "Other programs"), t.other_programs, fit.device.others_bytes),
    )
    return tuple(part for part in parts if part.size_bytes > 0)


def memory_segments(fit: DeviceFit) -> Segments:
    """Shares of the whole device; where the pair is too big, of what is needed, so that all parts are seen."""
    parts = memory_parts(fit)
    whole = max(1, fit.device.total_bytes, sum(part.size_bytes for part in parts))
    return tuple((part.colour, part.size_bytes / whole) for part in parts)


def memory_words(fit: DeviceFit) -> str:
    """The same as lines, for tool tips and screen readers: "Target weights 8.55 GB"."""
    return "\n".join(f"{part.name} {gigabytes(part.size_bytes)}" for part in memory_parts(fit))
