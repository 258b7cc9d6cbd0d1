"""The measuring process: files, settings and a folder in, needs of memory out."""

from __future__ import annotations

import traceback
from multiprocessing.connection import Connection
from typing import Final

from engine.dry_load import measure
from engine.errors import EngineError, ErrorKind, ErrorReport
from engine.fit import ModelNeed

_IDLE_S: Final = 5.0


def serve(connection: Connection) -> None:
    """Answer, on this thread, until the pipe ends or nothing was asked for a while: with a GPU, this process holds some
    hundred megabytes of its memory for as long as it lives."""
    while connection.poll(_IDLE_S):
        try:
            files, settings, folder = connection.recv()
        except EOFError:
            return
        answer: ModelNeed | ErrorReport
        try:
            answer = measure(files, settings, folder)
        except EngineError as error:
            answer = error.report
        except Exception as error:  # noqa: BLE001 – the asker waits for an answer
            facts = (("path", str(files[0])), ("reason", str(error)))
            answer = ErrorReport(ErrorKind.FIT_UNMEASURABLE, facts, traceback.format_exc())
        try:
            connection.send(answer)
        except OSError:
            return
