"""What run.py does: set up what is missing, then become the program, or run the checks."""

from __future__ import annotations

import errno
import os
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import FrameType
from typing import NoReturn

from bootstrap.environment import Environment
from bootstrap.stamp import Stamp, is_ready, key
from bootstrap.talk import SetupError, say

SYSTEM_LIBRARY_CACHE = Path("/etc/ld.so.cache")  # rewritten whenever libraries are installed or removed
NO_SCREEN = """There is no screen to open the window on (neither DISPLAY nor WAYLAND_DISPLAY is set).
Everything else works without one, for example:

    python3 run.py generate --pair starter --prompt "Why is the sky blue?"
"""


def start(root: str, arguments: list[str]) -> int:
    """Sets up if need be, then runs what the arguments ask for. Returns the exit status, if at all."""
    _end_in_order()
    environment = Environment(Path(root).resolve())
    try:
        if arguments[:1] == ["test"]:
            return _test(environment, arguments[1:])
        _set_up(environment, "program")
        if opens_window(arguments):
            _need_window(environment)
        return _become_program(environment, arguments)
    except SetupError as error:
        say(str(error))
    except KeyboardInterrupt:
        say("Stopped.")
        return 130
    except OSError as error:
        say(_storage_sentence(error, environment))
    return 1


def _set_up(environment: Environment, purpose: str) -> None:
    if is_ready(environment, purpose):
        return
    from bootstrap.install import set_up  # late, as elsewhere below: a start that needs no set-up reads none of it

    set_up(environment, purpose)


def opens_window(arguments: Sequence[str]) -> bool:
    """Whether `python -m app ARGUMENTS` shows the window: nothing but the option that moves the data is given."""
    if not arguments:
        return True
    if arguments[0].startswith("--base-dir="):
        return opens_window(arguments[1:])
    return arguments[0] == "--base-dir" and opens_window(arguments[2:])


def platform_plugin(variables: Mapping[str, str] = os.environ) -> str | None:
    """The plugin with which Qt will open the window: "xcb", "wayland", …; None where there is no screen."""
    chosen = variables.get("QT_QPA_PLATFORM", "").partition(";")[0].partition(":")[0]
    if chosen:
        return chosen.removesuffix("-egl")
    if variables.get("WAYLAND_DISPLAY"):
        return "wayland"
    return "xcb" if variables.get("DISPLAY") else None


def _test(environment: Environment, pytest_arguments: list[str]) -> int:
    from bootstrap.checks import run_checks

    _set_up(environment, "test")
    _need_qt_libraries(environment, "test", "offscreen")
    return run_checks(environment, pytest_arguments)


def _need_window(environment: Environment) -> None:
    """Raises SetupError where no window can be shown."""
    if not sys.platform.startswith("linux"):
        return
    platform = platform_plugin()
    if platform is None:
        raise SetupError(NO_SCREEN)
    _need_qt_libraries(environment, "program", platform)


def _need_qt_libraries(environment: Environment, purpose: str, platform: str) -> None:
    """Looks for Qt's system libraries once for each platform plugin, and again when the system has changed."""
    if not sys.platform.startswith("linux"):
        return
    stamp, remembered = Stamp(environment.folder), f"qt-{platform}"
    if stamp.holds(remembered, _qt_key(environment, purpose)):
        return
    from bootstrap.qt_libraries import provide

    provide(environment, platform)
    stamp.write({**stamp.read(), remembered: _qt_key(environment, purpose)})


def _qt_key(environment: Environment, purpose: str) -> str:
    changed = SYSTEM_LIBRARY_CACHE.stat().st_mtime_ns if SYSTEM_LIBRARY_CACHE.exists() else 0
    return f"{key(environment, purpose)} {changed}"


def _become_program(environment: Environment, arguments: list[str]) -> int:
    # -P: a folder named app or engine where the user happens to be must not be taken for the program.
    command = [str(environment.python), "-P", "-m", "app", *arguments]
    if os.name != "nt":
        os.execve(command[0], command, environment.variables())
    process = subprocess.Popen(command, env=environment.variables())
    while True:
        try:
            return process.wait()
        except KeyboardInterrupt:  # the program got it too, and decides what it means
            continue


def _end_in_order() -> None:
    """Being told to end becomes an exception, so that a set-up or a check takes the programs that it runs along."""

    def end(number: int, frame: FrameType | None) -> NoReturn:
        sys.exit(128 + number)

    for name in ("SIGTERM", "SIGHUP"):
        number = getattr(signal, name, None)  # Windows has no SIGHUP
        if number is not None and signal.getsignal(number) != signal.SIG_IGN:  # what nohup wants stays so
            signal.signal(number, end)


def _storage_sentence(error: OSError, environment: Environment) -> str:
    if error.errno == errno.ENOSPC:
        return f"The disk is full: {environment.root} needs about 2 GB. Free some, then start again."
    if error.errno in (errno.EACCES, errno.EPERM, errno.EROFS):
        return f"{error.filename or environment.root} cannot be written. Move the program to a folder of yours."
    return f"The set-up could not go on: {error}"
