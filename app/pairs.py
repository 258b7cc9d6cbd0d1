"""From what the user names, a pair's id or two files, to what the engine loads."""

from __future__ import annotations

from dataclasses import dataclass

from app.engine_client import EngineClient
from app.paths import Paths
from app.requantise import OnJob, OnProgress
from app.starter import STARTER_ID, STARTER_TITLE, starter_pair
from engine.types import LoadRequest

PAIR_TITLES = {STARTER_ID: STARTER_TITLE}


@dataclass(frozen=True, slots=True)
class PairChoice:
    """Either `pair_id`, one of PAIR_TITLES, or a target file and perhaps a draft file."""

    pair_id: str | None = None
    target: str | None = None
    draft: str | None = None


def find_pair(
    choice: PairChoice,
    paths: Paths,
    client: EngineClient,
    *,
    on_job: OnJob | None = None,
    on_progress: OnProgress | None = None,
) -> LoadRequest:
    """The files of the chosen pair, with default settings. May write the starter pair first; see there."""
    if choice.pair_id == STARTER_ID:
        return starter_pair(paths, client, on_job=on_job, on_progress=on_progress)
    assert choice.target is not None
    return LoadRequest(target=choice.target, draft=choice.draft)
