"""The threads behind the Models page end when they are told to, whatever they wait for."""

from __future__ import annotations

import threading

import pytest
from pytestqt.qtbot import QtBot

from ui import models_pool
from ui.models_pool import Pool


def test_results_come_back_on_the_main_thread(qtbot: QtBot) -> None:
    """Work runs elsewhere, its value is told here."""
    pool = Pool()
    told: list[tuple[threading.Thread, threading.Thread]] = []
    pool.run(lambda task: threading.current_thread(), lambda worker: told.append((worker, threading.current_thread())))
    qtbot.waitUntil(lambda: bool(told))
    assert told[0][0] is not told[0][1] is threading.main_thread()
    pool.close()


def test_close_does_not_wait_for_a_deaf_hub(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    """Work that does not hear of its cancel is left alone; what it brings afterwards is told to nobody."""
    monkeypatch.setattr(models_pool, "CLOSE_S", 0.05)
    pool = Pool()
    begun, answer, told = threading.Event(), threading.Event(), []

    def ask(task: models_pool.Task) -> str:
        begun.set()
        answer.wait()
        return "late"

    workers = list(pool._threads)
    pool.run(ask, told.append)
    begun.wait()
    pool.close()
    assert any(worker.is_alive() for worker in workers)
    assert all(worker.daemon for worker in workers)
    answer.set()
    for worker in workers:
        worker.join()
    qtbot.wait(0)
    assert told == []


def test_what_waits_is_not_begun_after_the_close(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    """Work that no thread had taken when the pool was closed never runs."""
    monkeypatch.setattr(models_pool, "CLOSE_S", 0.05)
    pool = Pool()
    go, ran = threading.Event(), []
    for _ in range(models_pool.THREADS):
        pool.run(lambda task: go.wait(), lambda _: None)
    pool.run(lambda task: ran.append(1), lambda _: None)
    pool.close()
    go.set()
    for worker in pool._threads:
        worker.join()
    assert ran == []
