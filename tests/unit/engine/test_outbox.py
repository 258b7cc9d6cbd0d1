"""What the engine says leaves in order, all of it, and without making the engine wait."""

from __future__ import annotations

import subprocess
import sys
import threading
import time
from queue import SimpleQueue

from engine.outbox import Outbox
from engine.protocol import Event, Finished, PrefillProgress
from engine.types import DraftRound, EndReason

EVENTS = [PrefillProgress(1, done, 100) for done in range(100)]


def never() -> None:
    raise AssertionError


def test_events_leave_in_order_and_closing_waits_for_the_last() -> None:
    """Also where the other end is slow."""
    sent: list[Event] = []
    slow = threading.Event()

    def send(events: tuple[Event, ...]) -> None:
        slow.wait(0.001)
        sent.extend(events)

    outbox = Outbox(send, never)
    for event in EVENTS:
        outbox.put(event)
    outbox.close()
    assert sent == EVENTS


def test_putting_does_not_wait_for_sending() -> None:
    """The sender is stuck in the first event while all others are put."""
    stuck, sent = threading.Event(), list[Event]()

    def send(events: tuple[Event, ...]) -> None:
        assert stuck.wait(10)
        sent.extend(events)

    outbox = Outbox(send, never)
    for event in EVENTS:
        outbox.put(event)
    assert sent == []
    stuck.set()
    outbox.close()
    assert sent == EVENTS


def a_round(number: int) -> DraftRound:
    return DraftRound(1, number, (), 0, 0, (), 0.0, 0.0, 0.0, 0.0)


def test_rounds_travel_together() -> None:
    """The first leaves at once, and then some at a time: each message takes a core from the pass under way."""
    rounds: list[Event] = [a_round(number) for number in range(40)]
    messages: list[tuple[Event, ...]] = []
    outbox = Outbox(messages.append, never, pause_s=0.1)
    begin = time.perf_counter()
    for event in rounds:
        outbox.put(event)
        time.sleep(0.01)
    outbox.close()
    assert [event for message in messages for event in message] == rounds
    assert 2 < len(messages) <= 3 + (time.perf_counter() - begin) / 0.1


def test_what_is_not_a_round_leaves_at_once_and_takes_rounds_along() -> None:
    """So nobody waits for the end of a reply, nor for what a load has to say."""
    first, second, end = a_round(0), a_round(1), Finished(1, EndReason.STOP, "", 0.0, 0.0)
    messages: SimpleQueue[tuple[Event, ...]] = SimpleQueue()
    outbox = Outbox(messages.put, never, pause_s=1000)
    outbox.put(first)
    assert messages.get(timeout=10) == (first,)
    outbox.put(second)
    time.sleep(0.1)
    assert messages.empty()
    outbox.put(end)
    assert messages.get(timeout=10) == (second, end)
    outbox.close()


def test_a_listener_that_is_gone_is_told_of_once() -> None:
    """And closing does not hang then."""
    told: list[str] = []

    def send(events: tuple[Event, ...]) -> None:
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
