"""What the program's processes import, proved by real interpreters."""

from __future__ import annotations

import subprocess
import sys

from tests.e2e.program import ROOT


def imported_by(statement: str) -> set[str]:
    """The modules of an interpreter that ran `statement`."""
    code = f"{statement}\nimport sys\nprint(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, cwd=ROOT, text=True, check=True)
    return set(done.stdout.split())


def test_entry_point_imports_nothing_of_the_program() -> None:
    """Each engine process may import the entry point again, so that must cost nothing."""
    modules = imported_by("import app.__main__")
    assert "app.cli" not in modules
    assert not {module.split(".")[0] for module in modules} & {"engine", "ui", "numpy", "PySide6", "llama_cpp"}


def test_command_line_imports_neither_qt_nor_llama_cpp() -> None:
    """The commands need no window, and llama.cpp belongs to the engine process alone."""
    modules = imported_by("import app.cli, app.engine_client, app.starter, app.conversation")
    assert not {module.split(".")[0] for module in modules} & {"ui", "PySide6", "shiboken6", "llama_cpp"}


def test_engine_imports_no_qt() -> None:
    """The engine process knows no window."""
    modules = imported_by("import engine.host")
    assert not {module.split(".")[0] for module in modules} & {"app", "ui", "PySide6", "shiboken6"}
