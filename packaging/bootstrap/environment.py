"""The folder .venv: where its parts are, and how programs are run in it with their output in the set-up log."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from bootstrap.talk import SetupError, duration

HEARTBEAT_S = 20
ALMOST_NOTHING_BYTES = 50_000_000  # less free space than this after a failure means that it was the reason
# What pip says around the error that it reports; none of it says what happened.
PIP_REMARKS = ("exited-with-error", "with status 'error'", "error originates", "Failed building", "failed-wheel-build")
CMAKE = ("CMAKE_C", "CMAKE_CXX")  # how CMake's names for the C and the C++ compiler begin


class StepError(Exception):
    """A program of the set-up failed; `output` is what it wrote."""

    def __init__(self, output: str) -> None:
        super().__init__(output)
        self.output = output


class Environment:
    """The virtual environment beside run.py.

    Attributes:
        root: the folder of run.py. locks: where its lock files are.
        folder: .venv. python: its interpreter. packages: where pip puts packages. log: what pip and compilers said.
        lock_fd: while this process sets up, the file descriptor that holds the set-up lock; its programs
            inherit it, so that a pip which outlives a killed set-up still keeps the next one waiting.
    """

    def __init__(self, root: Path) -> None:
        self.root = root
        self.folder = root / ".venv"
        self.locks = root / "packaging"
        self.python = self.folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
        version = f"python{sys.version_info[0]}.{sys.version_info[1]}"
        self.packages = self.folder / ("Lib" if os.name == "nt" else f"lib/{version}") / "site-packages"
        self.log = self.folder / "setup.log"
        self.lock_fd: int | None = None

    def variables(self) -> dict[str, str]:
        """The environment variables for programs that run in .venv: the user's own, made safe.

        The program's packages are found in `root` whatever the working folder is, and another Python's
        packages (PYTHONPATH is set for good by some robotics and science set-ups) are not found.
        """
        variables = {name: value for name, value in os.environ.items() if name != "PYTHONHOME"}
        return {**variables, "PYTHONPATH": str(self.root), "PIP_USER": "0"}

    def create(self) -> None:
        """Makes .venv anew from the Python that runs this. Raises SetupError."""
        shutil.rmtree(self.folder, ignore_errors=True)
        command = [sys.executable, "-m", "venv", str(self.folder)]
        try:
            self.run("Making .venv", command)
        except StepError as failure:
            raise self.explained("The folder .venv could not be made", failure) from failure

    def has_working_python(self) -> bool:
        """Whether .venv holds this very version of Python, with a pip that starts."""
        if not self.python.exists():  # also a link to an interpreter that was removed
            return False
        code = "import sys, pip; print(sys.version_info[:2])"
        answer = subprocess.run(
            [str(self.python), "-c", code], env=self.variables(), capture_output=True, text=True, check=False
        )
        return answer.returncode == 0 and answer.stdout.strip() == str(sys.version_info[:2])

    def pip(self, title: str, *arguments: str, variables: Mapping[str, str] | None = None) -> None:
        """Runs pip install in .venv with nothing resolved beyond what is named. Raises StepError."""
        command = [str(self.python), "-m", "pip", "install", "--no-deps", "--no-input", "--progress-bar", "off"]
        self.run(title, [*command, *arguments], variables)

    def run(self, title: str, command: Sequence[str], variables: Mapping[str, str] | None = None) -> None:
        """Runs one program of the set-up; what it writes goes to the log.

        The title, a dot now and then, and the time appear on stderr. Raises StepError.
        """
        print(f"draftlight: {title} ", end="", file=sys.stderr, flush=True)
        ending, start = "stopped", time.monotonic()
        try:
            self.folder.mkdir(exist_ok=True)
            with self.log.open("a+b") as log:
                log.write(f"\n$ {' '.join(command)}\n".encode())
                log.flush()
                beginning = log.tell()
                code = self._wait(command, log.fileno(), {**self.variables(), **(variables or {})})
                log.seek(beginning)
                output = log.read().decode(errors="replace")
            ending = "failed" if code else duration(time.monotonic() - start)
        finally:
            print(ending, file=sys.stderr, flush=True)
        if code:
            raise StepError(output)

    def _wait(self, command: Sequence[str], log_fd: int, variables: Mapping[str, str]) -> int:
        """Runs the command to its end; when this process is told to end, so is all that the command started."""
        inherited = () if self.lock_fd is None or os.name == "nt" else (self.lock_fd,)
        process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=log_fd,
            stderr=log_fd,
            env=variables,
            pass_fds=inherited,
            start_new_session=True,  # pip does not end the compilers that it started, so they need a common name
        )
        try:
            while True:
                try:
                    return process.wait(HEARTBEAT_S)
                except subprocess.TimeoutExpired:
                    print(".", end="", file=sys.stderr, flush=True)
        except BaseException:
            _end_with_children(process)
            raise

    def explained(self, what: str, failure: StepError) -> SetupError:
        """The failure as a sentence: why, what to do, the last lines of the output, and where the rest is."""
        last = "\n".join(f"    {line}" for line in last_lines(failure.output))
        text = f"{what}: {reason(failure.output, self.folder)}"
        return SetupError(f"{text}\n{last}\n  Everything that was said is in {self.log}")


def reason(output: str, folder: Path) -> str:
    """Why a step failed and what to do about it, from what the program wrote and from the disk."""
    if "No space left on device" in output or "not enough space on the disk" in output or _disk_is_full(folder):
        return "the disk is full. Free about 2 GB, then start again."
    if is_unreachable(output):
        return (
            "the package index could not be reached. Check the network, and pip's proxy and index settings "
            "(`python3 -m pip config list`), then start again."
        )
    if "DO NOT MATCH THE HASHES" in output:
        return "a downloaded package is not the one that was tested. Start again; if it stays so, tell us."
    if "No matching distribution found" in output:
        return "the package index has no file for this system and this Python."
    if needs_compiler(output):
        return "no working C++ compiler was found."
    return "see the lines below."


def needs_compiler(output: str) -> bool:
    """Whether CMake says that it found no compiler."""
    return any(f"{sign}_COMPILER could be found" in output or f"{sign}_COMPILER not set" in output for sign in CMAKE)


def is_unreachable(output: str) -> bool:
    """Whether pip says that a server did not answer. It then goes on to say that there is no such package."""
    return "connection broken by" in output or "Max retries exceeded" in output


def last_lines(output: str, count: int = 6) -> list[str]:
    """The lines worth showing: the last that speak of an error, less pip's remarks about one, else the last."""
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    errors = [line for line in lines if "error" in line.lower() and not any(remark in line for remark in PIP_REMARKS)]
    return (errors or lines)[-count:]


def _disk_is_full(folder: Path) -> bool:
    places = [folder, Path(tempfile.gettempdir())]
    return any(shutil.disk_usage(place).free < ALMOST_NOTHING_BYTES for place in places if place.exists())


def _end_with_children(process: subprocess.Popen[bytes]) -> None:
    if sys.platform == "win32":
        process.terminate()
    else:
        os.killpg(process.pid, signal.SIGTERM)
    process.wait()
