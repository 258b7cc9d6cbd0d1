"""What every command has in common: how it ends, and the pair it loads."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import dataclass

from app import options
from app.engine_client import EngineClient
from app.messages import pair_notes
from app.pairs import find_pair
from app.paths import Paths
from app.reply_document import Document
from app.terminal import Terminal
from engine.errors import ErrorReport
from engine.protocol import Loaded
from engine.types import LoadedPair


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a command ended.

    Attributes:
        document: what --json prints.
        error: why it failed; the status is 1 then.
    """

    status: int = 0
    document: Document | None = None
    error: ErrorReport | None = None


Command = Callable[[argparse.Namespace, Paths, Terminal], Outcome]


def load(arguments: argparse.Namespace, paths: Paths, terminal: Terminal, client: EngineClient) -> LoadedPair:
    """Load the pair that the options name, and show how far that is. Raises EngineError."""
    request = find_pair(
        options.pair_choice(arguments),
        paths,
        client,
        on_job=terminal.watch,
        on_progress=lambda done, total: terminal.bytes_progress("Making the starter pair, once", done, total),
    )
    job = client.load(options.with_load_settings(arguments, request))
    *_, loaded = terminal.follow(job)
    assert isinstance(loaded, Loaded)
    for note in pair_notes(loaded.pair):
        terminal.note(note)
    return loaded.pair
