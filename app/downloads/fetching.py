"""Gets one file whole onto the disk, whatever happens on the way."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain

import httpx2

from app.downloads.bounds import Bounds
from app.downloads.interrupt import Interrupt
from app.downloads.limits import Limits
from app.downloads.part_file import MAGIC, PartFile
from app.downloads.stream import RangeRefusedError, Stream, TroubleError, open_stream
from app.downloads.throttle import Throttle
from app.hub.http import phrase, refused, unreachable
from app.hub.source import Source
from app.model_values import RemoteModel, RemotePart
from engine.errors import EngineError, ErrorKind
from engine.gguf import read_header


@dataclass(frozen=True, slots=True)
class Tools:
    """What a download works with."""

    client: httpx2.Client
    throttle: Throttle
    limits: Limits
    interrupt: Interrupt


class PartFetch:
    """One file, from the first of `sources` that gives it. One thread.

    A source goes on where another one stopped only where the SHA-256 is known; otherwise the file could become half
    this and half that.
    """

    def __init__(
        self,
        file: PartFile,
        model: RemoteModel,
        part: RemotePart,
        sources: Sequence[Source],
        tools: Tools,
        on_progress: Callable[[int, str], None],
    ) -> None:
        """`on_progress` is called with the bytes so far, and the host that they come from ("" where it is the disk)."""
        self._file = file
        self._model = model
        self._part = part
        self._sources = sources
        self._tools = tools
        self._on_progress = on_progress
        self._ranges_refused = 0  # in a row, by the source that is asked now

    def run(self) -> None:
        """Fill the file until it is right, and give it its name.

        Raises:
            EngineError: the first source's, where none had it; DOWNLOAD_WRONG_HASH, DOWNLOAD_NOT_GGUF or
                DOWNLOAD_WRONG_SIZE where what came is wrong for the second time, which is then not kept; DISK_FULL,
                FOLDER_UNWRITABLE.
            InterruptedDownload: what came is kept.
        """
        order = list(self._sources)
        self._fill(order)
        if self._fault() is not None:
            self._file.restart()
            self._on_progress(0, "")
            self._fill([*order[1:], order[0]])  # another one may have it right
        fault = self._fault()
        if fault is not None:
            self._file.discard()
            raise fault
        self._file.finish()

    def _fill(self, sources: Sequence[Source]) -> None:
        """Until all bytes are there."""
        if not any(self._may_go_on(source) for source in sources):
            self._file.restart()
        first_error: EngineError | None = None
        for source in sources:
            if self._is_complete():
                return
            try:
                if self._may_go_on(source):
                    self._fill_from(source)
            except TroubleError as trouble:
                first_error = first_error or trouble.error
        if not self._is_complete():
            assert first_error is not None
            raise first_error

    def _may_go_on(self, source: Source) -> bool:
        return not self._file.length or bool(self._file.record.sha256) or self._file.record.source == source.name

    def _fill_from(self, source: Source) -> None:
        """Raises TroubleError where the source is given up."""
        limits, interrupt = self._tools.limits, self._tools.interrupt
        self._ranges_refused = tries = 0
        while not self._is_complete():
            before = self._file.length
            try:
                self._read(source)
                continue
            except TroubleError as error:
                interrupt.check()  # a broken connection may mean just this
                trouble = error
            tries = 1 if self._file.length > before else tries + 1
            at_once = trouble.wait is not None and tries <= 2
            wait = max(trouble.wait or 0.0, 0.0 if at_once else limits.wait_before(tries))
            if trouble.lasting or tries >= limits.tries or wait > limits.longest_asked:
                raise trouble
            if self._file.length > before:
                self._file.checkpoint()
            limits.sleep(interrupt, wait)

    def _is_complete(self) -> bool:
        size = self._file.record.size
        return size is not None and self._file.length >= size

    def _read(self, source: Source) -> None:
        """One request, as far as it goes. Raises TroubleError where that is not the end."""
        file, tools = self._file, self._tools
        # Who refuses a range twice, or sends everything instead, is asked for everything.
        start = file.length if self._ranges_refused < 2 else 0
        etag = file.record.etag if file.record.sha256 is None else None  # the hash knows better
        try:
            with open_stream(
                tools.client, source, self._model, self._part, start, etag, tools.limits, tools.interrupt
            ) as stream:
                self._take(source, stream, start)
        except RangeRefusedError as refusal:
            self._ranges_refused += 1
            size = file.record.size
            if size is None and refusal.total in (None, file.length) and self._is_whole():
                file.record = replace(file.record, size=file.length)
            elif None not in (size, refusal.total) and size != refusal.total:
                raise TroubleError(self._another_file(refusal.total)) from refusal
            else:
                raise

    def _take(self, source: Source, stream: Stream, asked: int) -> None:
        """The bytes of an answer."""
        file, tools = self._file, self._tools
        pieces = stream.pieces() if stream.start else self._models_only(stream)
        self._learn(source, stream)
        if stream.start < asked:
            self._ranges_refused += 1
            if self._ranges_refused < 2:
                raise TroubleError(refused(stream.host, 200, phrase(200)), wait=0.0)
        elif asked:
            self._ranges_refused = 0
        bounds = Bounds(file, tools.limits.margin_bytes)
        safe_at, deadline = file.length, time.monotonic() + tools.limits.checkpoint_s
        for piece in self._behind(file.length - stream.start, pieces):
            if file.record.size is not None and file.length + len(piece) > file.record.size:
                raise TroubleError(self._another_file(None))
            bounds.room()
            file.append(piece)
            self._on_progress(file.length, stream.host)
            if file.record.size is None and (expected := bounds.excess()) is not None:
                raise self._endless(expected)
            if file.length - safe_at >= tools.limits.checkpoint_bytes or time.monotonic() > deadline:
                file.checkpoint()
                safe_at, deadline = file.length, time.monotonic() + tools.limits.checkpoint_s
        if file.record.size is None and self._is_whole():
            file.record = replace(file.record, size=file.length)
        if not self._is_complete():
            raise TroubleError(unreachable(stream.host, httpx2.RemoteProtocolError("")))

    def _endless(self, expected: int) -> TroubleError:
        """Nobody says where it ends, and it has passed the end that its header tells. Nothing of it counts."""
        error = EngineError(
            ErrorKind.DOWNLOAD_WRONG_SIZE, file=self._part.path, size_bytes=self._file.length, expected_bytes=expected
        )
        self._file.restart()
        return TroubleError(error, lasting=True)

    def _models_only(self, stream: Stream) -> Iterator[bytes]:
        """The bytes of an answer that begins as a GGUF file does."""
        pieces = stream.pieces()
        head = b""
        for piece in pieces:
            head += piece
            if len(head) >= len(MAGIC):
                break
        if not head.startswith(MAGIC):
            raise TroubleError(EngineError(ErrorKind.DOWNLOAD_NOT_GGUF, file=self._part.path, host=stream.host))
        return chain([head], pieces)

    def _learn(self, source: Source, stream: Stream) -> None:
        """What the answer says of the file, which must be nothing else than what is known."""
        file, known = self._file, self._file.record
        if None not in (known.size, stream.total) and known.size != stream.total:
            raise TroubleError(self._another_file(stream.total))
        told = [(known.sha256, stream.sha256)]
        if known.sha256 is None and known.source == source.name and file.length:
            told.append((known.etag, stream.etag))
        if any(before and now and before != now for before, now in told):
            raise TroubleError(self._another_file(stream.total))
        file.record = replace(
            known,
            size=stream.total if known.size is None else known.size,
            sha256=known.sha256 or stream.sha256,
            etag=known.etag if file.length else stream.etag,
            source=known.source if file.length else source.name,
        )

    def _behind(self, skipped: int, pieces: Iterator[bytes]) -> Iterator[memoryview]:
        """The bytes after those that are known already, at the speed that is allowed."""
        file, beginning = self._file, hashlib.sha256()
        for piece in pieces:
            known, fresh = memoryview(piece)[:skipped], memoryview(piece)[skipped:]
            if known:
                skipped -= len(known)
                beginning.update(known)
                if not skipped and beginning.hexdigest() != file.sha256 and file.record.sha256 is None:
                    raise TroubleError(self._another_file(None))
            if fresh:
                yield fresh
            self._tools.throttle.take(len(piece), self._tools.interrupt)
            self._tools.interrupt.check()

    def _is_whole(self) -> bool:
        return self._broken_header() is None

    def _broken_header(self) -> EngineError | None:
        try:
            read_header(self._file.path)
        except EngineError as error:
            return error
        return None

    def _another_file(self, size: int | None) -> EngineError:
        """What stands there is not what was begun, or is wanted."""
        expected = self._file.record.size
        if self._file.length == 0 and size is not None and expected is not None and size != expected:
            return EngineError(
                ErrorKind.DOWNLOAD_WRONG_SIZE, file=self._part.path, size_bytes=size, expected_bytes=expected
            )
        return EngineError(ErrorKind.DOWNLOAD_CHANGED, file=self._part.path, repo=self._model.repo)

    def _fault(self) -> EngineError | None:
        """What is wrong with the file, now that all bytes are there."""
        file, record = self._file, self._file.record
        if record.sha256 is not None and file.sha256 != record.sha256:
            return EngineError(
                ErrorKind.DOWNLOAD_WRONG_HASH,
                file=self._part.path,
                sha256=file.sha256,
                expected_sha256=record.sha256,
            )
        if not file.is_gguf:
            return EngineError(ErrorKind.DOWNLOAD_NOT_GGUF, file=self._part.path, host=record.source)
        broken = self._broken_header() if record.sha256 is None else None
        if broken is None:
            return None
        if broken.report.kind is ErrorKind.GGUF_TRUNCATED:
            expected = int(broken.report.fact("expected_bytes"))
            return EngineError(
                ErrorKind.DOWNLOAD_WRONG_SIZE, file=self._part.path, size_bytes=file.length, expected_bytes=expected
            )
        return EngineError(ErrorKind.DOWNLOAD_NOT_GGUF, file=self._part.path, host=record.source)
