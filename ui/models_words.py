"""Words and figures of the Models page."""

from __future__ import annotations

import math
from collections.abc import Sequence
from datetime import datetime

from app.amounts import count, size
from app.downloads.state import Download, DownloadState
from app.error_words import printable
from app.messages import message_for
from app.model_values import CataloguePair, Confidence, LocalModel, PairKind, PlaceKind, Proof
from app.translate import translate
from engine.errors import ErrorKind
from ui.models_rows import Check, Progress

GB = 1_000_000_000
KINDS = (PairKind.CHAT, PairKind.CODE, PairKind.FIM)


def two_sizes(target: int, draft: int) -> str:
    """ "4.7 + 0.5 GB", or in MB where both are small."""
    if target >= GB:
        return f"{target / GB:,.1f} + {max(0.1, draft / GB):,.1f} GB"
    return f"{target / 1e6:.0f} + {draft / 1e6:.0f} MB"


def part_of(done: int, total: int) -> str:
    """ "5.9 of 9.5 GB"."""
    if not total:
        return size(done)
    if total >= GB:
        return translate("models", "{done} of {total} GB").format(done=f"{done / GB:,.1f}", total=f"{total / GB:,.1f}")
    return translate("models", "{done} of {total} MB").format(done=f"{done / 1e6:.0f}", total=f"{total / 1e6:.0f}")


def duration(seconds: float) -> str:
    """ "1 min 15 s"."""
    whole = math.ceil(seconds)
    if whole < 60:
        return translate("models", "{s} s").format(s=whole)
    if whole < 3_600:
        return translate("models", "{m} min {s} s").format(m=whole // 60, s=whole % 60)
    return translate("models", "{h} h {m} min").format(h=whole // 3_600, m=whole % 3_600 // 60)


def speed_words(speed: float) -> str:
    return f"{size(speed)}/s"


def progress_words(progress: Progress) -> str:
    """The small line below a download's bar."""
    bytes_words = part_of(progress.done_bytes, progress.total_bytes)
    match progress.state:
        case DownloadState.RUNNING if not progress.done_bytes and not progress.speed:
            return translate("models", "Connecting…")
        case DownloadState.RUNNING:
            parts = [bytes_words]
            if progress.speed:
                parts.append(speed_words(progress.speed))
            if progress.speed and progress.seconds_left is not None:
                parts.append(duration(progress.seconds_left))
            return " · ".join(parts)
        case DownloadState.VERIFYING:
            return translate("models", "Checking what came")
        case DownloadState.PAUSED:
            return translate("models", "Paused · {done}").format(done=bytes_words)
        case DownloadState.WAITING:
            words = translate("models", "Waiting, place {place} in the queue").format(place=progress.place)
            return f"{words} · {bytes_words}" if progress.done_bytes else words
        case DownloadState.FAILED if progress.error is not None:
            if progress.error.kind is ErrorKind.REPO_GATED:
                return translate("models", "The licence must be accepted")
            if progress.error.kind is ErrorKind.OFFLINE:
                return translate("models", "Paused while offline · {done}").format(done=bytes_words)
            return message_for(progress.error).title
        case _:
            return bytes_words


def downloads_words(downloads: Sequence[Download]) -> str:
    """What the status line says of them; "" where none is under way."""
    running = [one for one in downloads if one.state in (DownloadState.RUNNING, DownloadState.VERIFYING)]
    if not running:
        return ""
    words = translate("status_line", "Downloading {number}").format(number=len(running))
    speeds = [download.speed for download in running if download.speed]
    return f"{words} · {speed_words(sum(speeds))}" if speeds else words


def kinds_words(kinds: frozenset[PairKind]) -> str:
    """ "Code, FIM"."""
    words = {
        PairKind.CHAT: translate("models", "Chat"),
        PairKind.CODE: translate("models", "Code"),
        PairKind.FIM: translate("models", "FIM"),
    }
    return ", ".join(words[kind] for kind in KINDS if kind in kinds)


def pair_subtitle(pair: CataloguePair) -> str:
    """Kinds, licence, and whether it is gated."""
    parts = [kinds_words(pair.kinds), printable(licence_words(pair.licence))]
    if pair.gated:
        parts.append(translate("models", "gated"))
    return " · ".join(part for part in parts if part)


def licence_words(licence: str) -> str:
    """As people write it: "Apache-2.0", "MIT"; names that are no words stay."""
    known = {"apache-2.0": "Apache-2.0", "mit": "MIT", "gemma": "Gemma", "bsd-3-clause": "BSD-3-Clause"}
    return known.get(licence.lower(), licence)


def confidence_words(confidence: Confidence) -> str:
    high = confidence is Confidence.HIGH
    return translate("models", "high") if high else translate("models", "medium")


def model_name(model: LocalModel) -> str:
    """Of its header, or of its file where that has none."""
    return printable(model.name or model.path.name)


def place_words(model: LocalModel) -> str:
    """Whose folder it lies in."""
    match model.place:
        case PlaceKind.OURS:
            return translate("models", "Models folder")
        case PlaceKind.ADDED:
            return translate("models", "Added")
        case PlaceKind.LM_STUDIO:
            return "LM Studio"
        case PlaceKind.LLAMA_CPP:
            return "llama.cpp"
        case PlaceKind.OLLAMA:
            return "Ollama"
        case PlaceKind.HUB_CACHE:
            return translate("models", "Hub cache")
        case PlaceKind.PACKAGE:
            return translate("models", "With the program")


def check_words(check: Check, total: int) -> str:
    """How far a verification is, or what it found."""
    if check.share is not None:
        return translate("models", "Verifying · {part}").format(part=part_of(int(check.share * total), total))
    if check.error is not None:
        return message_for(check.error).title
    if check.proof is Proof.PUBLISHED:
        return translate("models", "Verified: the bytes are those that were published")
    if check.proof is Proof.DOWNLOADED:
        return translate("models", "Verified: the bytes are those that were downloaded")
    return translate("models", "Whole, but nobody published a SHA-256 to compare it with")


def or_dash(number: int) -> str:
    """0 is what a header does not say."""
    return count(number) if number else "–"


def parameters_words(parameters: int) -> str:
    """ "7.6 B", "494 M", "72 K"."""
    if parameters >= 999_500_000:
        return f"{parameters / 1e9:.1f} B"
    if parameters >= 999_500:
        return f"{parameters / 1e6:.0f} M"
    return f"{parameters / 1e3:.0f} K" if parameters >= 500 else or_dash(parameters)


def date_words(moment: datetime | None) -> str:
    """ "2026-03-01", the same in every language."""
    return "" if moment is None else moment.date().isoformat()


def repo_name(repo: str) -> str:
    """What a repository of GGUF files is called by people: no owner, no ending."""
    return repo.rpartition("/")[2].removesuffix("-GGUF")
