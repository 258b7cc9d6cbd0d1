"""`python -m app`. Imports nothing heavy at module level: each engine process may import it again."""

from __future__ import annotations

import sys
from multiprocessing import freeze_support


def main() -> int:
    """Entry point of the installed `draftlight` too."""
    freeze_support()  # in a frozen program, this is where a started engine process turns off
    from app.cli import main as run_command_line

    return run_command_line()


if __name__ == "__main__":
    sys.exit(main())
