"""What the tests of hubs share."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import keyring
import pytest
from huggingface_hub import set_client_factory
from keyring.backend import KeyringBackend

from app.hub import http
from app.hub.hub import Hub
from app.hub.token import Token
from app.paths import Paths
from engine.errors import EngineError, ErrorReport
from tests.fakes.hub import FakeHub


@pytest.fixture
def fake() -> Iterator[FakeHub]:
    with FakeHub() as fake:
        yield fake


@pytest.fixture
def hub(fake: FakeHub) -> Hub:
    """Asked without a token."""
    return Hub(fake.endpoint, Token(Paths()))


@pytest.fixture
def use_keyring() -> Iterator[Callable[[KeyringBackend], None]]:
    """Makes a keyring the system's one for this test."""
    before = keyring.get_keyring()
    yield keyring.set_keyring
    keyring.set_keyring(before)


@pytest.fixture
def fresh_clients() -> Iterator[None]:
    """Clients that a test renews after its changes do not reach the next test."""
    yield
    renew_clients()


def renew_clients() -> None:
    """From now on new clients are used."""
    http.client().close()
    http.client.cache_clear()
    set_client_factory(http.new_client)


def refusal(work: Callable[[], object]) -> ErrorReport:
    """What `work` fails with."""
    with pytest.raises(EngineError) as caught:
        work()
    return caught.value.report
