"""What the words of a command mean: a pair of the catalogue, a repository, or one model in it."""

from __future__ import annotations

import re
from dataclasses import dataclass

from app.hub.hub import Hub
from app.hub.listing import HubModel, with_all_parts
from app.model_values import CataloguePair, RemoteModel, RemotePart
from engine.errors import EngineError, ErrorKind

_REPO = re.compile(r"([^/:\s]+/[^/:\s]+)(?::(.+))?")
_NO_LIST = (ErrorKind.HUB_REFUSED, ErrorKind.HUB_BUSY)


@dataclass(frozen=True, slots=True)
class Wish:
    """A model to get, and how to call it."""

    title: str
    model: RemoteModel


def repo_and_file(text: str) -> tuple[str, str] | None:
    """ "owner/name:file" in its two halves, the second one "" where it is absent; None for other texts."""
    match = _REPO.fullmatch(text)
    return None if match is None else (match[1], match[2] or "")


def pair_wishes(pair: CataloguePair) -> list[Wish]:
    """Target and draft of a pair."""
    halves = {"target": pair.target, "draft": pair.draft}
    return [Wish(f"{pair.title}: {name}", half.model) for name, half in halves.items()]


def file_wish(repo: str, file: str, hub: Hub) -> Wish:
    """The model of a repository that has this file, or is of this quantisation. Blocks on the network.

    Raises:
        EngineError: REPO_FILE_MISSING, and what `Hub.models` raises.
    """
    try:
        models = hub.models(repo)
    except EngineError as error:
        if error.report.kind in _NO_LIST and file.lower().endswith(".gguf"):
            # Lists may be closed, and files open.
            return Wish(file, with_all_parts(RemoteModel(repo, "main", (RemotePart(file),))))
        raise
    found = _find(models, file)
    if found is None:
        raise EngineError(ErrorKind.REPO_FILE_MISSING, repo=repo, file=file, host=hub.name)
    return Wish(found.file_name, found)


def _find(models: tuple[HubModel, ...], file: str) -> RemoteModel | None:
    wanted = file.casefold()
    for candidate in models:
        paths = [part.path.casefold() for part in candidate.model.parts]
        if wanted in paths or wanted in [path.rsplit("/", 1)[-1] for path in paths]:
            return candidate.model
    of_kind = [candidate.model for candidate in models if candidate.quantisation.casefold() == wanted]
    return of_kind[0] if len(of_kind) == 1 else None
