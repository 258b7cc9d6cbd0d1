"""The fake hub is one that the hub's own client understands; otherwise tests against it would prove nothing."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import httpx2
import pytest
from huggingface_hub import HfApi, constants, get_hf_file_metadata, hf_hub_download, set_client_factory
from huggingface_hub.errors import (
    EntryNotFoundError,
    GatedRepoError,
    HfHubHTTPError,
    RepositoryNotFoundError,
    RevisionNotFoundError,
)
from huggingface_hub.utils._http import default_client_factory

from app.hub.http import new_client
from tests.fakes.hub import GOOD_TOKEN, FakeHub
from tests.fakes.hub_faults import cut, expired, hold, range_ignored, too_many, web_page
from tests.fakes.hub_repos import Repo, sha256

CONTENT = bytes(range(256)) * 1000
FILES = {"README.md": b"# A model\n", "a-Q4_K_M.gguf": CONTENT, "more/b 模型 😀.gguf": CONTENT[::-1]}


@pytest.fixture(autouse=True)
def own_client(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The client is the library's own here; elsewhere the program gives it one of its own. Its reports about this
    computer, once a day, would use up faults."""
    monkeypatch.setattr(constants, "HF_HUB_DISABLE_TELEMETRY", True)
    set_client_factory(default_client_factory)
    yield
    set_client_factory(new_client)


@pytest.fixture
def hub() -> Iterator[FakeHub]:
    with FakeHub() as hub:
        hub.add(Repo("Owner/Model-GGUF", base_model="Owner/Model", gguf={"total": 7, "architecture": "llama"}), FILES)
        yield hub


def api(hub: FakeHub, token: str | bool = False) -> HfApi:
    return HfApi(endpoint=hub.endpoint, token=token)


def resolve(hub: FakeHub, path: str = "a-Q4_K_M.gguf") -> str:
    return f"{hub.endpoint}/Owner/Model-GGUF/resolve/main/{path}"


def test_a_repository_is_described(hub: FakeHub) -> None:
    """Commit, licence, sizes and hashes arrive where the client puts them."""
    info = api(hub).model_info("Owner/Model-GGUF", files_metadata=True)
    assert info.sha is not None
    assert (info.gated, info.card_data["license"], info.gguf["architecture"]) == (False, "apache-2.0", "llama")
    sizes = {file.rfilename: file.size for file in info.siblings}
    assert sizes == {path: len(content) for path, content in FILES.items()}
    hashes = {file.rfilename: file.lfs and file.lfs.sha256 for file in info.siblings}
    assert hashes == {path: None if path == "README.md" else sha256(content) for path, content in FILES.items()}
    assert api(hub).model_info("Owner/Model-GGUF", revision=info.sha).sha == info.sha
    assert api(hub).model_info("Owner/Model-GGUF", expand=["gguf"]).gguf["total"] == 7


def test_a_tree_is_listed(hub: FakeHub) -> None:
    """The tree has folders, sizes and hashes, at one level or at all."""
    entries = {entry.path: entry for entry in api(hub).list_repo_tree("Owner/Model-GGUF", recursive=True)}
    assert set(entries) == {*FILES, "more"}
    assert entries["a-Q4_K_M.gguf"].lfs.sha256 == sha256(CONTENT)
    assert {entry.path for entry in api(hub).list_repo_tree("Owner/Model-GGUF")} == {
        "README.md",
        "a-Q4_K_M.gguf",
        "more",
    }
    assert [entry.path for entry in api(hub).list_repo_tree("Owner/Model-GGUF", "more")] == ["more/b 模型 😀.gguf"]
    assert [entry.path for entry in api(hub).get_paths_info("Owner/Model-GGUF", ["README.md"])] == ["README.md"]


def test_repositories_are_found(hub: FakeHub) -> None:
    """A search goes over names and tags, and over the pages of a long list."""
    for number in range(5):
        hub.add(Repo(f"other/Thing-{number}", downloads=number), {})
    hub.add(Repo("other/Thing-safetensors", tags=("safetensors",)), {})
    hub.page_size = 2
    found = list(api(hub).list_models(search="thing", filter="gguf"))
    assert [model.id for model in found] == [f"other/Thing-{number}" for number in (4, 3, 2, 1, 0)]
    assert len(hub.asked("api")) == 3


def test_a_file_is_where_the_client_looks_for_it(hub: FakeHub, tmp_path: Path) -> None:
    """The client's own download works, and sends nothing secret to the storage."""
    metadata = get_hf_file_metadata(resolve(hub), token=GOOD_TOKEN, endpoint=hub.endpoint)
    assert (metadata.etag, metadata.size) == (sha256(CONTENT), len(CONTENT))
    assert metadata.commit_hash == api(hub).model_info("Owner/Model-GGUF").sha
    assert metadata.location.startswith(hub.storage)
    for path, content in FILES.items():
        got = hf_hub_download(
            "Owner/Model-GGUF", path, endpoint=hub.endpoint, token=GOOD_TOKEN, cache_dir=tmp_path / "cache"
        )
        assert Path(got).read_bytes() == content
    assert hub.sent("a-Q4_K_M.gguf") == [(0, len(CONTENT))]
    assert "authorization" in hub.asked("resolve")[-1].headers
    assert not any("authorization" in request.headers for request in hub.requests if "localhost" in request.host)


