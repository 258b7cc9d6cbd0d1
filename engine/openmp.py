"""GNU's OpenMP, if llama.cpp was built with it."""

from __future__ import annotations

import ctypes
import threading

from engine.ggml import function


def is_gnu() -> bool:
    """Whether llama.cpp's threads are those of libgomp. LLVM's OpenMP has functions of the same names."""
    try:
        function("GOMP_parallel", None)
    except AttributeError:
        return False
    try:
        function("__kmpc_fork_call", None)
    except AttributeError:
        return True
    return False


def run_team(threads: int) -> None:
    """Let so many threads meet once. Those that are not the caller's are kept until the caller's thread ends."""
    nothing = function("omp_get_thread_num", ctypes.c_int)  # any function that minds no argument
    parallel = function("GOMP_parallel", None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_uint, ctypes.c_uint)
    parallel(ctypes.cast(nothing, ctypes.c_void_p), None, threads, 0)


class IdleTeam:
    """Threads that sleep, one more than there are processors, until `close`.

    While there are more threads than processors, libgomp lets one that waits look 100 times for its partners before it
    sleeps, instead of 300,000 times (manual of libgomp, GOMP_SPINCOUNT).
    """

    def __init__(self) -> None:
        """Raises RuntimeError where the system allows no more threads."""
        size = function("omp_get_num_procs", ctypes.c_int)() + 1
        _try(size)
        self._end, ready = threading.Event(), threading.Event()
        self._thread = threading.Thread(target=self._run, args=(size, ready), name="idle team", daemon=True)
        self._thread.start()
        ready.wait()

    def close(self) -> None:
        """Returns when they are gone."""
        self._end.set()
        self._thread.join()

    def _run(self, size: int, ready: threading.Event) -> None:
        run_team(size)
        ready.set()
        self._end.wait()


def _try(threads: int) -> None:
    """Start as many, which end at once: where libgomp may not, it ends the process. Raises RuntimeError."""
    end, started = threading.Event(), []
    try:
        for _ in range(threads):
            thread = threading.Thread(target=end.wait, daemon=True)
            thread.start()
            started.append(thread)
    finally:
        end.set()
        for thread in started:
            thread.join()
