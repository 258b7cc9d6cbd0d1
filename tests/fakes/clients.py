"""Engine clients for tests."""

from __future__ import annotations

from collections.abc import Callable

from app.engine_client import EngineClient

MakeClient = Callable[..., EngineClient]
