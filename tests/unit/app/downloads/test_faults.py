"""Every fault of a hub, one by one: nothing corrupt gets the file's name, and no byte that is safe is fetched again."""

from __future__ import annotations

import json
import random
from dataclasses import replace

import pytest

from app.downloads.part_file import part_path
from app.model_values import RemoteModel, RemotePart
from engine.errors import EngineError, ErrorKind
from tests.fakes.gguf_files import raw_header, raw_key, raw_string, raw_tensor
from tests.fakes.hub import GOOD_TOKEN, FakeHub
from tests.fakes.hub_faults import (
    Fault,
    cut,
    damaged,
    expired,
    failing,
    hold,
    not_satisfiable,
    range_ignored,
    redirect,
    replaced,
    too_many,
    web_page,
)
from tests.fakes.hub_repos import Repo, sha256
from tests.unit.app.downloads.fetches import (
    FILE,
    REPO,
    At,
    Bench,
    fetched_twice,
    hubs,
    remote,
    some_model,
    unhashed,
    whole_header,
)

CONTENT = some_model()
SIZE = len(CONTENT)
FOREVER = 20


def refused(bench: Bench, model: RemoteModel, *sources: At) -> ErrorKind:
    """Fetch in vain; what was there under the name is untouched."""
    before = bench.final.read_bytes() if bench.final.exists() else None
    with pytest.raises(EngineError) as caught:
        bench.fetch(model, *sources)
    assert (bench.final.read_bytes() if bench.final.exists() else None) == before
    return caught.value.report.kind


def test_a_file_comes_whole(hub: FakeHub, bench: Bench) -> None:
    """All bytes, under the right name, and nothing else is left."""
    hub.add(REPO, {FILE: CONTENT})
    assert bench.fetch(remote(CONTENT), At(hub)) == bench.final
    assert bench.final.read_bytes() == CONTENT
    assert bench.files() == {FILE}
    assert bench.progress[-1] == (SIZE, hub.storage.removeprefix("http://"))


@pytest.mark.parametrize("after", [0, 1, 3, 4, 5, 65_535, 65_536, 100_001, SIZE - 1])
def test_a_cut_costs_nothing(hub: FakeHub, bench: Bench, after: int) -> None:
    """Wherever the connection breaks, the next request begins with the first byte that is missing."""
    hub.add(REPO, {FILE: CONTENT})
    hub.script("bytes", cut(after))
    bench.fetch(remote(CONTENT), At(hub))
    assert bench.final.read_bytes() == CONTENT
    assert fetched_twice(hub) == (after if after < 4 else 0)  # that much is no beginning of a model yet
    assert len(bench.waits) == 1


def test_many_cuts_are_no_failure_as_long_as_bytes_come(hub: FakeHub, bench: Bench) -> None:
    """Data makes the tries count anew, so a bad line only takes longer."""
    hub.add(REPO, {FILE: CONTENT})
    hub.script("bytes", *[cut(9_000)] * 20)
    bench.fetch(remote(CONTENT), At(hub))
    assert bench.final.read_bytes() == CONTENT
    assert fetched_twice(hub) == 0
    assert len(bench.waits) == 20
    assert max(bench.waits) < 2


def test_tries_without_a_byte_end(hub: FakeHub, bench: Bench) -> None:
    """Each wait is longer than the one before, and after some tries the user hears why; what came is kept."""
    hub.add(REPO, {FILE: CONTENT})
    hub.script("bytes", cut(50_000), *[failing(503)] * FOREVER)
    assert refused(bench, remote(CONTENT), At(hub)) is ErrorKind.HUB_REFUSED
    assert len(bench.waits) == bench.limits.tries - 1
    assert bench.waits[-1] > 2 * bench.waits[0]
    assert part_path(bench.final).stat().st_size == 50_000


