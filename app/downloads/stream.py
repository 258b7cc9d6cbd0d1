"""One request for the bytes of a file, from a given one on: redirects, refusals, what the answer says of the file."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any

import httpx2

from app.downloads.interrupt import Interrupt
from app.downloads.limits import Limits
from app.downloads.part_file import STRONG_ETAG
from app.hub.http import RefusedError, host_of, phrase, redirect_target, refusal, refused, unreachable
from app.hub.source import Source
from app.model_settings import DEFAULT_ENDPOINT
from app.model_values import RemoteModel, RemotePart
from app.translate import translate
from app.version import VERSION
from engine.errors import EngineError, ErrorKind

MAX_REDIRECTS = 10

_CONTENT_RANGE = re.compile(r"bytes (?:(\d{1,18})-\d{1,18}|\*)/(?:(\d{1,18})|\*)")
_SHA256 = re.compile(r"[0-9a-f]{64}")
_PASSING = frozenset({408, 425, 429, *range(500, 600)})  # the next try may go better


class TroubleError(Exception):
    """A try failed.

    Attributes:
        error: what to say when it was the last one.
        lasting: another try at this source will not go better.
        wait: seconds before the next one, where that is known.
    """

    def __init__(self, error: EngineError, *, lasting: bool = False, wait: float | None = None) -> None:
        super().__init__(error)
        self.error = error
        self.lasting = lasting
        self.wait = wait


class RangeRefusedError(TroubleError):
    """416. `total`: the size that the file has there, where it says so."""

    def __init__(self, error: EngineError, total: int | None) -> None:
        super().__init__(error, wait=0.0)
        self.total = total


@dataclass(frozen=True, slots=True)
class Stream:
    """An answer that brings bytes.

    Attributes:
        host: that sends them.
        start: the first one's place in the file.
        total: the file's size, where the server says so.
        etag: a strong one, of the server that sends the bytes.
        sha256: of the whole file, as the source itself says.
    """

    host: str
    start: int
    total: int | None
    etag: str | None
    sha256: str | None
    _response: httpx2.Response
    _file: str
    _stall_s: float

    def pieces(self) -> Iterator[bytes]:
        """The bytes. Raises TroubleError where they end too early or come no more."""
        with _told(self.host, self._file, self._stall_s):
            yield from self._response.iter_raw()


def make_client(limits: Limits) -> httpx2.Client:
    """A client for `open_stream`. Thread-safe. Proxies and certificates come from the environment."""
    return httpx2.Client(
        timeout=httpx2.Timeout(limits.stall, connect=limits.connect),
        follow_redirects=False,
        headers={"User-Agent": f"draftlight/{VERSION}", "Accept-Encoding": "identity"},
        limits=httpx2.Limits(max_keepalive_connections=0),  # each request has its own, which an Interrupt can break
    )


@contextmanager
def open_stream(
    client: httpx2.Client,
    source: Source,
    model: RemoteModel,
    part: RemotePart,
    start: int,
    etag: str | None,
    limits: Limits,
    interrupt: Interrupt,
) -> Iterator[Stream]:
    """Ask `source` for the bytes from `start` on; where `etag` is given, only if the file is still that one.

    Raises:
        TroubleError: nothing came, or not what was asked for.
    """
    address = source.url(model, part)
    secret = source.headers()
    headers = {} if start == 0 else {"Range": f"bytes={start}-"} | ({"If-Range": etag} if etag else {})
    home = url = httpx2.URL(address)
    sha256: str | None = None
    linked_size: int | None = None
    for _ in range(MAX_REDIRECTS):
        at_home = _origin(url) == _origin(home)
        if not at_home:
            secret = {}  # also where the way leads back
        request = client.build_request("GET", url, headers=secret | headers, extensions={"trace": _watching(interrupt)})
        with _told(host_of(url), part.path, limits.stall):
            response = client.send(request, stream=True)
        try:
            if at_home:
                linked = response.headers.get("X-Linked-Etag", "").strip('"')
                sha256 = linked if _SHA256.fullmatch(linked) else sha256
                linked_size = _number(response.headers.get("X-Linked-Size", ""), linked_size)
            if response.has_redirect_location:
                url = _next(response)
                continue
            _check(response, model, part, at_home=at_home, has_token="Authorization" in secret)
            first, total = _extent(response, start)
            etag = response.headers.get("ETag", "")
            yield Stream(
                host_of(url),
                first,
                linked_size if total is None else total,
                etag if STRONG_ETAG.fullmatch(etag) else None,
                sha256,
                response,
                part.path,
                limits.stall,
            )
            return
        finally:
            response.close()
            interrupt.watch(None)
    raise TroubleError(refused(host_of(url), 302, translate("hub", "it sends from one address to the next")))


def _watching(interrupt: Interrupt) -> Any:
    """Tells `interrupt` which connection to break, as soon as there is one."""

    def trace(event: str, info: dict[str, Any]) -> None:
        if event in ("connection.connect_tcp.complete", "connection.start_tls.complete"):
            interrupt.watch(info["return_value"].get_extra_info("socket"))

    return trace


@contextmanager
def _told(host: str, file: str, stall_s: float) -> Iterator[None]:
    """The client's errors as TroubleError."""
    try:
        yield
    except httpx2.ReadTimeout as error:
        stalled = EngineError(ErrorKind.DOWNLOAD_STALLED, file=file, host=host, seconds=stall_s)
        raise TroubleError(stalled) from error
    except (httpx2.RequestError, httpx2.StreamError, UnicodeError) as error:
        raise TroubleError(unreachable(host, error)) from error


