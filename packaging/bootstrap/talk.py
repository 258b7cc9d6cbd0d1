"""How the set-up speaks: short lines on stderr, so that stdout stays the program's own."""

from __future__ import annotations

import sys


class SetupError(Exception):
    """The set-up cannot go on. The text is for the user: what happened, and what to do about it."""


def say(text: str) -> None:
    """One line for the person at the terminal."""
    print(f"draftlight: {text}", file=sys.stderr, flush=True)


def duration(seconds: float) -> str:
    """A length of time as people say it.

    >>> duration(4.24), duration(272)
    ('4.2 s', '4 min 32 s')
    """
    if seconds < 60:
        return f"{seconds:.1f} s"
    return f"{int(seconds) // 60} min {int(seconds) % 60} s"
