"""What the catalogue, the hub, the downloads and the library tell each other about models. Plain values only."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from pathlib import Path

from engine.errors import ErrorReport
from engine.types import SamplingSettings


@dataclass(frozen=True, slots=True)
class RemotePart:
    """One file at a hub.

    Attributes:
        path: inside the repository, with "/" on every system. Comes from a server: never a path on this disk.
        size_bytes, sha256: None where nobody said so yet. sha256 is 64 lower-case hex digits.
    """

    path: str
    size_bytes: int | None = None
    sha256: str | None = None


@dataclass(frozen=True, slots=True)
class RemoteModel:
    """A model at a hub: one file, or all parts of a split one in their order. One download.

    Attributes:
        repo: "owner/name".
        revision: a commit, or "main".
        parts: at least one.
    """

    repo: str
    revision: str
    parts: tuple[RemotePart, ...]

    @property
    def file_name(self) -> str:
        """Of the first part, without folders."""
        return self.parts[0].path.rsplit("/", 1)[-1]

    @property
    def size_bytes(self) -> int | None:
        """Of all parts; None where one is unknown."""
        sizes = [part.size_bytes for part in self.parts]
        return None if None in sizes else sum(size for size in sizes if size is not None)


class PairKind(Enum):
    """What a pair is good for."""

    CHAT = "chat"
    CODE = "code"
    FIM = "fim"  # fills in the middle: completes code


class Confidence(Enum):
    """How sure the catalogue is that a pair exists under its names and works as a pair."""

    HIGH = "high"
    MEDIUM = "medium"


@dataclass(frozen=True, slots=True)
class CatalogueFile:
    """One half of a pair.

    Attributes:
        quantisation: "Q4_K_M".
        parameters: of the model.
        about_bytes: the size of all parts, which the catalogue knows at least roughly.
    """

    model: RemoteModel
    quantisation: str
    parameters: int
    about_bytes: int


@dataclass(frozen=True, slots=True)
class CataloguePair:
    """A target and a draft that belong together.

    Attributes:
        id: what --pair takes. title: "Qwen2.5-Coder 7B + 0.5B".
        licence: as the hub names it, "apache-2.0".
        gated: the licence must be accepted at the hub before a download.
        context: tokens that the target was trained with.
        sampling: what the model's card recommends; None where it says nothing.
        note: one sentence or none, English.
    """

    id: str
    title: str
    family: str
    kinds: frozenset[PairKind]
    licence: str
    gated: bool
    context: int
    target: CatalogueFile
    draft: CatalogueFile
    sampling: SamplingSettings | None
    note: str
    confidence: Confidence


class PlaceKind(Enum):
    """Whose folder a model was found in."""

    OURS = "ours"  # the models folder
    ADDED = "added"  # a folder, or single files, that the user added
    LM_STUDIO = "lm_studio"
    LLAMA_CPP = "llama_cpp"
    OLLAMA = "ollama"
    HUB_CACHE = "hub_cache"
    PACKAGE = "package"  # the starter pair's


class Here(Enum):
    """What is on this computer of a pair."""

    READY = "ready"
    TO_BE_MADE = "to_be_made"  # of the starter pair: its target is written when it is first asked for
    TARGET = "target"
    DRAFT = "draft"
    NOTHING = "nothing"

    @classmethod
    def of(cls, target: LocalModel | None, draft: LocalModel | None) -> Here:
        """Of a pair of the catalogue."""
        if target is None:
            return cls.NOTHING if draft is None else cls.DRAFT
        return cls.TARGET if draft is None else cls.READY


class Proof(Enum):
    """By what a model was found to be whole; the stronger first."""

    PUBLISHED = "published_sha256"  # its bytes are those that were published
    DOWNLOADED = "download_sha256"  # its bytes are those that once came
    SIZE = "size"  # its headers and its size are right


@dataclass(frozen=True, slots=True)
class LocalModel:
    """A model on this computer, told by its header.

    Attributes:
        path: the file, or the first part of a split one. parts: all files.
        name: what people call it.
        vocab_size, context, parameters: 0 where the header does not say.
        problem: why it cannot be used; what could not be read is then empty or 0.
    """

    path: Path
    parts: tuple[Path, ...]
    place: PlaceKind
    size_bytes: int
    name: str
    architecture: str
    quantisation: str
    parameters: int
    vocab_size: int
    context: int
    problem: ErrorReport | None = None

    @property
    def removable(self) -> bool:
        """Only what is in our own folder, or was added by the user, may be moved to the trash."""
        return self.place in (PlaceKind.OURS, PlaceKind.ADDED)
