"""The pairs that can be chosen, and what is on this computer of each."""

from __future__ import annotations

from contextlib import closing
from dataclasses import asdict, dataclass

from app.catalogue.reading import Catalogue
from app.library.library import Library
from app.model_settings import read_model_settings
from app.model_values import CatalogueFile, CataloguePair, Confidence, Here, LocalModel, PairKind
from app.paths import Paths
from app.reply_document import Document
from app.starter import STARTER_ID, STARTER_TITLE, StarterState, starter_state
from engine.types import SamplingSettings


@dataclass(frozen=True, slots=True)
class ListedPair:
    """One line of the list.

    Attributes:
        pair: None for the starter pair, which comes with the program and is in no catalogue.
        download_bytes: what both files have, at least roughly.
    """

    id: str
    title: str
    kinds: frozenset[PairKind]
    licence: str
    gated: bool
    download_bytes: int
    confidence: Confidence
    here: Here
    pair: CataloguePair | None = None
    target: LocalModel | None = None
    draft: LocalModel | None = None


def list_pairs(paths: Paths, catalogue: Catalogue) -> tuple[ListedPair, ...]:
    """The starter pair, and those of the catalogue in their order. Looks into folders, and reads the headers of what
    it finds there."""
    with closing(Library(paths, read_model_settings(paths))) as library:
        return _starter(paths), *(_listed(pair, *library.find_catalogue_pair(pair)) for pair in catalogue.pairs)


def listed_document(listed: ListedPair) -> Document:
    """The line as `models list --json` has it."""
    pair = listed.pair
    return {
        "id": listed.id,
        "title": listed.title,
        "family": "SmolLM2" if pair is None else pair.family,
        "kinds": [kind.value for kind in PairKind if kind in listed.kinds],
        "licence": listed.licence,
        "gated": listed.gated,
        "context": None if pair is None else pair.context,
        "target": None if pair is None else _file_document(pair.target, listed.target),
        "draft": None if pair is None else _file_document(pair.draft, listed.draft),
        "sampling": None if pair is None or pair.sampling is None else _sampling_document(pair.sampling),
        "download_bytes": listed.download_bytes,
        "confidence": listed.confidence.value,
        "note": "" if pair is None else pair.note,
        "here": listed.here.value,
    }


def _file_document(file: CatalogueFile, here: LocalModel | None) -> Document:
    return {
        "repo": file.model.repo,
        "revision": file.model.revision,
        "parts": [asdict(part) for part in file.model.parts],
        "quantisation": file.quantisation,
        "parameters": file.parameters,
        "about_bytes": file.about_bytes,
        "path": None if here is None else str(here.path),
    }


def _sampling_document(sampling: SamplingSettings) -> Document:
    """All but the seed, which no card recommends."""
    return {name: value for name, value in asdict(sampling).items() if name != "seed"}


def _starter(paths: Paths) -> ListedPair:
    here = {StarterState.READY: Here.READY, StarterState.TO_BE_MADE: Here.TO_BE_MADE}
    return ListedPair(
        id=STARTER_ID,
        title=STARTER_TITLE,
        kinds=frozenset({PairKind.CHAT}),
        licence="apache-2.0",
        gated=False,
        download_bytes=0,
        confidence=Confidence.HIGH,
        here=here.get(starter_state(paths), Here.NOTHING),
    )


def _listed(pair: CataloguePair, target: LocalModel | None, draft: LocalModel | None) -> ListedPair:
    sizes = (file.model.size_bytes or file.about_bytes for file in (pair.target, pair.draft))
    return ListedPair(
        id=pair.id,
        title=pair.title,
        kinds=pair.kinds,
        licence=pair.licence,
        gated=pair.gated,
        download_bytes=sum(sizes),
        confidence=pair.confidence,
        here=Here.of(target, draft),
        pair=pair,
        target=target,
        draft=draft,
    )
