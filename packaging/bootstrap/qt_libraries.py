"""The system libraries that Qt asks for on Linux. Qt itself would only say that its platform plugin failed."""

from __future__ import annotations

import subprocess
from collections.abc import Iterable
from pathlib import Path

from bootstrap import system_packages
from bootstrap.elf import needed_libraries
from bootstrap.environment import Environment
from bootstrap.talk import SetupError

# What the window and its tests import; what these modules need in their turn is found by reading them.
MODULES = ("QtCore", "QtGui", "QtWidgets", "QtTest")
# Prints those of its arguments that the loader does not find. A process of its own, since loading a library
# runs code of it.
LOAD = """
import ctypes, sys
for name in sys.argv[1:]:
    try:
        ctypes.CDLL(name)
    except OSError:
        print(name)
"""


def provide(environment: Environment, platform: str) -> None:
    """Sees to it that Qt finds all it needs for a platform plugin: installs it as root, else raises SetupError."""
    missing = missing_libraries(environment, platform)
    if not missing:
        return
    known = system_packages.manager()
    packages = missing if known is None else system_packages.packages_for(missing, known)
    problem = f"The window needs system libraries that are not here: {', '.join(missing)}."
    system_packages.provide(environment, "the window's system libraries", packages, problem)
    if still := missing_libraries(environment, platform):
        raise SetupError(f"After installing {' '.join(packages)}, these are still not found: {', '.join(still)}.")


def missing_libraries(environment: Environment, platform: str) -> list[str]:
    """The sonames that Qt's modules and the platform plugin ask for and the loader does not find."""
    qt = environment.packages / "PySide6"
    modules = [file for name in MODULES for file in qt.glob(f"{name}.*.so")]
    wanted = wanted_libraries([*modules, *qt.glob(f"Qt/plugins/platforms/libq{platform}.so")], qt / "Qt" / "lib")
    command = [str(environment.python), "-c", LOAD, *wanted]
    answer = subprocess.run(command, env=environment.variables(), capture_output=True, text=True, check=True)
    return answer.stdout.split()


def wanted_libraries(files: Iterable[Path], shipped: Path) -> list[str]:
    """What the files, and the libraries in the folder `shipped` that they lead to, ask the system for."""
    own = {file.name: file for file in shipped.iterdir()}
    own_packages = ("libpyside6", "libshiboken6")
    waiting, seen, system = list(files), set[str](), set[str]()
    while waiting:
        for name in needed_libraries(waiting.pop()):
            if name in seen or name.startswith(own_packages):
                continue
            seen.add(name)
            if name in own:
                waiting.append(own[name])
            else:
                system.add(name)
    return sorted(system)