def test_a_start_later_nothing_is_fetched_again(hub: FakeHub, bench: Bench) -> None:
    """What is safe is read from the disk instead."""
    hub.add(REPO, {FILE: CONTENT})
    for after in (60_000, 70_000, 1):
        hub.script("bytes", cut(after), *[failing()] * 4)
        refused(bench, remote(CONTENT), At(hub))
    bench.fetch(remote(CONTENT), At(hub))
    assert bench.final.read_bytes() == CONTENT
    assert fetched_twice(hub) == 0
    assert bench.progress[0] == (130_001, "")
    assert bench.files() == {FILE}


@pytest.mark.parametrize("garbage", [b"", b"\0" * 5_000])
def test_only_recorded_bytes_count(hub: FakeHub, bench: Bench, garbage: bytes) -> None:
    """After a loss of power the end of the part may be missing or be zeros; the record tells how much is right."""
    hub.add(REPO, {FILE: CONTENT})
    hub.script("bytes", cut(60_000), *[failing()] * 4)
    refused(bench, remote(CONTENT), At(hub))
    part, record = part_path(bench.final), bench.final.with_name(FILE + ".part.json")
    values = json.loads(record.read_text())
    assert values["verified"] == 60_000
    record.write_text(json.dumps(values | {"verified": 40_000}))
    part.write_bytes(CONTENT[:40_000] + garbage)
    bench.fetch(remote(CONTENT), At(hub))
    assert bench.final.read_bytes() == CONTENT
    assert hub.sent(FILE)[-1] == (40_000, SIZE)


@pytest.mark.parametrize(
    "text", ["", "{", "[]", "null", '{"verified": 40000}', '{"verified": -1}', "[" * 9999, "\udcff"]
)
def test_a_damaged_record_means_a_new_beginning(hub: FakeHub, bench: Bench, text: str) -> None:
    """Bytes of which nobody knows what they are do not count."""
    hub.add(REPO, {FILE: CONTENT})
    bench.final.parent.mkdir(parents=True)
    part_path(bench.final).write_bytes(CONTENT[:50_000])
    bench.final.with_name(FILE + ".part.json").write_text(text, errors="surrogateescape")
    bench.fetch(remote(CONTENT), At(hub))
    assert bench.final.read_bytes() == CONTENT
    assert hub.sent(FILE) == [(0, SIZE)]


def test_damaged_bytes_on_the_disk_are_found(hub: FakeHub, bench: Bench) -> None:
    """A part that has rotted gives the wrong hash; it is fetched anew, once."""
    hub.add(REPO, {FILE: CONTENT})
    hub.script("bytes", cut(60_000), *[failing()] * 4)
    refused(bench, remote(CONTENT), At(hub))
    with part_path(bench.final).open("r+b") as file:
        file.seek(30_000)
        file.write(b"rotten")
    bench.fetch(remote(CONTENT), At(hub))
    assert bench.final.read_bytes() == CONTENT
    assert hub.sent(FILE)[1:] == [(60_000, SIZE), (0, SIZE)]


def test_a_wrong_hash_is_tried_once_more(hub: FakeHub, bench: Bench) -> None:
    """What came damaged is not kept; a second time it is a failure, and nothing is left."""
    hub.add(REPO, {FILE: CONTENT})
    hub.script("bytes", damaged(at=SIZE - 7))
    bench.fetch(remote(CONTENT), At(hub))
    assert bench.final.read_bytes() == CONTENT
    bench.final.unlink()
    hub.script("bytes", damaged(at=5), damaged(at=5))
    assert refused(bench, remote(CONTENT), At(hub)) is ErrorKind.DOWNLOAD_WRONG_HASH
    assert bench.files() == set()


@pytest.mark.parametrize("kept", [0, 60_000])
def test_a_web_page_is_no_model(hub: FakeHub, bench: Bench, kept: int) -> None:
    """With status 200 too; once is survived, always is told, and neither harms what came before."""
    hub.add(REPO, {FILE: CONTENT})
    hub.script("bytes", *[cut(kept)] * bool(kept), web_page(), web_page(text="x"))
    bench.fetch(remote(CONTENT), At(hub))
    assert bench.final.read_bytes() == CONTENT
    assert fetched_twice(hub) == 0
    bench.final.unlink()
    hub.script("bytes", *[cut(kept)] * bool(kept), *[web_page()] * FOREVER)
    assert refused(bench, remote(CONTENT), At(hub)) is ErrorKind.DOWNLOAD_NOT_GGUF
    assert bench.files() == ({FILE + ".part", FILE + ".part.json"} if kept else set())


