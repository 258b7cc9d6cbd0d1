"""Which build of the engine (llama-cpp-python) suits a machine. Pure: facts in, a plan out.

llama-cpp-python offers ready-made wheels for NVIDIA (CUDA), Apple (Metal) and Vulkan in an index of its own;
docs/adr/0006 says how they are used and what they leave out. Every plan ends in the build from source for the
processor alone, which works everywhere that a C++ compiler is.
"""

from __future__ import annotations

from dataclasses import dataclass

from bootstrap.machine import Machine
from bootstrap.talk import SetupError

VERSION = "0.3.36"
WHEELS = "https://abetlen.github.io/llama-cpp-python/whl"
CUDA_WHEELS = ((13, 2), (13, 0), (12, 5), (12, 4), (12, 3), (12, 2), (12, 1))  # newest first
# The oldest compute capability that the wheels of a CUDA major version hold code for.
OLDEST_COMPUTE = {13: (7, 5), 12: (6, 0)}
X86_64 = ("x86_64", "AMD64")


@dataclass(frozen=True)
class Build:
    """One way to get the engine.

    Attributes:
        name: "cu124", "metal", "vulkan", "cpu" (wheels); "source", "source-cuda", "source-vulkan".
        title: what the user reads while it is installed.
        gpu: whether it must find a graphics unit to be of use. cmake: what is switched on in a source build.
        runtime: the lock of the libraries that a wheel needs and does not contain; "" for none.
    """

    name: str
    title: str
    gpu: bool = False
    cmake: str = ""
    runtime: str = ""

    @property
    def from_source(self) -> bool:
        return self.name.startswith("source")


@dataclass(frozen=True)
class Plan:
    """The builds to try in this order, and a sentence for each better one that is out of the question."""

    builds: tuple[Build, ...]
    remarks: tuple[str, ...] = ()


METAL = Build("metal", "Installing the engine for Apple's graphics (Metal)", gpu=True)
VULKAN = Build("vulkan", "Installing the engine for Vulkan graphics", gpu=True)
PLAIN = Build("cpu", "Installing the engine for any processor")
SOURCE = Build("source", "Building the engine for this processor (the first time this takes some minutes)")
SOURCE_CUDA = Build(
    "source-cuda",
    "Building the engine for NVIDIA graphics (the first time this can take half an hour)",
    gpu=True,
    cmake="-DGGML_CUDA=on",
)
SOURCE_VULKAN = Build(
    "source-vulkan",
    "Building the engine for Vulkan graphics (the first time this takes many minutes)",
    gpu=True,
    cmake="-DGGML_VULKAN=on",
)


def plan(machine: Machine) -> Plan:
    """What to try on this machine, best first."""
    nvidia, other = _nvidia(machine), _other_graphics(machine)
    # Without a compiler a ready-made build for any processor is slower than one made here, and far better than none.
    last = SOURCE if "c++" in machine.tools else PLAIN
    return Plan((*nvidia.builds, *other.builds, last), (*nvidia.remarks, *other.remarks))


def named(name: str) -> Plan:
    """The plan of a user who asks for a build by name; there is no second choice. Raises SetupError."""
    known = (*map(_cuda_wheel, CUDA_WHEELS), METAL, VULKAN, PLAIN, SOURCE, SOURCE_CUDA, SOURCE_VULKAN)
    builds = {build.name: build for build in known}
    if name not in builds:
        raise SetupError(f"There is no engine build {name!r} (DRAFTLIGHT_ENGINE). There are: {', '.join(builds)}.")
    return Plan((builds[name],))


def _nvidia(machine: Machine) -> Plan:
    if machine.cuda is None or machine.compute is None:
        silent = "An NVIDIA driver is installed but does not answer; the engine goes without it."
        return Plan((), (silent,) if machine.nvidia_silent else ())
    compiled = (SOURCE_CUDA,) if {"c++", "nvcc"} <= machine.tools else ()
    if machine.processor not in X86_64:
        return Plan(compiled)
    driver, compute = machine.cuda, machine.compute
    suitable = [v for v in CUDA_WHEELS if v <= driver and compute >= OLDEST_COMPUTE[v[0]]]
    if suitable:
        return Plan((*map(_cuda_wheel, suitable), *compiled))
    oldest = CUDA_WHEELS[-1]
    if driver < oldest:
        why = f"The NVIDIA driver is too old for the ready-made engine (it runs CUDA {_dotted(driver)}, and "
        return Plan(compiled, (f"{why}{_dotted(oldest)} is needed): a newer driver would make replies much faster.",))
    why = f"The NVIDIA graphics card is too old for the ready-made engine (compute capability {_dotted(compute)})."
    return Plan(compiled, (why,))


def _other_graphics(machine: Machine) -> Plan:
    """Apple's graphics; AMD's and Intel's, and an NVIDIA card that CUDA does not serve, through Vulkan."""
    if machine.system == "Darwin":
        return Plan((METAL,) if machine.processor == "arm64" else ())
    names = " and ".join(sorted(machine.other_gpus))
    if not names and machine.cuda is None:
        return Plan(())
    if not machine.vulkan:
        loader = "The Vulkan loader is not installed (libvulkan1 or vulkan-loader); "
        return Plan((), (f"{loader}the {names} graphics are not used.",) if names else ())
    ready_made = (VULKAN,) if machine.processor in X86_64 else ()
    compiled = (SOURCE_VULKAN,) if {"c++", "glslc"} <= machine.tools else ()
    return Plan((*ready_made, *compiled))


def _cuda_wheel(version: tuple[int, int]) -> Build:
    title = f"Installing the engine for NVIDIA graphics (CUDA {_dotted(version)})"
    runtime = f"requirements-cuda{version[0]}.lock"
    return Build(f"cu{version[0]}{version[1]}", title, gpu=True, runtime=runtime)


def _dotted(version: tuple[int, int]) -> str:
    return f"{version[0]}.{version[1]}"
