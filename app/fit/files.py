"""From files on this computer to a question that can be answered."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, partial

from app.devices.device import Machine
from app.dry_load_client import DryLoads
from app.fit.figures import Answer, FileFigures
from app.fit.history import FitHistory
from app.fit.margin import margin_bytes
from app.fit.placing import Pair, Rooms
from app.fit.search import Search
from app.fit.values import PairSettings
from app.precheck import check_files
from engine import gguf
from engine.fit_estimate import need
from engine.fit_shape import read_shape
from engine.types import LoadRequest, context_of


def search_files(request: LoadRequest, machine: Machine, history: FitHistory, dry_loads: DryLoads | None) -> Search:
    """What can be asked of a pair. Reads both headers, which takes up to a second for large vocabularies.

    Args:
        machine: as read with the engine's own word on its devices, if there are to be dry loads.

    Raises:
        EngineError: what the engine would refuse too.
    """
    check_files(request)
    draft = None if request.draft is None else _figures(request.draft, dry_loads)
    return Search(Pair(_figures(request.target, dry_loads), draft), rooms(machine, history))


def _figures(path: str, dry_loads: DryLoads | None) -> FileFigures:
    header = gguf.read_header(path)
    files = header.parts()
    others = tuple(gguf.read_header(part) for part in files[1:])
    measure = None if dry_loads is None else partial(dry_loads.measure, files)
    return FileFigures(header, estimator(header, others), measure)


def estimator(header: gguf.GgufHeader, parts: Sequence[gguf.GgufHeader] = ()) -> Answer:
    """The arithmetic for one model; what it needs of the header is read once."""
    shape = cache(lambda: read_shape(header, parts))
    return lambda settings: need(shape(), settings)


def rooms(machine: Machine, history: FitHistory) -> Rooms:
    """The devices with their margins, as far as they were learned."""
    devices = (*machine.gpus, machine.system)
    return Rooms(machine, {device.id: margin_bytes(device, history.learned_bytes(device.id)) for device in devices})


def settings_of(request: LoadRequest, trained_ctx: int) -> PairSettings:
    """How the engine would load the pair that is asked for."""
    return PairSettings(
        ctx=context_of(request, trained_ctx),
        kv_type=request.kv_type,
        flash_attention=request.flash_attention,
        gpu_layers=request.gpu_layers,
        draft_gpu_layers=request.draft_gpu_layers,
        with_draft=request.draft is not None,
    )
