"""Which layers go to which device, and what each device then has to hold."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from typing import Final

from app.devices.device import Device, DeviceKind, Machine
from app.fit.figures import ModelFigures
from app.fit.margin import overhead_bytes
from app.fit.values import DeviceFit, PairSettings, Placement, Verdict
from engine.fit import CHUNK_CPU, CHUNK_GPU, DeviceNeed, FitSettings, ModelNeed
from engine.types import MAX_DRAFT_LENGTH

_NONE: Final = DeviceNeed()
_NO_MODEL: Final = ModelNeed(devices=(), host=_NONE, output=0)


@dataclass(frozen=True, slots=True)
class Pair:
    """draft is None for a target on its own."""

    target: ModelFigures
    draft: ModelFigures | None = None


@dataclass(frozen=True, slots=True)
class Rooms:
    """The devices with what is to be left free on each: bytes by the device's id."""

    machine: Machine
    margins: Mapping[str, int]


def layers_on_gpu(pair: Pair, settings: PairSettings, machine: Machine) -> int:
    """How many layers of the target the settings ask for, its output included."""
    if not machine.gpus:
        return 0
    return pair.target.layers if settings.gpu_layers < 0 else min(settings.gpu_layers, pair.target.layers)


def chunk(settings: PairSettings, machine: Machine, gpu_layers: int = -1) -> int:
    """How many tokens the engine computes at once, of a model with so many layers on a GPU."""
    return settings.ubatch or (CHUNK_GPU if machine.gpus and gpu_layers != 0 else CHUNK_CPU)


def place(pair: Pair, settings: PairSettings, rooms: Rooms) -> Placement:
    """The best way to place the pair: the first that fits, or the one that comes closest.

    With several GPUs and no split given, layers are shared by free memory as llama.cpp does; where that does not fit,
    the devices are filled one after the other, which holds most.
    """
    layers = layers_on_gpu(pair, settings, rooms.machine)
    best: Placement | None = None
    for split, draft_gpu in _ways(pair, settings, rooms, layers):
        placement = _placed(pair, settings, rooms, split, draft_gpu)
        if best is None or _quality(placement) > _quality(best):
            best = placement
        if best.verdict is Verdict.FITS:
            break
    assert best is not None
    return best


def _quality(placement: Placement) -> tuple[int, int, int]:
    return -placement.verdict.rank, -placement.short_bytes, placement.left_bytes


def fit_settings(
    pair: Pair, settings: PairSettings, machine: Machine, split: Sequence[int] = (), draft_gpu: int = 0
) -> tuple[FitSettings, FitSettings]:
    """How the engine would load the target and the draft.

    Args:
        split: layers of the target on each GPU.
        draft_gpu: the draft is all on one of them.
    """
    layers = layers_on_gpu(pair, settings, machine)
    several = len(machine.gpus) > 1

    def of_model(gpu_layers: int, outputs: int, shares: tuple[float, ...]) -> FitSettings:
        return FitSettings(
            ctx=settings.ctx,
            backend=machine.backend,
            kv_type=settings.kv_type,
            flash_attention=settings.flash_attention,
            ubatch=max(min(settings.ctx, chunk(settings, machine, gpu_layers)), outputs),
            outputs=outputs,
            gpu_layers=gpu_layers,
            experts_on_cpu=settings.experts_on_cpu,
            split=shares if several and gpu_layers != 0 else (),
        )

    one_gpu = tuple(float(index == draft_gpu) for index in range(len(machine.gpus)))
    target = of_model(layers, MAX_DRAFT_LENGTH + 1, tuple(float(share) for share in split))
    draft = of_model(settings.draft_gpu_layers if machine.gpus else 0, 1, one_gpu)
    return target, replace(draft, experts_on_cpu=False)


