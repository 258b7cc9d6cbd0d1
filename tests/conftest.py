"""What every test stands on: a folder of its own, no screen, no network of processes left behind."""

from __future__ import annotations

import gc
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import psutil
import pytest
from hypothesis import HealthCheck, settings

os.environ["QT_QPA_PLATFORM"] = "offscreen"
os.environ["GGML_NO_BACKTRACE"] = "1"  # an abort must not start a debugger
# Engines under test share the cores with the tests. OpenMP's threads spin while they wait for each other, and a
# spinning thread whose partner has lost its core costs a factor of ten; sleeping ones cost a fourth.
os.environ.setdefault("OMP_WAIT_POLICY", "passive")
# The program under test is started some two hundred times: what Python compiled for one start serves the others.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
# Whose computer it is must not matter: not its keyring, not its tokens, not its mirror.
os.environ["PYTHON_KEYRING_BACKEND"] = "keyring.backends.fail.Keyring"
for name in [name for name in os.environ if name.startswith(("HF_", "HUGGING"))]:
    del os.environ[name]

# No deadline, and no complaint about slow examples: the machine that runs the tests may be busy, and time belongs in
# tests/bench.
settings.register_profile(
    "draftlight", deadline=None, derandomize=True, print_blob=True, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("draftlight")

MOST_GARBAGE = 5_000  # objects that were made and are still there


gc.disable()  # as the window does: what is collected in a worker's thread takes Qt down (ui/collector.py)


@pytest.fixture(autouse=True)
def collected() -> Iterator[None]:
    """Garbage of a test goes on the main thread, before the next one begins."""
    yield
    if gc.get_count()[0] > MOST_GARBAGE:
        gc.collect()


@pytest.fixture(autouse=True)
def base_dir(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of its own for everything the program keeps, so that no test sees the user's data."""
    base = tmp_path / "base"
    monkeypatch.setenv("DRAFTLIGHT_BASE_DIR", str(base))
    return base


@dataclass(frozen=True, slots=True)
class StarterFiles:
    """The starter pair on disk. `base` is the base folder in which it was made; tests only read from it."""

    base: Path
    target: Path
    draft: Path


@pytest.fixture(scope="session")
def starter(tmp_path_factory: pytest.TempPathFactory) -> Iterator[StarterFiles]:
    """Real weights: the draft as its package ships it, the target made from it once in this session."""
    from app.engine_client import EngineClient
    from app.paths import Paths
    from app.starter import starter_pair

    base = tmp_path_factory.mktemp("starter")
    paths = Paths(base)
    client = EngineClient(paths.logs)
    try:
        request = starter_pair(paths, client)
    finally:
        client.close()
    assert request.draft is not None
    yield StarterFiles(base, Path(request.target), Path(request.draft))
    Path(request.target).unlink()  # half a gigabyte


@pytest.fixture(scope="session", autouse=True)
def no_process_left_behind() -> Iterator[None]:
    """At the end of all tests no engine, and nothing else that a test started, is still running."""
    yield
    children = [child for child in psutil.Process().children(recursive=True) if not _is_tracker(child)]
    _, alive = psutil.wait_procs(children, timeout=60)
    assert not alive, [child.cmdline() for child in alive]


def _is_tracker(process: psutil.Process) -> bool:
    """multiprocessing keeps one helper per interpreter, which ends together with it."""
    try:
        return "resource_tracker" in " ".join(process.cmdline())
    except psutil.NoSuchProcess:
        return False
