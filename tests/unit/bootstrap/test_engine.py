"""Installing the engine: what happens when pip says no, or when what was installed does not work here."""

from __future__ import annotations

import pytest

from bootstrap import engine
from bootstrap.engine_builds import METAL, PLAIN, SOURCE, SOURCE_CUDA, VULKAN, Build, Plan, named
from bootstrap.environment import Environment
from bootstrap.talk import SetupError
from tests.unit.bootstrap.conftest import Copy

UNREACHABLE = "WARNING: Retrying (Retry(total=0)) after connection broken by 'NameResolutionError(…)'"
NO_WHEEL = "ERROR: No matching distribution found for llama-cpp-python==0.3.36"
CUDA = named("cu124").builds[0]


@pytest.fixture
def environment(copy: Copy, monkeypatch: pytest.MonkeyPatch) -> Environment:
    for name, value in copy.environment.items():
        monkeypatch.setenv(name, value)
    return Environment(copy.root)


def install(environment: Environment, *builds: Build, installed: str | None = None) -> str:
    return engine.install(environment, Plan(builds), installed)


def test_a_wheel_is_pinned_and_comes_from_its_own_index(copy: Copy, environment: Environment) -> None:
    """The version is exact, no archive is built by accident, and a slow index cannot hold things up for long."""
    assert install(environment, VULKAN, SOURCE) == "vulkan"
    (command,) = copy.installs()
    assert "llama-cpp-python==0.3.36" in command
    assert "--index-url https://abetlen.github.io/llama-cpp-python/whl/vulkan" in command
    assert "--only-binary llama-cpp-python" in command
    assert "--retries 1" in command


def test_without_a_wheel_the_next_build_is_tried(
    copy: Copy, environment: Environment, capsys: pytest.CaptureFixture[str]
) -> None:
    """An index that lacks this version or system costs one line."""
    copy.behave(fail={"whl/cu124": NO_WHEEL, "whl/vulkan": NO_WHEEL})
    assert install(environment, CUDA, VULKAN, SOURCE) == "source"
    assert "no ready-made engine cu124 for this system" in capsys.readouterr().err


def test_an_unreachable_index_is_asked_once(
    copy: Copy, environment: Environment, capsys: pytest.CaptureFixture[str]
) -> None:
    """Behind a firewall the other wheels, which live in the same place, are not waited for."""
    copy.behave(fail={"whl/": UNREACHABLE})
    assert install(environment, CUDA, VULKAN, SOURCE) == "source"
    assert len(copy.installs()) == 2
    assert "cannot be reached" in capsys.readouterr().err


def test_a_source_build_that_fails_falls_back(
    copy: Copy, environment: Environment, capsys: pytest.CaptureFixture[str]
) -> None:
    """With NVIDIA's compiler in a version that llama.cpp does not like, the processor build remains."""
    copy.behave(fail={"-DGGML_CUDA=on": "nvcc fatal: unsupported gpu architecture"})
    assert install(environment, SOURCE_CUDA, SOURCE) == "source"
    assert len(copy.installs()) == 2
    assert "source-cuda could not be installed (nvcc fatal" in capsys.readouterr().err


def test_a_source_build_leaves_out_what_is_not_used(copy: Copy, environment: Environment) -> None:
    """Pinned tools, all cores, the user's own CMAKE_ARGS kept, and less work for the compiler."""
    install(environment, SOURCE)
    (command,) = copy.installs()
    assert "--build-constraint" in command
    (arguments,) = [call["cmake"] for call in copy.calls() if call["cmake"]]
    assert "-DLLAVA_BUILD=OFF" in arguments
    assert f"-DCMAKE_PROJECT_llama_cpp_INCLUDE={copy.root}/packaging/engine_build.cmake" in arguments


def test_an_engine_that_crashes_here_is_replaced(
    copy: Copy, environment: Environment, capsys: pytest.CaptureFixture[str]
) -> None:
    """An illegal instruction in a wheel is met in the set-up, not in front of the user."""
    copy.behave(trial=132)
    with pytest.raises(SetupError, match="No build of the engine works"):
        install(environment, VULKAN, SOURCE)
    assert len(copy.installs()) == 2
    assert capsys.readouterr().err.count("does not work here: it ended with status 132") == 2


def test_a_graphics_build_that_finds_no_graphics_is_replaced(copy: Copy, environment: Environment) -> None:
    """No silent fallback: a CUDA or Vulkan engine that would run on the processor gives way to one made for it."""
    copy.behave(trial="no gpu")
    assert install(environment, METAL, SOURCE) == "source"


def test_cuda_brings_its_libraries_next_to_the_engine(copy: Copy, environment: Environment) -> None:
    """The wheel is linked with NVIDIA's libraries and does not contain them."""
    packages = copy.packages
    for folder in ("llama_cpp/lib", "nvidia/cublas/lib", "nvidia/cuda_runtime/lib"):
        (packages / folder).mkdir(parents=True)
    (packages / "nvidia/cublas/lib/libcublas.so.12").write_text("cublas")
    (packages / "nvidia/cuda_runtime/lib/libcudart.so.12").write_text("cudart")
    for _ in range(2):  # a repair finds the links of the first time
        assert install(environment, CUDA, SOURCE) == "cu124"
    assert "requirements-cuda12.lock" in copy.installs()[1]
    assert (packages / "llama_cpp/lib/libcublas.so.12").read_text() == "cublas"
    assert (packages / "llama_cpp/lib/libcudart.so.12").read_text() == "cudart"


def test_the_installed_build_stays_while_it_is_the_best(copy: Copy, environment: Environment) -> None:
    """A repeated set-up tries what is there and fetches nothing."""
    assert install(environment, SOURCE, installed="source") == "source"
    assert copy.installs() == []


def test_a_better_build_replaces_the_installed_one(copy: Copy, environment: Environment) -> None:
    """Versions are equal, so pip has to be told to replace: after a graphics card was put in."""
    assert install(environment, VULKAN, SOURCE, installed="source") == "vulkan"
    assert "--force-reinstall" in copy.installs()[0]


def test_each_kind_of_build_has_a_cache_of_its_own(copy: Copy, environment: Environment) -> None:
    """pip finds a built wheel by its source alone: with one cache a build without graphics would pass for one with."""
    copy.behave(trial="no gpu")
    install(environment, SOURCE_CUDA, SOURCE)
    install(environment, SOURCE)
    caches = [line.split("--cache-dir ")[1].split()[0] for line in copy.installs()]
    assert caches[0] != caches[1]
    assert caches[1] == caches[2]


def test_no_compiler_and_no_wheel_is_explained(copy: Copy, environment: Environment) -> None:
    """The last resort failed: why, and how to get a compiler."""
    copy.behave(fail={"whl/": UNREACHABLE})
    with pytest.raises(SetupError, match=r"(?s)Check the network.*C\+\+ compiler"):
        install(environment, VULKAN, PLAIN)
