"""`python -m app`. Imports nothing heavy at module level: each engine process may import it again."""

from __future__ import annotations

import sys


def main() -> int:
    """Entry point of the installed `draftlight` too."""
    try:
        # Imported here too: it takes 20 ms, time enough for an impatient Ctrl-C.
        from multiprocessing import freeze_support

        freeze_support()  # in a frozen program, this is where a started engine process turns off
        from app.cli import main as run_command_line

        return run_command_line()
    except KeyboardInterrupt:  # before a command could take care of it
        return 130


if __name__ == "__main__":
    sys.exit(main())
