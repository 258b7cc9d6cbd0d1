"""A short run of the fuzzing in tests/bench/header_fuzz.py."""

from __future__ import annotations

from pathlib import Path

from tests.bench.header_fuzz import fuzz


def test_mutated_headers_are_read_or_refused(tmp_path: Path) -> None:
    """Of 2,000 changed headers each is read or refused with an error of the engine; both happen, and often."""
    findings = fuzz(2000, seed=2, folder=tmp_path)
    assert findings.failures == []
    assert findings.outcomes["read"] > 20
    assert findings.outcomes["gguf_broken"] > 500
    assert findings.outcomes["gguf_truncated"] > 100
