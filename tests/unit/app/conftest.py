"""What several tests of the app begin with."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from app.engine_client import EngineClient, Patience
from app.paths import Paths
from tests.fakes import scripted_engine
from tests.fakes.clients import MakeClient


@pytest.fixture
def paths(tmp_path: Path) -> Paths:
    return Paths(tmp_path / "base")


@pytest.fixture
def make_client(paths: Paths) -> Iterator[MakeClient]:
    """Clients of scripted engines."""
    with ExitStack() as stack:

        def make(target: object = scripted_engine.scripted_engine) -> EngineClient:
            client = EngineClient(paths.logs, target=target, patience=Patience(cancel_s=0.1))  # type: ignore[arg-type]
            stack.callback(client.close)
            return client

        yield make
