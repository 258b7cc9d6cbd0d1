"""A hub and a place to download to."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.fakes.hub import FakeHub
from tests.unit.app.downloads.fetches import Bench


@pytest.fixture
def hub() -> Iterator[FakeHub]:
    with FakeHub() as hub:
        yield hub


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path / "models")
