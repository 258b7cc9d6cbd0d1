"""Qt's system libraries: found by name before Qt fails, and turned into packages."""

from __future__ import annotations

import os
import struct
from pathlib import Path

import pytest

from bootstrap import qt_libraries, system_packages
from bootstrap.elf import needed_libraries
from bootstrap.environment import Environment
from bootstrap.start import opens_window, platform_plugin
from bootstrap.talk import SetupError
from tests.unit.bootstrap.conftest import Copy

MISSING = "libdraftlight-test.so.7"  # on no system
APT, DNF, PACMAN, ZYPPER = system_packages.MANAGERS


def elf(*needed: str) -> bytes:
    """A shared library for 64-bit Linux that has nothing but a list of the libraries that it needs."""
    strings = b"\0" + b"".join(name.encode() + b"\0" for name in needed)
    offsets = [strings.index(b"\0" + name.encode() + b"\0") + 1 for name in needed]
    base = 0x10000  # where the file would lie in memory
    dynamic_at, headers = 64 + 2 * 56, 2
    entries = [(1, offset) for offset in offsets] + [(5, base + dynamic_at + 16 * (len(offsets) + 2)), (0, 0)]
    dynamic = b"".join(struct.pack("<QQ", *entry) for entry in entries)
    size = dynamic_at + len(dynamic) + len(strings)
    start = b"\x7fELF\x02\x01\x01" + bytes(9)
    header = start + struct.pack("<HHIQQQIHHHHHH", 3, 62, 1, 0, 64, 0, 0, 64, 56, headers, 0, 0, 0)
    load = struct.pack("<IIQQQQQQ", 1, 4, 0, base, base, size, size, 0x1000)
    where = struct.pack("<IIQQQQQQ", 2, 4, dynamic_at, base + dynamic_at, 0, len(dynamic), len(dynamic), 8)
    return header + load + where + dynamic + strings


@pytest.fixture
def environment(copy: Copy, monkeypatch: pytest.MonkeyPatch) -> Environment:
    """A .venv with a small Qt: its plugin for "xcb" leads to a library that no system has."""
    for name, value in copy.environment.items():
        monkeypatch.setenv(name, value)
    qt = copy.packages / "PySide6"
    (qt / "Qt" / "plugins" / "platforms").mkdir(parents=True)
    (qt / "QtCore.abi3.so").write_bytes(elf("libQt6Core.so.6", "libpyside6.abi3.so.6.11", "libc.so.6"))
    (qt / "Qt" / "lib" / "libQt6Core.so.6").write_bytes(elf("libm.so.6", "libc.so.6"))
    (qt / "Qt" / "lib" / "libQt6XcbQpa.so.6").write_bytes(elf("libQt6Core.so.6", MISSING))
    (qt / "Qt" / "plugins" / "platforms" / "libqxcb.so").write_bytes(elf("libQt6XcbQpa.so.6"))
    (qt / "Qt" / "plugins" / "platforms" / "libqoffscreen.so").write_bytes(elf("libQt6Core.so.6"))
    return Environment(copy.root)


def test_what_a_library_needs_is_read_from_the_file(tmp_path: Path) -> None:
    """The names come in the file's order; a file that is no 64-bit library needs nothing."""
    (tmp_path / "a.so").write_bytes(elf("libEGL.so.1", "libc.so.6"))
    (tmp_path / "b.so").write_text("/* GNU ld script */")
    assert needed_libraries(tmp_path / "a.so") == ["libEGL.so.1", "libc.so.6"]
    assert needed_libraries(tmp_path / "b.so") == []


def test_a_real_library_is_read_like_the_loader_does() -> None:
    """The installed Qt asks for the C library and for Qt's own core."""
    import PySide6

    (module,) = Path(PySide6.__file__).parent.glob("QtGui.*.so")
    needed = needed_libraries(module)
    assert "libQt6Gui.so.6" in needed
    assert "libc.so.6" in needed


def test_only_the_chosen_plugin_counts(environment: Environment) -> None:
    """What the window on X needs is not asked for where there is no screen, and the other way round."""
    assert qt_libraries.missing_libraries(environment, "offscreen") == []
    assert qt_libraries.missing_libraries(environment, "xcb") == [MISSING]


def test_a_missing_library_is_named_with_the_command(environment: Environment, monkeypatch: pytest.MonkeyPatch) -> None:
    """Who may not install reads the libraries and one command; nothing is run."""
    monkeypatch.setattr(system_packages, "manager", lambda: APT)
    monkeypatch.setattr(os, "geteuid", lambda: 1000, raising=False)
    monkeypatch.setitem(system_packages.LIBRARIES, MISSING, ("libtest7", "test", "test", "test7"))
    with pytest.raises(SetupError) as raised:
        qt_libraries.provide(environment, "xcb")
    assert MISSING in str(raised.value)
    command = "sudo apt-get update && sudo apt-get install -y --no-install-recommends libtest7"
    assert command in str(raised.value)
    assert not environment.log.exists()


