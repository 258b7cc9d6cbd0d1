"""How soon the Models page is there with 5,000 models, and how long anything on it holds up the main thread."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from time import perf_counter

import pytest
from PySide6.QtCore import QElapsedTimer, QEventLoop, Qt, QTimer
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.fit.desk import FitDesk
from app.library.library import Library
from app.model_settings import ModelSettings
from app.paths import Paths
from tests.fakes import tapes
from tests.fakes.fake_client import FakeClient
from tests.fakes.fake_desk import FakeDesk
from tests.fakes.gguf_files import Tiny, write_model
from tests.gui.shell import WIDE, ignore_platform, prepared_application
from ui.main import Program
from ui.models_app import AppParts
from ui.models_page import LOCAL

pytestmark = ignore_platform

FILES = 5_000
OPEN_LIMIT_S = 0.5
WORK_LIMIT_S = 0.1  # sorting and filtering


class Heart:
    """Beats every millisecond on the main thread and remembers the longest pause, in milliseconds."""

    def __init__(self) -> None:
        self.longest_ms = 0.0
        self._clock = QElapsedTimer()
        self._timer = QTimer()
        self._timer.setTimerType(Qt.TimerType.PreciseTimer)
        self._timer.timeout.connect(self._beat)

    def start(self) -> None:
        self.longest_ms = 0.0
        self._clock.start()
        self._timer.start(1)

    def stop(self) -> float:
        self._timer.stop()
        return self.longest_ms

    def _beat(self) -> None:
        self.longest_ms = max(self.longest_ms, self._clock.nsecsElapsed() / 1e6)
        self._clock.restart()


@pytest.fixture
def paths(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Paths:
    """A models folder with 5,000 models that an earlier start has looked through."""
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    paths = Paths(tmp_path / "base")
    data = write_model(tmp_path / "tiny.gguf", Tiny(layers=1, width=32, vocab_size=300)).read_bytes()
    for number in range(FILES):
        path = paths.models / f"owner-{number // 50}" / "repo" / f"Model-{number}-Q4_K_M.gguf"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    library = Library(paths, ModelSettings())
    library.scan()
    library.close()
    return paths


def test_page_with_many_models(qtbot: QtBot, paths: Paths, capsys: pytest.CaptureFixture[str]) -> None:
    """From the click to a painted table of all models; then sorting and filtering; then the longest pause of a scan."""
    prepared_application()
    client = FakeClient()
    desk, parts = FakeDesk(paths.state), AppParts(paths, client, FitDesk(paths))
    program = Program(paths, client, lambda ticket, report: tapes.REQUEST, parts, desk)
    window, page, models = program.window, program.window.models_page, program.models
    try:
        window.resize(WIDE)
        window.show()
        qtbot.waitExposed(window)
        page.show_tab(LOCAL)
        rows, heart = page.local.table.rows, Heart()

        def timed(act: Callable[[], object]) -> float:
            begin = perf_counter()
            act()
            page.repaint()
            return perf_counter() - begin

        begin = perf_counter()
        window.rail.chosen.emit("models")
        while rows.rowCount() < FILES:
            QApplication.processEvents(QEventLoop.ProcessEventsFlag.WaitForMoreEvents)
            assert perf_counter() - begin < 60
        page.repaint()
        opened_s = perf_counter() - begin
        heart.start()
        qtbot.waitUntil(lambda: not models.scanning, timeout=120_000)
        pause_ms = heart.stop()
        sorted_s = timed(lambda: page.local.table.sortByColumn(0, Qt.SortOrder.DescendingOrder))
        filtered_s = timed(lambda: page._filter.setText("model 499 q4"))
        assert rows.rowCount() == 15
        cleared_s = timed(lambda: page._filter.clear())
    finally:
        program.close()
    with capsys.disabled():
        sys.stdout.write(
            f"\n{FILES} models: open {opened_s:.3f} s, sort {sorted_s:.3f} s, filter {filtered_s:.3f} s, "
            f"clear {cleared_s:.3f} s, longest pause while scanning {pause_ms:.0f} ms\n"
        )
    assert opened_s < OPEN_LIMIT_S
    assert max(sorted_s, filtered_s, cleared_s) < WORK_LIMIT_S
