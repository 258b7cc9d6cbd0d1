"""What a load is going to take, told before it."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Final

from app.devices.device import Machine
from app.dry_load_client import DryLoads
from app.fit.files import request_of, search_files, settings_of
from app.fit.history import FitHistory
from app.fit.proposal import Proposal, propose
from app.fit.report import fit_report
from app.fit.search import Search
from app.fit.values import FitReport, Placement, Verdict
from engine.types import LoadRequest

# The arithmetic is right within 3 %; where less than twice that is left, llama.cpp is asked.
_SURE: Final = 0.06


@dataclass(frozen=True, slots=True)
class Forecast:
    """Attributes:
    request: as it is to be loaded: where there are several GPUs, with the split that was judged.
    machine: as it was before the load.
    proposal: the best settings that fit, where those asked for do not; None if there are none.
    """

    request: LoadRequest
    machine: Machine
    report: FitReport
    proposal: Proposal | None = None

    @property
    def verdict(self) -> Verdict:
        return self.report.verdict

    @property
    def proposed(self) -> LoadRequest | None:
        """The same files with the proposed settings."""
        if self.proposal is None or self.proposal.settings == self.report.settings:
            return None
        return request_of(self.proposal.settings, self.proposal.placement, self.request)


def forecast(
    request: LoadRequest, machine: Machine, history: FitHistory, dry_loads: DryLoads | None, *, failed: bool = False
) -> Forecast:
    """Judge a load. Some ten milliseconds beside the reading of the headers, more where it is close.

    Args:
        machine: read with the engine's own word on its devices.
        failed: it was tried and memory ran out, whatever the figures say; so less is proposed.

    Raises:
        EngineError: what the engine would refuse too, and FIT_UNMEASURABLE where there are no figures at all.
    """
    return forecast_of(request, search_files(request, machine, history, dry_loads), failed=failed)


def forecast_of(request: LoadRequest, search: Search, *, failed: bool = False) -> Forecast:
    """The same where the pair's figures are at hand."""
    machine, settings = search.rooms.machine, settings_of(request, search)
    quick = replace(search, asks=False)
    if _is_sure(quick.place(settings)) and not failed:
        report = fit_report(quick, settings, with_advice=False)
        return Forecast(request_of(settings, report.placement, request), machine, report)
    report = fit_report(search, settings)
    if failed:
        proposal = propose(_with_less_room(search, report.placement), settings, slack_bytes=0)
    else:
        proposal = propose(search, settings)
    return Forecast(request_of(settings, report.placement, request), machine, report, proposal)


def _is_sure(placement: Placement) -> bool:
    return all(part.left_bytes > _SURE * part.need_bytes for part in placement.devices)


def _with_less_room(search: Search, placement: Placement) -> Search:
    """As if the deciding device had a tenth less than what `placement` needs of it."""
    part = placement.deciding
    margin = max(part.margin_bytes, part.device.available_bytes - math.floor(part.need_bytes * 0.9))
    return replace(search, rooms=replace(search.rooms, margins={**search.rooms.margins, part.device.id: margin}))
