"""The queue of downloads: two at a time, in an order that can be changed, kept over restarts."""

from __future__ import annotations

import contextlib
import threading
import traceback
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from app.downloads.interrupt import Interrupt, InterruptedDownload
from app.downloads.limits import USUAL_LIMITS, Limits
from app.downloads.on_disk import remaining_bytes, remove_model
from app.downloads.saved import read_downloads, write_downloads
from app.downloads.speed import SpeedMeter
from app.downloads.state import ENDED, Download, DownloadState
from app.downloads.throttle import Throttle
from app.hub.source import Source
from app.model_values import RemoteModel
from engine.errors import EngineError, ErrorKind, ErrorReport

if TYPE_CHECKING:
    import httpx2

AT_A_TIME = 2
NOTIFY_S = 0.1
_CLOSE_S = 3.0

_ACTIVE = (DownloadState.RUNNING, DownloadState.VERIFYING)
_STOPPED = (DownloadState.PAUSED, DownloadState.FAILED, DownloadState.CANCELLED)


class _Item:
    """A download, and the thread that works on it: fetches it, or removes it after a cancel."""

    def __init__(self, download: Download) -> None:
        self.download = download
        self.thread: threading.Thread | None = None
        self.interrupt = Interrupt()
        self.meter = SpeedMeter()

    @property
    def state(self) -> DownloadState:
        return self.download.state

    def change(self, state: DownloadState, error: ErrorReport | None = None) -> None:
        self.download = replace(self.download, state=state, error=error, path=None)

    def shown(self) -> Download:
        download = self.download
        speed = self.meter.speed() if download.state is DownloadState.RUNNING else None
        if not speed or download.total_bytes is None:
            return replace(download, speed=speed)
        return replace(download, speed=speed, seconds_left=(download.total_bytes - download.done_bytes) / speed)