def test_ranges_that_are_ignored_once(hub: FakeHub, bench: Bench) -> None:
    """200 for 206: it is asked again, before gigabytes are fetched twice."""
    hub.add(REPO, {FILE: CONTENT})
    hub.script("bytes", cut(60_000), range_ignored())
    bench.fetch(remote(CONTENT), At(hub))
    assert bench.final.read_bytes() == CONTENT
    assert hub.asked("bytes")[-1].headers["range"] == "bytes=60000-"


def test_ranges_that_are_always_ignored(hub: FakeHub, bench: Bench) -> None:
    """A server that knows no ranges is asked for everything, and what is known is left out."""
    hub.add(REPO, {FILE: CONTENT})
    hub.script("bytes", cut(60_000), *[range_ignored()] * FOREVER)
    bench.fetch(remote(CONTENT), At(hub))
    assert bench.final.read_bytes() == CONTENT
    assert len(hub.asked("bytes")) == 3
    lengths = [length for length, _ in bench.progress]
    assert lengths == sorted(lengths)


def test_a_wrong_range_is_not_taken(hub: FakeHub, bench: Bench) -> None:
    """A 206 with other bytes than those that were asked for."""
    hub.add(REPO, {FILE: CONTENT})
    hub.script("bytes", cut(60_000), Fault(wrong_range=True))
    bench.fetch(remote(CONTENT), At(hub))
    assert bench.final.read_bytes() == CONTENT
    assert hub.asked("bytes")[-1].headers["range"] == "bytes=60000-"


@pytest.mark.parametrize("times", [1, 2])
def test_416_in_the_middle(hub: FakeHub, bench: Bench, times: int) -> None:
    """Once it is asked again; twice, everything is asked for, without a range."""
    hub.add(REPO, {FILE: CONTENT})
    hub.script("bytes", cut(60_000), *[not_satisfiable()] * times)
    bench.fetch(remote(CONTENT), At(hub))
    assert bench.final.read_bytes() == CONTENT
    assert fetched_twice(hub) == (0 if times == 1 else 60_000)


def test_416_means_complete(hub: FakeHub, bench: Bench) -> None:
    """Where nobody knows the size, a server that has no more bytes says that all are there."""
    content = whole_header()
    hub.plain = True
    hub.add(REPO, {FILE: content})
    model = replace(unhashed(remote(content)), parts=(RemotePart(FILE),))
    # All bytes, then a crash before the end was seen.
    hub.script("bytes", Fault(no_length=True, cut_after=60_000))
    hub.script("bytes", *[failing()] * 4)
    refused(bench, model, At(hub))
    record = bench.final.with_name(FILE + ".part.json")
    record.write_text(json.dumps(json.loads(record.read_text()) | {"verified": len(content), "size": None}))
    part_path(bench.final).write_bytes(content)
    bench.fetch(model, At(hub))
    assert bench.final.read_bytes() == content
    assert hub.asked("bytes")[-1].status == 416


@pytest.mark.parametrize("status", [429, 503])
def test_a_busy_hub_is_left_alone_as_long_as_it_asks(hub: FakeHub, bench: Bench, status: int) -> None:
    """Retry-After is kept to, at the API's address and at the storage's."""
    hub.add(REPO, {FILE: CONTENT})
    hub.script("bytes", cut(60_000), too_many(17, status))
    hub.script("resolve", None, None, too_many(23, status))
    bench.fetch(remote(CONTENT), At(hub))
    assert bench.final.read_bytes() == CONTENT
    assert bench.waits[1:] == [17, 23]
    assert fetched_twice(hub) == 0


