"""Remembers which set-up .venv has been through, so that a second start has nothing to do."""

from __future__ import annotations

import hashlib
import json
import os
import sys
from pathlib import Path

from bootstrap import machine
from bootstrap.environment import Environment

_PROGRAM = ["requirements.lock", "requirements-weights.lock"]
LOCKS = {"program": _PROGRAM, "test": [*_PROGRAM, "requirements-dev.lock"]}  # what each purpose needs
ENGINE_LOCKS = ["requirements-engine.lock", "requirements-cuda12.lock", "requirements-cuda13.lock"]
UNFINISHED = "unfinished"


class Stamp:
    """The file .venv/setup.json: for each purpose ("program", "test", "window-xcb", …) the key it was set up for.

    While .venv is being changed the file says "unfinished" and nothing else: whoever finds that knows that a
    set-up was killed, and that no package in .venv can be trusted to be whole.
    """

    def __init__(self, folder: Path) -> None:
        self._file = folder / "setup.json"

    def read(self) -> dict[str, str]:
        """What is remembered; {} when there is nothing, or nothing that can be read."""
        try:
            found = json.loads(self._file.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return {}
        return found if isinstance(found, dict) else {}

    def holds(self, purpose: str, key: str) -> bool:
        """Whether .venv is set up for this purpose with this key."""
        return self.read().get(purpose) == key

    def write(self, entries: dict[str, str]) -> None:
        """Remembers these entries and no others; a reader sees the old ones or the new ones."""
        new = self._file.with_suffix(".new")
        new.write_text(json.dumps(entries, indent=2), encoding="utf-8")
        os.replace(new, self._file)

    def mark_unfinished(self) -> None:
        """To be called before anything in .venv is changed."""
        self.write({UNFINISHED: UNFINISHED})


def is_ready(environment: Environment, purpose: str) -> bool:
    """Whether .venv is set up for "program" or "test", as a start finds out in a moment."""
    stamp = Stamp(environment.folder)
    return stamp.holds(purpose, key(environment, purpose)) and environment.python.exists()


def key(environment: Environment, purpose: str) -> str:
    """What a set-up depends on, as a hash: locks, set-up program, Python, place, devices, and the user's wish."""
    files = [environment.locks / name for name in LOCKS[purpose] + ENGINE_LOCKS]
    parts = [file.read_bytes() for file in (*files, *sorted((environment.locks / "bootstrap").glob("*.py")))]
    python = str(sys.implementation.cache_tag)  # "cpython-311": a patch release changes nothing in .venv
    facts = [python, str(environment.root), machine.fingerprint(), os.environ.get("DRAFTLIGHT_ENGINE", "")]
    digest = hashlib.sha256()
    for part in [*parts, *(fact.encode() for fact in facts)]:
        digest.update(len(part).to_bytes(8, "big") + part)
    return digest.hexdigest()
