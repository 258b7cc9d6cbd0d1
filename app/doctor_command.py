"""`draftlight doctor`: what a bug report needs."""

from __future__ import annotations

import argparse
from contextlib import closing
from pathlib import Path

from app.amounts import size
from app.command import Outcome
from app.engine_client import EngineClient
from app.logs import last_crash
from app.machine import engine_document, machine_document, versions
from app.paths import Paths, free_bytes
from app.reply_document import Document, error_document
from app.starter import StarterState, starter_state
from app.terminal import Terminal
from engine.errors import EngineError, ErrorReport
from engine.types import EngineInfo

_STARTER_WORDS = {
    StarterState.READY: "ready",
    StarterState.TO_BE_MADE: "installed; its target is made at the first use",
    StarterState.NOT_INSTALLED: "not installed; python3 run.py installs it",
}


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> argparse.ArgumentParser:
    return commands.add_parser(
        "doctor",
        help="tell what a bug report needs",
        description="Tell devices, the engine's build, versions, folders, free memory and disk. Fails, with all "
        "that can be told, where the engine does not start.",
        allow_abbrev=False,
    )


def run(arguments: argparse.Namespace, paths: Paths, terminal: Terminal) -> Outcome:
    engine: EngineInfo | ErrorReport
    with closing(EngineClient(paths.logs)) as client:
        try:
            engine = client.info()
        except EngineError as error:
            engine = error.report
    failed = engine if isinstance(engine, ErrorReport) else None
    document = _document(paths, engine)
    if not arguments.json:
        terminal.answer("".join(f"{line}\n" for line in _lines(paths, engine)))
    return Outcome(int(failed is not None), document, failed)


def _document(paths: Paths, engine: EngineInfo | ErrorReport) -> Document:
    crash = last_crash(paths.logs)
    return {
        "versions": versions(),
        "machine": machine_document(),
        "engine": None if isinstance(engine, ErrorReport) else engine_document(engine),
        "error": error_document(engine) if isinstance(engine, ErrorReport) else None,
        "folders": {name: str(folder) for name, folder in _folders(paths)},
        "free_disk_bytes": _free_disk(paths.data),
        "starter": starter_state(paths).value,
        "last_crash_log": None if crash is None else str(crash),
    }


def _lines(paths: Paths, engine: EngineInfo | ErrorReport) -> list[str]:
    machine = machine_document()
    free_disk = _free_disk(paths.data)
    lines = [f"{name:20} {number or 'not installed'}" for name, number in versions().items()]
    lines += [
        f"{'system':20} {machine['system']}",
        f"{'cores':20} {machine['physical_cores']} physical, {machine['logical_cores']} logical",
        f"{'memory':20} {_free(machine['free_memory_bytes'], machine['memory_bytes'])}",
    ]
    if isinstance(engine, ErrorReport):
        lines.append(f"{'engine':20} does not start")
    else:
        lines.append(f"{'engine':20} {', '.join(engine.backends)}: {engine.system_info}")
        lines += [
            f"{device.name:20} {device.description}, {device.kind}, {_free(device.free_bytes, device.total_bytes)}"
            for device in engine.devices
        ]
    lines += [f"{name:20} {folder}" for name, folder in _folders(paths)]
    return [
        *lines,
        f"{'free disk':20} {'unknown' if free_disk is None else size(free_disk)}",
        f"{'starter pair':20} {_STARTER_WORDS[starter_state(paths)]}",
        f"{'last crash':20} {last_crash(paths.logs) or 'none'}",
    ]


def _folders(paths: Paths) -> list[tuple[str, Path]]:
    return [("data", paths.data), ("models", paths.models), ("logs", paths.logs), ("state", paths.state)]


def _free(free: object, total: object) -> str:
    assert isinstance(free, int)
    assert isinstance(total, int)
    return f"{size(free)} of {size(total)} free"


def _free_disk(folder: Path) -> int | None:
    """None if it cannot be told."""
    try:
        return free_bytes(folder)
    except OSError:
        return None
