"""When memory is short: what a report of it says, and whether a fault was one."""

from __future__ import annotations

from dataclasses import replace

from app.fit.forecast import Forecast
from app.fit.values import Verdict
from app.fit_words import changes_words
from engine.errors import ErrorKind, ErrorReport
from engine.memory_words import ran_out_of_memory


def would_not_fit(forecast: Forecast) -> ErrorReport:
    """Why a load is not even tried."""
    return ErrorReport(ErrorKind.WOULD_NOT_FIT, _facts(forecast))


def may_be_shortage(report: ErrorReport) -> bool:
    """Whether memory ran out, or may have."""
    if report.kind is ErrorKind.OUT_OF_MEMORY:
        return True
    return report.kind is ErrorKind.ENGINE_DIED and (_is_killed(report) or ran_out_of_memory(report.detail))


def explained(report: ErrorReport, forecast: Forecast) -> ErrorReport:
    """The same fault with the figures of memory. An engine that was killed while there was room keeps its own words:
    it may have been anybody."""
    if _is_killed(report) and forecast.verdict is Verdict.FITS:
        return report
    return replace(report, facts=report.facts + _facts(forecast))


def _is_killed(report: ErrorReport) -> bool:
    """By the system, say, which does so where memory ends; not by ourselves."""
    return report.fact("signal") == "SIGKILL" and not report.fact("reason")


def _facts(forecast: Forecast) -> tuple[tuple[str, str | int | float], ...]:
    report, proposal = forecast.report, forecast.proposal
    part = report.placement.deciding
    remedy = "" if proposal is None else changes_words(proposal.settings, report.settings, report.layers)
    return (
        ("verdict", forecast.verdict.value),
        ("device", part.device.name),
        ("ctx", report.settings.ctx),
        ("need_bytes", part.need_bytes),
        ("free_bytes", part.device.available_bytes),
        ("margin_bytes", part.margin_bytes),
        ("others_bytes", part.device.others_bytes),
        ("remedy", remedy),
    )
