"""How long the main thread is away while the real engine loads, writes and is stopped."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import Qt, QTimer
from pytestqt.qtbot import QtBot

from app.engine_client import EngineClient
from app.fit.desk import FitDesk
from app.paths import Paths
from engine.types import EndReason, LoadRequest
from tests.conftest import StarterFiles
from tests.gui.shell import ignore_platform, prepared_application
from ui.main import Program
from ui.models_app import AppParts

LIMIT_S = 0.050
PATIENCE_MS = 240_000

pytestmark = ignore_platform


class Watch:
    """Ticks every millisecond and keeps the longest work in between.

    Counted is the main thread's own processor time: the engine takes every core it is given, and what it takes
    away is no fault of the window.
    """

    def __init__(self) -> None:
        self.longest_s = 0.0
        self._last_s = time.thread_time()
        self._timer = QTimer(interval=1, timerType=Qt.TimerType.PreciseTimer)
        self._timer.timeout.connect(self._tick)
        self._timer.start()

    def stop(self) -> None:
        self._timer.stop()

    def _tick(self) -> None:
        now_s = time.thread_time()
        self.longest_s = max(self.longest_s, now_s - self._last_s)
        self._last_s = now_s


@pytest.fixture
def program(qtbot: QtBot, starter: StarterFiles, tmp_path: Path) -> Iterator[Program]:
    prepared_application()
    client = EngineClient(tmp_path / "logs")
    paths, request = Paths(tmp_path), LoadRequest(str(starter.target), str(starter.draft))
    desk = FitDesk(paths)
    opened = Program(paths, client, lambda _ticket, _report: request, AppParts(paths, client, desk), desk)
    opened.window.show()
    yield opened
    opened.close()
    opened.window.deleteLater()


def test_main_thread_is_never_away(qtbot: QtBot, program: Program) -> None:
    """Load, streaming and cancel with real weights leave the main thread free within the limit."""

    def wait(condition: Callable[[], object]) -> None:
        qtbot.waitUntil(lambda: bool(condition()), timeout=PATIENCE_MS)

    window, replies = program.window, program.replies
    wait(lambda: program.pairs.engine is not None)
    watch = Watch()
    program.pairs.open_starter()
    wait(lambda: program.pairs.pair is not None)
    loading_s, watch.longest_s = watch.longest_s, 0.0
    replies.send(window.chat.conversations.current, "Write a long story about a lighthouse.")
    reply = window.chat.conversations.current.last_reply
    assert reply is not None
    wait(lambda: reply.fold.stats.completion_tokens > 400 or not reply.running)
    window.chat.stop()
    wait(lambda: replies.writing is None)
    watch.stop()
    assert reply.fold.end in (EndReason.CANCELLED, EndReason.STOP)
    assert loading_s < LIMIT_S
    assert watch.longest_s < LIMIT_S
