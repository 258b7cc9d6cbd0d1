"""`python -m app`. Imports nothing heavy at module level: each engine process may import it again."""

from __future__ import annotations

import os
import sys

_INTERRUPTED = 130  # as shells report Ctrl-C


def main() -> int:
    """Entry point of the installed `draftlight` too."""
    try:
        import signal  # in here, since it is not there yet and takes a moment

        # A command takes care of Ctrl-C once it runs. Until then, and when it is done, there is nothing to put in
        # order; an exception might come up in a callback of the import system, where Python prints it and goes on.
        signal.signal(signal.SIGINT, lambda number, frame: os._exit(_INTERRUPTED))
        from multiprocessing import freeze_support

        freeze_support()  # in a frozen program, this is where a started engine process turns off
        from app.cli import main as run_command_line

        return run_command_line()
    except KeyboardInterrupt:  # in the first moment
        return _INTERRUPTED


if __name__ == "__main__":
    sys.exit(main())
