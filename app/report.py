"""An error as text for a bug report."""

from __future__ import annotations

import platform

from app.version import VERSION
from engine.errors import ErrorReport
from engine.types import EngineInfo, LoadRequest


def report_text(report: ErrorReport, engine: EngineInfo | None, request: LoadRequest | None) -> str:
    """Kind, facts, machine and log, without anything of the conversation."""
    lines = [f"Draftlight {VERSION}", f"{platform.platform()}, Python {platform.python_version()}"]
    if engine is not None:
        devices = ", ".join(device.description or device.name for device in engine.devices)
        lines += [f"llama-cpp-python {engine.llama_cpp_python}, {' '.join(engine.backends)}, {devices}"]
    lines += ["", f"error: {report.kind.value}"]
    lines += [f"{name}: {value}" for name, value in report.facts]
    if request is not None:
        lines += ["", str(request)]
    if report.detail:
        lines += ["", report.detail]
    return "\n".join(lines)