class Downloads:
    """Thread-safe. All methods but the constructor, which reads small files, and `close` return at once.

    What was under way when the program ended, however it ended, goes on by itself; what the user paused stays paused.
    """

    def __init__(
        self,
        folder: Path,
        state_file: Path | None,
        sources: Callable[[], Sequence[Source]],
        speed_limit: int | None = None,
        limits: Limits = USUAL_LIMITS,
    ) -> None:
        """`folder`: of models. `state_file`: None keeps no queue. `sources` is asked, on other threads, for each
        file that is not here yet. `speed_limit`: bytes a second, of all together."""
        self._folder = folder
        self._state_file = state_file
        self._sources = sources
        self._limits = limits
        self._throttle = Throttle(speed_limit)
        self._client: httpx2.Client | None = None
        self._changed = threading.Condition()  # guards all below
        self._listeners: list[Callable[[], None]] = []
        self._to_save = self._to_notify = False
        self._closed = False
        self._items = [_Item(download) for download in (read_downloads(state_file) if state_file else [])]
        for item in self._items:
            self._count_done(item)
        self._keeper = threading.Thread(target=self._keep, name="downloads", daemon=True)
        self._keeper.start()
        with self._changed:
            self._start_waiting()

    def add(self, title: str, model: RemoteModel) -> Download:
        """Put a model at the end of the queue. The one that is there is given instead; it goes on if it stood still."""
        number = download_id(model)
        with self._changed:
            item = self._find(number)
            if item is None:
                item = _Item(Download(number, title, model, total_bytes=model.size_bytes))
                self._items.append(item)
            elif item.state in _STOPPED or (item.download.path is not None and not item.download.path.exists()):
                item.download = Download(number, title, model, total_bytes=model.size_bytes)
            self._touch(save=True)
            self._start_waiting()
            return item.shown()

    def pause(self, number: str) -> None:
        """Stop it; what came is kept."""
        with self._changed:
            item = self._find(number)
            if item is not None and item.state in (DownloadState.WAITING, *_ACTIVE):
                item.change(DownloadState.PAUSED)
                item.interrupt.set()
                self._touch(save=True)

    def resume(self, number: str) -> None:
        """Let it go on, where it was paused, failed or cancelled."""
        with self._changed:
            item = self._find(number)
            if item is not None and item.state in _STOPPED:
                item.change(DownloadState.WAITING)
                self._touch(save=True)
                self._start_waiting()

    def cancel(self, number: str) -> None:
        """Stop it and remove what came. What is done stays."""
        with self._changed:
            item = self._find(number)
            if item is None or item.state in (DownloadState.DONE, DownloadState.CANCELLED):
                return
            item.change(DownloadState.CANCELLED)
            item.interrupt.set()
            self._touch(save=True)
            if item.thread is None:
                self._start(item, self._remove)

    def move(self, number: str, place: int) -> None:
        """Give it another place in the order, from 0."""
        with self._changed:
            item = self._find(number)
            if item is not None:
                self._items.remove(item)
                self._items.insert(max(0, place), item)
                self._touch(save=True)

    def forget(self, number: str) -> None:
        """Take one that is done, failed or cancelled off the list. Files stay as they are."""
        with self._changed:
            item = self._find(number)
            if item is not None and item.state in ENDED:
                self._items.remove(item)
                self._touch(save=True)

    def snapshot(self) -> tuple[Download, ...]:
        """All of them, in order."""
        with self._changed:
            return tuple(item.shown() for item in self._items)

    def subscribe(self, listener: Callable[[], None]) -> Callable[[], None]:
        """Have `listener` called after changes, on a thread of the downloads and at most every NOTIFY_S. Gives what
        ends that."""
        with self._changed:
            self._listeners.append(listener)

        def unsubscribe() -> None:
            with self._changed, contextlib.suppress(ValueError):
                self._listeners.remove(listener)

        return unsubscribe

    def set_speed_limit(self, limit: int | None) -> None:
        """Of all together, bytes a second; None for none."""
        self._throttle.limit = limit

    def close(self) -> None:
        """Stop all, so that they go on at the next start. Waits for the disk, some seconds at most."""
        with self._changed:
            self._closed = True
            for item in self._items:
                item.interrupt.set()
            self._changed.notify_all()
        self._keeper.join()  # it waits for the others, and then saves
        if self._client is not None:
            self._client.close()

    # Under the lock.

    def _find(self, number: str) -> _Item | None:
        return next((item for item in self._items if item.download.id == number), None)

    def _touch(self, *, save: bool) -> None:
        if not self._to_notify or save:  # else the keeper knows already
            self._to_notify = True
            self._to_save = self._to_save or save
            self._changed.notify_all()

    def _start_waiting(self) -> None:
        if self._closed:
            return
        free = AT_A_TIME - sum(item.thread is not None for item in self._items)
        for item in [item for item in self._items if item.state is DownloadState.WAITING and item.thread is None]:
            if free > 0:
                free -= 1
                item.change(DownloadState.RUNNING)
                item.interrupt, item.meter = Interrupt(), SpeedMeter()
                self._start(item, self._fetch)

    def _start(self, item: _Item, work: Callable[[_Item], None]) -> None:
        item.thread = threading.Thread(target=self._work, args=(item, work), name=item.download.id, daemon=True)
        item.thread.start()

    def _end(self, item: _Item) -> None:
        """Its thread has done its work."""
        item.thread = None
        if self._closed and item.state in _ACTIVE:
            item.change(DownloadState.WAITING)
        self._touch(save=True)
        self._start_waiting()

    # On an item's thread.

    def _work(self, item: _Item, work: Callable[[_Item], None]) -> None:
        work(item)
        with self._changed:
            if item.state is not DownloadState.CANCELLED or work == self._remove:
                self._end(item)
                return
        self._work(item, self._remove)

    def _fetch(self, item: _Item) -> None:
        """Until it is done, fails, or was interrupted."""
        error: ErrorReport | None = None
        path: Path | None = None
        try:
            path = self._fetched(item)
        except InterruptedDownload:
            return
        except EngineError as caught:
            error = caught.report
        except Exception as caught:  # noqa: BLE001 – a bug ends this download, and says so; not the queue
            error = ErrorReport(ErrorKind.INTERNAL, (("reason", repr(caught)),), traceback.format_exc())
        with self._changed:
            if item.state not in _ACTIVE:
                return
            if error is not None:
                item.change(DownloadState.FAILED, error)
            else:
                item.change(DownloadState.DONE)
                done = item.download.total_bytes or item.download.done_bytes
                item.download = replace(item.download, path=path, done_bytes=done)

    def _fetched(self, item: _Item) -> Path:
        # Late: these load the HTTP client, which the start of the program must not wait for.
        from app.downloads.fetching import Tools
        from app.downloads.model_fetch import Listener, fetch_model
        from app.downloads.stream import make_client

        with self._changed:
            client = self._client = self._client or make_client(self._limits)
        return fetch_model(
            item.download.model,
            self._folder,
            self._sources,
            Tools(client, self._throttle, self._limits, item.interrupt),
            Listener(lambda model: self._on_resolved(item, model), lambda *now: self._on_progress(item, *now)),
            lambda: self._reserved(item),
        )

    def _on_resolved(self, item: _Item, model: RemoteModel) -> None:
        with self._changed:
            item.download = replace(item.download, model=model, total_bytes=model.size_bytes)
            self._touch(save=True)

    def _on_progress(self, item: _Item, done: int, host: str) -> None:
        with self._changed:
            if host and done > item.download.done_bytes:
                item.meter.add(done - item.download.done_bytes)
            state = item.state
            if state in _ACTIVE:
                state = DownloadState.RUNNING if host else DownloadState.VERIFYING
            item.download = replace(item.download, state=state, done_bytes=done, source=host or item.download.source)
            self._touch(save=False)

    def _reserved(self, item: _Item) -> int:
        """What the others that run are still going to write."""
        with self._changed:
            others = [other.download for other in self._items if other is not item and other.state in _ACTIVE]
        return sum(max(0, (other.total_bytes or 0) - other.done_bytes) for other in others)

    def _remove(self, item: _Item) -> None:
        """What came of a cancelled one."""
        error: ErrorReport | None = None
        try:
            remove_model(item.download.model, self._folder)
        except EngineError as caught:
            error = caught.report
        with self._changed:
            if item.state is DownloadState.CANCELLED:
                item.download = replace(item.download, done_bytes=0, error=error)

    def _count_done(self, item: _Item) -> None:
        """How far one is that was read from the state file."""
        if item.download.total_bytes is not None:
            with contextlib.suppress(EngineError):
                done = item.download.total_bytes - remaining_bytes(self._folder, item.download.model)
                item.download = replace(item.download, done_bytes=done)

    # On the keeper's thread.

    def _keep(self) -> None:
        """Save and notify, not more often than is useful."""
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._to_notify or self._closed)
                if self._closed:
                    self._changed.wait_for(lambda: all(item.thread is None for item in self._items), _CLOSE_S)
                closed, save = self._closed, self._to_save
                self._to_notify = self._to_save = False
                listeners = list(self._listeners)
                downloads = [item.download for item in self._items]
            if save and self._state_file is not None:
                with contextlib.suppress(EngineError):  # a full disk costs the memory of the queue, not the queue
                    write_downloads(self._state_file, downloads)
            if closed:
                return
            for listener in listeners:
                listener()
            with self._changed:
                self._changed.wait_for(lambda: self._closed, NOTIFY_S)


def download_id(model: RemoteModel) -> str:
    """The same for whatever comes to lie in the same place."""
    return f"{model.repo}/{model.parts[0].path}".casefold()
