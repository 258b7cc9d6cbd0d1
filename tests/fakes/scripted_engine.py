"""Small engine processes that speak the real protocol over a real pipe, and fail on request.

A load's target file, where there is one, and a reply's prompt say what happens: "die", "abort", "hang" (answers
nothing, not even a cancel), "wait" (until cancelled), "late" (gives a second ending); all else goes well.
"""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import time
from collections import deque
from multiprocessing.connection import Connection
from pathlib import Path

from engine.errors import ErrorKind, ErrorReport
from engine.protocol import (
    Cancel,
    Command,
    Event,
    Failed,
    Finished,
    Generate,
    Load,
    Loaded,
    LoadProgress,
    Quantize,
    Quantized,
    Ready,
    Shutdown,
    Started,
    Weigh,
    Weighed,
)
from engine.types import (
    DraftRound,
    EndReason,
    EngineInfo,
    LoadedPair,
    LoadRequest,
    ModelInfo,
    Source,
    TokenEvent,
)


def scripted_engine(connection: Connection, log_path: str) -> None:
    """Serves until Shutdown or the end of the pipe. Its replies repeat the prompt, a word a round."""
    _start(connection, log_path)
    with contextlib.suppress(EOFError):
        _Server(connection).serve()


def stays_after_shutdown(connection: Connection, log_path: str) -> None:
    """Hears nothing more once it is ready."""
    _start(connection, log_path)
    _hang()


def hangs_while_quantizing(connection: Connection, log_path: str) -> None:
    """Writes half of a file, and then nothing."""
    _start(connection, log_path)
    command = connection.recv()
    assert isinstance(command, Quantize)
    Path(command.destination).write_bytes(b"GG")
    os.write(1, b"half\n")
    _hang()


def fails_to_quantize(connection: Connection, log_path: str) -> None:
    """Writes half of a file and gives up."""
    _start(connection, log_path)
    command = connection.recv()
    assert isinstance(command, Quantize)
    Path(command.destination).write_bytes(b"GG")
    report = ErrorReport(ErrorKind.QUANTIZE_FAILED, (("path", command.source), ("reason", "code 1")))
    connection.send((Failed(command.job, report),))
    connection.recv()


def never_ready(connection: Connection, log_path: str) -> None:
    _hang()


def dies_before_ready(connection: Connection, log_path: str) -> None:
    _write(log_path, "no usable library\n")
    sys.exit(3)


def speaks_nonsense(connection: Connection, log_path: str) -> None:
    """Answers its first command with bytes that are no event."""
    _start(connection, log_path)
    connection.recv()
    connection.send_bytes(b"nonsense")
    _hang()


def loaded_pair(request: LoadRequest) -> LoadedPair:
    """What the scripted engine says of a pair."""
    target = ModelInfo(request.target, "Scripted", "llama", "F32", 1000, 4000, 32, 128, True)
    draft = (
        None if request.draft is None else ModelInfo(request.draft, "Small", "llama", "Q4_1", 100, 80, 32, 128, True)
    )
    return LoadedPair(target, draft, request.ctx or 128, "CPU", "CPU", None, 0.01, 1_000_000)


def _start(connection: Connection, log_path: str) -> None:
    _write(log_path, f"process {os.getpid()} started\n")
    connection.send((Ready(EngineInfo(os.getpid(), "0.3.36", ("CPU",), False, "scripted", ())),))


class _Server:
    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._later: deque[Command] = deque()  # came while a cancel was awaited
        self._loaded = False

    def serve(self) -> None:
        while not isinstance(command := self._later.popleft() if self._later else self._recv(), Shutdown):
            match command:
                case Load(job, request):
                    self._load(job, request)
                case Generate(request) if not self._loaded:
                    self._send(Failed(request.job, ErrorReport(ErrorKind.NOT_LOADED)))
                case Generate(request):
                    self._reply(request.job, request.prompt or request.messages[-1].content)
                case Weigh(job):
                    self._weigh(job, command)
                case Quantize(job, _, destination):
                    Path(destination).write_bytes(b"GGUF")
                    self._send(Quantized(job, destination))
                case Cancel():
                    pass  # of something that has ended

    def _recv(self) -> Command:
        command: Command = self._connection.recv()
        return command

    def _send(self, event: Event) -> None:
        self._connection.send((event,))

    def _load(self, job: int, request: LoadRequest) -> None:
        self._loaded = False
        self._send(LoadProgress(job, "target", 50, 100))
        if Path(request.target).exists() and self._misbehave(Path(request.target).read_text()):
            self._send(Failed(job, ErrorReport(ErrorKind.LOAD_CANCELLED)))
        else:
            self._loaded = True
            self._send(Loaded(job, loaded_pair(request)))

    def _reply(self, job: int, prompt: str) -> None:
        words = prompt.split()
        self._send(Started(job, len(words), 0, 0, 0.01, None))
        reason = EndReason.STOP
        for number, word in enumerate(words):
            if self._misbehave(word):
                reason = EndReason.CANCELLED
                break
            token = TokenEvent(number, number, word + " ", Source.PLAIN, None, 1.0, None, None, number, 0)
            self._send(DraftRound(job, number, (), 0, 0, (token,), 0.0, 0.01, 0.0, 0.01))
        self._send(Finished(job, reason, "", 0.02, 0.01 * len(words)))
        if words[0] == "late":
            self._send(Finished(job, EndReason.STOP, "", 0.0, 0.0))

    def _weigh(self, job: int, command: Weigh) -> None:
        if not self._loaded:
            self._send(Failed(job, ErrorReport(ErrorKind.NOT_LOADED)))
        elif self._misbehave(command.request.prompt or ""):
            self._send(Failed(job, ErrorReport(ErrorKind.LOAD_CANCELLED)))
        else:
            self._send(Weighed(job, (1.0, 0.75), command.tokens[0], 0.25))

    def _misbehave(self, word: str) -> bool:
        """Do what `word` asks for; True if the work was cancelled meanwhile."""
        if word == "die":
            sys.exit(7)
        if word == "abort":
            os.kill(os.getpid(), signal.SIGKILL)
        if word == "hang":
            _hang()
        if word == "wait":
            while not isinstance(command := self._recv(), Cancel):
                self._later.append(command)
            return True
        return False


def _hang() -> None:
    while True:
        time.sleep(3600)


def _write(log_path: str, text: str) -> None:
    with open(log_path, "a", encoding="utf-8") as file:
        file.write(text)
