"""The client through which hubs are asked, and what their answers mean.

Everything that a server or a network can do wrong becomes an `EngineError`. No text of a server gets into one: it
might repeat what it was sent, the token too.
"""

from __future__ import annotations

import atexit
import logging
import socket
import ssl
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from functools import cache
from http import HTTPStatus
from typing import Any

import httpx2

from app.model_settings import is_host
from app.translate import translate
from app.version import VERSION
from engine.errors import EngineError, ErrorKind
from engine.gguf_format import MAX_HEADER_BYTES

MAX_ANSWER_BYTES = MAX_HEADER_BYTES + (1 << 20)
MAX_ANSWER_S = 120.0
MAX_REDIRECTS = 5
TIMEOUT = httpx2.Timeout(15.0, connect=10.0)
UNKNOWN_PAUSE_S = 60  # where a busy hub does not say for how long
LONGEST_PAUSE_S = 24 * 3600

OFFICIAL_HOSTS = frozenset({"huggingface.co", "www.huggingface.co", "hf.co", "www.hf.co"})

# It writes down the headers of answers, and a server may repeat in them what it was sent.
logging.getLogger("httpcore2").setLevel(logging.WARNING)


@cache
def client() -> HubClient:
    """The program's one client. Thread-safe."""
    shared = new_client()
    atexit.register(shared.close)
    return shared


def new_client() -> HubClient:
    """One that takes proxies and certificates from the environment, as usual."""
    return HubClient(
        timeout=TIMEOUT,
        follow_redirects=True,  # a token is not sent on to another host
        max_redirects=MAX_REDIRECTS,
        headers={"User-Agent": f"draftlight/{VERSION}", "Accept-Encoding": "identity"},
        event_hooks={"response": [_check]},
    )


class HubClient(httpx2.Client):
    """Raises EngineError (HUB_UNREACHABLE, HUB_REFUSED) and RefusedError, and nothing of httpx's own."""

    def send(self, request: httpx2.Request, **options: Any) -> httpx2.Response:
        request.extensions["timeout"] = self.timeout.as_dict()  # huggingface_hub would wait for ever for some answers
        try:
            return super().send(request, **options)
        except (httpx2.RequestError, UnicodeError) as error:
            raise unreachable(host_of(request.url), error) from error


@dataclass(eq=False)
class RefusedError(Exception):
    """The server answered with an error; `refusal` makes an EngineError of it where it is known what was asked for."""

    status: int
    headers: httpx2.Headers
    host: str


def host_of(url: str | httpx2.URL) -> str:
    """The host as people know it, with its port where that is not the usual one."""
    return httpx2.URL(url).netloc.decode("ascii")


def unreachable(host: str, error: Exception) -> EngineError:
    """No answer came, or not all of it."""
    if isinstance(error, httpx2.TooManyRedirects):
        return refused(host, HTTPStatus.FOUND, translate("hub", "it sends from one address to the next"))
    # The system's own words only: those of HTTP libraries may quote the headers that were sent.
    chain = [repr(cause) if isinstance(cause, OSError) else type(cause).__name__ for cause in _causes(error)]
    return EngineError(ErrorKind.HUB_UNREACHABLE, "\n".join(chain), host=host, reason=_reason(error))


def refused(host: str, status: int, reason: str) -> EngineError:
    """An answer that makes no sense of its own."""
    return EngineError(ErrorKind.HUB_REFUSED, host=host, status=int(status), reason=reason)


def refusal(
    error: RefusedError, *, repo: str, file: str = "", page: str, has_token: bool, known: bool = False
) -> EngineError:
    """What an answer with an error means.

    Args:
        repo, file: what was asked for; "" where it was something else.
        page: where the repository's licence can be accepted.
        has_token: one was sent along.
        known: the repository is certainly there.
    """
    host, status, code = error.host, error.status, error.headers.get("X-Error-Code", "")
    from_a_wall = error.headers.get("Content-Type", "").startswith("text/html")  # a proxy's page, not the hub's answer
    missing = EngineError(ErrorKind.REPO_MISSING, repo=repo, host=host)
    match status:
        case HTTPStatus.TOO_MANY_REQUESTS:
            return EngineError(ErrorKind.HUB_BUSY, host=host, retry_after_s=_pause_s(error.headers))
        case HTTPStatus.UNAUTHORIZED if has_token and not from_a_wall and code != "GatedRepo":
            return EngineError(ErrorKind.TOKEN_REFUSED, host=host)  # also for what is open to all
        case HTTPStatus.UNAUTHORIZED | HTTPStatus.FORBIDDEN if repo and not from_a_wall:
            if has_token:
                state = "refused" if status == HTTPStatus.UNAUTHORIZED else "given"
                return EngineError(ErrorKind.REPO_GATED, repo=repo, url=page, token=state)
            if status == HTTPStatus.UNAUTHORIZED and code != "GatedRepo" and not known:
                return missing  # so the hub answers without a token for what is private, and for what is not there
            return EngineError(ErrorKind.REPO_GATED, repo=repo, url=page, token="none")
        case HTTPStatus.NOT_FOUND if repo and not from_a_wall:
            if code == "RepoNotFound" or (not file and code != "RevisionNotFound"):
                return missing
            name = file or translate("hub", "the version that was asked for")
            return EngineError(ErrorKind.REPO_FILE_MISSING, repo=repo, file=name, host=host)
        case _:
            return refused(host, status, phrase(status))