def test_a_pause_that_is_too_long_is_told(hub: FakeHub, bench: Bench) -> None:
    """The user hears for how long, instead of a download that seems to hang."""
    hub.add(REPO, {FILE: CONTENT})
    hub.script("resolve", too_many(3600))
    with pytest.raises(EngineError) as caught:
        bench.fetch(remote(CONTENT), At(hub))
    assert caught.value.report.kind is ErrorKind.HUB_BUSY
    assert caught.value.report.fact("retry_after_s") == 3600
    assert bench.waits == []


def test_an_expired_address_is_asked_for_again(hub: FakeHub, bench: Bench) -> None:
    """After an hour the storage refuses; a new address comes from the hub, at once, and the file goes on."""
    hub.add(REPO, {FILE: CONTENT})
    hub.script("bytes", cut(60_000), expired())
    bench.during = hub.expire_signatures
    bench.fetch(remote(CONTENT), At(hub))
    assert bench.final.read_bytes() == CONTENT
    assert fetched_twice(hub) == 0
    assert bench.waits[1:] == [0]
    assert len(hub.asked("resolve")) == 3


def test_no_token_on_another_host(hub: FakeHub, bench: Bench) -> None:
    """It goes to its own host only, however the way leads, back to that host too."""
    hub.add(Repo(REPO, gated="manual"), {FILE: CONTENT})
    hub.accepted[GOOD_TOKEN].add(REPO)
    bench.fetch(remote(CONTENT), At(hub, GOOD_TOKEN))
    assert [request.headers.get("authorization") for request in hub.asked("resolve")] == [f"Bearer {GOOD_TOKEN}"]
    with hubs(1) as (other,):
        bench.final.unlink()
        back = f"{hub.endpoint}/{REPO}/resolve/main/{FILE}"
        other.add(REPO, {FILE: CONTENT})
        other.script("resolve", redirect(back))
        hub.script("resolve", redirect(f"{other.endpoint}/{REPO}/resolve/main/{FILE}"))
        assert refused(bench, remote(CONTENT), At(hub, GOOD_TOKEN)) is ErrorKind.REPO_GATED
        everything = [*hub.requests, *other.requests]
    strangers = [request for request in everything if request.host not in hub.endpoint]
    assert strangers
    assert not any("authorization" in request.headers for request in strangers)
    assert "authorization" not in hub.requests[-1].headers


def test_a_redirect_that_goes_in_circles(hub: FakeHub, bench: Bench) -> None:
    """It ends."""
    hub.add(REPO, {FILE: CONTENT})
    here = f"{hub.endpoint}/{REPO}/resolve/main/{FILE}"
    hub.script("resolve", *[redirect(here)] * 200)
    assert refused(bench, remote(CONTENT), At(hub)) is ErrorKind.HUB_REFUSED


@pytest.mark.parametrize("address", ["ftp://localhost/a", "file:///etc/passwd", "https://huggingface.co/a"])
def test_a_redirect_to_where_nobody_wants_to_go(hub: FakeHub, bench: Bench, address: str) -> None:
    """To another protocol, or to the hub that a mirror stands for."""
    hub.add(REPO, {FILE: CONTENT})
    hub.script("resolve", *[redirect(address)] * FOREVER)
    assert refused(bench, remote(CONTENT), At(hub)) is ErrorKind.HUB_REFUSED


def test_another_size_between_two_tries(hub: FakeHub, bench: Bench) -> None:
    """The bytes of another file are not put behind those of this one."""
    hub.add(REPO, {FILE: CONTENT})
    other = some_model(SIZE + 5, seed=2)
    hub.script("bytes", cut(60_000), replaced(other))
    bench.fetch(remote(CONTENT), At(hub))
    assert bench.final.read_bytes() == CONTENT
    bench.final.unlink()
    hub.script("bytes", cut(60_000), *[replaced(other)] * FOREVER)
    assert refused(bench, remote(CONTENT), At(hub)) is ErrorKind.DOWNLOAD_CHANGED
    assert part_path(bench.final).read_bytes() == CONTENT[:60_000]