def _ways(
    pair: Pair, settings: PairSettings, rooms: Rooms, layers: int
) -> Iterator[tuple[tuple[int, ...], int]]:
    """Splits and places of the draft that are worth a look."""
    gpus = rooms.machine.gpus
    if len(gpus) < 2 or layers == 0:
        yield (layers, *[0] * (len(gpus) - 1)) if gpus else (), 0
        return
    draft_gpus = range(len(gpus)) if pair.draft is not None and settings.with_draft else range(1)
    if settings.split:
        for draft_gpu in draft_gpus:
            yield settings.split, draft_gpu
        return
    by_room = layers_by_shares([max(1, gpu.available_bytes) for gpu in gpus], layers)
    for draft_gpu in draft_gpus:
        yield by_room, draft_gpu
    for draft_gpu in draft_gpus:
        yield _filled(pair, settings, rooms, layers, draft_gpu), draft_gpu


def layers_by_shares(shares: Sequence[float], layers: int) -> tuple[int, ...]:
    """How llama.cpp deals layers out: in their order, each to the device in whose share its place falls."""
    ends = list(accumulate(shares))
    bounds = [end / ends[-1] for end in ends]
    places = Counter(bisect_right(bounds, index / layers) for index in range(layers))
    return tuple(places[index] for index in range(len(shares)))


def _filled(pair: Pair, settings: PairSettings, rooms: Rooms, layers: int, draft_gpu: int) -> tuple[int, ...]:
    """From the last GPU, which has the output, to the first: as many layers as fit. The first takes what is left."""
    count = len(rooms.machine.gpus)
    split = [0] * count
    for index in range(count - 1, 0, -1):
        left = layers - sum(split)

        def fits(number: int, index: int = index, left: int = left) -> bool:
            tried = [*split]
            tried[index] = number
            tried[0] += left - number
            return _placed(pair, settings, rooms, tuple(tried), draft_gpu).devices[index].left_bytes >= 0

        split[index] = most(fits, left)
    split[0] = layers - sum(split)
    return tuple(split)


def most(fits: Callable[[int], bool], limit: int) -> int:
    """The largest number up to `limit` that fits, where all smaller ones do too; 0 is taken to fit."""
    if fits(limit):
        return limit
    low, high = 0, limit  # low fits, high does not
    while high - low > 1:
        middle = (low + high) // 2
        if fits(middle):
            low = middle
        else:
            high = middle
    return low


def _placed(
    pair: Pair, settings: PairSettings, rooms: Rooms, split: tuple[int, ...], draft_gpu: int
) -> Placement:
    machine = rooms.machine
    for_target, for_draft = fit_settings(pair, settings, machine, split, draft_gpu)
    target = pair.target.need(for_target)
    draft, tokens = _NO_MODEL, pair.target.tokens
    if pair.draft is not None and settings.with_draft:
        draft, tokens = pair.draft.need(for_draft), tokens + pair.draft.tokens

    def on(device: Device, of_target: DeviceNeed, of_draft: DeviceNeed, layers: int, output: int) -> DeviceFit:
        return DeviceFit(
            device=device,
            target=of_target,
            draft=of_draft,
            layers=layers,
            output_bytes=output,
            overhead_bytes=overhead_bytes(device, with_gpu=bool(machine.gpus), tokens=tokens),
            margin_bytes=rooms.margins[device.id],
        )

    output = target.output + draft.output
    main = machine.main
    if not machine.gpus:
        return Placement((on(main, _part(target, 0), _part(draft, 0), 0, output),))
    if main.kind is DeviceKind.UNIFIED:  # one memory, so one sum
        sums = [_sum(_part(model, 0), model.host) for model in (target, draft)]
        return Placement((on(main, sums[0], sums[1], sum(split), output),))
    gpus = [
        on(gpu, _part(target, index), _part(draft, index), layers, 0)
        for index, (gpu, layers) in enumerate(zip(machine.gpus, split, strict=True))
    ]
    return Placement((*gpus, on(machine.system, target.host, draft.host, 0, output)), draft_gpu)


def _part(model: ModelNeed, index: int) -> DeviceNeed:
    """Without a split all is on the first device."""
    return model.devices[index] if index < len(model.devices) else _NONE


def _sum(first: DeviceNeed, second: DeviceNeed) -> DeviceNeed:
    return DeviceNeed(first.weights + second.weights, first.kv + second.kv, first.compute + second.compute)
