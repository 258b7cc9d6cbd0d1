"""What the engine process settles before llama.cpp is loaded."""

from __future__ import annotations

import pytest

from engine.launch import calm_threads


def test_threads_do_not_wait_for_long() -> None:
    """Without a word of the user, a thread looks for its partner some thousand times, not 300,000 times."""
    environment: dict[str, str] = {}
    calm_threads(environment)
    assert 0 < int(environment["GOMP_SPINCOUNT"]) < 20_000


@pytest.mark.parametrize("wish", [{"OMP_WAIT_POLICY": "active"}, {"GOMP_SPINCOUNT": "123"}])
def test_user_decides(wish: dict[str, str]) -> None:
    """What the user has set stands, and nothing is added to it."""
    environment = dict(wish)
    calm_threads(environment)
    assert environment == wish
