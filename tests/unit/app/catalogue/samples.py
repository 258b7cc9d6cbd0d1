"""Catalogue entries to try things with."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

Entry = dict[str, Any]


def a_file(repo: str, path: str, **changes: Any) -> Entry:
    """One half of an entry."""
    return {
        "repo": repo,
        "revision": "main",
        "quantisation": "Q4_K_M",
        "parameters": 7_000_000_000,
        "about_bytes": 4_300_000_000,
        "parts": [a_part(path)],
        **changes,
    }


def a_part(path: str, size_bytes: int | None = None, sha256: str | None = None) -> Entry:
    return {"path": path, "size_bytes": size_bytes, "sha256": sha256}


def an_entry(pair_id: str = "some-pair", **changes: Any) -> Entry:
    """A valid one, with other values at some of its keys."""
    return {
        "id": pair_id,
        "title": "Some 7B + 1B",
        "family": "Some",
        "kinds": ["chat"],
        "licence": "apache-2.0",
        "gated": False,
        "context": 8192,
        "target": a_file("owner/Some-7B-GGUF", "Some-7B-Q4_K_M.gguf"),
        "draft": a_file("owner/Some-1B-GGUF", "Some-1B-Q4_K_M.gguf", parameters=1_000_000_000, about_bytes=700_000_000),
        "sampling": {"temperature": 0.5, "top_k": 7},
        "confidence": "medium",
        "note": "",
        **changes,
    }


def with_draft(**changes: Any) -> Entry:
    """A valid entry with other values in its draft."""
    entry = an_entry()
    entry["draft"] |= changes
    return entry


def a_catalogue(*entries: object) -> str:
    return json.dumps({"version": 1, "pairs": list(entries)}, ensure_ascii=False, indent=2)


def write_catalogue(path: Path, *entries: object) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(a_catalogue(*entries), encoding="utf-8")
    return path
