"""What the system's own package manager has to bring: named exactly, and installed where that is allowed."""

from __future__ import annotations

import os
import platform
import shutil
import sys
from collections.abc import Iterable
from dataclasses import dataclass

from bootstrap.environment import Environment, StepError
from bootstrap.talk import SetupError


@dataclass(frozen=True)
class Manager:
    """A package manager. `refresh` comes before an installation on a machine that may be new."""

    name: str
    install: str
    refresh: str = ""


MANAGERS = (
    Manager("apt-get", "apt-get install -y --no-install-recommends", "apt-get update"),
    Manager("dnf", "dnf install -y"),
    Manager("pacman", "pacman -S --needed --noconfirm"),
    Manager("zypper", "zypper --non-interactive install"),
)

COMPILER = {"apt-get": ["g++", "cmake"], "dnf": ["gcc-c++", "cmake"], "pacman": ["gcc", "cmake"], "zypper": ["gcc-c++"]}

# Shared library -> its package for apt, dnf, pacman and zypper.
LIBRARIES = {
    "libEGL.so.1": ("libegl1", "libglvnd-egl", "libglvnd", "libglvnd"),
    "libGL.so.1": ("libgl1", "libglvnd-glx", "libglvnd", "libglvnd"),
    "libX11.so.6": ("libx11-6", "libX11", "libx11", "libX11-6"),
    "libX11-xcb.so.1": ("libx11-xcb1", "libX11-xcb", "libx11", "libX11-xcb1"),
    "libdbus-1.so.3": ("libdbus-1-3", "dbus-libs", "dbus", "libdbus-1-3"),
    "libfontconfig.so.1": ("libfontconfig1", "fontconfig", "fontconfig", "libfontconfig1"),
    "libfreetype.so.6": ("libfreetype6", "freetype", "freetype2", "libfreetype6"),
    "libglib-2.0.so.0": ("libglib2.0-0", "glib2", "glib2", "libglib-2_0-0"),
    "libgthread-2.0.so.0": ("libglib2.0-0", "glib2", "glib2", "libgthread-2_0-0"),
    "libstdc++.so.6": ("libstdc++6", "libstdc++", "gcc-libs", "libstdc++6"),
    "libwayland-client.so.0": ("libwayland-client0", "libwayland-client", "wayland", "libwayland-client0"),
    "libwayland-cursor.so.0": ("libwayland-cursor0", "libwayland-cursor", "wayland", "libwayland-cursor0"),
    "libwayland-egl.so.1": ("libwayland-egl1", "libwayland-egl", "wayland", "libwayland-egl1"),
    "libxcb-cursor.so.0": ("libxcb-cursor0", "xcb-util-cursor", "xcb-util-cursor", "libxcb-cursor0"),
    "libxcb-icccm.so.4": ("libxcb-icccm4", "xcb-util-wm", "xcb-util-wm", "libxcb-icccm4"),
    "libxcb-image.so.0": ("libxcb-image0", "xcb-util-image", "xcb-util-image", "libxcb-image0"),
    "libxcb-keysyms.so.1": ("libxcb-keysyms1", "xcb-util-keysyms", "xcb-util-keysyms", "libxcb-keysyms1"),
    "libxcb-randr.so.0": ("libxcb-randr0", "libxcb", "libxcb", "libxcb-randr0"),
    "libxcb-render-util.so.0": (
        "libxcb-render-util0",
        "xcb-util-renderutil",
        "xcb-util-renderutil",
        "libxcb-render-util0",
    ),
    "libxcb-render.so.0": ("libxcb-render0", "libxcb", "libxcb", "libxcb-render0"),
    "libxcb-shape.so.0": ("libxcb-shape0", "libxcb", "libxcb", "libxcb-shape0"),
    "libxcb-shm.so.0": ("libxcb-shm0", "libxcb", "libxcb", "libxcb-shm0"),
    "libxcb-sync.so.1": ("libxcb-sync1", "libxcb", "libxcb", "libxcb-sync1"),
    "libxcb-util.so.1": ("libxcb-util1", "xcb-util", "xcb-util", "libxcb-util1"),
    "libxcb-xfixes.so.0": ("libxcb-xfixes0", "libxcb", "libxcb", "libxcb-xfixes0"),
    "libxcb-xkb.so.1": ("libxcb-xkb1", "libxcb", "libxcb", "libxcb-xkb1"),
    "libxcb.so.1": ("libxcb1", "libxcb", "libxcb", "libxcb1"),
    "libxkbcommon-x11.so.0": ("libxkbcommon-x11-0", "libxkbcommon-x11", "libxkbcommon-x11", "libxkbcommon-x11-0"),
    "libxkbcommon.so.0": ("libxkbcommon0", "libxkbcommon", "libxkbcommon", "libxkbcommon0"),
    "libz.so.1": ("zlib1g", "zlib", "zlib", "libz1"),
    "libzstd.so.1": ("libzstd1", "libzstd", "zstd", "libzstd1"),
}


