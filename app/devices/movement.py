"""How free memory moves."""

from __future__ import annotations

from typing import Final

from app.devices.device import Machine

_MUCH: Final = 32 << 20  # less is the coming and going on every desktop


def has_moved(before: Machine, after: Machine) -> bool:
    """Whether a verdict could be another one now."""
    old, new = ((*machine.gpus, machine.system) for machine in (before, after))
    if [(device.id, device.total_bytes) for device in old] != [(device.id, device.total_bytes) for device in new]:
        return True
    moves = (abs(one.available_bytes - other.available_bytes) for one, other in zip(old, new, strict=True))
    return max(moves) > _MUCH
