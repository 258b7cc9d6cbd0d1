"""AMD's cards on Linux, as the kernel shows them below /sys."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from app.devices.device import Device, DeviceKind, OwnUse
from engine.fit import Backend

DRM: Final = Path("/sys/class/drm")

_AMD = "0x1002"
_CARD = re.compile(r"card\d+$")
_SLOT = re.compile(r"^PCI_SLOT_NAME=(.+)$", re.MULTILINE)


def amd_cards(own: OwnUse, drm: Path = DRM) -> Iterator[Device]:
    """The cards in the kernel's order. One that tells no memory, or nonsense, is left out."""
    try:
        folders = [entry for entry in drm.iterdir() if _CARD.match(entry.name)]
    except OSError:  # no such folder: another system, or no cards
        return
    for folder in sorted(folders, key=lambda entry: int(entry.name.removeprefix("card"))):
        if _text(folder / "device/vendor") != _AMD:
            continue
        total = _number(folder / "device/mem_info_vram_total")
        used = _number(folder / "device/mem_info_vram_used")
        if total is None or used is None or not 0 <= used <= total or total == 0:
            continue
        slot = _SLOT.search(_text(folder / "device/uevent"))
        device_id = slot.group(1) if slot else folder.name
        yield Device(
            id=device_id,
            name=_text(folder / "device/product_name") or f"AMD Radeon ({device_id})",
            kind=DeviceKind.CARD,
            backend=Backend.VULKAN,
            total_bytes=total,
            free_bytes=total - used,
            ours_bytes=own.by_device.get(device_id, 0),
            draws=any(_text(status) == "connected" for status in drm.glob(f"{folder.name}-*/status")),
        )


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8", errors="replace").strip()
    except OSError:  # a card that sleeps or is gone
        return ""


def _number(path: Path) -> int | None:
    text = _text(path)
    return int(text) if text.isascii() and text.isdigit() else None
