"""`draftlight models get`."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    Parsers = argparse._SubParsersAction[argparse.ArgumentParser]


def add_parsers(actions: Parsers) -> list[argparse.ArgumentParser]:
    """One parser for each action; each sets `run_action` to its (arguments, paths, terminal) -> Outcome."""
    return []
