"""Modules of the tests that run in a process of their own: llama.cpp leaves threads, settings and logs behind."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

_ROOT = Path(__file__).parents[2]


def answer_of(module: str, *arguments: str, question: object = None) -> Any:
    """What it writes as JSON on its standard output; it may read the question, too. Fails with the end of its log."""
    done = subprocess.run(
        [sys.executable, "-m", module, *arguments],
        cwd=_ROOT,
        input=json.dumps(question).encode(),
        capture_output=True,
        timeout=200,
        check=False,
    )
    assert done.returncode == 0, done.stderr.decode(errors="replace")[-4000:]
    return json.loads(done.stdout)
