"""A draft made from its target: the same model with fewer bits a weight. It knows the same tokens, and mostly agrees.

It is no small model: it computes as much as its target and only reads less, so it must be much smaller to be faster.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from typing import Final

import psutil

from app.amounts import count
from app.engine_client import EngineClient
from app.model_values import LocalModel
from app.paths import Paths, free_bytes
from app.requantise import OnJob, OnProgress, requantise
from app.small_file import file_stamp
from app.translate import translate
from engine.errors import EngineError, ErrorKind
from engine.gguf import read_header, read_parts
from engine.quantising import DRAFT_FILE_TYPES, estimated_seconds, requantised

__all__ = ["DRAFT_FILE_TYPES", "SelfDraftPlan", "fallback_words", "make", "plan"]

# With c the draft's size as a part of the target's, n guesses cost as much as n c passes of the target and bring n at
# most: at four fifths, with four guesses of five kept, nothing is won.
_MOST: Final = 0.8
_LONGEST_NAME: Final = 180  # bytes, so that file systems that allow 255 have room for what is added


@dataclass(frozen=True, slots=True)
class SelfDraftPlan:
    """What making a draft would take, told before anything is written.

    Attributes:
        source: the target's file, or its first part.
        path: where the draft will be; it may be there already, and `make` is then done at once. Another target, be it
            one that has taken this one's place, has another path.
        size_bytes: of the new file. seconds: to a factor of two or so. free_bytes: on its disk now.
        fallen_back: tensors whose rows the file type cannot hold, of `tensors`; they take `fallback_types` instead.
    """

    source: Path
    file_type: str
    path: Path
    size_bytes: int
    seconds: float
    free_bytes: int
    fallen_back: int
    tensors: int
    fallback_types: tuple[str, ...]


def plan(target: LocalModel, file_type: str, paths: Paths) -> SelfDraftPlan:
    """How large a draft of `target` would be, how long it would take, and whether there is room.

    Reads the headers of all parts.

    Args:
        file_type: one of DRAFT_FILE_TYPES.

    Raises:
        EngineError: SELF_DRAFT_TOO_LARGE where the target is small already; what is wrong with its files.
    """
    headers = [read_header(part) for part in target.parts]
    tensors = list(requantised(headers, file_type))
    old_bytes = sum(tensor.old.nbytes for tensor in tensors)
    new_bytes = sum(tensor.nbytes for tensor in tensors)
    if new_bytes > _MOST * old_bytes:
        raise EngineError(
            ErrorKind.SELF_DRAFT_TOO_LARGE,
            path=str(target.path),
            file_type=file_type,
            size_bytes=old_bytes,
            expected_bytes=new_bytes,
        )
    fallen_back = [tensor for tensor in tensors if tensor.type != tensor.wanted]
    path = _path(target, file_type, paths)
    return SelfDraftPlan(
        source=target.path,
        file_type=file_type,
        path=path,
        size_bytes=headers[0].data_offset + new_bytes,
        seconds=estimated_seconds(tensors, psutil.cpu_count(logical=False) or 1),
        free_bytes=free_bytes(path.parent),
        fallen_back=len(fallen_back),
        tensors=len(tensors),
        fallback_types=tuple(sorted({tensor.type for tensor in fallen_back})),
    )


def make(
    plan: SelfDraftPlan, client: EngineClient, on_job: OnJob | None = None, on_progress: OnProgress | None = None
) -> Path:
    """Write the draft, unless it is there; anything else in its place gives way. Blocks until it is done.

    Args:
        on_job: is given the job that writes, for cancelling.
        on_progress: is told bytes written and bytes in all, some times a second.

    Raises:
        EngineError: DISK_FULL, FOLDER_UNWRITABLE, LOAD_CANCELLED, or what the engine reports.
    """
    if not _is_there(plan):
        requantise(plan.source, plan.path, plan.file_type, plan.size_bytes, client, on_job, on_progress)
    return plan.path


def fallback_words(plan: SelfDraftPlan) -> str:
    """What the file type cannot hold, as a sentence; "" where it holds all."""
    if not plan.fallen_back:
        return ""
    return translate(
        "drafts",
        "{fallen_back} of {tensors} tensors have rows that do not divide into blocks of {file_type}; they become "
        "{types}, which is larger.",
    ).format(
        fallen_back=count(plan.fallen_back),
        tensors=count(plan.tensors),
        file_type=plan.file_type,
        types=", ".join(plan.fallback_types),
    )


def _is_there(plan: SelfDraftPlan) -> bool:
    """Whether what lies at the draft's place is that draft, as far as headers tell."""
    try:
        made = read_header(plan.path)
        target = list(read_parts(read_header(plan.source)))
    except EngineError:
        return False
    wanted = {tensor.name: tensor.shape for part in target for tensor in part.tensors}
    return (
        (made.quantisation, made.architecture) == (plan.file_type, target[0].architecture)
        and made.vocab_size == target[0].vocab_size
        and {tensor.name: tensor.shape for tensor in made.tensors} == wanted
    )


def _path(target: LocalModel, file_type: str, paths: Paths) -> Path:
    """In a folder of the target's own: two files of one name, or one after the other at one path, may be two models."""
    identity = blake2b(os.fsencode(target.path.absolute()), digest_size=4)
    for part in target.parts:
        size_bytes, changed_ns = file_stamp(part)
        identity.update(f"\0{size_bytes} {changed_ns}".encode())
    name = os.fsencode(target.path.stem)[:_LONGEST_NAME].decode("utf-8", errors="ignore")
    return paths.models / "self-drafts" / identity.hexdigest() / f"{name}.{file_type}.gguf"