def test_another_size_from_the_beginning(hub: FakeHub, bench: Bench) -> None:
    """It is told, with both sizes, before anything is fetched."""
    hub.add(REPO, {FILE: CONTENT})
    hub.script("bytes", *[replaced(CONTENT + b"more")] * FOREVER)
    with pytest.raises(EngineError) as caught:
        bench.fetch(remote(CONTENT), At(hub))
    assert caught.value.report.kind is ErrorKind.DOWNLOAD_WRONG_SIZE
    assert caught.value.report.fact("size_bytes") == SIZE + 4


def test_a_replaced_file_of_the_same_size_is_noticed(hub: FakeHub, bench: Bench) -> None:
    """By its SHA-256, which the hub says before the bytes."""
    hub.add(REPO, {FILE: CONTENT})
    hub.script("bytes", cut(60_000), *[failing()] * 4)
    refused(bench, remote(CONTENT), At(hub))
    hub.commit(REPO, {FILE: some_model(seed=2)})
    assert refused(bench, remote(CONTENT), At(hub)) is ErrorKind.DOWNLOAD_CHANGED
    assert part_path(bench.final).read_bytes() == CONTENT[:60_000]


def test_a_newer_file_that_is_wanted_begins_anew(hub: FakeHub, bench: Bench) -> None:
    """The part of an older one is nothing to it."""
    hub.add(REPO, {FILE: CONTENT})
    hub.script("bytes", cut(60_000), *[failing()] * 4)
    refused(bench, remote(CONTENT), At(hub))
    newer = some_model(seed=2)
    hub.commit(REPO, {FILE: newer})
    bench.fetch(remote(newer), At(hub))
    assert bench.final.read_bytes() == newer


def test_without_a_hash_the_etag_tells_a_change(hub: FakeHub, bench: Bench) -> None:
    """If-Range makes a simple server say so; nothing is mixed."""
    content, other = whole_header(), whole_header(seed=2)
    hub.plain = True
    hub.add(REPO, {FILE: content})
    hub.script("bytes", cut(60_000), *[failing()] * 4)
    model = unhashed(remote(content))
    refused(bench, model, At(hub))
    hub.commit(REPO, {FILE: other})
    assert refused(bench, model, At(hub)) is ErrorKind.DOWNLOAD_CHANGED
    hub.commit(REPO, {FILE: content})
    bench.fetch(model, At(hub))
    assert bench.final.read_bytes() == content
    assert hub.sent(FILE)[-1] == (60_000, SIZE)


def test_without_hash_and_ranges_the_beginning_is_compared(hub: FakeHub, bench: Bench) -> None:
    """What is left out of a whole answer must be what is on the disk."""
    content, other = whole_header(), whole_header(seed=2)
    hub.plain = True
    hub.add(REPO, {FILE: content})
    model = unhashed(remote(content))
    no_etag = Fault(ignore_range=True, headers={"ETag": ""})
    hub.script("bytes", Fault(cut_after=60_000, headers={"ETag": ""}), no_etag, replace(no_etag, content=other))
    hub.script("bytes", *[failing()] * 4)
    assert refused(bench, model, At(hub)) is ErrorKind.HUB_REFUSED
    assert part_path(bench.final).read_bytes() == content[:60_000]
    hub.script("bytes", no_etag, no_etag)
    bench.fetch(model, At(hub))
    assert bench.final.read_bytes() == content


def test_without_a_hash_an_incomplete_header_is_no_model(hub: FakeHub, bench: Bench) -> None:
    """The size may be right and the file still be cut short at the hub."""
    key = raw_key(b"general.architecture", 8, raw_string(b"llama"))
    content = raw_header(1, 1, key + raw_tensor(b"output.weight", [1000, 1000])) + bytes(500)
    hub.plain = True
    hub.add(REPO, {FILE: content})
    assert refused(bench, unhashed(remote(content)), At(hub)) is ErrorKind.DOWNLOAD_WRONG_SIZE
    assert bench.files() == set()


def test_an_answer_without_a_length(hub: FakeHub, bench: Bench) -> None:
    """Its end is checked by the hash, or by the header; where it came too early, the rest is fetched."""
    content = whole_header()
    hub.plain = True
    hub.add(REPO, {FILE: content})
    endless = Fault(no_length=True)
    for model in (remote(content), RemoteModel(REPO, "main", (RemotePart(FILE),))):
        hub.script("bytes", replace(endless, cut_after=20), endless)
        bench.fetch(model, At(hub))
        assert bench.final.read_bytes() == content
        bench.final.unlink()


