"""The lock files: complete, exact, and silent about where packages come from."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from bootstrap.engine_builds import VERSION
from tests.unit.bootstrap.conftest import ROOT

LOCKS = sorted((ROOT / "packaging").glob("*.lock"))
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def pins(*names: str) -> dict[str, list[Requirement]]:
    """The requirements in lock files by package; a package may have one version for each range of Pythons."""
    found: dict[str, list[Requirement]] = {}
    for name in names:
        text = (ROOT / "packaging" / name).read_text(encoding="utf-8").replace("\\\n", " ")
        for line in text.splitlines():
            requirement = Requirement(line.partition(" --hash=")[0])
            found.setdefault(canonicalize_name(requirement.name), []).append(requirement)
    return found


def version_of(requirement: Requirement) -> str:
    (specifier,) = requirement.specifier
    assert specifier.operator == "=="
    return specifier.version


@pytest.mark.parametrize("lock", LOCKS, ids=lambda lock: lock.name)
def test_every_requirement_is_exact_and_hashed(lock: Path) -> None:
    """name==version with at least one sha256, and nothing else in the file."""
    entries = lock.read_text(encoding="utf-8").replace("\\\n", " ").splitlines()
    assert entries
    for entry in entries:
        assert re.fullmatch(r"[a-z0-9.-]+==\S+( ; [^#]+?)?( +--hash=sha256:[0-9a-f]{64})+", entry.rstrip()), entry


@pytest.mark.parametrize("file", [*LOCKS, ROOT / "packaging" / "build-constraints.txt"], ids=lambda file: file.name)
def test_no_lock_says_where_packages_come_from(file: Path) -> None:
    """Neither an address nor an option of an index, nor a folder of this or that computer."""
    text = file.read_text(encoding="utf-8")
    assert "://" not in text
    assert "index" not in text
    assert "find-links" not in text
    assert " @ " not in text


def test_the_locks_agree_with_the_project() -> None:
    """Each dependency of pyproject.toml is locked, in a version that pyproject.toml allows."""
    locked = pins("requirements.lock", "requirements-engine.lock", "requirements-dev.lock")
    for line in PROJECT["project"]["dependencies"] + PROJECT["dependency-groups"]["dev"]:
        wanted = Requirement(line)
        for pin in locked[canonicalize_name(wanted.name)]:
            assert wanted.specifier.contains(version_of(pin)), f"{pin} is not {wanted}; run packaging/make_locks.py"


def test_the_program_is_locked_without_the_tools() -> None:
    """What only the checks need is not installed for the user; the two locks do not contradict each other."""
    program, dev = pins("requirements.lock"), pins("requirements-dev.lock")
    assert not program.keys() & dev.keys()
    assert "pytest" in dev
    assert "llama-cpp-python" not in program, "it has its own lock, since its build depends on the machine"


def test_the_engine_version_is_the_same_everywhere() -> None:
    """pyproject.toml, the lock of the source build and the wheels name one version."""
    (pin,) = pins("requirements-engine.lock")["llama-cpp-python"]
    assert version_of(pin) == VERSION
    assert f"llama-cpp-python=={VERSION}" in PROJECT["project"]["dependencies"]
