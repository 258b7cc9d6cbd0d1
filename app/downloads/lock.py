"""A lock on an open file that the operating system takes back when its holder ends, however it ends."""

from __future__ import annotations

import os
import sys

if sys.platform == "win32":
    import msvcrt

    # Locked bytes cannot be read or written by others; this one is never there.
    _BYTE = 1 << 62

    def lock(descriptor: int) -> bool:
        """False where another open file has it. The lock ends when the file is closed."""
        try:
            os.lseek(descriptor, _BYTE, os.SEEK_SET)
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True

else:
    import fcntl

    def lock(descriptor: int) -> bool:
        """False where another open file has it. The lock ends when the file is closed."""
        # flock, not lockf: it belongs to the open file, so it holds between two threads too.
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True
