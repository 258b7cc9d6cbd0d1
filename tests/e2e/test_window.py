"""The window with the real engine and real weights."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import pytest
from pytestqt.qtbot import QtBot

from app.conversation import ReplyTurn
from app.engine_client import EngineClient
from app.fit.desk import FitDesk
from app.generation_settings import GenerationSettings
from app.paths import Paths
from engine.types import EndReason, LoadRequest, SamplingSettings
from tests.conftest import StarterFiles
from tests.e2e.program import engines, family
from tests.gui.shell import ignore_platform, prepared_application
from ui.cards import Action
from ui.main import Program
from ui.models_app import AppParts

pytestmark = ignore_platform

PATIENCE_MS = 240_000


class Window:
    """A program on a real client."""

    def __init__(self, qtbot: QtBot, program: Program, client: EngineClient) -> None:
        self.bot = qtbot
        self.program = program
        self.client = client
        self.chat = program.window.chat

    def wait(self, condition: Callable[[], object]) -> None:
        self.bot.waitUntil(lambda: bool(condition()), timeout=PATIENCE_MS)

    @property
    def loaded(self) -> bool:
        return self.program.pairs.pair is not None and self.program.pairs.loading is None

    def load(self) -> None:
        self.program.pairs.open_starter()
        self.wait(lambda: self.loaded)

    def send(self, text: str) -> ReplyTurn:
        self.program.replies.send(self.chat.conversations.current, text)
        reply = self.chat.conversations.current.last_reply
        assert reply is not None
        return reply

    def ask(self, text: str) -> ReplyTurn:
        reply = self.send(text)
        self.wait(lambda: not reply.running)
        return reply


@pytest.fixture
def window(qtbot: QtBot, starter: StarterFiles, tmp_path: Path) -> Iterator[Window]:
    prepared_application()
    client = EngineClient(tmp_path / "logs")
    request = LoadRequest(str(starter.target), str(starter.draft), ctx=2_048)
    paths = Paths(tmp_path)
    desk = FitDesk(paths)
    program = Program(paths, client, lambda _ticket, _report: request, AppParts(paths, client, desk), desk)
    program.replies.settings = GenerationSettings(
        sampling=SamplingSettings(temperature=0.0), random_seed=False, max_tokens=48, draft_length=4
    )
    program.window.show()
    yield Window(qtbot, program, client)
    program.close()
    program.window.deleteLater()


def test_speculation_does_not_change_the_text(window: Window) -> None:
    """With speculation off the window shows the same greedy text as with it on, without loading anew."""
    window.load()
    on = window.ask("Count from one to ten in words.")
    window.chat.new_chat()
    window.program.window.top_bar.speculation.toggle()
    off = window.ask("Count from one to ten in words.")
    assert on.text == off.text
    assert on.fold.stats.accepted > 0
    assert off.fold.stats.drafted == 0
    assert window.program.window.status_line.state.startswith("Engine ready · CPU · n_ctx 2,048")


def test_killed_engine(window: Window) -> None:
    """kill -9 in a reply keeps the text, the pair comes back, Write again begins with the same words."""
    window.program.replies.settings = GenerationSettings(
        sampling=SamplingSettings(temperature=0.0), random_seed=False, max_tokens=400, draft_length=4
    )
    window.load()
    reply = window.send("Write a story about a lighthouse.")
    window.wait(lambda: reply.fold.stats.completion_tokens >= 8)
    assert window.client.pid is not None
    os.kill(window.client.pid, signal.SIGKILL)
    window.wait(lambda: not reply.running and window.loaded)
    text = reply.text
    assert text
    assert window.chat.notices.notices[0].actions[0] is Action.WRITE_AGAIN
    window.chat.notices.press(Action.WRITE_AGAIN)
    again = window.chat.conversations.current.last_reply
    assert again is not None
    window.wait(lambda: len(again.text) >= len(text) or not again.running)
    window.chat.stop()
    window.wait(lambda: not again.running)
    assert again.text.startswith(text)


def test_memory(window: Window, tmp_path: Path) -> None:
    """What a load took is near to what was said before, and is written down; an unload gives it back."""
    memory, folder = window.program.memory, Paths(tmp_path).state
    window.wait(lambda: memory.machine)
    assert memory.machine is not None
    system = memory.machine.system
    window.load()
    window.wait(lambda: memory.reading and memory.reading.fits)
    assert memory.reading is not None
    assert 0.9 < memory.measured[system.id] / memory.reading.fits[system.id].need_bytes < 1.1
    window.wait(lambda: (folder / "fit.json").exists())
    window.program.pairs.unload()
    window.wait(lambda: memory.machine and not memory.machine.system.ours_bytes)
    assert memory.measured == {}


def test_stop(window: Window) -> None:
    """Stop ends the reply within a round, and the next message is answered."""
    window.program.replies.settings = GenerationSettings(max_tokens=400)
    window.load()
    reply = window.send("Write a story about a lighthouse.")
    window.wait(lambda: reply.fold.stats.completion_tokens >= 4)
    window.chat.stop()
    window.wait(lambda: not reply.running)
    assert reply.fold.end is EndReason.CANCELLED
    window.program.replies.settings = GenerationSettings(max_tokens=4)
    assert window.ask("Hello").fold.stats.completion_tokens > 0


def test_file_that_is_no_model(window: Window, tmp_path: Path) -> None:
    """A file that is no model is refused by its name; what was loaded stays loaded and writes."""
    page = tmp_path / "page.gguf"
    page.write_text("<html>")
    window.load()
    window.program.pairs.open(LoadRequest(str(page)))
    window.wait(lambda: window.chat.notices.notices)
    assert "page.gguf" in window.chat.notices.notices[0].title
    assert window.client.pair is not None
    assert window.ask("Hello").fold.stats.completion_tokens > 0


def test_program_that_is_interrupted(tmp_path: Path) -> None:
    """Ctrl+C in the terminal ends the window, and its engine goes with it."""
    with subprocess.Popen([sys.executable, "-m", "app", "--base-dir", str(tmp_path)]) as program:
        while not engines(program):
            assert program.poll() is None
        children = family(program)
        program.send_signal(signal.SIGINT)
        assert program.wait(60) == -signal.SIGINT
    _, alive = psutil.wait_procs(children, timeout=60)
    assert not alive
