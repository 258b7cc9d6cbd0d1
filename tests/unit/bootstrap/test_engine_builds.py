"""Which engine build a machine gets, as facts in and names out."""

from __future__ import annotations

import pytest

from bootstrap.engine_builds import named, plan
from bootstrap.machine import Machine
from bootstrap.talk import SetupError

COMPILER = frozenset({"c++"})
EVERYTHING = frozenset({"c++", "nvcc", "glslc"})


def names(machine: Machine) -> list[str]:
    return [build.name for build in plan(machine).builds]


def linux(**facts: object) -> Machine:
    return Machine(**{"system": "Linux", "processor": "x86_64", "tools": COMPILER, **facts})


def test_without_graphics_the_engine_is_built_for_the_processor() -> None:
    """A compiler is enough, and nothing is remarked."""
    assert names(linux()) == ["source"]
    assert plan(linux()).remarks == ()


def test_without_a_compiler_there_is_the_build_for_any_processor() -> None:
    """Windows without Visual Studio, or a bare Linux: slower, but it runs."""
    assert names(Machine("Windows", "AMD64")) == ["cpu"]


@pytest.mark.parametrize(
    ("driver", "wheels"),
    [
        ((13, 5), ["cu132", "cu130", "cu125", "cu124", "cu123", "cu122", "cu121"]),
        ((13, 2), ["cu132", "cu130", "cu125", "cu124", "cu123", "cu122", "cu121"]),
        ((13, 1), ["cu130", "cu125", "cu124", "cu123", "cu122", "cu121"]),
        ((12, 9), ["cu125", "cu124", "cu123", "cu122", "cu121"]),
        ((12, 4), ["cu124", "cu123", "cu122", "cu121"]),
        ((12, 1), ["cu121"]),
    ],
)
def test_the_newest_cuda_that_the_driver_runs_comes_first(driver: tuple[int, int], wheels: list[str]) -> None:
    """An index may lack the version for a system, so the older ones follow; the processor build is last."""
    assert names(linux(cuda=driver, compute=(8, 9))) == [*wheels, "source"]


def test_cuda_13_is_not_for_cards_before_turing() -> None:
    """CUDA 13 wheels hold no code for compute capability 6 and 7.0, whatever the driver can run."""
    assert names(linux(cuda=(13, 2), compute=(6, 1)))[0] == "cu125"
    assert names(linux(cuda=(13, 2), compute=(7, 5)))[0] == "cu132"


def test_a_driver_that_is_too_old_is_named() -> None:
    """The user reads which CUDA the driver runs and which is needed."""
    found = plan(linux(cuda=(11, 4), compute=(8, 6)))
    assert [build.name for build in found.builds] == ["source"]
    assert "11.4" in found.remarks[0]
    assert "12.1" in found.remarks[0]


def test_a_card_that_is_too_old_is_named_and_goes_through_vulkan() -> None:
    """Compute capability 5.2 has no CUDA wheel; Vulkan serves it."""
    found = plan(linux(cuda=(12, 4), compute=(5, 2), vulkan=True))
    assert [build.name for build in found.builds] == ["vulkan", "source"]
    assert "5.2" in found.remarks[0]


def test_a_driver_that_does_not_answer_is_named() -> None:
    """An NVIDIA driver without its library, or after an update without a restart: said, and gone on without."""
    found = plan(linux(nvidia_silent=True))
    assert [build.name for build in found.builds] == ["source"]
    assert "does not answer" in found.remarks[0]


def test_with_nvidias_compiler_cuda_can_be_built() -> None:
    """On an Arm machine there is no wheel, and elsewhere it is the second choice after the wheels."""
    assert names(linux(processor="aarch64", cuda=(13, 0), compute=(9, 0), tools=EVERYTHING)) == [
        "source-cuda",
        "source",
    ]
    assert names(linux(cuda=(12, 1), compute=(8, 6), tools=EVERYTHING)) == ["cu121", "source-cuda", "source"]


@pytest.mark.parametrize("maker", ["AMD", "Intel"])
def test_amd_and_intel_go_through_vulkan(maker: str) -> None:
    """The wheel first, then a build of one's own where the shader compiler is installed."""
    assert names(linux(other_gpus=frozenset({maker}), vulkan=True)) == ["vulkan", "source"]
    machine = linux(other_gpus=frozenset({maker}), vulkan=True, tools=EVERYTHING)
    assert names(machine) == ["vulkan", "source-vulkan", "source"]


def test_a_server_with_integrated_graphics_and_no_vulkan_gets_the_processor_build() -> None:
    """Nothing fails for want of Vulkan; one line says why the graphics are not used."""
    found = plan(linux(other_gpus=frozenset({"Intel"})))
    assert [build.name for build in found.builds] == ["source"]
    assert len(found.remarks) == 1
    assert "Vulkan loader" in found.remarks[0]
    assert "Intel" in found.remarks[0]


def test_a_laptop_with_two_graphics_units_prefers_nvidia() -> None:
    """Vulkan, which serves both, comes after every CUDA build."""
    machine = linux(cuda=(12, 1), compute=(8, 9), other_gpus=frozenset({"Intel"}), vulkan=True)
    assert names(machine) == ["cu121", "vulkan", "source"]


def test_apple_silicon_gets_metal() -> None:
    """An Intel Mac has no wheel and is built from source, which switches Metal on by itself."""
    assert names(Machine("Darwin", "arm64", tools=COMPILER)) == ["metal", "source"]
    assert names(Machine("Darwin", "x86_64", tools=COMPILER)) == ["source"]
    assert names(Machine("Darwin", "arm64")) == ["metal", "cpu"]


def test_every_plan_ends_in_a_build_without_graphics() -> None:
    """Whatever is found, the last resort needs no graphics unit."""
    for machine in (linux(), linux(cuda=(13, 0), compute=(9, 0)), linux(other_gpus=frozenset({"AMD"}), vulkan=True)):
        assert not plan(machine).builds[-1].gpu


def test_cuda_wheels_bring_the_runtime_of_their_major_version() -> None:
    """The wheels are linked with libraries that they do not contain."""
    runtimes = {build.name: build.runtime for build in plan(linux(cuda=(13, 2), compute=(8, 9))).builds}
    assert runtimes["cu132"] == "requirements-cuda13.lock"
    assert runtimes["cu125"] == "requirements-cuda12.lock"
    assert runtimes["source"] == ""


def test_a_user_may_name_the_build() -> None:
    """DRAFTLIGHT_ENGINE names one build and no second choice; a wrong name lists the right ones."""
    assert [build.name for build in named("vulkan").builds] == ["vulkan"]
    with pytest.raises(SetupError, match=r"cu124.*source"):
        named("cuda")
