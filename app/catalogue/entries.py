"""From an entry of the catalogue's file to the pair that the program works with."""

from __future__ import annotations

from typing import Any

from app.model_values import CatalogueFile, CataloguePair, Confidence, PairKind, RemoteModel, RemotePart
from engine.types import SamplingSettings

Entry = dict[str, Any]


def pair_of(entry: Entry) -> CataloguePair:
    """The pair that a valid entry describes; see models.schema.json."""
    sampling = entry["sampling"]
    return CataloguePair(
        id=entry["id"],
        title=entry["title"],
        family=entry["family"],
        kinds=frozenset(PairKind(kind) for kind in entry["kinds"]),
        licence=entry["licence"],
        gated=entry["gated"],
        context=int(entry["context"]),
        target=_file(entry["target"]),
        draft=_file(entry["draft"]),
        sampling=None if sampling is None else _sampling(sampling),
        note=entry["note"],
        confidence=Confidence(entry["confidence"]),
    )


def _file(entry: Entry) -> CatalogueFile:
    # JSON knows one kind of number: 1.0 is a whole one too.
    parts = tuple(
        RemotePart(part["path"], None if part["size_bytes"] is None else int(part["size_bytes"]), part["sha256"])
        for part in entry["parts"]
    )
    return CatalogueFile(
        RemoteModel(entry["repo"], entry["revision"], parts),
        entry["quantisation"],
        int(entry["parameters"]),
        int(entry["about_bytes"]),
    )


def _sampling(entry: Entry) -> SamplingSettings:
    settings = SamplingSettings(**entry)
    return settings if "top_k" not in entry else SamplingSettings(**{**entry, "top_k": int(entry["top_k"])})
