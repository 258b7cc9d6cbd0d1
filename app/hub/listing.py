"""What a repository's list of files offers: models with their quantisation, and what is left out for which reason."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, replace
from enum import Enum

from app.hub.names import collision_key
from app.model_values import RemoteModel, RemotePart
from app.translate import translate
from engine.errors import EngineError, ErrorKind
from engine.gguf import MAX_PARTS

# fmt: off
_PART = re.compile(r"^(?P<stem>.+)-(?P<number>\d{5})-of-(?P<count>\d{5})\.gguf$", re.IGNORECASE)
_LEGACY_PART = re.compile(r"(\.gguf[.-](part[-_]?\d+(of\d+)?|split-?[a-z]+|\d+of\d+)|-split-[a-z])$", re.IGNORECASE)
_QUANTISATION = re.compile(
    r"(?:^|[-._])((?:UD-)?(?:I?Q\d(?:_\w+)?|TQ\d_\w+|BF16|FP?16|FP?32|MXFP4(?:_\w+)?|NVFP4))(?=$|[-._])",
    re.IGNORECASE,
)
_HEAD = re.compile(r"(^|/)(mtp|eagle\d|dflash|dspark)([-_.][^/]*)?(/|$)", re.IGNORECASE)
# fmt: on


class LeftOut(Enum):
    """Why a file is no model to choose."""

    INCOMPLETE = "incomplete"  # parts are missing
    LEGACY_PARTS = "legacy_parts"  # cut by hand; they must be joined before use
    VISION = "vision"
    IMATRIX = "imatrix"
    HEAD = "head"  # proposes tokens for one target only
    SAME_NAME = "same_name"  # two names that are one on some disks


@dataclass(frozen=True, slots=True)
class RepoFacts:
    """A repository.

    Attributes:
        repo: its name as the hub writes it.
        commit: what the list belongs to; a branch where the hub does not say.
        gated: a licence must be accepted before a download.
        licence: "" where nobody says.
        files: all of them, models or not.
    """

    repo: str
    commit: str
    gated: bool
    licence: str
    files: tuple[RemotePart, ...]


@dataclass(frozen=True, slots=True)
class HubModel:
    """A model that can be chosen. `quantisation` is told by its name: "Q4_K_M", "" where it does not say."""

    model: RemoteModel
    quantisation: str
    gated: bool
    licence: str


@dataclass(frozen=True, slots=True)
class Listing:
    """Models, smallest first, and the GGUF files that are none, by path."""

    models: tuple[HubModel, ...]
    left_out: tuple[tuple[str, LeftOut], ...]


def list_models(facts: RepoFacts) -> Listing:
    """Sort a repository's GGUF files into models and the rest."""
    groups: dict[tuple[str, int], list[tuple[int, RemotePart]]] = defaultdict(list)
    left_out: list[tuple[str, LeftOut]] = []
    ambiguous = _ambiguous(facts.files)
    for file in facts.files:
        if reason := _reason_to_leave_out(file.path, ambiguous):
            left_out.append((file.path, reason))
        elif match := _PART.match(file.path):
            groups[match["stem"], int(match["count"])].append((int(match["number"]), file))
        elif file.path.lower().endswith(".gguf"):
            groups[file.path, 1].append((1, file))
    models = []
    for (_, count), numbered in groups.items():
        parts = [file for _, file in sorted(numbered, key=lambda item: item[0])]
        if sorted(number for number, _ in numbered) == list(range(1, min(count, MAX_PARTS) + 1)) and count <= MAX_PARTS:
            model = RemoteModel(facts.repo, facts.commit, tuple(parts))
            models.append(HubModel(model, quantisation(parts[0].path), facts.gated, facts.licence))
        else:
            left_out += ((file.path, LeftOut.INCOMPLETE) for file in parts)
    models.sort(key=lambda found: (found.model.size_bytes or 0, found.model.parts[0].path))
    return Listing(tuple(models), tuple(sorted(left_out, key=lambda item: item[0])))


