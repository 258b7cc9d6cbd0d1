"""Where files can come from, and in which order the places are asked."""

from __future__ import annotations

from typing import Protocol

from app.hub.token import Token
from app.model_settings import ENDPOINT_VARIABLE, ModelSettings, is_endpoint
from app.model_values import RemoteModel, RemotePart
from app.translate import translate
from engine.errors import EngineError, ErrorKind

_LONGEST_SHOWN = 100  # of an address that is none


class Source(Protocol):
    """A place that has models. Thread-safe; all calls but `url` may wait for the network or the keyring."""

    @property
    def name(self) -> str:
        """Its host."""

    def resolve(self, model: RemoteModel) -> RemoteModel:
        """The model as it is there: names as they are written there, commit, sizes and SHA-256 filled in.

        Raises:
            EngineError: HUB_UNREACHABLE, HUB_REFUSED, HUB_BUSY, TOKEN_REFUSED, REPO_MISSING, REPO_FILE_MISSING,
                REPO_GATED, DOWNLOAD_CHANGED where a size or SHA-256 that `model` asks for is another one there,
                NAME_UNSAFE.
        """

    def url(self, model: RemoteModel, part: RemotePart) -> str:
        """Where the bytes of a part of a resolved model are; usually sends on to another host."""

    def headers(self) -> dict[str, str]:
        """What a request to this source's own host carries; must not reach any other host."""


def sources(settings: ModelSettings, token: Token) -> tuple[Source, ...]:
    """The places to try, in this order. Raises EngineError: OFFLINE, SETTING_INVALID."""
    from app.hub.hub import Hub
    from app.hub.modelscope import ModelScope

    hub = Hub(checked_endpoint(settings), token)
    return (hub, ModelScope()) if settings.modelscope else (hub,)


def checked_endpoint(settings: ModelSettings) -> str:
    """The address of the hub that may be asked. Raises EngineError: OFFLINE, SETTING_INVALID."""
    if settings.offline:
        raise EngineError(ErrorKind.OFFLINE)
    endpoint = settings.hub_endpoint
    if not is_endpoint(endpoint):
        reason = translate(
            "hub", "it is no address of a hub: https:// or http:// and a host, without a password, a blank or a query"
        )
        shown = "…" if "@" in endpoint else endpoint[:_LONGEST_SHOWN]  # before an @ stands a password
        raise EngineError(ErrorKind.SETTING_INVALID, name=ENDPOINT_VARIABLE, value=shown, reason=reason)
    return endpoint
