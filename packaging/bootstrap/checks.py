"""`run.py test`: every check, one after the other."""

from __future__ import annotations

import os
import subprocess
import sys
import time

from bootstrap.environment import Environment
from bootstrap.talk import duration

LINT_IMPORTS = "import sys; from importlinter.cli import lint_imports_command; sys.exit(lint_imports_command())"

# More would not be faster: engines under test compute on several cores themselves. A file stays in one process, and
# with it what its tests share.
IN_TWO_PROCESSES = ["-n", "2", "--dist", "loadfile"]


def run_checks(environment: Environment, pytest_arguments: list[str]) -> int:
    """Runs all of them whatever fails, pytest last since its own summary should be; 1 when one failed.

    Without arguments pytest runs everything, in two processes where there are two cores; with some, it does what
    they say and nothing else, so that a debugger works.
    """
    if not pytest_arguments and cores() > 1:
        pytest_arguments = IN_TWO_PROCESSES
    steps = {
        "ruff": ["-m", "ruff", "check", "."],
        "mypy": ["-m", "mypy"],
        "import-linter": ["-c", LINT_IMPORTS],
        "pytest": ["-m", "pytest", *pytest_arguments],
    }
    failed = [name for name, arguments in steps.items() if not _passes(environment, name, arguments)]
    if failed:
        print(f"failed: {', '.join(failed)}", file=sys.stderr)
    return 1 if failed else 0


def cores() -> int:
    """Those that this process may use, as far as the system tells."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _passes(environment: Environment, name: str, arguments: list[str]) -> bool:
    print(f"== {name}", flush=True)
    start = time.monotonic()
    variables = {**environment.variables(), "QT_QPA_PLATFORM": "offscreen"}
    code = subprocess.run(
        [str(environment.python), *arguments], cwd=environment.root, env=variables, check=False
    ).returncode
    if name != "pytest" or code:
        print(f"== {name}: {_result(code)} in {duration(time.monotonic() - start)}", flush=True)
    return code == 0


def _result(code: int) -> str:
    if code < 0:
        return f"ended by signal {-code}"
    return "failed" if code else "passed"
