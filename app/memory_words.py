"""The words for the devices' memory while the program runs."""

from __future__ import annotations

import re
from typing import Final

from app import amounts
from app.devices.device import Device, DeviceKind, MemoryUser
from app.fit.values import DeviceFit
from app.fit_words import gigabytes
from app.translate import translate

# What the names of cards have beside what people call them.
_BESIDE: Final = re.compile(r"\([^)]*\)|\b(?:NVIDIA|GeForce|AMD|Intel|Graphics)\b")


def short_name(device: Device) -> str:
    """ "RTX 4070" for "NVIDIA GeForce RTX 4070"; "Memory" for the computer's."""
    if device.kind is DeviceKind.SYSTEM:
        return translate("memory", "Memory")
    return " ".join(_BESIDE.sub(" ", device.name).split()) or device.name


def use_in_short(device: Device) -> str:
    """ "RTX 4070 · 6.0 of 12.9 GB"; only the size where nobody tells what is used."""
    name, total = short_name(device), amounts.gigabytes(device.total_bytes)
    if not device.live:
        return translate("memory", "{device} · {total} GB").format(device=name, total=total)
    used = amounts.gigabytes(device.total_bytes - device.free_bytes)
    return translate("memory", "{device} · {used} of {total} GB").format(device=name, used=used, total=total)


def held_sentence(device: Device, predicted: DeviceFit) -> str:
    """What the engine holds of a device beside what was said before the load."""
    if device.live and device.ours_bytes:
        text = translate("memory", "The engine holds {held}; predicted were {predicted}.")
    else:
        text = translate("memory", "What the engine holds here is not told; predicted were {predicted}.")
    return text.format(held=gigabytes(device.ours_bytes), predicted=gigabytes(predicted.need_bytes))


def not_live_sentence(device: Device) -> str:
    text = translate("memory", "Nobody tells what is free there now; when the engine started it was {free}.")
    return text.format(free=gigabytes(device.free_bytes))


def user_words(user: MemoryUser) -> str:
    """Another program by its name, with what it holds where that is told."""
    name = user.name or translate("memory", "program {pid}").format(pid=user.pid)
    return name if user.size_bytes is None else f"{name} {gigabytes(user.size_bytes)}"


def low_words(device: Device, margin_bytes: int) -> str:
    """What is free on a device that is short of memory, and who holds the rest."""
    if device.kind is DeviceKind.SYSTEM:
        text = translate("memory", "{free} of this computer's memory is free, and {margin} should be.")
    else:
        text = translate("memory", "{free} is free on {device}, and {margin} should be.")
    free, margin = gigabytes(device.free_bytes), gigabytes(margin_bytes)
    text = text.format(free=free, margin=margin, device=short_name(device))
    if device.users:
        others = translate("memory", "Other programs hold {others}, most of all {program}.")
        program = user_words(device.users[0])
    else:
        others, program = translate("memory", "Other programs hold {others}."), ""
    return f"{text} {others.format(others=gigabytes(device.others_bytes), program=program)}"
