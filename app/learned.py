"""What was learned of each pair on this machine, kept between starts so that the first reply is as quick as the last.

Disposable: a missing or damaged file means that nothing is known yet.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import math
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any, Final

from app.small_file import file_stamp, read_small_file, write_small_file
from engine.acceptance import LearnedAcceptance
from engine.costs import MeasuredCosts
from engine.knowledge import Knowledge
from engine.types import MAX_DRAFT_LENGTH, Drafter, EngineInfo, LoadRequest

_PAIRS: Final = 64  # that are remembered
_KINDS: Final = 64  # of text, of each


class LearnedPairs:
    """One small file for each pair, each way of loading it, and each engine build. Used on one thread."""

    def __init__(self, folder: Path) -> None:
        """`folder` is the program's state folder, made when it is first needed."""
        self._folder = folder / "learned"

    def read(self, request: LoadRequest, info: EngineInfo) -> Knowledge | None:
        """What is known of a pair that is loaded like this; None if nothing is."""
        try:
            return _knowledge(json.loads(read_small_file(self._path(request, info))))
        except (OSError, ValueError, TypeError, KeyError, AttributeError, ArithmeticError, RecursionError):
            return None

    def write(self, request: LoadRequest, info: EngineInfo, knowledge: Knowledge) -> None:
        """Remember it, whole or not at all. A full or read-only disk costs the memory, never the program."""
        with contextlib.suppress(OSError):
            path = self._path(request, info)
            path.parent.mkdir(parents=True, exist_ok=True)
            write_small_file(path, json.dumps(_document(knowledge)))
            self._forget_oldest()

    def _path(self, request: LoadRequest, info: EngineInfo) -> Path:
        """Named after all that changes what passes cost or how well the draft guesses; another file under the same name
        is another model. Raises OSError."""
        files = [(path, *file_stamp(path)) for path in (request.target, request.draft) if path is not None]
        settings = asdict(replace(request, ctx=None, measure=False))
        devices = [device.description for device in info.devices]
        build = (info.llama_cpp_python, info.backends, info.system_info, devices)
        words = json.dumps([files, settings, build], default=str, sort_keys=True)
        return self._folder / f"{hashlib.sha256(words.encode()).hexdigest()[:32]}.json"

    def _forget_oldest(self) -> None:
        files = sorted(self._folder.iterdir(), key=lambda path: path.stat().st_mtime)
        for path in files[:-_PAIRS]:
            with contextlib.suppress(OSError):
                path.unlink()


def _document(knowledge: Knowledge) -> dict[str, object]:
    return {
        "costs": asdict(knowledge.costs),
        "acceptance": {drafter.value: asdict(learned) for drafter, learned in knowledge.acceptance.items()},
    }


def _knowledge(document: Any) -> Knowledge:
    """Raises ValueError, TypeError, KeyError, AttributeError or OverflowError for what `_document` never makes."""
    costs, acceptance = document["costs"], document["acceptance"]
    return Knowledge(
        MeasuredCosts(
            _numbers(costs["verify_s"]),
            _number(costs["draft_s"]),
            _number(costs["draft_token_s"]),
            _number(costs["draft_read_s"]),
        ),
        {Drafter(name): _acceptance(learned) for name, learned in acceptance.items()},
    )


def _acceptance(learned: Any) -> LearnedAcceptance:
    kinds = list(learned["kinds"].items())[:_KINDS]
    return LearnedAcceptance(
        {kind: (_numbers(kept), _numbers(missed)) for kind, (kept, missed) in kinds},
        tuple((_number(kept), _number(missed), _number(due)) for kept, missed, due in learned["bins"]),
    )


def _numbers(values: Any) -> tuple[float, ...]:
    numbers = tuple(_number(value) for value in values)
    if not 0 < len(numbers) <= MAX_DRAFT_LENGTH + 1:
        raise ValueError(f"{len(numbers)} numbers")
    return numbers


def _number(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < math.inf:
        raise ValueError(f"{value!r} is no amount")
    return float(value)
