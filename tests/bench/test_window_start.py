"""How soon the window is there."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

LIMIT_S = 1.5

PROGRAM = """
import sys
from pathlib import Path
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication
import ui.main

class Application(QApplication):
    def exec(self):
        QTimer.singleShot(0, self.report)
        return QApplication.exec()

    def report(self):
        assert any(window.isVisible() and window.windowTitle() for window in self.topLevelWidgets())
        print("here", flush=True)
        self.closeAllWindows()

ui.main.QApplication = Application
sys.exit(ui.main.run(ui.main.Paths(Path(sys.argv[1]))))
"""


def test_window_is_there_soon(tmp_path: Path) -> None:
    """From the start of the interpreter to a window that has been painted, at best of three."""
    durations_s = [start(tmp_path / str(turn)) for turn in range(3)]
    assert min(durations_s) < LIMIT_S, durations_s


def start(folder: Path) -> float:
    """Start the program, wait for its window and for its end. Returns the seconds to the window."""
    begin_s = time.perf_counter()
    with subprocess.Popen([sys.executable, "-c", PROGRAM, str(folder)], stdout=subprocess.PIPE, text=True) as program:
        assert program.stdout is not None
        assert program.stdout.readline() == "here\n"
        duration_s = time.perf_counter() - begin_s
        assert program.wait(60) == 0
    return duration_s
