"""The header of a model at a hub, without the model: some megabytes of the beginning of each of its files."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from http import HTTPStatus
from pathlib import Path, PurePosixPath

import httpx2

from app.hub.http import RefusedError, client, host_of, phrase, refusal, refused
from app.hub.source import Source
from app.model_settings import DEFAULT_ENDPOINT
from app.model_values import RemoteModel, RemotePart
from app.translate import translate
from engine.errors import EngineError, ErrorKind
from engine.gguf import GgufHeader, grow_header
from engine.gguf_strip import strip

_FIRST_BYTES = 2 << 20  # holds the header of most models; tells the size of the file too
_GROWTH = 4  # a request costs more than parsing again, and less than megabytes that nobody needs
_ENDLESS = 1 << 62
_CONTENT_RANGE = re.compile(r"bytes (\d{1,18})-\d{1,18}/(\d{1,18})", re.ASCII)


def read_remote_header(source: Source, model: RemoteModel, cancelled: Callable[[], bool]) -> GgufHeader:
    """What the files of a resolved model say, read over the network and nowhere kept.

    The metadata are those of the first part; the tensors are those of all parts, each with its offset in its own part.
    The path is the first part's name. `cancelled` is asked before each request and when bytes come.

    Raises:
        EngineError: DOWNLOAD_CANCELLED, DOWNLOAD_NOT_GGUF where something else came, GGUF_VERSION, GGUF_BROKEN,
            GGUF_TRUNCATED, SPLIT_INCOMPLETE, DOWNLOAD_CHANGED where the size is not the one that `model` tells, and
            what `Source.resolve` raises.
    """
    headers = [header for header, _ in _read_parts(source, model, cancelled)]
    return replace(
        headers[0],
        tensors=tuple(tensor for header in headers for tensor in header.tensors),
        expected_bytes=sum(header.expected_bytes for header in headers),
        size_bytes=sum(header.size_bytes for header in headers),
    )


def read_stripped_headers(source: Source, model: RemoteModel, cancelled: Callable[[], bool]) -> tuple[bytes, ...]:
    """The same of each part, in order, without its tokenizer: what `gguf_strip.strip` leaves."""
    return tuple(strip(data) for _, data in _read_parts(source, model, cancelled))


def _read_parts(
    source: Source, model: RemoteModel, cancelled: Callable[[], bool]
) -> Iterator[tuple[GgufHeader, bytes]]:
    """The parts' headers, checked to belong together, and the bytes that they were read from."""
    count = len(model.parts)
    for number, part in enumerate(model.parts):
        header, data = _read_part(source, model, part, cancelled)
        if header.split_count > count:
            missing = f"{header.split_count - count} of {header.split_count} parts"
            raise EngineError(ErrorKind.SPLIT_INCOMPLETE, path=str(header.path), missing=missing)
        if (header.split_no, header.split_count) != (number, count):
            reason = f"not part {number + 1} of {count}"
            raise EngineError(ErrorKind.GGUF_BROKEN, path=str(header.path), reason=reason)
        yield header, data


def _read_part(
    source: Source, model: RemoteModel, part: RemotePart, cancelled: Callable[[], bool]
) -> tuple[GgufHeader, bytes]:
    beginning = _Beginning(source, model, part, cancelled)
    beginning.read(_FIRST_BYTES)
    told = beginning.size
    if not beginning.data.startswith(b"GGUF"):
        raise EngineError(ErrorKind.DOWNLOAD_NOT_GGUF, file=part.path, host=beginning.host)
    if None not in (told, part.size_bytes) and told != part.size_bytes:
        raise EngineError(ErrorKind.DOWNLOAD_CHANGED, file=part.path, repo=model.repo)
    size = part.size_bytes if told is None else told
    try:
        path = Path(PurePosixPath(part.path).name)
        header = grow_header(path, _ENDLESS if size is None else size, beginning.read, _GROWTH)
    except EngineError as error:
        if error.report.kind is ErrorKind.NOT_GGUF:
            raise EngineError(ErrorKind.DOWNLOAD_NOT_GGUF, file=part.path, host=beginning.host) from error
        if error.report.kind is ErrorKind.GGUF_TRUNCATED:
            raise refused(beginning.host, HTTPStatus.OK, translate("hub", "its file ends too early")) from error
        raise
    return replace(header, size_bytes=header.expected_bytes) if size is None else header, beginning.data


class _Beginning:
    """The first bytes of a part, fetched as far as they are needed.

    Attributes:
        data: all that came so far.
        size: of the whole part; None where the server does not say.
        host: where the last bytes came from.
    """

    def __init__(self, source: Source, model: RemoteModel, part: RemotePart, cancelled: Callable[[], bool]) -> None:
        self._source, self._model, self._part, self._cancelled = source, model, part, cancelled
        self.data = b""
        self._ended = False
        self.size: int | None = None
        self.host = source.name

    def read(self, length: int) -> bytes:
        """The first `length` bytes, fewer where the part has no more."""
        if len(self.data) < length and not self._ended:
            self._fetch(length)
        return self.data[:length]

    def _fetch(self, length: int) -> None:
        if self._cancelled():
            raise EngineError(ErrorKind.DOWNLOAD_CANCELLED)
        headers = self._source.headers()
        wanted = {**headers, "Range": f"bytes={len(self.data)}-{length - 1}"}
        try:
            with client().stream("GET", self._source.url(self._model, self._part), headers=wanted) as answer:
                self._take(answer, length)
        except RefusedError as error:
            raise self._refusal(error, has_token=bool(headers)) from None

    def _take(self, answer: httpx2.Response, length: int) -> None:
        self.host = host_of(answer.url)
        if answer.status_code == HTTPStatus.REQUESTED_RANGE_NOT_SATISFIABLE:
            self._ended = True
            return
        pieces = [self._kept(answer)]
        size = len(pieces[0])
        for piece in answer.iter_raw():
            if self._cancelled():
                raise EngineError(ErrorKind.DOWNLOAD_CANCELLED)
            pieces.append(piece)
            size += len(piece)
            if size >= length:  # a server that does not know ranges would send all of the file
                break
        self.data = b"".join(pieces)
        self._ended = size < length

    def _kept(self, answer: httpx2.Response) -> bytes:
        """What the answer's bytes follow: all that is here, or nothing where it begins anew."""
        if answer.status_code != HTTPStatus.PARTIAL_CONTENT:
            text = answer.headers.get("Content-Length", "")
            self.size = int(text[:18]) if text.isascii() and text.isdigit() else None
            return b""
        told = _CONTENT_RANGE.fullmatch(answer.headers.get("Content-Range", ""))
        if told is None or int(told[1]) not in (0, len(self.data)):
            raise refused(self.host, answer.status_code, translate("hub", "it sends another piece of the file"))
        self.size = int(told[2])
        return self.data if int(told[1]) else b""

    def _refusal(self, error: RefusedError, *, has_token: bool) -> EngineError:
        if error.host != self._source.name:  # the storage behind it knows neither repositories nor tokens
            return refused(error.host, error.status, phrase(error.status))
        page = f"{DEFAULT_ENDPOINT}/{self._model.repo}"
        return refusal(error, repo=self._model.repo, file=self._part.path, page=page, has_token=has_token, known=True)
