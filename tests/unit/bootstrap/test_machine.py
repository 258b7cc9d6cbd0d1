"""What is found out about a computer, with drivers and files that a test makes."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from bootstrap import machine

PROBE = Path(machine.__file__).with_name("cuda_probe.py")
DRIVER = """
static const int compute[][2] = COMPUTE;
int cuInit(unsigned flags) { return INIT; }
int cuDriverGetVersion(int *version) { *version = VERSION; return 0; }
int cuDeviceGetCount(int *count) { *count = sizeof compute / sizeof *compute; return 0; }
int cuDeviceGet(int *device, int ordinal) { *device = ordinal; return 0; }
int cuDeviceGetAttribute(int *value, int attribute, int device) { *value = compute[device][attribute - 75]; return 0; }
"""


def ask_driver(folder: Path, version: int, compute: str, init: int = 0) -> subprocess.CompletedProcess[str]:
    """The probe's answer about a driver library that is compiled for the occasion."""
    (folder / "driver.c").write_text(DRIVER)
    defines = [f"-DVERSION={version}", f"-DCOMPUTE={compute}", f"-DINIT={init}"]
    library = ["-shared", "-fPIC", "-o", str(folder / "libcuda.so.1"), str(folder / "driver.c")]
    subprocess.run(["gcc", *defines, *library], check=True)
    variables = {"LD_LIBRARY_PATH": str(folder)}
    return subprocess.run([sys.executable, str(PROBE)], env=variables, capture_output=True, text=True, check=False)


def test_the_driver_is_asked_for_its_version_and_its_weakest_device(tmp_path: Path) -> None:
    """12040 means CUDA 12.4; of an 8.9 and a 6.1 card the older one decides."""
    answer = ask_driver(tmp_path, 12040, "{{8,9},{6,1}}")
    assert json.loads(answer.stdout) == {"cuda": [12, 4], "compute": [6, 1]}


def test_a_driver_without_devices_or_that_fails_counts_as_none(tmp_path: Path) -> None:
    """Error 100 is "no device", 803 an update without a restart: the probe fails, and so says nothing."""
    for error in (100, 803):
        answer = ask_driver(tmp_path, 13000, "{{8,9}}", init=error)
        assert answer.returncode != 0
        assert answer.stdout == ""


def test_the_vendor_ids_are_read_from_the_adapters(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A virtual adapter (1af4) is none that we know; the connectors of a card have no vendor file."""
    for name, vendor in (("card0", "0x8086"), ("card1", "0x1002"), ("card2", "0x1af4")):
        (tmp_path / name / "device").mkdir(parents=True)
        (tmp_path / name / "device" / "vendor").write_text(vendor + "\n")
    (tmp_path / "card0-HDMI-A-1").mkdir()
    monkeypatch.setattr(machine, "ADAPTERS", tmp_path)
    assert machine.look().other_gpus == {"AMD", "Intel"}


def test_the_fingerprint_changes_with_driver_and_devices(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What would change the choice of a build changes what a finished set-up is remembered by."""
    monkeypatch.setattr(machine, "ADAPTERS", tmp_path)
    monkeypatch.setattr(machine, "DRIVER_FILE", tmp_path / "version")
    prints = [machine.fingerprint()]
    (tmp_path / "version").write_text("NVRM version: NVIDIA 550.54")
    prints.append(machine.fingerprint())
    (tmp_path / "card0" / "device").mkdir(parents=True)
    (tmp_path / "card0" / "device" / "vendor").write_text("0x1002")
    prints.append(machine.fingerprint())
    assert len(set(prints)) == 3
    assert machine.look().nvidia_silent, "a driver file, and no driver library that answers"