@pytest.mark.parametrize("known", [True, False])
def test_an_empty_file_ends(hub: FakeHub, bench: Bench, known: bool) -> None:
    """It is no model; there is nothing to wait for."""
    hub.plain = not known
    hub.add(REPO, {FILE: b""})
    model = remote(b"") if known else RemoteModel(REPO, "main", (RemotePart(FILE),))
    assert refused(bench, model, At(hub)) is ErrorKind.DOWNLOAD_NOT_GGUF
    assert bench.files() == set()


@pytest.mark.parametrize("hashed", [True, False])
def test_a_body_without_an_end(hub: FakeHub, bench: Bench, hashed: bool) -> None:
    """Where nobody tells the size, the header does: far past the end that it tells, nothing more is taken or kept."""
    content = whole_header() + bytes(20_000_000)
    hub.plain = True
    hub.add(REPO, {FILE: content})
    hub.script("bytes", Fault(no_length=True))
    model = RemoteModel(REPO, "main", (RemotePart(FILE, None, "0" * 64 if hashed else None),))
    assert refused(bench, model, At(hub)) is ErrorKind.DOWNLOAD_WRONG_SIZE
    assert bench.progress[-1][0] < 4_000_000
    assert bench.files() == set()


def test_a_body_of_unknown_size_leaves_room_on_the_disk(hub: FakeHub, bench: Bench) -> None:
    """What shall stay free stays free, though the size was not known beforehand."""
    hub.plain = True
    hub.add(REPO, {FILE: whole_header()})
    hub.script("bytes", Fault(no_length=True))
    bench.limits = replace(bench.limits, margin_bytes=1 << 60)
    assert refused(bench, RemoteModel(REPO, "main", (RemotePart(FILE),)), At(hub)) is ErrorKind.DISK_FULL
    assert bench.files() == set()


@pytest.mark.parametrize("target", ["http://[::bad", "http://a..b/", "http://x:99999/", "http://a\x01b/"])
def test_a_redirect_to_nowhere(hub: FakeHub, bench: Bench, target: str) -> None:
    """An address that is none is the hub's mistake, told as that."""
    hub.add(REPO, {FILE: CONTENT})
    hub.script("resolve", redirect(target))
    assert refused(bench, remote(CONTENT), At(hub)) is ErrorKind.HUB_REFUSED


@pytest.mark.parametrize("etag", ['"ü"', '"a\x01b"', '"a b"', '"'])
def test_an_etag_that_cannot_be_sent(hub: FakeHub, bench: Bench, etag: str) -> None:
    """It is as good as none, from a server and from the record of an earlier start."""
    content = whole_header()
    hub.plain = True
    hub.add(REPO, {FILE: content})
    hub.script("bytes", Fault(headers={"ETag": etag}, cut_after=60_000), *[failing()] * 4)
    refused(bench, unhashed(remote(content)), At(hub))
    record = bench.final.with_name(FILE + ".part.json")
    record.write_text(json.dumps(json.loads(record.read_text()) | {"etag": etag + "\r\nHost: evil"}))
    bench.fetch(unhashed(remote(content)), At(hub))
    assert bench.final.read_bytes() == content
    assert not any("if-range" in request.headers for request in hub.requests)


def test_a_gated_file_says_what_to_do(hub: FakeHub, bench: Bench) -> None:
    """Without a token, with one that was not accepted, and with a wrong one."""
    hub.add(Repo(REPO, gated="manual"), {FILE: CONTENT})
    gated = ErrorKind.REPO_GATED
    refusals = {None: (gated, "none"), GOOD_TOKEN: (gated, "given"), "hf_wrong": (ErrorKind.TOKEN_REFUSED, "")}
    for token, told in refusals.items():
        with pytest.raises(EngineError) as caught:
            bench.fetch(remote(CONTENT), At(hub, token))
        assert (caught.value.report.kind, caught.value.report.fact("token")) == told
        assert str(token) not in repr(caught.value.report)
    assert bench.waits == []


