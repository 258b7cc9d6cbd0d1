"""What `fit` prints for people: a table for each device, the verdict, and what would help."""

from __future__ import annotations

from collections.abc import Iterator

from app.amounts import count
from app.fit.proposal import Proposal
from app.fit.values import DeviceFit, FitReport, PairSettings
from app.fit_words import (
    advice_words,
    device_name,
    gigabytes,
    method_sentence,
    not_here_sentence,
    nothing_fits_sentence,
    proposal_sentence,
    verdict_sentence,
    ways_heading,
)
from app.model_values import Here
from app.table import columns, left, right
from app.translate import translate

_NAME_WIDTH = 38
_USERS = 3  # other programs that are named, those that hold most


def fit_lines(report: FitReport, proposal: Proposal | None, here: Here = Here.READY) -> Iterator[str]:
    """Line by line, without their ends. `here` is what is on this computer of the pair."""
    for part in report.placement.devices:
        yield device_name(part.device)
        rows = [*_rows(part, report.settings)]
        width = max(columns(text) for _, text in rows)
        for name, text in rows:
            yield f"  {left(name, _NAME_WIDTH)} {right(text, width)}"
        yield ""
    yield verdict_sentence(report)
    yield " ".join(filter(None, (method_sentence(report), not_here_sentence(here))))
    if report.advice:
        yield ""
        yield f"{ways_heading(report.advice)}:"
        for advice in report.advice:
            what, effect = advice_words(advice)
            yield f"  {left(what, _NAME_WIDTH)} {effect}"
    if proposal is None:
        yield ""
        yield nothing_fits_sentence()
    elif proposal.settings != report.settings:
        yield ""
        yield proposal_sentence(proposal.settings, report)


def _rows(part: DeviceFit, settings: PairSettings) -> Iterator[tuple[str, str]]:
    for name, size in size_rows(part, settings, users=_USERS):
        yield name, gigabytes(size)
    needed, total = (gigabytes(size) for size in (part.needed_bytes, part.device.total_bytes))
    yield translate("fit", "Needed"), translate("fit", "{needed} of {total}").format(needed=needed, total=total)


def size_rows(part: DeviceFit, settings: PairSettings, users: int = 0) -> Iterator[tuple[str, int]]:
    """What the pair needs of a device, what others hold and what is to stay free: names and bytes, without what is 0.

    Args:
        users: how many of the other programs are named, those that hold most.
    """
    kv = translate("fit", "Target KV cache, {ctx} tokens").format(ctx=count(settings.ctx))
    rows = [
        (translate("fit", "Target weights"), part.target.weights),
        (kv, part.target.kv),
        (translate("fit", "Draft weights"), part.draft.weights),
        (translate("fit", "Draft KV cache"), part.draft.kv),
        (_buffers(part), part.target.compute + part.draft.compute),
        (translate("fit", "Output buffers"), part.output_bytes),
        (translate("fit", "The engine itself"), part.overhead_bytes),
        (translate("fit", "Other programs now"), part.device.others_bytes),
        *[(f"  {user.name or user.pid}", user.size_bytes or 0) for user in part.device.users[:users]],
        (translate("fit", "Safety margin"), part.margin_bytes),
    ]
    return (row for row in rows if row[1])


def _buffers(part: DeviceFit) -> str:
    both = part.draft.compute > 0
    return translate("fit", "Compute buffers, both") if both else translate("fit", "Compute buffers")
