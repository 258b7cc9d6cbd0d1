"""What a hub says is understood, and what it refuses has a reason."""

from __future__ import annotations

import json
import logging
import socket
import traceback
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import httpx2
import pytest

from app.hub import http
from app.hub.hub import Hub
from app.hub.modelscope import ModelScope
from app.hub.source import checked_endpoint, sources
from app.hub.token import TOKEN_VARIABLE, Token
from app.model_settings import ModelSettings
from app.model_values import RemoteModel, RemotePart
from app.paths import Paths
from engine.errors import EngineError, ErrorKind
from tests.fakes.hub import GOOD_TOKEN, FakeHub
from tests.fakes.hub_faults import Fault, failing, redirect, too_many, web_page
from tests.fakes.hub_repos import Repo, sha256
from tests.unit.app.hub.conftest import refusal, renew_clients

REPO = "Owner/Model-GGUF"
FILE = "Model-Q4_K_M.gguf"
CONTENT = b"GGUF" * 1000
PAGE = f"https://huggingface.co/{REPO}"


def model(repo: str = REPO, *paths: str, revision: str = "main") -> RemoteModel:
    return RemoteModel(repo, revision, tuple(RemotePart(path) for path in paths or (FILE,)))


def answer(document: object, headers: dict[str, str] | None = None) -> Fault:
    return Fault(200, {"Content-Type": "application/json", **(headers or {})}, json.dumps(document).encode())


@pytest.fixture
def repo(fake: FakeHub) -> Repo:
    return fake.add(Repo(REPO, licence="mit"), {FILE: CONTENT, "README.md": b"# words\n"})


