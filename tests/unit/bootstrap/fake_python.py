"""Stands in for .venv/bin/python: pip, the engine's trial and the program itself, as a test tells them to behave.

The folder in FAKE_PYTHON holds `calls` (every call as a JSON line) and `behaviour.json`:
    fail: {part of a pip command or of its CMAKE_ARGS: what pip says before it fails}
    trial: what the engine's trial prints; a number is an exit status instead
    hold: a part of a pip command that waits until something is written to the FIFO `gate`
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path


def main(arguments: list[str]) -> int:
    folder = Path(os.environ["FAKE_PYTHON"])
    if arguments[0] == "-c":  # a question about the interpreter, which the real one answers
        os.execv(sys.executable, [sys.executable, *arguments])
    cmake = os.environ.get("CMAKE_ARGS")
    with (folder / "calls").open("a") as calls:
        calls.write(json.dumps({"arguments": arguments, "pid": os.getpid(), "cmake": cmake}) + "\n")
    behaviour = json.loads((folder / "behaviour.json").read_text())
    if arguments[:4] == ["-m", "pip", "cache", "dir"]:
        print(folder / "cache")
        return 0
    if arguments[:3] == ["-m", "pip", "install"]:
        return pip_install(folder, f"{' '.join(arguments)} {cmake}", behaviour)
    if arguments[1].endswith("engine_trial.py"):
        if isinstance(behaviour["trial"], int):
            return behaviour["trial"]
        print(behaviour["trial"])
        return 0
    print(json.dumps({"arguments": arguments, "pid": os.getpid(), "folder": os.getcwd()}))
    return 7


def pip_install(folder: Path, command: str, behaviour: dict) -> int:
    if behaviour["hold"] and behaviour["hold"] in command:
        with (folder / "gate").open("r") as gate:
            gate.read()
    for part, words in behaviour["fail"].items():
        if part in command:
            print(words)
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
