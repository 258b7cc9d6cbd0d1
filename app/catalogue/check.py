"""What the hub says of the catalogue's pairs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache

from app.catalogue.rewriting import Place, Scalar
from app.hub.hub import Hub
from app.hub.listing import RepoFacts, match
from app.hub.remote_header import read_remote_header
from app.model_values import CatalogueFile, CataloguePair, RemoteModel, RemotePart
from engine.errors import EngineError, ErrorKind, ErrorReport
from engine.gguf import GgufHeader, check_writes_text
from engine.vocabulary import VocabularyMatch, require_match

# What no other entry would fare better with.
_ENDS_ALL = frozenset(
    {
        ErrorKind.OFFLINE,
        ErrorKind.HUB_UNREACHABLE,
        ErrorKind.HUB_BUSY,
        ErrorKind.TOKEN_REFUSED,
        ErrorKind.SETTING_INVALID,
    }
)
_HEADERS_KEPT = 4  # some megabytes each; neighbours in the catalogue share their drafts

# What may be false in a catalogue, beside what may only be unknown or written in other letters.
_FACTS = frozenset({"size_bytes", "sha256", "gated", "licence"})
_OTHER = "other"  # a licence that the hub has no name for


@dataclass(frozen=True, slots=True)
class Difference:
    """A value of an entry that is another one at the hub. `place` is inside the entry."""

    place: Place
    catalogue: Scalar
    hub: Scalar

    @property
    def is_contradiction(self) -> bool:
        """The catalogue says something that is not so."""
        return self.place[-1] in _FACTS and self.catalogue is not None

    @property
    def is_correction(self) -> bool:
        """A name that differs in its letters."""
        return self.place[-1] in ("repo", "path")


@dataclass(frozen=True, slots=True)
class CheckedFile:
    """One half of a pair: the model as it is at the hub, or why it cannot be had."""

    model: RemoteModel | None = None
    gated: bool = False
    licence: str = ""
    error: ErrorReport | None = None


@dataclass(frozen=True, slots=True)
class CheckedPair:
    """Attributes:
    vocabulary: what the two have in common, or why they are no pair, or could not be compared; None where one of
        them cannot be had.
    """

    pair: CataloguePair
    target: CheckedFile
    draft: CheckedFile
    vocabulary: VocabularyMatch | ErrorReport | None
    differences: tuple[Difference, ...]

    @property
    def works(self) -> bool:
        """Both files are there and are a pair."""
        return isinstance(self.vocabulary, VocabularyMatch)

    @property
    def contradictions(self) -> tuple[Difference, ...]:
        return tuple(difference for difference in self.differences if difference.is_contradiction)


class Checker:
    """Asks one hub. Not thread-safe; the calls block on the network."""

    def __init__(self, hub: Hub, cancelled: Callable[[], bool]) -> None:
        self._hub = hub
        self._cancelled = cancelled
        # Many pairs share a repository, and neighbours a file.
        self._facts = lru_cache(maxsize=None)(hub.repo_facts)
        self._header = lru_cache(maxsize=_HEADERS_KEPT)(self._read_header)

    def check(self, pair: CataloguePair) -> CheckedPair:
        """Raises EngineError where the hub as a whole cannot be asked."""
        target, draft = self._file(pair.target), self._file(pair.draft)
        vocabulary = self._compare(target.model, draft.model) if target.model and draft.model else None
        return CheckedPair(pair, target, draft, vocabulary, _differences(pair, target, draft))

    def _file(self, file: CatalogueFile) -> CheckedFile:
        # Without what the catalogue says of size and content: that is compared, not demanded.
        model = replace(file.model, parts=tuple(RemotePart(part.path) for part in file.model.parts))
        try:
            facts: RepoFacts = self._facts(model.repo, model.revision)
            return CheckedFile(match(model, facts, self._hub.name), facts.gated, facts.licence)
        except EngineError as error:
            return CheckedFile(error=_of_this_one(error))

    def _compare(self, target: RemoteModel, draft: RemoteModel) -> VocabularyMatch | ErrorReport:
        try:
            headers = self._header(target), self._header(draft)
            for header in headers:
                check_writes_text(header, {tensor.name for tensor in header.tensors})
            return require_match(*headers)
        except EngineError as error:
            return _of_this_one(error)

    def _read_header(self, model: RemoteModel) -> GgufHeader:
        return read_remote_header(self._hub, model, self._cancelled)


def _of_this_one(error: EngineError) -> ErrorReport:
    if error.report.kind in _ENDS_ALL:
        raise error
    return error.report


def _differences(pair: CataloguePair, target: CheckedFile, draft: CheckedFile) -> tuple[Difference, ...]:
    """All values that the hub says otherwise, in the order of the entry."""
    found: list[Difference] = []

    def compare(place: Place, catalogue: Scalar, hub: Scalar) -> None:
        if hub not in (None, "", _OTHER, catalogue):
            found.append(Difference(place, catalogue, hub))

    compare(("licence",), pair.licence, target.licence)
    if target.model is not None and draft.model is not None:
        compare(("gated",), pair.gated, target.gated or draft.gated)
    for side, file, model in (("target", pair.target, target.model), ("draft", pair.draft, draft.model)):
        if model is None:
            continue
        compare((side, "repo"), file.model.repo, model.repo)
        compare((side, "revision"), file.model.revision, model.revision)
        compare((side, "about_bytes"), file.about_bytes, model.size_bytes)
        for number, (ours, theirs) in enumerate(zip(file.model.parts, model.parts, strict=True)):
            for name in ("path", "size_bytes", "sha256"):
                compare((side, "parts", number, name), getattr(ours, name), getattr(theirs, name))
    return tuple(found)
