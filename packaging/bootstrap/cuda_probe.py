"""Prints, as JSON, what the NVIDIA driver of this computer can do; fails where there is none.

A program of its own (see machine.py): {"cuda": [12, 4], "compute": [8, 9]}, the newest CUDA version that the
driver runs and the lowest compute capability among its devices.
"""

from __future__ import annotations

import ctypes
import json
import os

COMPUTE_MAJOR, COMPUTE_MINOR = 75, 76  # CUdevice_attribute


def main() -> None:
    driver = ctypes.CDLL("nvcuda.dll" if os.name == "nt" else "libcuda.so.1")

    def ask(function: str, *arguments: int) -> int:
        """The number that a driver function writes to the address it gets first."""
        answer = ctypes.c_int()
        error = getattr(driver, function)(ctypes.byref(answer), *arguments)
        if error:
            raise OSError(f"{function} failed with {error}")
        return answer.value

    if error := driver.cuInit(0):
        raise OSError(f"cuInit failed with {error}")
    version = ask("cuDriverGetVersion")
    devices = [ask("cuDeviceGet", index) for index in range(ask("cuDeviceGetCount"))]
    attributes = (COMPUTE_MAJOR, COMPUTE_MINOR)
    compute = min([ask("cuDeviceGetAttribute", attribute, device) for attribute in attributes] for device in devices)
    print(json.dumps({"cuda": [version // 1000, version % 1000 // 10], "compute": compute}))


if __name__ == "__main__":
    main()