@pytest.fixture
def with_token(fake: FakeHub, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setenv(TOKEN_VARIABLE, GOOD_TOKEN)
    return GOOD_TOKEN


# Finding


def test_a_model_is_resolved(hub: Hub, fake: FakeHub, repo: Repo) -> None:
    """Commit, size and SHA-256 are filled in, and the address holds to that commit."""
    found = hub.resolve(model())
    commit = repo.commits[-1].sha
    assert found == RemoteModel(REPO, commit, (RemotePart(FILE, len(CONTENT), sha256(CONTENT)),))
    assert hub.url(found, found.parts[0]) == f"{fake.endpoint}/{REPO}/resolve/{commit}/{FILE}"
    fake.commit(REPO, {FILE: b"another"})
    assert hub.resolve(found) == found


def test_letter_case_does_not_matter(hub: Hub, repo: Repo) -> None:
    """Repository and file are found in other letters, and come back in their own."""
    found = hub.resolve(model(REPO.lower(), FILE.upper()))
    assert (found.repo, found.file_name) == (REPO, FILE)


def test_a_renamed_repository_is_found(hub: Hub, fake: FakeHub, repo: Repo) -> None:
    """The hub's redirect from an old name is followed."""
    fake.moved["Old/Name"] = REPO
    assert hub.resolve(model("Old/Name")).repo == REPO


def test_names_are_quoted_in_addresses(hub: Hub, fake: FakeHub) -> None:
    """Blanks, other scripts, "#" and "?" reach the hub as parts of the name."""
    path = "a b/模型 #1? 100%.gguf"
    fake.add(REPO, {path: CONTENT})
    found = hub.resolve(model(REPO, path))
    answer = http.client().get(hub.url(found, found.parts[0]), headers=hub.headers())
    assert answer.content == CONTENT


def test_known_hashes_must_agree(hub: Hub, repo: Repo) -> None:
    """A file that is not the one that is asked for is no answer, whatever it is called."""
    wanted = RemoteModel(REPO, "main", (RemotePart(FILE, len(CONTENT), "0" * 64),))
    assert refusal(lambda: hub.resolve(wanted)).kind is ErrorKind.DOWNLOAD_CHANGED
    wanted = RemoteModel(REPO, "main", (RemotePart(FILE, 5),))
    assert refusal(lambda: hub.resolve(wanted)).kind is ErrorKind.DOWNLOAD_CHANGED


def test_a_commit_that_is_gone(hub: Hub, repo: Repo) -> None:
    """The newest commit stands in for a missing one, if the SHA-256 proves the file the same."""
    pinned = RemoteModel(REPO, "0" * 40, (RemotePart(FILE, None, sha256(CONTENT)),))
    assert hub.resolve(pinned).revision == repo.commits[-1].sha
    unproved = RemoteModel(REPO, "0" * 40, (RemotePart(FILE),))
    assert refusal(lambda: hub.resolve(unproved)).kind is ErrorKind.REPO_FILE_MISSING


@pytest.mark.parametrize("named", [1, 2, 3])
@pytest.mark.parametrize("blocked", [False, True])
def test_a_part_stands_for_all(named: int, blocked: bool, hub: Hub, fake: FakeHub) -> None:
    """Who names one part of a split model gets all, with lists and without; a missing part is told."""
    paths = [f"Q8_0/m-0000{number}-of-00003.gguf" for number in (1, 2, 3)]
    fake.add(REPO, {path: path.encode() for path in paths})
    if blocked:
        fake.script("api", web_page(403))
    found = hub.resolve(model(REPO, paths[named - 1]))
    assert [part.path for part in found.parts] == paths
    assert [part.sha256 for part in found.parts] == [sha256(path.encode()) for path in paths]
    fake.commit(REPO, {paths[2]: None})
    report = refusal(lambda: hub.resolve(model(REPO, paths[0])))
    assert (report.kind, report.fact("file")) == (ErrorKind.REPO_FILE_MISSING, paths[2])


def test_names_that_are_one_on_some_disks(hub: Hub, fake: FakeHub) -> None:
    """Of two names that differ in letter case only, none is downloaded."""
    fake.add(REPO, {FILE: CONTENT, FILE.lower(): b"other"})
    assert refusal(lambda: hub.resolve(model())).kind is ErrorKind.NAME_UNSAFE


def test_search(hub: Hub, fake: FakeHub, repo: Repo) -> None:
    """Repositories with GGUF files are found, the most downloaded first, no more than asked for."""
    fake.add(Repo("Other/model", downloads=5, licence="gemma", gated="manual"), {FILE: CONTENT})
    fake.add(Repo("Other/model-mlx", tags=("mlx",)), {FILE: CONTENT})
    found = hub.search("MODEL")
    assert [(one.id, one.downloads, one.licence, one.gated) for one in found] == [
        (REPO, 1000, "mit", False),
        ("Other/model", 5, "gemma", True),
    ]
    assert found[0].updated == datetime(2026, 8, 1, 12, tzinfo=UTC)
    assert len(hub.search("model", limit=1)) == 1
    assert hub.search("nothing of that name") == ()


def test_search_leaves_out_what_has_no_name(hub: Hub, fake: FakeHub) -> None:
    """Entries whose names no repository can have are skipped."""
    fake.script("api", answer([{"id": "a/b"}, {"id": "../../etc"}, {"id": "a/b\x1b[2J"}, {"id": "gpt2"}]))
    assert [one.id for one in hub.search("x")] == ["a/b"]


def test_facts(hub: Hub, fake: FakeHub) -> None:
    """Gate, licence and all files are told, also to those who may not download."""
    fake.add(Repo(REPO, licence="llama3.1", gated="auto"), {FILE: CONTENT, "README.md": b"x"})
    facts = hub.repo_facts(REPO)
    assert (facts.gated, facts.licence, len(facts.files)) == (True, "llama3.1", 2)


def test_odd_facts_are_left_out(hub: Hub, fake: FakeHub) -> None:
    """Sizes, hashes and commits that cannot be ones are unknown, not believed."""
    lfs = {"size": 1, "sha256": "../../x", "pointerSize": 1}
    siblings = [{"rfilename": FILE, "size": -1, "lfs": lfs}, {"rfilename": "b.gguf", "size": "big"}]
    fake.script("api", answer({"id": "../..", "sha": "../x", "siblings": siblings, "tags": [3, "license:mit"]}))
    facts = hub.repo_facts(REPO)
    assert (facts.repo, facts.commit, facts.licence) == (REPO, "main", "mit")
    assert facts.files == (RemotePart(FILE), RemotePart("b.gguf"))


# Refusals


@pytest.mark.parametrize("token", [False, True])
def test_missing_repository(token: bool, hub: Hub, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is not there is told so, whether the hub hides it (no token) or says so."""
    if token:
        monkeypatch.setenv(TOKEN_VARIABLE, GOOD_TOKEN)
    report = refusal(lambda: hub.resolve(model("no/body")))
    assert report.kind is ErrorKind.REPO_MISSING
    assert report.fact("repo") == "no/body"
    assert report.fact("host") == hub.name


def test_missing_file(hub: Hub, repo: Repo) -> None:
    """The file that is missing is named."""
    report = refusal(lambda: hub.resolve(model(REPO, "other.gguf")))
    assert report.kind is ErrorKind.REPO_FILE_MISSING
    assert report.fact("file") == "other.gguf"


@pytest.mark.parametrize("name", ["", "x", "../x", "a/..", "a/b/c", "a/b?x=1", "a b/c", "a/b\n"])
def test_names_that_no_repository_has(name: str, hub: Hub, fake: FakeHub) -> None:
    """They are missing without a question to the hub."""
    assert refusal(lambda: hub.resolve(model(name))).kind is ErrorKind.REPO_MISSING
    assert fake.requests == []


@pytest.mark.parametrize(
    ("status", "code", "token", "state"),
    [
        (401, "GatedRepo", None, "none"),
        (401, "GatedRepo", "hf_wrong", "refused"),
        (403, "GatedRepo", GOOD_TOKEN, "given"),
        (403, "", None, "none"),
    ],
)
def test_gated(
    status: int, code: str, token: str | None, state: str, hub: Hub, fake: FakeHub, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What must be accepted, where, and what is wrong with the token."""
    if token:
        monkeypatch.setenv(TOKEN_VARIABLE, token)
    fake.script("api", Fault(status, {"X-Error-Code": code} if code else {}, b"{}"))
    report = refusal(lambda: hub.repo_facts(REPO))
    assert report.kind is ErrorKind.REPO_GATED
    assert (report.fact("token"), report.fact("repo"), report.fact("url")) == (state, REPO, PAGE)


def test_search_with_a_bad_token(hub: Hub, monkeypatch: pytest.MonkeyPatch) -> None:
    """A token that is not accepted is named, though no repository is asked for."""
    monkeypatch.setenv(TOKEN_VARIABLE, "hf_wrong")
    report = refusal(lambda: hub.search("x"))
    assert report.kind is ErrorKind.TOKEN_REFUSED


def in_two_minutes() -> str:
    return format_datetime(datetime.now(UTC) + timedelta(seconds=120), usegmt=True)


@pytest.mark.parametrize(
    ("fault", "least", "most"),
    [
        (too_many(7), 7, 7),
        (too_many("Wed, 21 Oct 2015 07:28:00 GMT"), 0, 0),
        (too_many(None), http.UNKNOWN_PAUSE_S, http.UNKNOWN_PAUSE_S),
        (too_many("soon"), http.UNKNOWN_PAUSE_S, http.UNKNOWN_PAUSE_S),
        (too_many("9" * 50), http.LONGEST_PAUSE_S, http.LONGEST_PAUSE_S),
        (Fault(429, {"RateLimit": '"api";r=0;t=55'}, b""), 55, 55),
    ],
)
@pytest.mark.parametrize("ask", [lambda hub: hub.search("x"), lambda hub: hub.repo_facts(REPO)])
def test_too_many_requests(
    fault: Fault, least: int, most: int, ask: Callable[[Hub], object], hub: Hub, fake: FakeHub
) -> None:
    """A hub that asks for a pause is not asked again, and its pause is told."""
    fake.script("api", fault)
    report = refusal(lambda: ask(hub))
    assert report.kind is ErrorKind.HUB_BUSY
    assert least <= int(report.fact("retry_after_s")) <= most
    assert len(fake.requests) == 1


def test_pause_until_a_time(hub: Hub, fake: FakeHub) -> None:
    """A pause told as a time of day is counted from now."""
    fake.script("api", too_many(in_two_minutes()))
    report = refusal(lambda: hub.search("x"))
    assert report.kind is ErrorKind.HUB_BUSY
    assert 60 <= int(report.fact("retry_after_s")) <= 120


@pytest.mark.parametrize(
    "fault",
    [
        web_page(),
        answer([]),
        answer(None),
        answer("words"),
        answer({}),
        answer({"id": 3}),
        answer({"id": REPO, "siblings": [{"name": "x"}]}),
        answer({"id": REPO, "siblings": [{"rfilename": 3}]}),
        answer({"id": REPO, "siblings": 7}),
        answer({"id": REPO, "lastModified": "yesterday"}),
        Fault(200, {"Content-Type": "application/json"}, b'{"id": "a'),
        Fault(200, {"Content-Type": "application/json"}, b"\xff\xfe"),
        Fault(200, {"Content-Type": "application/json"}, b"[" * 100_000),
        Fault(200, {"Content-Encoding": "gzip"}, b"\x1f\x8b"),
        failing(500),
        failing(503),
        web_page(403),
        web_page(404),
        Fault(418, {}, b""),
        Fault(599, {}, b""),
    ],
)
def test_answers_that_make_no_sense(fault: Fault, hub: Hub, fake: FakeHub) -> None:
    """A sign-in page, broken JSON or another document is refused with status and reason, at the first try."""
    fake.script("api", fault)
    report = refusal(lambda: hub.repo_facts(REPO))
    assert report.kind is ErrorKind.HUB_REFUSED
    assert (report.fact("host"), report.fact("status")) == (hub.name, fault.status)
    assert report.fact("reason")
    assert len(fake.requests) == 1


def test_redirects_end(hub: Hub, fake: FakeHub) -> None:
    """A hub that sends from one address to the next is left."""
    fake.script("api", *[redirect(f"/api/models/{REPO}") for _ in range(50)])
    assert refusal(lambda: hub.repo_facts(REPO)).kind is ErrorKind.HUB_REFUSED
    assert len(fake.requests) == http.MAX_REDIRECTS + 1


def test_answers_end(hub: Hub, fake: FakeHub, monkeypatch: pytest.MonkeyPatch) -> None:
    """An answer that goes on and on is not kept in memory."""
    monkeypatch.setattr(http, "MAX_ANSWER_BYTES", 10_000)
    long = Fault(200, {}, json.dumps({"id": REPO}).encode() + b" " * 1_000_000)
    fake.script("api", long, long)
    assert refusal(lambda: hub.repo_facts(REPO)).kind is ErrorKind.HUB_REFUSED
    monkeypatch.setattr(http, "MAX_ANSWER_BYTES", 2_000_000)
    assert hub.repo_facts(REPO).repo == REPO


def test_answers_do_not_drip_for_ever(hub: Hub, fake: FakeHub, monkeypatch: pytest.MonkeyPatch) -> None:
    """An answer that takes too long as a whole is given up."""
    monkeypatch.setattr(http, "MAX_ANSWER_S", -1.0)
    assert refusal(lambda: hub.search("x")).kind is ErrorKind.HUB_UNREACHABLE


# Without a hub


@pytest.fixture
def silent_port() -> Iterator[int]:
    """Takes connections and never answers."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield server.getsockname()[1]


@pytest.fixture
def closed_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port: int = server.getsockname()[1]
    return port


def unreachable(endpoint: str) -> str:
    hub = Hub(endpoint, Token(Paths()))
    reports = [refusal(lambda: hub.search("x")), refusal(lambda: hub.resolve(model()))]
    reports.append(refusal(lambda: ModelScope(endpoint).resolve(model())))
    assert {report.kind for report in reports} == {ErrorKind.HUB_UNREACHABLE}
    assert {report.fact("host") for report in reports} == {endpoint.split("/")[2]}
    (reason,) = {str(report.fact("reason")) for report in reports}
    return reason


def test_nothing_listens(closed_port: int) -> None:
    """A refused connection is told as that, without a second try."""
    assert "Nothing answers" in unreachable(f"http://127.0.0.1:{closed_port}")


def test_unknown_name() -> None:
    """A name that the network does not know is told as that."""
    assert "name is not known" in unreachable("http://hub.invalid")


def test_no_tls(fake: FakeHub) -> None:
    """A connection that cannot be made safe is told as that."""
    assert "certificate" in unreachable(fake.endpoint.replace("http://", "https://"))


def test_no_answer(silent_port: int, monkeypatch: pytest.MonkeyPatch, fresh_clients: None) -> None:
    """A hub that takes the call and says nothing is left after a while."""
    monkeypatch.setattr(http, "TIMEOUT", httpx2.Timeout(0.2))
    renew_clients()
    assert "in time" in unreachable(f"http://127.0.0.1:{silent_port}")


def test_offline_mode_asks_nobody() -> None:
    """The user's wish comes before everything else."""
    with pytest.raises(EngineError) as caught:
        sources(ModelSettings(offline=True), Token(Paths()))
    assert caught.value.report.kind is ErrorKind.OFFLINE


def test_order_of_sources(monkeypatch: pytest.MonkeyPatch) -> None:
    """The hub or its mirror comes first, ModelScope second and only when it is wanted."""
    token = Token(Paths())
    assert [source.name for source in sources(ModelSettings(), token)] == ["huggingface.co"]
    settings = ModelSettings(endpoint="https://hf-mirror.com/", modelscope=True)
    assert [source.name for source in sources(settings, token)] == ["hf-mirror.com", "modelscope.cn"]
    monkeypatch.setenv("HF_ENDPOINT", "http://mirror.example:8080")
    assert [source.name for source in sources(ModelSettings(), token)] == ["mirror.example:8080"]
    monkeypatch.setenv("HF_ENDPOINT", "mirror.example")
    assert refusal(lambda: sources(ModelSettings(), token)).kind is ErrorKind.SETTING_INVALID


def test_a_wrong_token_is_no_question_of_licences(
    hub: Hub, fake: FakeHub, repo: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A repository that is open to all is refused to a token that nobody knows; the licence has no part in it."""
    monkeypatch.setenv(TOKEN_VARIABLE, "hf_wrong")
    fake.script("api", Fault(401, {}, b"{}"))
    assert refusal(lambda: hub.resolve(model())).kind is ErrorKind.TOKEN_REFUSED


BAD_TARGETS = ["http://[::bad", "http://a..b/", "http://x:99999/", "http://a\x01b/", "ftp://hub.example/"]


@pytest.mark.parametrize("target", BAD_TARGETS)
def test_a_redirect_to_nowhere(target: str, hub: Hub, fake: FakeHub, repo: Repo) -> None:
    """An address that is none is the hub's mistake, told as that."""
    fake.script("api", redirect(target))
    assert refusal(lambda: hub.repo_facts(REPO)).kind is ErrorKind.HUB_REFUSED


@pytest.mark.parametrize("endpoint", ["http://[::1", "http://x:99999", "http://user:secret@x"])
def test_a_senseless_endpoint(endpoint: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is shown, unless a password may be in it."""
    monkeypatch.setenv("HF_ENDPOINT", endpoint)
    report = refusal(lambda: checked_endpoint(ModelSettings()))
    assert report.kind is ErrorKind.SETTING_INVALID
    assert report.fact("value") == ("…" if "secret" in endpoint else endpoint)


# Where lists are blocked


@pytest.mark.parametrize("fault", [web_page(403), too_many(60), failing(502), web_page(), Fault(404, {}, b"")])
def test_files_are_found_without_lists(fault: Fault, hub: Hub, fake: FakeHub, repo: Repo) -> None:
    """A proxy that blocks the API blocks no download: the file's own address tells commit, size and SHA-256."""
    fake.script("api", fault)
    found = hub.resolve(model())
    assert found == RemoteModel(REPO, repo.commits[-1].sha, (RemotePart(FILE, len(CONTENT), sha256(CONTENT)),))
    assert [request.method for request in fake.asked("resolve")] == ["HEAD"]


def test_a_missing_file_without_lists(hub: Hub, fake: FakeHub, repo: Repo) -> None:
    """Also without lists, what is missing is told as missing, and what is gated as gated."""
    fake.script("api", web_page(403))
    assert refusal(lambda: hub.resolve(model(REPO, "other.gguf"))).kind is ErrorKind.REPO_FILE_MISSING
    repo.gated = "manual"
    fake.script("api", web_page(403))
    assert refusal(lambda: hub.resolve(model())).kind is ErrorKind.REPO_GATED


# Mirrors and proxies


@pytest.mark.parametrize("host", ["https://huggingface.co", "https://hf.co", "http://huggingface.co:80"])
@pytest.mark.parametrize("where", ["api", "resolve"])
def test_a_mirror_does_not_lead_to_the_hub(host: str, where: str, hub: Hub, fake: FakeHub, repo: Repo) -> None:
    """A mirror's redirect to the hub itself is not followed, for lists and for files."""
    if where == "api":
        fake.script("api", redirect(f"{host}/api/models/{REPO}"))
        report = refusal(lambda: hub.repo_facts(REPO))
    else:
        fake.script("api", web_page(403))
        fake.script("resolve", redirect(f"{host}/{REPO}/resolve/main/{FILE}"))
        report = refusal(lambda: hub.resolve(model()))
    assert report.kind is ErrorKind.HUB_REFUSED
    assert "points to the hub" in str(report.fact("reason"))


def test_all_requests_go_to_the_mirror(fake: FakeHub, repo: Repo, proxied: None, with_token: str) -> None:
    """With a mirror set, search, facts, addresses and files are asked there only; seen by a proxy in between."""
    hub = Hub("http://mirror.example", Token(Paths()))
    hub.search("model")
    found = hub.resolve(model(REPO.lower()))
    fake.script("api", web_page(403))
    hub.resolve(model())
    http.client().head(hub.url(found, found.parts[0]), headers=hub.headers(), follow_redirects=False)
    assert {request.host for request in fake.requests} == {"mirror.example"}
    assert len(fake.requests) >= 6
    assert all(request.headers["authorization"] == f"Bearer {with_token}" for request in fake.requests)


@pytest.fixture
def proxied(fake: FakeHub, monkeypatch: pytest.MonkeyPatch, fresh_clients: None) -> None:
    """The fake hub is the proxy for everything; whatever host is asked for, it answers."""
    for name in ("http_proxy", "HTTP_PROXY", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.delenv("no_proxy", raising=False)
    monkeypatch.delenv("NO_PROXY", raising=False)
    monkeypatch.setenv("http_proxy", fake.endpoint)
    monkeypatch.setenv("https_proxy", fake.endpoint)
    renew_clients()


# ModelScope


def test_modelscope(fake: FakeHub, repo: Repo) -> None:
    """The same file is found there by its SHA-256, whatever the hub's commit is called."""
    scope = ModelScope(fake.endpoint)
    pinned = RemoteModel(REPO, "0" * 40, (RemotePart(FILE.lower(), len(CONTENT), sha256(CONTENT)),))
    found = scope.resolve(pinned)
    assert found.parts == (RemotePart(FILE, len(CONTENT), sha256(CONTENT)),)
    assert http.client().get(scope.url(found, found.parts[0])).content == CONTENT
    assert [one.quantisation for one in scope.models(REPO)] == ["Q4_K_M"]
    other = RemoteModel(REPO, "main", (RemotePart(FILE, None, "0" * 64),))
    assert refusal(lambda: scope.resolve(other)).kind is ErrorKind.DOWNLOAD_CHANGED


def test_modelscope_gets_no_token(fake: FakeHub, repo: Repo, with_token: str) -> None:
    """The token is the hub's, and ModelScope never sees it."""
    scope = ModelScope(fake.endpoint)
    found = scope.resolve(model())
    http.client().get(scope.url(found, found.parts[0]), headers=scope.headers())
    assert len(fake.requests) == 3
    assert not [request for request in fake.requests if "authorization" in request.headers]


@pytest.mark.parametrize(
    ("fault", "kind"),
    [
        (None, ErrorKind.REPO_MISSING),
        (web_page(), ErrorKind.HUB_REFUSED),
        (answer({"Data": None}), ErrorKind.HUB_REFUSED),
        (answer({"Data": {"Files": [3]}}), ErrorKind.HUB_REFUSED),
        (answer({"Data": {"Files": [{"Path": 3}]}}), ErrorKind.HUB_REFUSED),
        (too_many(5), ErrorKind.HUB_BUSY),
    ],
)
def test_modelscope_refusals(fault: Fault | None, kind: ErrorKind, fake: FakeHub) -> None:
    """What ModelScope does wrong is told as what the hub does wrong."""
    fake.script("api", fault)
    assert refusal(lambda: ModelScope(fake.endpoint).resolve(model())).kind is kind


# The token


def test_the_token_shows_nowhere(
    fake: FakeHub, repo: Repo, with_token: str, closed_port: int, caplog: pytest.LogCaptureFixture
) -> None:
    """No log, no repr, no error and no trace holds the token, whatever happens; a server may even repeat it."""
    caplog.set_level(logging.DEBUG)
    echo = {"X-Error-Message": f"Bearer {with_token}", "X-Error-Code": with_token, "Content-Type": with_token}
    token = Token(Paths())
    hub, lost = Hub(fake.endpoint, token), Hub(f"http://127.0.0.1:{closed_port}", token)
    told = [repr(token), repr(hub), str(vars(hub).keys())]
    hub.resolve(model())
    for status in (400, 401, 403, 404, 429, 500):
        fake.script("api", Fault(status, echo, with_token.encode()))
        fake.script("resolve", Fault(status, echo, with_token.encode()))
        told += failure(lambda: hub.resolve(model()))
    fake.script("api", answer({"id": with_token, "sha": with_token, "siblings": with_token}))
    fake.script("resolve", web_page(500, with_token))
    told += failure(lambda: hub.resolve(model()))
    told += failure(lambda: lost.resolve(model()))
    assert any(with_token in request.headers.get("authorization", "") for request in fake.requests)
    assert len(caplog.records) > 10
    for text in (*told, caplog.text, *(repr(record.__dict__) for record in caplog.records)):
        assert with_token not in text


def test_what_a_library_quotes_is_not_told() -> None:
    """HTTP libraries may quote headers in their errors; details have the system's own words only."""
    quoting = httpx2.LocalProtocolError("Illegal header value b'Bearer hf_secret'")
    quoting.__cause__ = OSError(99, "the system's words")
    report = http.unreachable("hub.example", quoting).report
    assert "hf_secret" not in repr(report)
    assert "the system's words" in report.detail


def failure(work: Callable[[], object]) -> list[str]:
    """Everything that is said of a failure."""
    with pytest.raises(EngineError) as caught:
        work()
    error = caught.value
    return [repr(error), str(error), repr(error.report), "".join(traceback.format_exception(error))]