def test_missing_things_are_told_apart(hub: FakeHub) -> None:
    """No such repository (of which nobody is told who gives no token), revision or file."""
    with pytest.raises(HfHubHTTPError, match="401"):
        api(hub).model_info("nobody/nothing")
    with pytest.raises(RepositoryNotFoundError):
        api(hub, GOOD_TOKEN).model_info("nobody/nothing")
    with pytest.raises(RevisionNotFoundError):
        api(hub).model_info("Owner/Model-GGUF", revision="v9")
    with pytest.raises(EntryNotFoundError):
        get_hf_file_metadata(resolve(hub, "none.gguf"), token=False, endpoint=hub.endpoint)


def test_a_gated_repository_is_closed_to_others(hub: FakeHub) -> None:
    """It is described to everybody; its files need a token whose owner was accepted."""
    hub.add(Repo("meta/Gated", gated="manual"), {"a.gguf": b"GGUF"})
    url = f"{hub.endpoint}/meta/Gated/resolve/main/a.gguf"
    assert api(hub).model_info("meta/Gated").gated == "manual"
    for token, status in ((False, 401), (GOOD_TOKEN, 403)):
        with pytest.raises(GatedRepoError) as caught:
            get_hf_file_metadata(url, token=token, endpoint=hub.endpoint)
        assert caught.value.response.status_code == status
    hub.accepted[GOOD_TOKEN].add("meta/Gated")
    assert get_hf_file_metadata(url, token=GOOD_TOKEN, endpoint=hub.endpoint).size == 4
    with pytest.raises(HfHubHTTPError, match="401"):
        api(hub, "hf_wrong").model_info("meta/Gated")


def test_other_letters_lead_to_the_true_name(hub: FakeHub) -> None:
    """As at the hub, unless it is one that minds."""
    assert api(hub).model_info("owner/model-gguf").id == "Owner/Model-GGUF"
    hub.exact_names = True
    with pytest.raises(RepositoryNotFoundError):
        api(hub, GOOD_TOKEN).model_info("owner/model-gguf")


def test_ranges_and_signatures(hub: FakeHub) -> None:
    """The storage serves ranges of what its ETag names, and refuses old signatures."""
    with httpx2.Client(trust_env=False) as client:
        first = client.get(resolve(hub))
        assert (first.status_code, first.headers["X-Linked-Size"]) == (302, str(len(CONTENT)))
        signed = first.headers["Location"]
        part = client.get(signed, headers={"Range": "bytes=1000-"})
        assert (part.status_code, part.content) == (206, CONTENT[1000:])
        assert part.headers["Content-Range"] == f"bytes 1000-{len(CONTENT) - 1}/{len(CONTENT)}"
        for etag, content in ((part.headers["ETag"], CONTENT[5:10]), ('"another"', CONTENT)):
            assert client.get(signed, headers={"Range": "bytes=5-9", "If-Range": etag}).content == content
        past = client.get(signed, headers={"Range": f"bytes={len(CONTENT)}-"})
        assert (past.status_code, past.headers["Content-Range"]) == (416, f"bytes */{len(CONTENT)}")
        assert client.get(signed, headers={"Authorization": "Bearer x"}).status_code == 400
        hub.expire_signatures()
        assert client.get(signed).status_code == 403
        assert client.get(client.get(resolve(hub)).headers["Location"]).content == CONTENT


def test_modelscope_speaks_its_own_way(hub: FakeHub) -> None:
    """Its list of files has sizes and the same hashes; its files are reached below /models."""
    with httpx2.Client(trust_env=False, follow_redirects=True) as client:
        listing = client.get(f"{hub.endpoint}/api/v1/models/Owner/Model-GGUF/repo/files?Revision=master&Recursive=true")
        files = {file["Path"]: file for file in listing.json()["Data"]["Files"]}
        assert files["a-Q4_K_M.gguf"]["Sha256"] == sha256(CONTENT)
        assert files["more/b 模型 😀.gguf"]["Name"] == "b 模型 😀.gguf"
        url = f"{hub.endpoint}/models/Owner/Model-GGUF/resolve/master/a-Q4_K_M.gguf"
        assert client.get(url).content == CONTENT
        assert client.get(f"{hub.endpoint}/api/v1/models/no/body/repo/files").json()["Success"] is False


def test_what_is_scripted_happens_once(hub: FakeHub) -> None:
    """Each fault meets one request, in order, and is gone."""
    hub.script("bytes", cut(10), None, expired(), range_ignored(), web_page(), too_many(7))
    headers = {"Range": "bytes=100-"}
    with httpx2.Client(trust_env=False) as client:
        signed = client.get(resolve(hub)).headers["Location"]
        with pytest.raises(httpx2.RemoteProtocolError):
            client.get(signed, headers=headers)
        assert client.get(signed, headers=headers).status_code == 206
        assert client.get(signed, headers=headers).status_code == 403
        assert client.get(signed, headers=headers).content == CONTENT
        assert client.get(signed, headers=headers).text.startswith("<!doctype html>")
        busy = client.get(signed, headers=headers)
        assert (busy.status_code, busy.headers["Retry-After"]) == (429, "7")
        assert hub.scripted() == 0
    size = len(CONTENT)
    assert hub.sent("a-Q4_K_M.gguf") == [(100, 110), (100, size), (0, size)]


def test_a_held_answer_waits(hub: FakeHub) -> None:
    """The bytes before the hold arrive, the others after its release; closing the hub needs no release."""
    hub.script("bytes", hold(1000), hold(0))
    with httpx2.Client(trust_env=False) as client:
        signed = client.get(resolve(hub)).headers["Location"]
        with client.stream("GET", signed) as response:
            hub.wait_until_held()
            pieces = response.iter_raw()
            assert next(pieces) == CONTENT[:1000]
            hub.release()
            assert b"".join(pieces) == CONTENT[1000:]
