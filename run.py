"""Starts Draftlight; the first time, sets it up. Needs nothing but Python: `python3 run.py`.

    python3 run.py              opens the window
    python3 run.py ARGS…        the command line: what follows goes to `python -m app`
    python3 run.py test ARGS…   every check; ARGS go to pytest

What it installs goes into the folder .venv beside this file, and nowhere else. The work is done in
packaging/bootstrap; this file only has to be readable by a Python that is too old.
"""

import os
import sys


def main():
    if sys.version_info < (3, 11):
        return "Draftlight needs Python 3.11 or newer, and this is Python {}.{}.".format(*sys.version_info[:2])
    sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "packaging"))
    from bootstrap.start import start

    return start(os.path.dirname(os.path.abspath(__file__)), sys.argv[1:])


if __name__ == "__main__":
    sys.exit(main())
