"""What this computer has, as far as the choice of an engine build depends on it."""

from __future__ import annotations

import ctypes.util
import json
import os
import platform
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

DRIVER_FILE = Path("/proc/driver/nvidia/version")
ADAPTERS = Path("/sys/class/drm")
WSL_GPU = Path("/dev/dxg")  # Linux inside Windows: the driver is there, DRIVER_FILE is not
DISPLAY_ADAPTERS = r"SYSTEM\CurrentControlSet\Control\Class\{4d36e968-e325-11ce-bfc1-08002be10318}"
VENDORS = {"1002": "AMD", "8086": "Intel"}  # PCI vendor ids; NVIDIA's driver is asked instead
PROBE_TIMEOUT_S = 30


@dataclass(frozen=True)
class Machine:
    """Plain facts; `look` finds them, `engine_builds.plan` judges them.

    Attributes:
        system: "Linux", "Darwin" or "Windows". processor: as platform.machine() says it.
        cuda: the newest CUDA version that the NVIDIA driver can run; None without a working driver.
        compute: the lowest compute capability of the NVIDIA devices; None without a working driver.
        nvidia_silent: an NVIDIA driver is installed and does not answer.
        other_gpus: "AMD", "Intel". vulkan: whether the Vulkan loader is installed.
        tools: which of "c++", "nvcc", "glslc" can be run.
    """

    system: str
    processor: str
    cuda: tuple[int, int] | None = None
    compute: tuple[int, int] | None = None
    nvidia_silent: bool = False
    other_gpus: frozenset[str] = frozenset()
    vulkan: bool = False
    tools: frozenset[str] = frozenset()


def look() -> Machine:
    """Looks at this computer. Takes up to some seconds where an NVIDIA driver has to wake its devices."""
    cuda, compute = _nvidia()
    tools = {tool for tool in ("nvcc", "glslc") if shutil.which(tool)}
    return Machine(
        system=platform.system(),
        processor=platform.machine(),
        cuda=cuda,
        compute=compute,
        nvidia_silent=cuda is None and DRIVER_FILE.exists(),
        other_gpus=frozenset(VENDORS[vendor] for vendor in _gpu_vendors() if vendor in VENDORS),
        vulkan=ctypes.util.find_library("vulkan-1" if os.name == "nt" else "vulkan") is not None,
        tools=frozenset(tools | ({"c++"} if has_compiler() else set())),
    )


def fingerprint() -> str:
    """What can be read in a moment of what `look` depends on: when it changes, `look` is worth the time."""
    driver = _text(DRIVER_FILE)
    if os.name == "nt":
        library = Path(os.environ.get("SYSTEMROOT", r"C:\Windows"), "System32", "nvcuda.dll")
        driver = str(library.stat().st_mtime_ns) if library.exists() else ""
    return f"{platform.machine()} {driver} {WSL_GPU.exists()} {sorted(_gpu_vendors())}"


def processor_features() -> str:
    """What an engine that was built for this processor depends on: its instructions, where the system lists them."""
    lines = _text(Path("/proc/cpuinfo")).splitlines()
    flags = next((line for line in lines if line.startswith(("flags", "Features"))), platform.processor())
    return f"{platform.machine()} {flags}"


def has_compiler() -> bool:
    """Whether a C++ compiler can be run. On a Mac `c++` is always there and may only offer to install one."""
    if sys.platform == "darwin":
        return subprocess.run(["xcode-select", "-p"], capture_output=True, check=False).returncode == 0
    if os.name == "nt":
        return _visual_studio() or shutil.which("cl") is not None
    return any(shutil.which(name) for name in (os.environ.get("CXX") or "c++", "g++", "clang++"))


def _nvidia() -> tuple[tuple[int, int] | None, tuple[int, int] | None]:
    """Asks the NVIDIA driver in a process of its own, since a broken driver may hang or crash who asks."""
    probe = [sys.executable, "-I", str(Path(__file__).with_name("cuda_probe.py"))]
    try:
        answer = subprocess.run(probe, capture_output=True, text=True, timeout=PROBE_TIMEOUT_S, check=True)
        found = json.loads(answer.stdout)
    except (OSError, subprocess.SubprocessError, ValueError):
        return None, None
    return tuple(found["cuda"]), tuple(found["compute"])


def _visual_studio() -> bool:
    """Whether Visual Studio's C++ tools are installed; they are found through vswhere, not on the PATH."""
    programs = os.environ.get("PROGRAMFILES(X86)", r"C:\Program Files (x86)")
    vswhere = Path(programs, "Microsoft Visual Studio", "Installer", "vswhere.exe")
    if not vswhere.exists():
        return False
    wanted = ["-products", "*", "-requires", "Microsoft.VisualStudio.Component.VC.Tools.x86.x64"]
    answer = subprocess.run([str(vswhere), *wanted], capture_output=True, text=True, check=False)
    return bool(answer.stdout.strip())


def _text(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8", errors="replace").strip()
    except OSError:
        return ""


if sys.platform == "win32":
    import winreg

    def _gpu_vendors() -> set[str]:
        """The PCI vendor ids of the display adapters, as four hexadecimal digits."""
        vendors = set()
        with winreg.OpenKey(winreg.HKEY_LOCAL_MACHINE, DISPLAY_ADAPTERS) as adapters:
            for index in range(winreg.QueryInfoKey(adapters)[0]):
                try:
                    with winreg.OpenKey(adapters, winreg.EnumKey(adapters, index)) as adapter:
                        device = str(winreg.QueryValueEx(adapter, "MatchingDeviceId")[0]).lower()
                except OSError:  # the key also holds entries that are no adapters, some of them protected
                    continue
                vendors.add(device.partition("ven_")[2][:4])
        return vendors

else:

    def _gpu_vendors() -> set[str]:
        """The PCI vendor ids of the display adapters, as four hexadecimal digits."""
        files = ADAPTERS.glob("card*/device/vendor")
        return {_text(file).removeprefix("0x").lower() for file in files}
