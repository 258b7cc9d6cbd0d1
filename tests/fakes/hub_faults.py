"""What can go wrong with one request to the fake hub."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Fault:
    """Once, with one request. What is not said stays as it should be.

    Attributes:
        status: answered instead, with `headers` and `body`. headers: of a file too, in place of its own.
        body: sent instead of what was asked for, with `status`, `headers` and its own length.
        content: stands in for the whole file: Range, size and ETag are right for it.
        cut_after: bytes of the body, after which the connection closes although more was announced.
        hold_after: bytes of the body, after which nothing comes until FakeHub.release().
        ignore_range: 200 and the whole file, whatever Range said.
        wrong_range: a 206 that tells the truth in Content-Range, but begins at the file's first byte.
        damaged_at: this byte of the file is wrong when it is sent.
        no_length: neither Content-Length nor Range; the end of the connection is the end of the body.
    """

    status: int | None = None
    headers: dict[str, str] = field(default_factory=dict)
    body: bytes | None = None
    content: bytes | None = None
    cut_after: int | None = None
    hold_after: int | None = None
    ignore_range: bool = False
    wrong_range: bool = False
    damaged_at: int | None = None
    no_length: bool = False


def cut(after: int) -> Fault:
    """The connection breaks after so many bytes of the body."""
    return Fault(cut_after=after)


def hold(after: int) -> Fault:
    """Silence after so many bytes of the body, until FakeHub.release(); then the rest."""
    return Fault(hold_after=after)


def damaged(at: int) -> Fault:
    """One byte of the file is wrong."""
    return Fault(damaged_at=at)


def replaced(content: bytes) -> Fault:
    """Another file's bytes, with that file's size and ETag."""
    return Fault(content=content)


def web_page(status: int = 200, text: str = "<!doctype html><title>Sign in</title>") -> Fault:
    """What a captive portal or a proxy sends."""
    return Fault(status, {"Content-Type": "text/html; charset=utf-8"}, text.encode())


def range_ignored() -> Fault:
    """200 where 206 was due."""
    return Fault(ignore_range=True)


def not_satisfiable() -> Fault:
    """416, whatever was asked for."""
    return Fault(416, {}, b"")


def too_many(retry_after: int | str | None = 1, status: int = 429) -> Fault:
    """The rate limit, as the hub words it; None leaves Retry-After out."""
    headers = {"X-Error-Message": "Too many requests"}
    if retry_after is not None:
        headers["Retry-After"] = str(retry_after)
    return Fault(status, headers, b"We had to rate limit you")


def expired() -> Fault:
    """A signed address that is too old, as the storage behind the hub words it."""
    return Fault(
        403,
        {"Content-Type": "application/xml"},
        b"<?xml version='1.0'?><Error><Code>AccessDenied</Code><Message>Request has expired</Message></Error>",
    )


def redirect(url: str, status: int = 302) -> Fault:
    """To anywhere else."""
    return Fault(status, {"Location": url}, b"")


def failing(status: int = 500) -> Fault:
    """The server's own fault."""
    return Fault(status, {}, b"Internal Error")
