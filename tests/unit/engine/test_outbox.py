"""What the engine says leaves in order, all of it, and without making the engine wait."""

from __future__ import annotations

import subprocess
import sys
import threading

from engine.outbox import Outbox
from engine.protocol import Event, PrefillProgress

EVENTS = [PrefillProgress(1, done, 100) for done in range(100)]


def never() -> None:
    raise AssertionError


def test_events_leave_in_order_and_closing_waits_for_the_last() -> None:
    """Also where the other end is slow."""
    sent: list[Event] = []
    slow = threading.Event()

    def send(event: Event) -> None:
        slow.wait(0.001)
        sent.append(event)

    outbox = Outbox(send, never)
    for event in EVENTS:
        outbox.put(event)
    outbox.close()
    assert sent == EVENTS


def test_putting_does_not_wait_for_sending() -> None:
    """The sender is stuck in the first event while all others are put."""
    stuck, sent = threading.Event(), list[Event]()

    def send(event: Event) -> None:
        assert stuck.wait(10)
        sent.append(event)

    outbox = Outbox(send, never)
    for event in EVENTS:
        outbox.put(event)
    assert sent == []
    stuck.set()
    outbox.close()
    assert sent == EVENTS


def test_a_listener_that_is_gone_is_told_of_once() -> None:
    """And closing does not hang then."""
    told: list[str] = []

    def send(event: Event) -> None:
        raise BrokenPipeError

    outbox = Outbox(send, lambda: told.append("gone"))
    for event in EVENTS:
        outbox.put(event)
    outbox.close()
    assert told == ["gone"]


BUG = """
import time
from engine.outbox import Outbox
def send(event): raise TypeError("cannot be pickled")
Outbox(send, lambda: None).put("event")
time.sleep(20)
"""


def test_an_event_that_cannot_be_sent_ends_the_process() -> None:
    """Without it the job would wait for ever; the log says what it was."""
    done = subprocess.run([sys.executable, "-c", BUG], capture_output=True, text=True, timeout=15, check=False)
    assert done.returncode == 1
    assert "cannot be pickled" in done.stderr
