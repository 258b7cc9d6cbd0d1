"""The header of a model at a hub, without the model: some megabytes of the beginning of each of its files."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from http import HTTPStatus
from pathlib import Path, PurePosixPath

import httpx2

from app.hub.http import RefusedError, client, host_of, phrase, refusal, refused
from app.hub.source import Source
from app.model_settings import DEFAULT_ENDPOINT
from app.model_values import RemoteModel, RemotePart
from engine.errors import EngineError, ErrorKind
from engine.gguf import GgufHeader, grow_header
from engine.gguf_format import MAX_HEADER_BYTES

_PIECE_BYTES = 64 << 10
_ENDLESS = 1 << 62
_GROWTH = 2  # reading on costs more than parsing again


def read_remote_header(source: Source, model: RemoteModel, cancelled: Callable[[], bool]) -> GgufHeader:
    """What the files of a model say, read over the network and nowhere kept.

    The metadata are those of the first part; the tensors are those of all parts, each with its offset in its own part.
    The path is the first part's name.

    Raises:
        EngineError: DOWNLOAD_CANCELLED, DOWNLOAD_NOT_GGUF where something else came, GGUF_VERSION, GGUF_BROKEN,
            GGUF_TRUNCATED, SPLIT_INCOMPLETE, DOWNLOAD_CHANGED where the size is not the one that `model` tells, and
            what `Source.resolve` raises.
    """
    first, *others = (_read_part(source, model, part, cancelled) for part in model.parts)
    if first.split_count != len(model.parts) or first.split_no != 0:
        missing = f"{first.split_count} parts"
        raise EngineError(ErrorKind.SPLIT_INCOMPLETE, path=str(first.path), missing=missing)
    headers = (first, *others)
    return replace(
        first,
        tensors=tuple(tensor for header in headers for tensor in header.tensors),
        expected_bytes=sum(header.expected_bytes for header in headers),
        size_bytes=sum(header.size_bytes for header in headers),
    )


def _read_part(source: Source, model: RemoteModel, part: RemotePart, cancelled: Callable[[], bool]) -> GgufHeader:
    path = Path(PurePosixPath(part.path).name)
    with _open(source, model, part) as answer:
        told = _told_size(answer)
        if None not in (told, part.size_bytes) and told != part.size_bytes:
            raise EngineError(ErrorKind.DOWNLOAD_CHANGED, file=part.path, repo=model.repo)
        size = part.size_bytes if told is None else told
        try:
            header = grow_header(path, _ENDLESS if size is None else size, _Beginning(answer, cancelled).read, _GROWTH)
        except EngineError as error:
            if error.report.kind is not ErrorKind.NOT_GGUF:
                raise
            raise EngineError(ErrorKind.DOWNLOAD_NOT_GGUF, file=part.path, host=host_of(answer.url)) from error
    return replace(header, size_bytes=header.expected_bytes) if size is None else header


@contextmanager
def _open(source: Source, model: RemoteModel, part: RemotePart) -> Iterator[httpx2.Response]:
    headers = source.headers()
    wanted = {**headers, "Range": f"bytes=0-{MAX_HEADER_BYTES - 1}"}
    try:
        with client().stream("GET", source.url(model, part), headers=wanted) as answer:
            yield answer
    except RefusedError as error:
        if error.host != source.name:  # the storage behind it knows neither repositories nor tokens
            raise refused(error.host, error.status, phrase(error.status)) from None
        page = f"{DEFAULT_ENDPOINT}/{model.repo}"
        raise refusal(error, repo=model.repo, file=part.path, page=page, has_token=bool(headers), known=True) from None


def _told_size(answer: httpx2.Response) -> int | None:
    """Of the whole file; None where the server does not say."""
    if answer.status_code in (HTTPStatus.PARTIAL_CONTENT, HTTPStatus.REQUESTED_RANGE_NOT_SATISFIABLE):
        text = answer.headers.get("Content-Range", "").rpartition("/")[2]
    else:
        text = answer.headers.get("Content-Length", "")
    return int(text[:18]) if text.isascii() and text.isdigit() else None


class _Beginning:
    """An answer that is read only as far as it is needed."""

    def __init__(self, answer: httpx2.Response, cancelled: Callable[[], bool]) -> None:
        # A server that does not know ranges sends the whole file; it is left when there is enough.
        self._pieces: Iterator[bytes] = answer.iter_raw(_PIECE_BYTES) if answer.is_success else iter(())
        self._cancelled = cancelled
        self._data = b""

    def read(self, length: int) -> bytes:
        """The first `length` bytes, fewer where there are no more."""
        pieces, size = [self._data], len(self._data)
        while size < length:
            if self._cancelled():
                raise EngineError(ErrorKind.DOWNLOAD_CANCELLED)
            piece = next(self._pieces, b"")
            if not piece:
                break
            pieces.append(piece)
            size += len(piece)
        self._data = b"".join(pieces)
        return self._data[:length]