@contextmanager
def understanding(host: str) -> Iterator[None]:
    """Whatever trips over an answer inside did so because the answer is not what it should be."""
    try:
        yield
    except UnicodeEncodeError:
        raise  # of what was asked
    except (ValueError, TypeError, KeyError, AttributeError, IndexError, RecursionError) as error:
        reason = translate("hub", "the answer is not what a hub sends; it may be a page that asks to sign in")
        raise refused(host, HTTPStatus.OK, reason) from error


def _check(response: httpx2.Response) -> None:
    """Hold an answer to the limits, before a byte of it is read."""
    host = host_of(response.request.url)
    if response.status_code >= 400 and response.status_code != HTTPStatus.REQUESTED_RANGE_NOT_SATISFIABLE:
        raise RefusedError(response.status_code, response.headers, host)
    if response.has_redirect_location:
        redirect_target(response)
    if response.headers.get("Content-Encoding", "identity") != "identity":
        raise refused(host, response.status_code, translate("hub", "it compresses what must not be compressed"))
    assert isinstance(response.stream, httpx2.SyncByteStream)
    response.stream = _Limited(response.stream, host)


def redirect_target(response: httpx2.Response) -> httpx2.URL:
    """Where a redirect leads. Raises EngineError: HUB_REFUSED where nobody may be led."""
    here = response.request.url
    try:
        target = here.join(response.headers["Location"])
    except (httpx2.InvalidURL, ValueError):
        target = None
    usable = target is not None and is_host(target.host) and (target.port is None or 0 < target.port < 1 << 16)
    if target is None or not usable or target.scheme not in ("http", "https"):
        raise refused(host_of(here), response.status_code, translate("hub", "it sends to an address that is none"))
    if target.host in OFFICIAL_HOSTS and here.host not in OFFICIAL_HOSTS:
        # Who chose a mirror may not be able to reach the hub, or may not want to.
        reason = translate("hub", "it points to the hub that it should stand for")
        raise refused(host_of(here), response.status_code, reason)
    return target


class _Limited(httpx2.SyncByteStream):
    """An answer that neither goes on for ever nor fills the memory."""

    def __init__(self, stream: httpx2.SyncByteStream, host: str) -> None:
        self._stream = stream
        self._host = host

    def __iter__(self) -> Iterator[bytes]:
        size, deadline = 0, time.monotonic() + MAX_ANSWER_S
        try:
            for chunk in self._stream:
                size += len(chunk)
                if size > MAX_ANSWER_BYTES:
                    raise refused(self._host, HTTPStatus.OK, translate("hub", "the answer does not end"))
                if time.monotonic() > deadline:
                    reason = translate("hub", "The answer comes too slowly")
                    raise EngineError(ErrorKind.HUB_UNREACHABLE, host=self._host, reason=reason)
                yield chunk
        except httpx2.RequestError as error:
            raise unreachable(self._host, error) from error

    def close(self) -> None:
        self._stream.close()


def _reason(error: Exception) -> str:
    causes = list(_causes(error))
    if any(isinstance(cause, ssl.SSLError) for cause in causes):
        return translate("hub", "Its certificate is not trusted here, or the connection is not a safe one")
    if any(isinstance(cause, socket.gaierror | UnicodeError) for cause in causes):
        return translate("hub", "Its name is not known to the network")
    if any(isinstance(cause, ConnectionRefusedError) for cause in causes):
        return translate("hub", "Nothing answers at its address")
    if isinstance(error, httpx2.TimeoutException):
        return translate("hub", "It does not answer in time")
    if isinstance(error, httpx2.ProxyError):
        return translate("hub", "The proxy does not let the program through")
    if isinstance(error, httpx2.ReadError | httpx2.RemoteProtocolError):
        return translate("hub", "The connection broke")
    return translate("hub", "There is no connection")


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__


def _pause_s(headers: httpx2.Headers) -> int:
    """Seconds until a busy hub can be asked again: Retry-After in either form, or the hub's own rate limit."""
    text = headers.get("Retry-After", "").strip()
    if text.isascii() and text.isdigit():
        return min(int(text[:9]), LONGEST_PAUSE_S)
    try:
        until = parsedate_to_datetime(text)
        return min(max(0, round((until - datetime.now(UTC)).total_seconds())), LONGEST_PAUSE_S)
    except (ValueError, TypeError):
        pass
    reset = headers.get("RateLimit", "").rpartition("t=")[2].strip()
    return min(int(reset[:9]), LONGEST_PAUSE_S) if reset.isascii() and reset.isdigit() else UNKNOWN_PAUSE_S


def phrase(status: int) -> str:
    """What HTTP calls a status."""
    try:
        return HTTPStatus(status).phrase
    except ValueError:
        return translate("hub", "no known status")
