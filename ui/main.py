"""Opens the window: builds the parts, runs Qt's event loop, and ends everything in the right order."""

from __future__ import annotations

import signal
import sys
import threading

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication

from app.compare.history import FILE_NAME, History
from app.engine_client import EngineClient
from app.fit.desk import FitDesk
from app.fit.loads import LoadJudge
from app.learned import LearnedPairs
from app.paths import Paths
from app.starter import starter_pair
from engine.protocol import LoadProgress
from engine.types import LoadRequest
from ui.accessible import install_accessible
from ui.code_colours import warm_up
from ui.collector import Collector
from ui.compare_control import CompareControl
from ui.compare_store import CompareStore
from ui.fit_parts import Desk
from ui.fonts import text_font
from ui.language import Language
from ui.main_window import MainWindow
from ui.memory_control import MemoryControl
from ui.mix_control import MixControl
from ui.models_app import AppParts
from ui.models_control import ModelsControl
from ui.models_fits import ModelsFits
from ui.models_parts import Parts
from ui.pair_control import PairControl
from ui.reply_control import ReplyControl
from ui.style import install_style
from ui.worker import Client, EngineWorker, FindPair, Report, Ticket

SETTLED_MS = 1_000
MIX_FILE = "mix.sqlite3"  # in the data folder


class Program:
    """The window and what drives it. Main thread; needs a QApplication made ready with `prepare`."""

    def __init__(self, paths: Paths, client: Client, find_starter: FindPair, parts: Parts, desk: Desk) -> None:
        """`find_starter` gives the starter pair, `parts` are what the models page works with, `desk` is asked about
        memory."""
        self._client = client
        self._desk = desk
        self._collector = Collector()
        self.worker = EngineWorker(client, LoadJudge(desk, client))
        self.pairs = PairControl(self.worker, find_starter)
        self.replies = ReplyControl(self.worker, self.pairs)
        self.comparing = CompareControl(self.worker, self.pairs, self.replies)
        self.compared = CompareStore(History(paths.data / FILE_NAME))
        self.mix = MixControl(paths.data / MIX_FILE, self.pairs, self.replies)
        self.models = ModelsControl(parts)
        self.fits = ModelsFits(parts)
        self.memory = MemoryControl(desk, client)
        self.worker.informed.connect(self.memory.on_engine)
        self._language = Language()
        self.window = MainWindow(
            paths,
            self.pairs,
            self.replies,
            self.comparing,
            self.compared,
            self.mix,
            self.models,
            self.fits,
            self.memory,
            self._language,
        )
        self.worker.ask_info()

    def close(self) -> None:
        """Take no more prompts, cancel, end the engine, then the threads. Blocks until all are gone."""
        self.window.close()
        self._desk.close()
        self._client.close()
        self.worker.stop()
        self.compared.close()
        self.mix.close()
        self.fits.close()
        self.models.close()
        self.memory.close()


def prepare(application: QApplication) -> None:
    """Name, font, style, and what screen readers hear."""
    application.setApplicationName("Draftlight")
    application.setFont(text_font(13))
    install_style(application)
    install_accessible()


def run(paths: Paths) -> int:
    """The program until its window closes. Returns the exit status."""
    # Qt's loop would not let Python see Ctrl+C. The engine leaves when its pipe closes.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    application = QApplication(sys.argv[:1])
    prepare(application)
    client = EngineClient(paths.logs, LearnedPairs(paths.state))

    def find_starter(ticket: Ticket, report: Report) -> LoadRequest:
        return starter_pair(
            paths,
            client,
            on_job=ticket.attach,
            on_progress=lambda done, total: report(LoadProgress(0, "target", done, total)),
        )

    desk = FitDesk(paths)
    program = Program(paths, client, find_starter, AppParts(paths, client, desk), desk)
    program.window.show()
    # Downloads go on by themselves, once the window has been painted.
    QTimer.singleShot(SETTLED_MS, program.models.start)
    QTimer.singleShot(SETTLED_MS, threading.Thread(target=warm_up, name="code colours", daemon=True).start)
    try:
        return application.exec()
    finally:
        program.close()
