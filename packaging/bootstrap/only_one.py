"""One set-up at a time: a lock that the operating system takes back when its holders are gone."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from bootstrap.talk import say


@contextmanager
def only_one(file: Path) -> Iterator[int]:
    """Holds the lock on `file` and yields its descriptor; waits, saying so, while another process holds it."""
    with file.open("ab") as opened:
        descriptor = opened.fileno()
        if not _lock(descriptor):
            say("Another start is setting up; waiting for it to finish.")
            while not _lock(descriptor):
                time.sleep(0.2)
        yield descriptor


if sys.platform == "win32":
    import msvcrt

    def _lock(descriptor: int) -> bool:
        try:
            os.lseek(descriptor, 0, os.SEEK_SET)
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True

else:
    import fcntl

    def _lock(descriptor: int) -> bool:
        # flock, not lockf: it belongs to the open file, so a child that inherits the descriptor keeps the lock.
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True
