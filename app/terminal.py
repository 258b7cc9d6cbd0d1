"""The command line's two channels and its one key: the answer on stdout, all else on stderr, Ctrl-C."""

from __future__ import annotations

import io
import os
import shlex
import signal
import sys
import unicodedata
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import FrameType
from typing import TextIO

from app.amounts import size
from app.engine_client import Job
from app.error_words import Facts
from app.json_text import json_text
from app.messages import message_for
from engine.errors import EngineError, ErrorKind, ErrorReport
from engine.protocol import Event, Failed, LoadProgress, Measuring

EXIT_INTERRUPTED = 130  # as shells report Ctrl-C

# How to do here what the message asks for, which names no button and no command.
_HINTS = {
    ErrorKind.PAIR_NOT_HERE: "It can be had with: {get}",
    ErrorKind.WOULD_NOT_FIT: "`draftlight fit` tells more; --anyway loads it all the same.",
    ErrorKind.REPO_GATED: "The token is read from the variable HF_TOKEN, or was given in the window's settings.",
}


class ReaderGoneError(Exception):
    """Nobody reads stdout any more, as after `| head -1`. Not a failure."""


def _nowhere() -> io.TextIOWrapper:
    return io.TextIOWrapper(io.FileIO(os.devnull, "w"), encoding="utf-8")


def _buffered(stream: TextIO) -> TextIO:
    """`stream`, buffered even where Python was told not to: else a signal cuts short what is being written."""
    if isinstance(stream, io.TextIOWrapper) and isinstance(stream.buffer, io.RawIOBase):
        return io.TextIOWrapper(io.BufferedWriter(stream.detach()), encoding="utf-8")
    return stream


def _drop_rest() -> None:
    """What is still buffered for stdout must go somewhere, or the interpreter complains or waits at its exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


@contextmanager
def _interrupted_afterwards() -> Iterator[None]:
    """Inside, the first Ctrl-C waits for the end; the second one does not."""
    pressed = False

    def on_interrupt(number: int, frame: FrameType | None) -> None:
        nonlocal pressed
        if pressed:
            raise KeyboardInterrupt
        pressed = True

    before = signal.signal(signal.SIGINT, on_interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
    if pressed:
        raise KeyboardInterrupt


def _harmless(text: str) -> str:
    """With control characters written out: a file's name must not command the terminal."""
    return "".join(
        c.encode("unicode_escape").decode() if unicodedata.category(c) == "Cc" and c not in "\n\t" else c for c in text
    )


class Terminal:
    """Main thread only.

    Attributes:
        interrupted: Ctrl-C was pressed.
    """

    def __init__(self, *, verbose: bool, base_dir: Path | None = None) -> None:
        """`base_dir`: as it was given on the command line."""
        self.verbose = verbose
        self._base_dir = base_dir
        self.interrupted = False
        self._job: Job | None = None
        self._progress_shown = False
        # A stream that was closed before the start is None.
        sys.stdout = _buffered(sys.stdout or _nowhere())
        sys.stderr = sys.stderr or _nowhere()
        for stream in (sys.stdout, sys.stderr):
            if isinstance(stream, io.TextIOWrapper):  # Windows would write the answer in a legacy code page
                stream.reconfigure(encoding="utf-8", errors="backslashreplace")

    def answer(self, text: str) -> None:
        """Write to stdout at once. Raises ReaderGoneError."""
        self.progress("")
        try:
            sys.stdout.write(text)
            sys.stdout.flush()
        except KeyboardInterrupt:
            _drop_rest()
            raise
        except OSError as error:
            _drop_rest()
            if isinstance(error, BrokenPipeError):
                raise ReaderGoneError from error
            reason = error.strerror or str(error)
            raise EngineError(ErrorKind.FOLDER_UNWRITABLE, path="stdout", reason=reason) from error

    def answer_json(self, document: dict[str, object]) -> None:
        """Write one JSON object to stdout, on one line: whole, whenever Ctrl-C is pressed, or nothing of it.

        Raises:
            ReaderGoneError: nobody reads it.
            KeyboardInterrupt: once it is whole. A second Ctrl-C does not wait, as a reader may have stopped reading.
        """
        text = json_text(document)
        with _interrupted_afterwards():
            self.answer(text)

    def note(self, text: str) -> None:
        """Write a line to stderr."""
        self.progress("")
        with suppress(OSError):  # notes are not worth an answer
            sys.stderr.write(_harmless(text) + "\n")
            sys.stderr.flush()

    def error(self, report: ErrorReport) -> None:
        """Say what went wrong on stderr; the details only when they were asked for."""
        message = message_for(report)
        self.note(message.title)
        self.note(message.text)
        if hint := _HINTS.get(report.kind):
            get = self.command_line("models", "get", str(report.fact("id")))
            self.note(hint.format_map({**Facts(report), "get": get}))
        if self.verbose and message.detail:
            self.note(f"\n{message.detail}")

    def command_line(self, *words: str) -> str:
        """What to type to run the program with these words, in the same base folder."""
        place = [] if self._base_dir is None else ["--base-dir", str(self._base_dir)]
        return shlex.join(["draftlight", *place, *words])

    def progress(self, text: str) -> None:
        """Show `text` instead of the last progress, where a person is looking; "" wipes it."""
        if sys.stderr.isatty() and (text or self._progress_shown):
            sys.stderr.write(f"\r\x1b[K{_harmless(text)}")
            sys.stderr.flush()
            self._progress_shown = bool(text)

    def bytes_progress(self, what: str, done: int, total: int) -> None:
        """Show how far `what` is."""
        if total:
            self.progress(f"{what}: {100 * done // total} % of {size(total)}")

    def watch(self, job: Job) -> None:
        """Let Ctrl-C cancel `job` from now on."""
        self._job = job
        if self.interrupted:
            job.cancel()

    def follow(self, job: Job) -> Iterator[Event]:
        """The job's events, while Ctrl-C cancels it and loading shows its progress. Raises EngineError."""
        self.watch(job)
        for event in job:
            if isinstance(event, LoadProgress):
                self.bytes_progress(f"Loading the {event.model}", event.done_bytes, event.total_bytes)
            elif isinstance(event, Measuring):
                self.progress("Measuring how fast the pair is")
            elif isinstance(event, Failed):
                raise EngineError.of(event.report)
            else:
                yield event
        self._job = None

    @contextmanager
    def interruptible(self) -> Iterator[None]:
        """Inside, the first Ctrl-C cancels the job that is followed, the second one ends the program."""
        before = signal.signal(signal.SIGINT, self._on_interrupt)
        try:
            yield
        finally:
            signal.signal(signal.SIGINT, before)

    def _on_interrupt(self, number: int, frame: FrameType | None) -> None:
        if self.interrupted or self._job is None:
            raise KeyboardInterrupt
        self.interrupted = True
        self._job.cancel()
