"""Headers are read once for all that is asked of them."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from app.fit.files import search_files
from app.fit.history import FitHistory
from app.precheck import check_files
from engine import gguf
from engine.types import LoadRequest
from tests.fakes.devices import machine
from tests.fakes.gguf_files import Tiny, write_model, write_split_model


def test_no_file_is_read_twice(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The check and the figures share what was read, of all parts of a split model."""
    read: Counter[str] = Counter()
    whole = gguf.read_header_bytes

    def counted(path: str | Path) -> tuple[gguf.GgufHeader, bytes]:
        read[Path(path).name] += 1
        return whole(path)

    parts = write_split_model(tmp_path, Tiny(layers=4))
    draft = write_model(tmp_path / "draft.gguf")
    request = LoadRequest(str(parts[0]), str(draft))
    monkeypatch.setattr(gguf, "read_header_bytes", counted)
    search_files(request, machine(), FitHistory(tmp_path), None)
    assert read == {path.name: 1 for path in (*parts, draft)}
    target, of_draft = check_files(request)
    assert [header.path for header in target] == list(parts)
    assert of_draft is not None
    assert [header.path for header in of_draft] == [draft]
    assert check_files(LoadRequest(str(draft)))[1] is None
