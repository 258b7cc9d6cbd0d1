"""The speed limit, the speed, the progress line, and stopping."""

from __future__ import annotations

import socket
import threading

import pytest

from app.downloads.interrupt import Interrupt, InterruptedDownload
from app.downloads.limits import Limits
from app.downloads.progress_line import duration, progress_line
from app.downloads.speed import WINDOW_S, SpeedMeter
from app.downloads.state import Download, DownloadState
from app.downloads.throttle import Throttle
from tests.unit.app.downloads.fetches import remote


class Clock:
    """Goes only when it is told to, or when somebody sleeps by it."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


class Sleeper(Interrupt):
    """Its sleep moves the clock."""

    def __init__(self, clock: Clock) -> None:
        super().__init__()
        self.clock = clock

    def sleep(self, seconds: float) -> None:
        self.clock.now += seconds
        self.check()


@pytest.mark.parametrize("limit", [1_000, 1_000_000, 80_000_000])
def test_the_limit_holds_over_time(limit: int) -> None:
    """Whatever the pieces, taken in turns by two downloads: no more than the limit, and not much less."""
    clock = Clock()
    throttle = Throttle(limit, clock)
    sleepers = [Sleeper(clock), Sleeper(clock)]
    piece = max(100, limit // 50)
    for number in range(1_000):
        throttle.take(piece, sleepers[number % 2])
    speed = 1_000 * piece / (clock.now - 100.0)
    assert 0.95 * limit < speed < 1.02 * limit


def test_a_changed_limit_counts_at_once() -> None:
    """Also for somebody who waits by the old one."""
    clock = Clock()
    throttle = Throttle(1, clock)

    class Impatient(Sleeper):
        def sleep(self, seconds: float) -> None:
            super().sleep(seconds)
            throttle.limit = None

    throttle.take(1_000_000, Impatient(clock))
    assert clock.now < 102
    throttle.take(10**12, Sleeper(clock))
    assert clock.now < 102


def test_a_wait_for_the_limit_can_be_interrupted() -> None:
    """At once."""
    throttle = Throttle(1)
    interrupt = Interrupt()
    interrupt.set()
    with pytest.raises(InterruptedDownload):
        throttle.take(1_000_000, interrupt)


def test_the_speed_follows_the_last_seconds() -> None:
    """Nothing at first, then the average of a few seconds, then down to 0 when nothing comes."""
    clock = Clock()
    meter = SpeedMeter(clock)
    meter.add(500)
    assert meter.speed() is None
    for _ in range(100):
        clock.now += 0.25
        meter.add(250)
    assert meter.speed() == pytest.approx(1_000, rel=0.1)
    clock.now += WINDOW_S / 2
    assert meter.speed() == pytest.approx(500, rel=0.2)
    clock.now += WINDOW_S
    assert meter.speed() == 0


def test_an_interrupt_breaks_a_read() -> None:
    """One that began before, and one that begins after."""
    ours, theirs = socket.socketpair()
    with ours, theirs:
        interrupt = Interrupt()
        interrupt.watch(ours)
        read: list[bytes] = []
        reader = threading.Thread(target=lambda: read.append(ours.recv(10)))
        reader.start()
        interrupt.set()
        reader.join(30)
        assert read == [b""]
    ours, theirs = socket.socketpair()
    with ours, theirs:
        interrupt.watch(ours)
        assert ours.recv(10) == b""
        with pytest.raises(InterruptedDownload):
            interrupt.check()


def test_waits_grow_and_have_a_limit() -> None:
    """About twice as long each time, never the same for everybody."""
    limits = Limits()
    for attempt in range(1, 20):
        wait = limits.wait_before(attempt)
        assert 0.5 * min(30, 2 ** (attempt - 1)) <= wait <= 1.5 * min(30, 2 ** (attempt - 1))
    assert len({limits.wait_before(3) for _ in range(10)}) > 1


def a_download(**changes: object) -> Download:
    values = {"state": DownloadState.RUNNING, "done_bytes": 1_200_000_000, "total_bytes": 4_800_000_000}
    return Download("id", "Title", remote(b"GGUF"), **{**values, **changes})


def test_the_line_shows_how_much_how_fast_how_long() -> None:
    """Of all downloads together; it never fills the line, which would wrap."""
    both = [a_download(speed=10e6), a_download(speed=2e6, done_bytes=0, total_bytes=1_200_000_000)]
    assert progress_line(both, 100) == "[####....................]  20 % of 6.0 GB  12 MB/s  7 min left"
    assert progress_line([a_download(total_bytes=None, speed=5e6)], 100) == "1.2 GB  5 MB/s"
    assert progress_line([a_download()], 100) == "[######..................]  25 % of 4.8 GB"
    reading = progress_line([a_download(state=DownloadState.VERIFYING)], 100)
    assert reading.endswith("reading what is here")
    assert len(progress_line(both, 20)) == 19
    assert progress_line([], 80) == "0 bytes"


@pytest.mark.parametrize(
    ("seconds", "words"), [(0.4, "0 s"), (89, "89 s"), (200, "3 min"), (5_000, "83 min"), (7_500, "2 h 05 min")]
)
def test_times_are_as_exact_as_a_guess(seconds: float, words: str) -> None:
    """Seconds, minutes, hours."""
    assert duration(seconds) == words
