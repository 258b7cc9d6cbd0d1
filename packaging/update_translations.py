"""Collects the texts of the program into the translation files and compiles them.

Run it after changing a text, write what is missing into the .ts files (Qt Linguist opens them), run it again.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import PySide6

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "ui" / "translations"
TOOLS = Path(PySide6.__file__).parent


def sources() -> list[str]:
    """Every module that may hold a text, in a steady order."""
    return [str(file.relative_to(ROOT)) for package in ("app", "ui") for file in sorted((ROOT / package).rglob("*.py"))]


def collect(file: Path) -> None:
    """Bring the texts of the program into a .ts file; those that are gone from the program leave it."""
    options = ["-locations", "none", "-no-obsolete", "-source-language", "en", "-silent"]
    _run("lupdate", *options, *sources(), "-ts", str(file))


def compile_to(file: Path, result: Path) -> None:
    """Compile a .ts file."""
    _run("lrelease", "-silent", str(file), "-qm", str(result))


def _run(tool: str, *arguments: str) -> None:
    suffix = ".exe" if sys.platform == "win32" else ""
    subprocess.run([str(TOOLS / (tool + suffix)), *arguments], cwd=ROOT, check=True)


if __name__ == "__main__":
    for translation in sorted(FOLDER.glob("*.ts")):
        collect(translation)
        compile_to(translation, translation.with_suffix(".qm"))
