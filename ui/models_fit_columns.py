"""The columns that tell whether a pair fits this computer's memory."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from app.amounts import size
from app.devices.device import Machine
from app.fit.values import DeviceFit, FitReport, Verdict
from app.fit_words import (
    changes_words,
    device_name,
    gigabytes,
    method_sentence,
    verdict_in_short,
    verdict_sentence,
)
from app.translate import translate
from ui.fit_values import Fit
from ui.fit_words import device_in_short, problem_words
from ui.memory_parts import memory_segments, memory_words
from ui.models_cells import Cell
from ui.models_row_model import Column
from ui.models_rows import PairRow

_UNKNOWN = len(Verdict)  # a rank behind all others
_WAITING = Cell("…", tone="muted")


def fit_columns(machine: Callable[[], Machine | None]) -> tuple[Column, Column]:
    """`machine`: as last read."""
    return (
        Column(
            lambda: _memory_name(machine()),
            lambda row: _memory_cell(row.fit, machine()),
            182,
            stretch=2,
            sort=_share,
            gives_way=2,
        ),
        Column(lambda: translate("fit", "Verdict"), lambda row: verdict_cell(row.fit), 177, sort=_order, gives_way=1),
    )


def verdict_cell(fit: Fit | None) -> Cell:
    """The verdict, or why there is none."""
    if fit is None or fit.waiting:
        return _WAITING
    if fit.problem is not None:
        missing, broken = translate("fit", "not known yet"), translate("fit", "cannot be measured")
        return Cell(missing if fit.missing else broken, tone="muted", tip=problem_words(fit.problem))
    assert fit.report is not None
    report = fit.report
    tip = f"{verdict_sentence(report)}\n{method_sentence(report)}"
    return Cell(verdict_in_short(report), _below(fit, report), verdict_tone(report), tip=tip)


def verdict_tone(report: FitReport) -> str:
    """Green for what fits, amber for what would with a shorter context or less of a margin, orange for the rest."""
    if report.verdict is Verdict.FITS:
        return "good"
    return "caution" if report.verdict is Verdict.TIGHT or report.largest_ctx else "warn"


def _below(fit: Fit, report: FitReport) -> str:
    if fit.settings != fit.asked:
        return changes_words(fit.settings, fit.asked, report.layers)
    if report.verdict is not Verdict.FITS and 0 < report.fitting_layers < report.layers:
        return translate("fit", "{fitting} of {layers} layers would fit").format(
            fitting=report.fitting_layers, layers=report.layers
        )
    return ""


def _memory_name(machine: Machine | None) -> str:
    if machine is None or len(machine.gpus) > 1:
        return translate("fit", "Memory")
    device, whole = machine.main, size(machine.main.total_bytes).replace(".0 ", " ")
    if not device.name:
        return translate("fit", "Memory, {size}").format(size=whole)
    return translate("fit", "Memory on {device}, {size}").format(device=device_in_short(device), size=whole)


def _memory_cell(fit: Fit | None, machine: Machine | None) -> Cell:
    """Of the device that decides; it is named where it is not the one of the heading."""
    if fit is None or fit.report is None or machine is None:
        return _WAITING if fit is None or fit.waiting else Cell()
    part = fit.report.placement.deciding
    heading = len(machine.gpus) < 2 and part.device.id == machine.main.id
    return Cell(
        small="" if heading else device_in_short(part.device),
        segments=memory_segments(part),
        tip="\n".join(_tip(part)),
    )


def _tip(part: DeviceFit) -> Iterator[str]:
    yield device_name(part.device)
    needed, total = gigabytes(part.needed_bytes), gigabytes(part.device.total_bytes)
    needed_words = translate("fit", "{needed} of {total}").format(needed=needed, total=total)
    yield f"{translate('fit', 'Needed')} {needed_words}"
    yield memory_words(part)
    yield f"{translate('fit', 'Safety margin')} {gigabytes(part.margin_bytes)}"


def _share(row: PairRow) -> float:
    """How much of the device is needed; what is not known comes last."""
    if row.fit is None or row.fit.report is None:
        return float("inf")
    part = row.fit.report.placement.deciding
    return part.needed_bytes / max(1, part.device.total_bytes)


def _order(row: PairRow) -> tuple[int, int]:
    """What fits first, with the largest context; what is not known last."""
    if row.fit is None or row.fit.report is None:
        return _UNKNOWN, 0
    return row.fit.report.verdict.rank, -row.fit.report.largest_ctx