def _origin(url: httpx2.URL) -> tuple[str, str, int | None]:
    return url.scheme, url.host, url.port


def _next(response: httpx2.Response) -> httpx2.URL:
    """Where a redirect leads."""
    here = response.request.url
    try:
        target = redirect_target(response)
    except EngineError as error:
        raise TroubleError(error, lasting=True) from error
    if (here.scheme, target.scheme) == ("https", "http"):
        reason = translate("downloads", "it sends to an address that is not safe")
        raise TroubleError(refused(host_of(here), response.status_code, reason), lasting=True)
    return target


def _check(response: httpx2.Response, model: RemoteModel, part: RemotePart, *, at_home: bool, has_token: bool) -> None:
    """Raises TroubleError where the answer is not 200 or 206."""
    status, host = response.status_code, host_of(response.request.url)
    if status in (HTTPStatus.OK, HTTPStatus.PARTIAL_CONTENT):
        return
    if status == HTTPStatus.REQUESTED_RANGE_NOT_SATISFIABLE:
        raise RangeRefusedError(refused(host, status, phrase(status)), _told_range(response)[1])
    if not at_home and status not in _PASSING:
        # The storage behind the source: its addresses are good for an hour, and a new one is had by asking again.
        raise TroubleError(refused(host, status, phrase(status)), wait=0.0)
    if status == HTTPStatus.SERVICE_UNAVAILABLE and "Retry-After" in response.headers:
        status = HTTPStatus.TOO_MANY_REQUESTS  # it means the same
    error = refusal(
        RefusedError(status, response.headers, host),
        repo=model.repo,
        file=part.path,
        page=f"{DEFAULT_ENDPOINT}/{model.repo}",
        has_token=has_token,
    )
    busy = error.report.kind is ErrorKind.HUB_BUSY
    wait = float(error.report.fact("retry_after_s")) if busy else None
    raise TroubleError(error, lasting=status not in _PASSING, wait=wait)


def _extent(response: httpx2.Response, start: int) -> tuple[int, int | None]:
    """Where the bytes of the answer begin in the file, and the file's size."""
    length = _number(response.headers.get("Content-Length", ""))
    if response.status_code == HTTPStatus.OK:
        return 0, length
    first, total = _told_range(response)
    if first != start:
        reason = translate("downloads", "it sent other bytes than those that were asked for")
        raise TroubleError(refused(host_of(response.request.url), response.status_code, reason))
    return start, total


def _told_range(response: httpx2.Response) -> tuple[int | None, int | None]:
    match = _CONTENT_RANGE.fullmatch(response.headers.get("Content-Range", ""))
    return (None, None) if match is None else (_number(match[1] or ""), _number(match[2] or ""))


def _number(text: str, default: int | None = None) -> int | None:
    return int(text) if text.isascii() and text.isdigit() and len(text) < 19 else default