def test_what_is_missing_is_told_at_once(hub: FakeHub, bench: Bench) -> None:
    """A repository, or a file."""
    hub.add(REPO, {"other.gguf": CONTENT})
    assert refused(bench, remote(CONTENT), At(hub)) is ErrorKind.REPO_FILE_MISSING
    assert refused(bench, remote(CONTENT, repo="no/body"), At(hub)) is ErrorKind.REPO_MISSING
    assert bench.waits == []
    assert bench.files() == set()


def test_nobody_answers(bench: Bench) -> None:
    """After some tries it says which host, and keeps nothing."""
    with hubs(1) as (hub,):
        source = At(hub)
    assert refused(bench, remote(CONTENT), source) is ErrorKind.HUB_UNREACHABLE
    assert len(bench.waits) == bench.limits.tries - 1


def test_silence_is_no_progress(hub: FakeHub, bench: Bench) -> None:
    """A connection over which nothing comes is given up and tried again; what came is kept."""
    hub.add(REPO, {FILE: CONTENT})
    bench.limits = replace(bench.limits, stall=0.2)
    hub.script("bytes", hold(60_000), *[hold(0)] * 5)
    with pytest.raises(EngineError) as caught:
        bench.fetch(remote(CONTENT), At(hub))
    assert caught.value.report.kind is ErrorKind.DOWNLOAD_STALLED
    assert caught.value.report.fact("host") == hub.storage.removeprefix("http://")
    assert part_path(bench.final).read_bytes() == CONTENT[:60_000]
    bench.fetch(remote(CONTENT), At(hub))
    assert bench.final.read_bytes() == CONTENT


def test_another_source_goes_on(bench: Bench) -> None:
    """With the SHA-256 as key, a file begun at one hub is finished at another; no byte comes twice."""
    with hubs(2) as (first, second):
        first.add(REPO, {FILE: CONTENT})
        second.add(REPO, {FILE: CONTENT})
        first.script("bytes", cut(60_000), *[failing()] * FOREVER)
        bench.fetch(remote(CONTENT), At(first), At(second, prefix="/models"))
        assert bench.final.read_bytes() == CONTENT
        assert (first.sent(FILE), second.sent(FILE)) == ([(0, 60_000)], [(60_000, SIZE)])


def test_another_file_at_another_source_is_not_mixed_in(bench: Bench) -> None:
    """A mirror that has another file under this name, of the same size."""
    with hubs(2) as (first, second):
        first.add(REPO, {FILE: CONTENT})
        second.add(REPO, {FILE: some_model(seed=9)})
        first.script("bytes", cut(60_000), *[failing()] * 4)
        assert refused(bench, remote(CONTENT), At(first), At(second)) is ErrorKind.HUB_REFUSED
        assert part_path(bench.final).read_bytes() == CONTENT[:60_000]
        bench.fetch(remote(CONTENT), At(second), At(first))
        assert bench.final.read_bytes() == CONTENT
        assert first.sent(FILE) == [(0, 60_000), (60_000, SIZE)]


def test_without_a_hash_no_other_source_goes_on(bench: Bench) -> None:
    """The one that began must finish; if it is gone, another one begins anew."""
    content = whole_header()
    model = unhashed(remote(content))
    with hubs(2) as (first, second):
        for hub in (first, second):
            hub.plain = True
            hub.add(REPO, {FILE: content})
        first.script("bytes", cut(60_000), *[failing()] * 4)
        assert refused(bench, model, At(first), At(second)) is ErrorKind.HUB_REFUSED
        assert second.sent(FILE) == []
        bench.fetch(model, At(second))
        assert bench.final.read_bytes() == content
        assert second.sent(FILE) == [(0, SIZE)]


