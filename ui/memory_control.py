"""What is known of the devices' memory while the program runs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from PySide6.QtCore import QObject, QTimer, Signal

from app.devices.device import Device, Machine, OwnUse
from app.fit.forecast import Forecast
from app.fit.live import MarginWatch
from app.fit.margin import missing_bytes
from app.fit.taken import is_used, taken_by_device, untold
from app.fit.values import DeviceFit, Verdict
from engine.errors import ErrorReport
from engine.types import EngineInfo, LoadedPair
from ui.fit_parts import Desk
from ui.models_pool import Pool
from ui.worker import Client

WATCHED_MS = 2_000  # from one reading to the next while the window is seen
UNWATCHED_MS = 10_000

Sizes = Mapping[str, int]  # bytes by the device's id


@dataclass(frozen=True, slots=True)
class Reading:
    """The devices as they were last read.

    Attributes:
        margins: what is to stay free.
        loaded: whether a pair is.
        fits: what was predicted of it, by the device's id; empty where nothing was.
    """

    machine: Machine
    margins: Sizes
    loaded: bool = False
    fits: Mapping[str, DeviceFit] = field(default_factory=lambda: MappingProxyType({}))


class MemoryControl(QObject):
    """Main thread. The devices are read in a thread of its own, one reading at a time: while a driver hangs, nothing
    more is asked.

    Attributes:
        forecast: what was predicted of the loaded pair; None where nothing was, or none is loaded.
        reading: the last one that belongs to what is loaded or was before; None until the devices were read.

    Signals:
        changed(): the reading, or what is low, is another.
    """

    changed = Signal()

    def __init__(self, desk: Desk, client: Client) -> None:
        super().__init__()
        self.forecast: Forecast | None = None
        self.reading: Reading | None = None
        self._desk = desk
        self._client = client
        self._pool = Pool(threads=1)
        self._pair: LoadedPair | None = None
        self._engine: EngineInfo | None = None
        self._engine_answered = False
        self._watch = MarginWatch()
        self._learned = True  # from the present load
        self._again = False
        self._asking = False
        self._stale = False  # what is being read was asked for before something changed
        self._asked_pid: int | None = None
        self._pause = QTimer(self)
        self._pause.setSingleShot(True)
        self._pause.setInterval(UNWATCHED_MS)
        self._pause.timeout.connect(self.look)

    # what is known

    @property
    def machine(self) -> Machine | None:
        """As it was last read."""
        return self.reading.machine if self.reading else None

    @property
    def measured(self) -> Sizes:
        """What the engine holds of each device; empty while no pair is loaded."""
        devices = self.reading.machine.memories if self.reading and self.reading.loaded else ()
        return {device.id: device.ours_bytes for device in devices if device.live and device.ours_bytes}

    @property
    def short(self) -> Sizes:
        """How much less than the margin is free, for the devices of the pair where it is less."""
        missing = {device.id: missing_bytes(device, margin) for device, margin in _used(self.reading)}
        return {device_id: size for device_id, size in missing.items() if size}

    @property
    def low(self) -> tuple[tuple[Device, int], ...]:
        """The devices of the pair whose memory has become short, each with its margin, unless dismissed."""
        return tuple((device, margin) for device, margin in _used(self.reading) if device.id in self._watch.low)

    # what happens

    def on_engine(self, answer: EngineInfo | ErrorReport) -> None:
        """The engine has told which devices it can use, or did not start; before that nothing is read."""
        self._engine = answer if isinstance(answer, EngineInfo) else None
        self._engine_answered = True
        self.look()

    def on_pair(self, pair: LoadedPair | None, forecast: Forecast | None, *, again: bool = False) -> None:
        """What is loaded now, and what was predicted of it. May be called again with the same.

        From each load is learned once; not from one that came back after a crash, which is `again`.
        """
        forecast = forecast if pair else None
        if pair is not self._pair or forecast is not self.forecast:
            self._pair, self.forecast = pair, forecast
            self._desk.held = {}
            self._learned = forecast is None
            self._again = again
            was_low, self._watch = self.low, MarginWatch(() if again else _accepted(forecast))
            if was_low:  # of another pair
                self.changed.emit()
        elif self._client.pid == self._asked_pid:
            return
        self.look()

    def show_watched(self, watched: bool) -> None:
        """Whether the window is seen: then more is read, and at once when it comes into view."""
        pause = WATCHED_MS if watched else UNWATCHED_MS
        if pause == self._pause.interval():
            return
        self._pause.setInterval(pause)
        if watched:
            self.look()

    def dismiss(self) -> None:
        """The user knows that memory is short; say it again only after it was enough."""
        self._watch.dismiss()
        self.changed.emit()

    def look(self) -> None:
        """Read the devices now, or as soon as the present reading has ended."""
        if not self._engine_answered:
            return
        self._pause.stop()
        if self._asking:
            self._stale = True
            return
        self._asking, self._stale = True, False
        engine, desk, own = self._engine, self._desk, OwnUse(self._client.pid)
        self._asked_pid = own.pid

        def read(_: object) -> tuple[Machine, Sizes]:
            machine = desk.machine(engine, own)
            return machine, desk.margins(machine)

        self._pool.run(read, lambda answer: self._on_read(*answer), self._on_failed)

    def close(self) -> None:
        self._pause.stop()
        self._pool.close()

    def _on_read(self, machine: Machine, margins: Sizes) -> None:
        self._asking = False
        if self._stale or self._learn(machine):
            self.look()
            return
        before = self.reading, self.low
        parts = self.forecast.report.placement.devices if self.forecast else ()
        # Of a loaded pair those with which it was judged; what its own load taught is for the next.
        margins = {**margins, **{part.device.id: part.margin_bytes for part in parts}}
        fits = {part.device.id: part for part in parts}
        self.reading = Reading(machine, margins, self._pair is not None, fits)
        self._watch.look((device for device, _ in _used(self.reading)), margins)
        if (self.reading, self.low) != before:
            self.changed.emit()
        self._pause.start()

    def _on_failed(self, _: ErrorReport) -> None:
        """What was read before is not true any more."""
        self._asking = False
        self.reading = None
        self.changed.emit()
        self._pause.start()

    def _learn(self, after: Machine) -> bool:
        """Once for each load, from the first reading after it. Whether the devices have to be read again, because they
        do not tell what was learned."""
        if self._learned or self.forecast is None:
            return False
        self._learned = True
        forecast, desk = self.forecast, self._desk
        if not self._again:
            self._pool.run(lambda _: desk.record(forecast, after), lambda _: None)
        desk.held = untold(taken_by_device(forecast.report.placement, forecast.machine, after), after)
        return bool(desk.held)


def _used(reading: Reading | None) -> list[tuple[Device, int]]:
    """What the loaded pair is on, as far as it can be read, with what is to stay free of it."""
    if reading is None or not reading.loaded:
        return []
    devices = [device for device in reading.machine.memories if device.live]
    if reading.fits:
        used = [device for device in devices if device.id in reading.fits and is_used(reading.fits[device.id])]
    else:
        used = [device for device in devices if device.ours_bytes]
    return [(device, reading.margins[device.id]) for device in used]


def _accepted(forecast: Forecast | None) -> list[str]:
    """Devices on which the user was told that it would be tight."""
    parts = forecast.report.placement.devices if forecast else ()
    return [part.device.id for part in parts if part.verdict is not Verdict.FITS]
