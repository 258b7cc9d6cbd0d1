"""What a start of the engine does with signals."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

_ROOT = Path(__file__).parents[3]

# The mask of the thread right before and after the interpreter's first process of its own has been started.
_FIRST_START = """
import signal
from app.engine_process import SPAWN, interrupts_blocked

def is_blocked():
    return signal.SIGINT in signal.pthread_sigmask(signal.SIG_BLOCK, ())

if __name__ == "__main__":
    process = SPAWN.Process(target=print, args=("started",))
    with interrupts_blocked():
        masks = [is_blocked()]
        process.start()
        masks.append(is_blocked())
    masks.append(is_blocked())
    process.join()
    print(*masks)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="there are no such masks")
def test_the_first_start_of_a_process_leaves_interrupts_blocked(tmp_path: Path) -> None:
    """multiprocessing starts a helper with the first one, which would unblock them; only a new interpreter shows it."""
    script = tmp_path / "first_start.py"
    script.write_text(_FIRST_START, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, str(script)], env={"PYTHONPATH": str(_ROOT)}, capture_output=True, timeout=60, check=True
    )
    assert done.stderr == b""
    assert done.stdout.split() == [b"started", b"True", b"True", b"False"]