def with_all_parts(model: RemoteModel) -> RemoteModel:
    """The whole of a split model of which one part is named; others as they are."""
    (named, *more) = model.parts
    found = _PART.match(named.path)
    if more or found is None or not 1 <= int(found["number"]) <= int(found["count"]) <= MAX_PARTS:
        return model
    ending = named.path[-len(".gguf") :]
    paths = (
        f"{found['stem']}-{number:05d}-of-{found['count']}{ending}" for number in range(1, int(found["count"]) + 1)
    )
    parts = tuple(named if path == named.path else RemotePart(path) for path in paths)
    return replace(model, parts=parts)


def match(wanted: RemoteModel, facts: RepoFacts, host: str) -> RemoteModel:
    """`wanted` with the names, commit, sizes and SHA-256 of the repository; letter case may differ.

    Raises:
        EngineError: REPO_FILE_MISSING, DOWNLOAD_CHANGED, NAME_UNSAFE.
    """
    by_path = {file.path: file for file in facts.files}
    by_key = {collision_key(file.path): file for file in facts.files}
    ambiguous = _ambiguous(facts.files)
    parts = []
    for part in wanted.parts:
        found = by_path.get(part.path) or by_key.get(collision_key(part.path))
        if found is None:
            raise EngineError(ErrorKind.REPO_FILE_MISSING, repo=facts.repo, file=part.path, host=host)
        if found.path in ambiguous:
            reason = translate("hub", "another file has the same name but for small and capital letters")
            raise EngineError(ErrorKind.NAME_UNSAFE, name=found.path, reason=reason)
        parts.append(same_file(part, found, facts.repo))
    return RemoteModel(facts.repo, facts.commit, tuple(parts))


def same_file(wanted: RemotePart, found: RemotePart, repo: str) -> RemotePart:
    """`found`, with what only `wanted` knows. Raises EngineError: DOWNLOAD_CHANGED where they contradict."""
    for asked, is_there in ((wanted.size_bytes, found.size_bytes), (wanted.sha256, found.sha256)):
        if None not in (asked, is_there) and asked != is_there:
            raise EngineError(ErrorKind.DOWNLOAD_CHANGED, file=found.path, repo=repo)
    size = wanted.size_bytes if found.size_bytes is None else found.size_bytes
    return replace(found, size_bytes=size, sha256=found.sha256 or wanted.sha256)


def quantisation(path: str) -> str:
    """What a file's name, or else its folder, says of its quantisation: "Q4_K_M"; "" if nothing."""
    stem = re.sub(r"\.gguf$", "", path, flags=re.IGNORECASE)
    for segment in reversed(stem.split("/")):
        if labels := _QUANTISATION.findall(segment):
            return str(labels[-1]).upper().replace("FP16", "F16").replace("FP32", "F32")
    return ""


def left_out_words(reason: LeftOut) -> str:
    """Why, for people."""
    match reason:
        case LeftOut.INCOMPLETE:
            return translate("hub", "not all of its parts are there")
        case LeftOut.LEGACY_PARTS:
            return translate("hub", "a piece of a file; all pieces must be joined before it can be used")
        case LeftOut.VISION:
            return translate("hub", "the part of a model that sees pictures")
        case LeftOut.IMATRIX:
            return translate("hub", "figures that helped to quantise the model, not a model")
        case LeftOut.HEAD:
            return translate("hub", "needs its own target's hidden state")
        case LeftOut.SAME_NAME:
            return translate("hub", "another file has the same name but for small and capital letters")


def _reason_to_leave_out(path: str, ambiguous: frozenset[str]) -> LeftOut | None:
    name = path.rsplit("/", 1)[-1].lower()
    if _LEGACY_PART.search(name):
        return LeftOut.LEGACY_PARTS
    if not name.endswith(".gguf"):
        return None
    if path in ambiguous:
        return LeftOut.SAME_NAME
    if "mmproj" in name:
        return LeftOut.VISION
    if "imatrix" in name and not quantisation(path):
        return LeftOut.IMATRIX
    return LeftOut.HEAD if _HEAD.search(path) else None


def _ambiguous(files: Iterable[RemotePart]) -> frozenset[str]:
    """Paths that would be one file on a disk that does not tell capital letters from small ones."""
    paths: dict[str, set[str]] = defaultdict(set)
    for file in files:
        paths[collision_key(file.path)].add(file.path)
    return frozenset(path for same in paths.values() if len(same) > 1 for path in same)
