"""Small engine processes that speak the real protocol over a real pipe, and fail on request.

A load's target and a reply's prompt say what happens: "die", "abort", "hang" (answers nothing, not even a
cancel), "wait" (until cancelled), "late" (answers after the cancel was answered); anything else goes well.
"""

from __future__ import annotations

import os
import signal
import sys
import time
from multiprocessing.connection import Connection

from engine.errors import ErrorKind, ErrorReport
from engine.protocol import (
    Cancel,
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
)
from engine.types import (
    ChatMessage,
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
    loaded = False
    while True:
        try:
            command = connection.recv()
        except EOFError:
            return
        match command:
            case Load(job, request):
                loaded = False
                connection.send(LoadProgress(job, "target", 50, 100))
                if _misbehave(request.target, connection):
                    connection.send(Failed(job, ErrorReport(ErrorKind.LOAD_CANCELLED)))
                else:
                    connection.send(Loaded(job, loaded_pair(request)))
                    loaded = True
            case Generate(request) if not loaded:
                connection.send(Failed(request.job, ErrorReport(ErrorKind.NOT_LOADED)))
            case Generate(request):
                _reply(connection, request.job, request.prompt or _last(request.messages))
            case Quantize(job, _, destination):
                with open(destination, "wb") as file:
                    file.write(b"GGUF")
                connection.send(Quantized(job, destination))
            case Cancel():
                pass  # of something that has ended
            case Shutdown():
                return


def stays_after_shutdown(connection: Connection, log_path: str) -> None:
    """Hears nothing more once it is ready."""
    _start(connection, log_path)
    _hang()


def never_ready(connection: Connection, log_path: str) -> None:
    _hang()


def dies_before_ready(connection: Connection, log_path: str) -> None:
    _write(log_path, "no usable library\n")
    sys.exit(3)


def reports_its_own_fault(connection: Connection, log_path: str) -> None:
    """Cannot start and can say why."""
    report = ErrorReport(ErrorKind.ENGINE_START_FAILED, (("reason", "libllama.so is missing"),), "a trace")
    connection.send(Failed(None, report))
    sys.exit(1)


def loaded_pair(request: LoadRequest) -> LoadedPair:
    """What the scripted engine says of a pair."""
    target = ModelInfo(request.target, "Scripted", "llama", "F32", 1000, 4000, 32, 128, True)
    draft = (
        None
        if request.draft is None
        else ModelInfo(request.draft, "Small", "llama", "Q4_1", 100, 80, 32, 128, True)
    )
    return LoadedPair(target, draft, request.ctx or 128, "CPU", "CPU", None, 0.01, 1_000_000)


def _start(connection: Connection, log_path: str) -> None:
    _write(log_path, f"process {os.getpid()} started\n")
    connection.send(Ready(EngineInfo(os.getpid(), "0.3.36", ("CPU",), False, "scripted", ())))


def _reply(connection: Connection, job: int, prompt: str) -> None:
    words = prompt.split()
    connection.send(Started(job, len(words), 0, 0, 0.01, None))
    reason = EndReason.STOP
    for number, word in enumerate(words):
        if _misbehave(word, connection):
            reason = EndReason.CANCELLED
            break
        token = TokenEvent(number, number, word + " ", Source.PLAIN, None, 1.0, None, None, number, 0)
        connection.send(DraftRound(job, number, (), 0, 0, (token,), 0.0, 0.01, 0.0, 0.01))
    connection.send(Finished(job, reason, "", 0.02, 0.01 * len(words)))
    if prompt == "late wait":
        connection.send(Finished(job, EndReason.STOP, "", 0.0, 0.0))


def _misbehave(word: str, connection: Connection) -> bool:
    """Do what `word` asks for; True if the work was cancelled meanwhile."""
    if word == "die":
        sys.exit(7)
    if word == "abort":
        os.kill(os.getpid(), signal.SIGKILL)
    if word == "hang":
        _hang()
    if word == "wait":
        return isinstance(connection.recv(), Cancel)
    return False


def _hang() -> None:
    while True:
        time.sleep(3600)


def _last(messages: tuple[ChatMessage, ...]) -> str:
    return messages[-1].content


def _write(log_path: str, text: str) -> None:
    with open(log_path, "a", encoding="utf-8") as file:
        file.write(text)
