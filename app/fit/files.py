"""From files on this computer to a question that can be answered."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cache, partial
from pathlib import Path

from app.devices.device import DeviceKind, Machine
from app.dry_load_client import DryLoads
from app.fit.figures import Answer, FileFigures
from app.fit.history import FitHistory
from app.fit.margin import margin_bytes
from app.fit.placing import Pair, Rooms, layers_by_shares, layers_on_gpu
from app.fit.search import Search
from app.fit.values import PairSettings, Placement
from app.precheck import check_files
from engine import gguf
from engine.fit_estimate import need
from engine.fit_shape import read_shape
from engine.limits import check_load
from engine.types import LoadRequest, context_of


def search_files(request: LoadRequest, machine: Machine, history: FitHistory, dry_loads: DryLoads | None) -> Search:
    """What can be asked of a pair. Reads both headers, which takes up to a second for large vocabularies.

    Args:
        machine: as read with the engine's own word on its devices, if there are to be dry loads.

    Raises:
        EngineError: what the engine would refuse too.
    """
    target, draft = check_files(request)
    pair = Pair(_figures(target, dry_loads), None if draft is None else _figures(draft, dry_loads))
    return Search(pair, rooms(machine, history))


def figures(files: Sequence[Path], dry_loads: DryLoads | None) -> FileFigures:
    """What one model needs. Reads its headers.

    Args:
        files: all parts of the model, or what is kept of their headers.
        dry_loads: None where llama.cpp is not to be asked.

    Raises:
        EngineError: what is wrong with the files.
    """
    return _figures([gguf.read_header(file, whole=False) for file in files], dry_loads)


def _figures(headers: Sequence[gguf.GgufHeader], dry_loads: DryLoads | None) -> FileFigures:
    header, *others = headers
    measure = None if dry_loads is None else partial(dry_loads.measure, tuple(part.path for part in headers))
    return FileFigures(header, estimator(header, others), measure)


def estimator(header: gguf.GgufHeader, parts: Sequence[gguf.GgufHeader] = ()) -> Answer:
    """The arithmetic for one model; what it needs of the header is read once."""
    shape = cache(lambda: read_shape(header, parts))
    return lambda settings: need(shape(), settings)


def rooms(machine: Machine, history: FitHistory) -> Rooms:
    """The devices with their margins, as far as they were learned."""
    devices = (*machine.gpus, machine.system)
    return Rooms(machine, {device.id: margin_bytes(device, history.learned_bytes(device.id)) for device in devices})


def settings_of(request: LoadRequest, search: Search) -> PairSettings:
    """How the engine would load the pair that is asked for. Where the request gives no split, neither does this: the
    placement chooses one, and `request_of` puts it down. Raises EngineError for settings that the engine refuses."""
    check_load(request)
    settings = PairSettings(
        ctx=context_of(request, search.pair.target.trained_ctx),
        kv_type=request.kv_type,
        flash_attention=request.flash_attention,
        ubatch=request.ubatch,
        gpu_layers=request.gpu_layers,
        draft_gpu_layers=request.draft_gpu_layers,
        experts_on_cpu=request.experts_on_cpu,
        with_draft=request.draft is not None,
    )
    machine = search.rooms.machine
    if len(request.split) == len(machine.gpus) > 1 and any(request.split):  # all 0 is no split for llama.cpp either
        layers = layers_on_gpu(search.pair, settings, machine)
        return replace(settings, split=layers_by_shares(request.split, layers) if layers else ())
    return settings


def request_of(settings: PairSettings, placement: Placement, request: LoadRequest) -> LoadRequest:
    """The same files, loaded as they were judged: what goes to which GPU is put down, because it was so measured, and
    because free memory may be another when the draft's turn comes."""
    gpus = [part for part in placement.devices if part.device.kind is DeviceKind.CARD]
    several = len(gpus) > 1
    return replace(
        request,
        draft=request.draft if settings.with_draft else None,
        ctx=settings.ctx,
        kv_type=settings.kv_type,
        flash_attention=settings.flash_attention,
        ubatch=settings.ubatch,
        gpu_layers=settings.gpu_layers,
        draft_gpu_layers=settings.draft_gpu_layers,
        experts_on_cpu=settings.experts_on_cpu,
        split=tuple(float(part.layers) for part in gpus) if several and settings.gpu_layers != 0 else (),
        draft_split=tuple(float(n == placement.draft_gpu) for n in range(len(gpus))) if several else (),
    )
