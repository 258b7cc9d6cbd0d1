"""From what the user names, a pair's id or two files, to what the engine loads."""

from __future__ import annotations

from contextlib import closing
from dataclasses import dataclass

from app.engine_client import EngineClient
from app.model_values import CataloguePair
from app.paths import Paths
from app.requantise import OnJob, OnProgress
from app.starter import STARTER_ID, STARTER_TITLE, starter_pair
from engine.errors import EngineError, ErrorKind
from engine.types import LoadedPair, LoadRequest, ModelInfo, SamplingSettings


@dataclass(frozen=True, slots=True)
class PairChoice:
    """The starter pair by its id, a pair of the catalogue, or a target file and perhaps a draft file.

    Attributes:
        pair_id: STARTER_ID, or that of `known`; None where files are named.
    """

    pair_id: str | None = None
    target: str | None = None
    draft: str | None = None
    known: CataloguePair | None = None

    @property
    def title(self) -> str | None:
        """What people call the pair; None where files are named."""
        if self.known is not None:
            return self.known.title
        return None if self.pair_id is None else STARTER_TITLE

    @property
    def sampling(self) -> SamplingSettings | None:
        """What the target's card recommends; None where nobody knows."""
        return None if self.known is None else self.known.sampling


def pair_title(pair: LoadedPair, choice: PairChoice) -> str:
    """What people call a loaded pair: a known one by its own title, another by its models."""
    return choice.title or models_title(pair)


def models_title(pair: LoadedPair) -> str:
    """All its models, "SmolLM2 135M F32 + SmolLM2 135M Q4_1"."""
    return " + ".join(model_title(model) for model in (pair.target, pair.draft) if model is not None)


def model_title(model: ModelInfo) -> str:
    """With its quantisation, which often is all that tells two models apart."""
    return f"{model.name} {model.quantisation}".strip()


def find_pair(
    choice: PairChoice,
    paths: Paths,
    client: EngineClient,
    *,
    on_job: OnJob | None = None,
    on_progress: OnProgress | None = None,
) -> LoadRequest:
    """The files of the chosen pair, with default settings. May write the starter pair first; see there.

    Raises:
        EngineError: PAIR_NOT_HERE, or as `starter_pair` does.
    """
    if choice.known is not None:
        return _find_files(choice.known, paths)
    if choice.pair_id == STARTER_ID:
        return starter_pair(paths, client, on_job=on_job, on_progress=on_progress)
    assert choice.target is not None
    return LoadRequest(target=choice.target, draft=choice.draft)


def _find_files(pair: CataloguePair, paths: Paths) -> LoadRequest:
    # The library opens a database, which the window's start and files by name can do without.
    from app.library.library import Library
    from app.model_settings import read_model_settings

    with closing(Library(paths, read_model_settings(paths))) as library:
        target, draft = library.find_any(pair.target.model), library.find_any(pair.draft.model)
    for half in (target, draft):
        if half is not None and half.problem is not None:
            raise EngineError.of(half.problem)
    if target is None or draft is None:
        raise EngineError(ErrorKind.PAIR_NOT_HERE, id=pair.id, title=pair.title)
    return LoadRequest(target=str(target.path), draft=str(draft.path))