def test_root_gets_the_libraries_installed(
    copy: Copy, environment: Environment, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As root the command is run; that the library is still not found afterwards is said, not hidden."""
    installer = copy.root / "apt-get"
    installer.write_text("#!/bin/sh\necho did $*\n")
    installer.chmod(0o755)
    monkeypatch.setenv("PATH", f"{copy.root}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setattr(os, "geteuid", lambda: 0, raising=False)
    with pytest.raises(SetupError, match=f"still not found: {MISSING}"):
        qt_libraries.provide(environment, "xcb")
    log = environment.log.read_text()
    assert "did update" in log
    assert f"did install -y --no-install-recommends {MISSING}" in log


@pytest.mark.parametrize(
    ("manager", "packages"),
    [
        (APT, ["libegl1", "libglib2.0-0", "libxcb-cursor0"]),
        (DNF, ["glib2", "libglvnd-egl", "xcb-util-cursor"]),
        (PACMAN, ["glib2", "libglvnd", "xcb-util-cursor"]),
        (ZYPPER, ["libglib-2_0-0", "libglvnd", "libxcb-cursor0"]),
    ],
)
def test_each_system_has_its_own_names(manager: system_packages.Manager, packages: list[str]) -> None:
    """The same three libraries, in the words of four package managers."""
    libraries = ["libglib-2.0.so.0", "libEGL.so.1", "libxcb-cursor.so.0"]
    assert system_packages.packages_for(libraries, manager) == packages


def test_every_library_of_the_real_qt_has_a_package() -> None:
    """Whatever the installed Qt asks for on X, on Wayland and offscreen is in the table, or is the C library's."""
    import PySide6

    qt = Path(PySide6.__file__).parent
    modules = [file for name in qt_libraries.MODULES for file in qt.glob(f"{name}.*.so")]
    plugins = [qt / "Qt" / "plugins" / "platforms" / f"libq{name}.so" for name in ("xcb", "wayland", "offscreen")]
    wanted = qt_libraries.wanted_libraries([*modules, *plugins], qt / "Qt" / "lib")
    c_library = {"libc.so.6", "libm.so.6", "libdl.so.2", "libpthread.so.0", "librt.so.1", "libresolv.so.2"}
    loader = {name for name in wanted if name.startswith("ld-linux")} | {"libgcc_s.so.1"}
    assert set(wanted) - c_library - loader <= set(system_packages.LIBRARIES)


@pytest.mark.parametrize(
    ("variables", "plugin"),
    [
        ({}, None),
        ({"DISPLAY": ":0"}, "xcb"),
        ({"DISPLAY": ":0", "WAYLAND_DISPLAY": "wayland-0"}, "wayland"),
        ({"DISPLAY": ":0", "QT_QPA_PLATFORM": "offscreen:size=800x600"}, "offscreen"),
        ({"QT_QPA_PLATFORM": "wayland-egl;xcb"}, "wayland"),
    ],
)
def test_the_plugin_is_the_one_that_qt_takes(variables: dict[str, str], plugin: str | None) -> None:
    """The variables that Qt looks at, in its order."""
    assert platform_plugin(variables) == plugin


@pytest.mark.parametrize(
    ("arguments", "window"),
    [
        ([], True),
        (["--base-dir", "/data"], True),
        (["--base-dir=/data"], True),
        (["--base-dir", "/data", "generate"], False),
        (["generate", "--base-dir", "/data"], False),
        (["--help"], False),
        (["--version"], False),
        (["nonsense"], False),
    ],
)
def test_only_the_window_needs_qt(arguments: list[str], window: bool) -> None:
    """Commands work on a computer that has none of Qt's libraries, and no screen."""
    assert opens_window(arguments) is window


def test_without_a_screen_the_window_is_refused_and_the_way_shown(copy: Copy) -> None:
    """After the set-up: a sentence, a line that works, status 1; a command is not stopped by it."""
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"):
        copy.environment.pop(name, None)
    answer = copy.run()
    assert answer.returncode == 1
    assert "Installing the libraries" in answer.stderr
    assert 'python3 run.py generate --pair starter --prompt "' in answer.stderr
    assert copy.run("doctor").returncode == 7


def test_found_libraries_are_not_looked_for_again(copy: Copy) -> None:
    """The second start of the window asks no library, unless the system's list of libraries has changed."""
    copy.environment["QT_QPA_PLATFORM"] = "offscreen"
    assert copy.run().returncode == 7
    remembered = (copy.venv / "setup.json").read_text()
    assert "qt-offscreen" in remembered
    (copy.packages / "PySide6").rename(copy.venv / "gone")
    assert copy.run().returncode == 7