def manager() -> Manager | None:
    """This system's package manager; None where it is none of those we know."""
    return next((known for known in MANAGERS if shutil.which(known.name)), None)


def packages_for(libraries: Iterable[str], known: Manager) -> list[str]:
    """The packages that bring these libraries; a library that we do not know goes under its own name."""
    column = MANAGERS.index(known)
    return sorted({LIBRARIES[library][column] if library in LIBRARIES else library for library in libraries})


def may_install() -> bool:
    """Whether this process can install system packages without asking anybody."""
    return hasattr(os, "geteuid") and os.geteuid() == 0 and manager() is not None


def command_line(known: Manager, packages: list[str], prefix: str = "") -> str:
    """The one command that installs the packages, as a person would type it."""
    refresh = f"{prefix}{known.refresh} && " if known.refresh else ""
    return f"{refresh}{prefix}{known.install} {' '.join(packages)}"


def provide(environment: Environment, what: str, packages: list[str], problem: str) -> None:
    """Installs the packages where this process may; else raises SetupError with the command that does."""
    known = manager()
    if known is None:
        raise SetupError(f"{problem} Install {what} with your system's package manager: {', '.join(packages)}.")
    command = command_line(known, packages, "sudo ")
    if not may_install():
        raise SetupError(f"{problem} This command brings {what}:\n\n    {command}\n\nThen start again.")
    quiet = {"DEBIAN_FRONTEND": "noninteractive"}
    try:
        if known.refresh:
            environment.run("Refreshing the list of system packages", known.refresh.split(), quiet)
        environment.run(f"Installing {what}", [*known.install.split(), *packages], quiet)
    except StepError as failure:
        raise environment.explained(f"This command failed:\n\n    {command}\n\nThe reason", failure) from failure


def provide_venv(environment: Environment) -> None:
    """Debian and its children take a part of Python's venv module out into a package of its own."""
    package = f"python{sys.version_info[0]}.{sys.version_info[1]}-venv"
    known = manager()
    packages = [package] if known is not None and known.name == "apt-get" else ["python3 with ensurepip"]
    provide(environment, "Python's venv module", packages, "This Python cannot make virtual environments.")


def provide_compiler(environment: Environment) -> None:
    """Installs a C++ compiler, where this process may. Raises SetupError."""
    known = manager()
    packages = [] if known is None else COMPILER[known.name]
    provide(environment, "a C++ compiler", packages, "The engine has to be built here, and there is no compiler.")


def compiler_advice() -> str:
    """How to get a C++ compiler on this system, in one sentence."""
    system = platform.system()
    if system == "Windows":
        tools = 'winget install Microsoft.VisualStudio.2022.BuildTools --override "--passive --wait '
        return f"{tools}--add Microsoft.VisualStudio.Workload.VCTools --includeRecommended\" installs a C++ compiler."
    if system == "Darwin":
        return "`xcode-select --install` installs a C++ compiler."
    known = manager()
    if known is None:
        return "Install a C++ compiler with your system's package manager."
    return f"`{command_line(known, COMPILER[known.name], 'sudo ')}` installs a C++ compiler."
