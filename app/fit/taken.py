"""What a load really took, by two readings of the devices."""

from __future__ import annotations

from collections.abc import Mapping

from app.devices.device import Device, DeviceKind, Machine
from app.fit.values import DeviceFit, Placement


def taken_bytes(before: Device, after: Device) -> int:
    """What our engine took of a device between two readings, the first of them without a loaded pair.

    Where the device does not tell it per program, what others took meanwhile is counted too.

    Args:
        after: read while nothing was known of what the engine holds of devices that do not tell it.
    """
    gone = max(0, before.available_bytes - after.free_bytes)
    if after.kind is DeviceKind.UNIFIED:  # the engine's own memory, and perhaps beside it what the driver keeps for it
        return max(after.ours_bytes, gone)
    return after.ours_bytes or gone


def taken_by_device(placement: Placement, before: Machine, after: Machine) -> Mapping[str, int]:
    """The same for each device that the pair is on and that is there and counted in both readings."""
    old = {device.id: device for device in before.memories if device.live}
    new = {device.id: device for device in after.memories if device.live}
    return {
        part.device.id: taken_bytes(old[part.device.id], new[part.device.id])
        for part in placement.devices
        if is_used(part) and part.device.id in old and part.device.id in new
    }


def untold(taken: Mapping[str, int], after: Machine) -> dict[str, int]:
    """That part of `taken` which the devices will not tell by themselves."""
    told = {device.id: device.ours_bytes for device in after.memories}
    return {device_id: size for device_id, size in taken.items() if size > told[device_id]}


def is_used(part: DeviceFit) -> bool:
    """Whether the pair has anything there. A card may be among the devices without that."""
    return part.target.total > 0 or part.draft.total > 0


def lesson(part: DeviceFit, taken: int, mapped: int) -> int:
    """What is to be remembered as taken.

    Of the computer's memory never less than was predicted: weights are `mapped`, and what was not touched yet, such as
    most of a mixture's experts, is counted only later. And more only by what is no page of a file: those are given up
    where memory is short, and where the weights were copied into another order nothing needs them any more.
    """
    return taken if part.device.kind is DeviceKind.CARD else max(taken - mapped, part.need_bytes)
