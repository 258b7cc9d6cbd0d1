"""How the fake hub answers one request."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler
from typing import TYPE_CHECKING, Literal
from urllib.parse import parse_qs, quote, unquote, urlencode, urlsplit

from tests.fakes.hub_faults import Fault, expired
from tests.fakes.hub_repos import (
    Commit,
    Document,
    Repo,
    blob_id,
    is_lfs,
    listed,
    model_info,
    modelscope_files,
    sha256,
    tree,
    tree_file,
)

if TYPE_CHECKING:
    from tests.fakes.hub import HubServer

# api: JSON of either hub. resolve: the address of a file, which redirects to its bytes. bytes: those.
Where = Literal["api", "resolve", "bytes"]

_CHUNK = 1 << 18
_API = re.compile(r"/api/models/([^/]+/[^/]+?)(?:/(revision|tree|paths-info|refs)(?:/([^/]+)(?:/(.+))?)?)?")
_MODELSCOPE_API = re.compile(r"/api/v1/models/([^/]+/[^/]+)/repo/files")
_RESOLVE = re.compile(r"(/models)?/([^/]+/[^/]+)/resolve/([^/]+)/(.+)")
_STORED = re.compile(r"/repos/lfs/([0-9a-f]{64})")
_RANGE = re.compile(r"bytes=(\d+)-(\d*)|bytes=-(\d+)")


@dataclass(slots=True)
class Request:
    """One request that came, in the order of coming.

    Attributes:
        host: as the client wrote it: the hub's is 127.0.0.1:PORT, the storage's localhost:PORT.
        path: decoded, without query.
        file: the path inside the repository of what was asked for, "" where it was no file.
        start, sent: the first byte of the file that was sent, and how many.
    """

    method: str
    host: str
    where: Where
    path: str
    query: dict[str, list[str]]
    headers: dict[str, str]
    file: str = ""
    status: int = 0
    start: int = 0
    sent: int = 0
    fault: Fault | None = None


class HubHandler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: HubServer

    def log_message(self, format: str, *args: object) -> None:
        """Keeps quiet."""

    def do_GET(self) -> None:
        self._serve()

    def do_HEAD(self) -> None:
        self._serve()

    def do_POST(self) -> None:
        self._serve()

    def do_CONNECT(self) -> None:  # as a proxy it is only asked for hosts that it does not know
        self._serve()

    def _serve(self) -> None:
        self.hub = self.server.hub
        address = urlsplit(self.path)
        raw = address.path
        self.posted = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        self.request_record = Request(
            self.command,
            self.headers.get("Host", ""),
            "api",
            unquote(raw),
            parse_qs(address.query, keep_blank_values=True),
            {name.lower(): value for name, value in self.headers.items()},
        )
        routes: tuple[tuple[re.Pattern[str], Callable[[re.Match[str]], None]], ...] = (
            (_STORED, self._stored),
            (_RESOLVE, self._resolve),
            (_API, self._api),
            (_MODELSCOPE_API, self._modelscope_api),
        )
        for pattern, route in routes:
            if match := pattern.fullmatch(raw):
                return route(match)
        if self._begin("api"):
            if raw == "/api/models":
                return self._list()
            if raw == "/api/whoami-v2":
                return self._whoami()
            self._refuse(404, "", "Sorry, we can't find the page you are looking for.")
        return None

    # The hub's API.

    def _list(self) -> None:
        query = self.request_record.query
        found = self.hub.listing(query)
        first = int(query.get("cursor", ["0"])[0])
        size = min(int(query.get("limit", ["1000"])[0]), self.hub.page_size)
        page = found[first : first + size]
        headers = {}
        if first + size < len(found):
            rest = urlencode({**query, "cursor": first + size}, doseq=True)
            headers["Link"] = f'<{self.hub.endpoint}/api/models?{rest}>; rel="next"'
        if "full" in query or "cardData" in query:
            return self._json([model_info(repo, repo.commits[-1], blobs=False) for repo in page], headers)
        return self._json([listed(repo) | self._expanded(repo, query) for repo in page], headers)

    @staticmethod
    def _expanded(repo: Repo, query: Mapping[str, list[str]]) -> Document:
        document = model_info(repo, repo.commits[-1], blobs=False)
        return {name: document[name] for name in query.get("expand", []) if name in document}

    def _whoami(self) -> None:
        if self._token() is None:
            return self._refuse(401, "", "Invalid username or password.")
        return self._json({"type": "user", "id": "0", "name": "tester", "fullname": "Tester", "orgs": []})

    def _api(self, match: re.Match[str]) -> None:
        if not self._begin("api"):
            return None
        name, what, revision, folder = (unquote(part) if part else "" for part in match.groups())
        repo = self._repo(name, match.group(1))
        if repo is None:
            return None
        if what == "refs":
            branches = [{"name": "main", "ref": "refs/heads/main", "targetCommit": repo.commits[-1].sha}]
            return self._json({"branches": branches, "tags": [], "converts": []})
        commit = repo.at(revision or "main")
        if commit is None:
            return self._refuse(404, "RevisionNotFound", f"Invalid rev id: {revision}")
        query = self.request_record.query
        if what == "tree":
            return self._json(tree(commit, folder, recursive=query.get("recursive", [""])[0].lower() == "true"))
        if what == "paths-info":
            wanted = parse_qs(self.posted.decode()).get("paths", [])
            return self._json([tree_file(path, commit.files[path]) for path in wanted if path in commit.files])
        if "expand" in query:
            return self._json({"id": repo.id, "_id": "0"} | self._expanded(repo, query))
        return self._json(model_info(repo, commit, blobs=query.get("blobs", [""])[0].lower() == "true"))

    def _modelscope_api(self, match: re.Match[str]) -> None:
        if not self._begin("api"):
            return None
        repo = self.hub.find(unquote(match.group(1)))
        commit = repo and repo.at(self.request_record.query.get("Revision", ["master"])[0])
        if commit is None:
            message = f"record not found: {match.group(1)}"
            return self._json({"Code": 10010205001, "Message": message, "Success": False}, status=404)
        return self._json(modelscope_files(commit))

    # Files.

    def _resolve(self, match: re.Match[str]) -> None:
        modelscope, raw_name, revision, path = match.groups()
        name, revision, path = unquote(raw_name), unquote(revision), unquote(path)
        self.request_record.file = path
        plain = self.hub.plain or (not is_lfs(path) and self.hub.moved_to(name) is None)  # these are the bytes
        if not self._begin("bytes" if plain else "resolve"):
            return None
        repo = self.hub.find(name) if modelscope else self._repo(name, raw_name)
        if repo is None:
            return self._refuse(404, "", "Not Found") if modelscope else None
        if repo.gated and not self._may_open(repo):
            return self._refuse_gated(repo)
        commit: Commit | None = repo.at(revision)
        if commit is None:
            return self._refuse(404, "RevisionNotFound", f"Invalid rev id: {revision}")
        if path not in commit.files:
            return self._refuse(404, "EntryNotFound", "Entry not found", {"X-Repo-Commit": commit.sha})
        content = commit.files[path]
        headers = {"X-Repo-Commit": commit.sha, "Accept-Ranges": "bytes"}
        if plain:
            fault = self.request_record.fault
            content = fault.content if fault and fault.content is not None else content
            return self._content(content, f'"{blob_id(path, content)}"', headers)
        oid = sha256(content)
        headers |= {
            "X-Linked-Size": str(len(content)),
            "X-Linked-ETag": f'"{oid}"',
            "ETag": f'"{hashlib.md5(oid.encode(), usedforsecurity=False).hexdigest()}"',
            "Vary": "Origin, Accept",
            "Location": self.hub.sign(oid, path),
        }
        return self._send(302, headers, b"Found. Redirecting")

    def _stored(self, match: re.Match[str]) -> None:
        oid = match.group(1)
        known = self.hub.stored(oid)
        self.request_record.file = known[0] if known else ""
        if not self._begin("bytes"):
            return None
        if "authorization" in self.request_record.headers:  # as S3 answers: the signature is the authorization
            return self._send(400, {"Content-Type": "application/xml"}, b"<Error><Code>InvalidArgument</Code></Error>")
        if known is None or not self.hub.is_signed(oid, self.request_record.query.get("X-Amz-Signature", [""])[0]):
            too_old = expired()
            return self._send(403, too_old.headers, too_old.body or b"")
        fault = self.request_record.fault
        content = fault.content if fault and fault.content is not None else known[1]
        etag = hashlib.md5(sha256(content).encode(), usedforsecurity=False).hexdigest()
        return self._content(content, f'"{etag}"', {"Accept-Ranges": "bytes"})

    def _content(self, content: bytes, etag: str, headers: dict[str, str]) -> None:
        """The bytes themselves, or the range of them that was asked for."""
        fault = self.request_record.fault or Fault()
        headers = headers | {
            "ETag": etag,
            "Last-Modified": "Sat, 01 Aug 2026 12:00:00 GMT",
            "Content-Type": "binary/octet-stream",
            **fault.headers,
        }
        first, end = 0, len(content)
        asked = _RANGE.fullmatch(self.request_record.headers.get("range", ""))
        if self.request_record.headers.get("if-range", etag) != etag or fault.ignore_range or fault.no_length:
            asked = None
        if asked is None:
            return self._body(200, headers, content, 0, end)
        if asked.group(3):
            first = max(0, end - int(asked.group(3)))
        else:
            first = int(asked.group(1))
            end = min(end, int(asked.group(2)) + 1) if asked.group(2) else end
        if first >= len(content):
            return self._send(416, headers | {"Content-Range": f"bytes */{len(content)}"}, b"")
        if fault.wrong_range:
            first, end = 0, max(1, end - first)
        headers["Content-Range"] = f"bytes {first}-{end - 1}/{len(content)}"
        return self._body(206, headers, content, first, end)

    # Answers.

    def _begin(self, where: Where) -> bool:
        """Put the request on record. False where a fault has answered it."""
        self.request_record.where = where
        fault = self.hub.record(self.request_record)
        if fault is None or fault.status is None:
            token = self._token()
            if where != "bytes" and token is not None and token not in self.hub.accepted:
                self._refuse(401, "", "Invalid credentials in Authorization header")
                return False
            return True
        self._send(fault.status, fault.headers, fault.body or b"")
        return False

    def _token(self) -> str | None:
        words = self.request_record.headers.get("authorization", "").split()
        return words[1] if len(words) == 2 and words[0] == "Bearer" else None

    def _may_open(self, repo: Repo) -> bool:
        token = self._token()
        return token is not None and repo.id in self.hub.accepted.get(token, set())

    def _repo(self, name: str, raw: str) -> Repo | None:
        """The repository; None where the answer was given: a redirect to its new name, or that it is not there."""
        repo = self.hub.find(name)
        if repo is not None and (not repo.hidden or self._may_open(repo)):
            return repo
        new = None if repo is not None else self.hub.moved_to(name)
        if new is not None:
            self._send(307, {"Location": self.path.replace(raw, quote(new), 1)}, b"Temporary Redirect")
        elif self._token() is None:  # hides whether it exists
            self._refuse(401, "", "Invalid username or password.")
        else:
            self._refuse(404, "RepoNotFound", "Repository not found")
        return None

    def _refuse_gated(self, repo: Repo) -> None:
        restricted = f"Access to model {repo.id} is restricted"
        if self._token() is None:
            message = f"{restricted}. You must have access to it and be authenticated to access it. Please log in."
            self._refuse(401, "GatedRepo", message)
        else:
            self._refuse(403, "GatedRepo", f"{restricted} and you are not in the authorized list.")

    def _refuse(self, status: int, code: str, message: str, headers: Mapping[str, str] | None = None) -> None:
        headers = {"X-Error-Message": message, **(headers or {})}
        if code:
            headers["X-Error-Code"] = code
        body = json.dumps({"error": message}).encode()
        self._send(status, {**headers, "Content-Type": "application/json"}, body)

    def _json(self, document: object, headers: Mapping[str, str] | None = None, status: int = 200) -> None:
        body = json.dumps(document, ensure_ascii=False).encode()
        self._send(status, {"Content-Type": "application/json; charset=utf-8", **(headers or {})}, body)

    def _send(self, status: int, headers: Mapping[str, str], body: bytes) -> None:
        """An answer that is not a file's bytes."""
        self._head(status, [*headers.items(), ("Content-Length", str(len(body)))])
        if self.command != "HEAD" and status != 304:
            self.wfile.write(body)

    def _body(self, status: int, headers: Mapping[str, str], content: bytes, first: int, end: int) -> None:
        """The bytes from `first` to `end`, with what goes wrong on the way."""
        fault = self.request_record.fault or Fault()
        length = [] if fault.no_length else [("Content-Length", str(end - first))]
        self._head(status, [*headers.items(), *length])
        if self.command == "HEAD":
            return
        self.request_record.start = first
        stops = {stop: cut for stop, cut in ((fault.hold_after, False), (fault.cut_after, True)) if stop is not None}
        view, at = memoryview(content), first
        for stop in sorted({*(first + stop for stop in stops if first + stop < end), end}):
            while at < stop:
                piece = view[at : min(stop, at + _CHUNK)]
                if fault.damaged_at is not None and at <= fault.damaged_at < at + len(piece):
                    changed = bytearray(piece)
                    changed[fault.damaged_at - at] ^= 1
                    piece = memoryview(bytes(changed))
                self.request_record.sent += len(piece)  # before: who has the last byte may ask at once
                try:
                    self.wfile.write(piece)
                except OSError:  # the client has gone
                    self.request_record.sent -= len(piece)
                    self.close_connection = True
                    return
                at += len(piece)
            match stops.get(stop - first):
                case True:
                    self.close_connection = True
                    return
                case False:
                    self.hub.hold()
        self.close_connection = self.close_connection or fault.no_length

    def _head(self, status: int, headers: Iterable[tuple[str, str]]) -> None:
        self.request_record.status = status
        self.send_response(status)
        for name, value in headers:
            self.send_header(name, value.encode("latin-1", "replace").decode("latin-1"))
        self.end_headers()