def test_a_finished_file_is_asked_of_nobody(hub: FakeHub, bench: Bench) -> None:
    """It is read once and found right."""
    bench.final.parent.mkdir(parents=True)
    bench.final.write_bytes(CONTENT)
    assert bench.fetch(remote(CONTENT), At(hub)) == bench.final
    assert hub.requests == []


def test_a_wrong_file_under_the_name_is_replaced_when_the_right_one_is_there(hub: FakeHub, bench: Bench) -> None:
    """Until then it stays."""
    hub.add(REPO, {FILE: CONTENT})
    bench.final.parent.mkdir(parents=True)
    bench.final.write_bytes(some_model(seed=3))
    hub.script("bytes", cut(60_000), *[failing()] * 4)
    refused(bench, remote(CONTENT), At(hub))
    assert bench.final.read_bytes() == some_model(seed=3)
    bench.fetch(remote(CONTENT), At(hub))
    assert bench.final.read_bytes() == CONTENT


def test_a_split_model_is_one_thing(hub: FakeHub, bench: Bench) -> None:
    """All parts come, and progress counts over all of them."""
    parts = {f"m-{number:05d}-of-00003.gguf": some_model(50_000, seed=number) for number in (1, 2, 3)}
    hub.add(REPO, parts)
    model = RemoteModel(REPO, "main", tuple(RemotePart(path, 50_000, sha256(parts[path])) for path in parts))
    hub.script("bytes", None, cut(10_000), *[failing()] * 4)
    with pytest.raises(EngineError):
        bench.fetch(model, At(hub))
    assert bench.fetch(model, At(hub)).name == "m-00001-of-00003.gguf"
    assert {path.name: path.read_bytes() for path in bench.folder.rglob("*.gguf")} == parts
    assert sum(fetched_twice(hub, path) for path in parts) == 0
    assert bench.progress[-1][0] == 150_000


@pytest.mark.parametrize("seed", range(40))
def test_faults_in_any_combination(bench: Bench, seed: int) -> None:
    """Whatever comes in whatever order over several starts: never a wrong file, and the right one in the end."""
    chance = random.Random(seed)
    content = some_model(chance.choice([10, 5_000, 150_000]), seed)
    size = len(content)
    faults = (
        lambda: cut(chance.randrange(size)),
        lambda: cut(chance.randrange(size)),
        lambda: damaged(chance.randrange(size)),
        web_page,
        range_ignored,
        not_satisfiable,
        lambda: too_many(chance.choice([1, 50, 4000, None, "nonsense"]), chance.choice([429, 503])),
        expired,
        failing,
        lambda: replaced(some_model(size + chance.choice([0, 1, 100]), seed + 1)),
        lambda: Fault(wrong_range=True),
        lambda: Fault(no_length=True, cut_after=chance.randrange(size)),
        lambda: None,
    )
    with hubs(2) as running:
        for hub in running:
            hub.add(REPO, {FILE: content})
        scripted = [fault() for fault in chance.choices(faults, k=25)]
        for fault in scripted:
            chance.choice(running).script(chance.choice(["bytes", "bytes", "resolve"]), fault)
        for _ in range(60):
            try:
                bench.fetch(remote(content), *(At(hub) for hub in running))
                break
            except EngineError:
                assert not bench.final.exists()
        assert bench.final.read_bytes() == content
        assert bench.files() == {FILE}


@pytest.mark.parametrize("seed", range(20))
def test_faults_that_spoil_nothing_cost_nothing(hub: FakeHub, bench: Bench, seed: int) -> None:
    """Cuts, pauses, expired addresses and a server's own faults, over several starts: each byte comes once."""
    chance = random.Random(seed)
    hub.add(REPO, {FILE: CONTENT})
    faults = (lambda: cut(chance.randrange(4, 50_000)), lambda: too_many(4000), expired, failing, lambda: None)
    for _ in range(30):
        hub.script(chance.choice(["bytes", "bytes", "resolve"]), chance.choice(faults)())
    for _ in range(40):
        try:
            bench.fetch(remote(CONTENT), At(hub))
            break
        except EngineError:
            assert not bench.final.exists()
    assert bench.final.read_bytes() == CONTENT
    assert fetched_twice(hub) == 0
