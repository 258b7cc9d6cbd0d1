"""What a hub says of a catalogue, asked at a real HTTP server."""

from __future__ import annotations

import json
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

import pytest

from app.catalogue.check import CheckedPair, Checker
from app.catalogue.check_report import checked_document, checked_text
from app.catalogue.checked_file import CheckedCatalogueFile
from app.hub.hub import Hub
from app.hub.token import Token
from app.paths import Paths
from engine.errors import EngineError, ErrorKind, ErrorReport
from tests.fakes.gguf_files import FIRST_WORD, Tiny, write_embedding_model, write_model, write_split_model
from tests.fakes.hub import GOOD_TOKEN, FakeHub
from tests.fakes.hub_faults import failing, too_many
from tests.fakes.hub_repos import Repo
from tests.unit.app.catalogue.samples import Entry, a_catalogue, a_file, a_part, an_entry, write_catalogue

TARGET, DRAFT = "owner/Some-7B-GGUF", "owner/Some-1B-GGUF"
TARGET_FILE, DRAFT_FILE = "Some-7B-Q4_K_M.gguf", "Some-1B-Q4_K_M.gguf"


@pytest.fixture(scope="session")
def model(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    return write_model(tmp_path_factory.mktemp("model") / "model.gguf").read_bytes()


@pytest.fixture(scope="session")
def small_model(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """The same vocabulary with other weights."""
    return write_model(tmp_path_factory.mktemp("small") / "model.gguf", Tiny(noise=0.1)).read_bytes()


@pytest.fixture(scope="session")
def neighbour(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """A model with another word in its vocabulary."""
    path = tmp_path_factory.mktemp("neighbour") / "model.gguf"
    return write_model(path, Tiny(changed_tokens=((FIRST_WORD, "other"),))).read_bytes()


@pytest.fixture(scope="session")
def stranger(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """A model with other words throughout."""
    path = tmp_path_factory.mktemp("stranger") / "model.gguf"
    words = tuple((token, f"other{token}") for token in range(FIRST_WORD, 512))
    return write_model(path, Tiny(changed_tokens=words)).read_bytes()


@pytest.fixture
def hub() -> Iterator[FakeHub]:
    with FakeHub() as hub:
        yield hub


@pytest.fixture
def serving(hub: FakeHub, model: bytes, small_model: bytes) -> FakeHub:
    """A hub that has both files of the sample entry."""
    hub.add(TARGET, {TARGET_FILE: model})
    hub.add(DRAFT, {DRAFT_FILE: small_model, "README.md": b"hello"})
    return hub


def check(hub: FakeHub, tmp_path: Path, *entries: Entry, write: bool = False) -> list[CheckedPair]:
    """The check of a file with these entries, which stays at tmp_path / "models.json"."""
    path = tmp_path / "models.json"
    file = CheckedCatalogueFile(write_catalogue(path, *entries) if entries else path)
    assert file.catalogue.problems == ()
    checker = Checker(Hub(hub.endpoint, Token(Paths(tmp_path / "base"))), lambda: False)
    checked = [checker.check(pair) for pair in file.catalogue.pairs]
    if write:
        file.write(checked)
    return checked


def told(checked: CheckedPair) -> dict[str, tuple[object, object]]:
    """The differences: catalogue and hub by key."""
    document = checked_document(checked)
    differences = document["differences"]
    assert isinstance(differences, list)
    return {one["key"]: (one["catalogue"], one["hub"]) for one in differences}


def test_a_pair_that_is_as_the_catalogue_says(
    serving: FakeHub, tmp_path: Path, model: bytes, small_model: bytes
) -> None:
    """Both files are there and match; what was not known is told, and nothing is contradicted."""
    (checked,) = check(serving, tmp_path, an_entry())
    assert checked.works
    assert checked.contradictions == ()
    differences = told(checked)
    assert differences["target.parts[0].size_bytes"] == (None, len(model))
    assert differences["draft.parts[0].sha256"] == (None, sha256(small_model).hexdigest())
    assert differences["target.revision"][0] == "main"
    text = checked_text(checked, 12)
    assert text.split()[:2] == ["some-pair", "ok"]
    assert "same" in text
    assert len(text.splitlines()) == 1


def test_only_beginnings_of_files_are_read(serving: FakeHub, tmp_path: Path) -> None:
    """The vocabularies come with ranged requests."""
    check(serving, tmp_path, an_entry())
    asked = serving.asked("bytes", TARGET_FILE)
    assert asked
    assert all("range" in request.headers for request in asked)


def test_names_in_other_letters_are_found_and_corrected(serving: FakeHub, tmp_path: Path) -> None:
    """Letter case drifts at hubs: the pair works, and the true names are told."""
    entry = an_entry(target=a_file(TARGET.lower(), TARGET_FILE.upper().replace(".GGUF", ".gguf")))
    (checked,) = check(serving, tmp_path, entry)
    assert checked.works
    differences = told(checked)
    assert differences["target.repo"] == (TARGET.lower(), TARGET)
    assert differences["target.parts[0].path"][1] == TARGET_FILE
    assert "the hub writes Some-7B-Q4_K_M.gguf, the catalogue SOME-7B-Q4_K_M.gguf" in checked_text(checked, 0)


def test_contradictions_are_told_one_by_one(hub: FakeHub, tmp_path: Path, model: bytes) -> None:
    """Another size, content, licence and gate: each is a difference that fails the check, not the pair."""
    hub.add(Repo(TARGET, licence="llama3.1", gated="auto"), {TARGET_FILE: model})
    hub.add(DRAFT, {DRAFT_FILE: model})
    hub.accepted[GOOD_TOKEN].add(TARGET)
    Token(Paths(tmp_path / "base")).save(GOOD_TOKEN)
    entry = an_entry(target=a_file(TARGET, "", parts=[a_part(TARGET_FILE, 17, "0" * 64)]))
    (checked,) = check(hub, tmp_path, entry)
    assert checked.works
    named = {".".join(map(str, difference.place)) for difference in checked.contradictions}
    assert named == {"licence", "gated", "target.parts.0.size_bytes", "target.parts.0.sha256"}
    text = checked_text(checked, 12)
    assert "differs" in text
    assert "the catalogue 17" in text
    assert "llama3.1, gated" in text


@pytest.mark.parametrize(
    ("entry", "side", "kind"),
    [
        (an_entry(target=a_file(TARGET, "other.gguf")), "target", ErrorKind.REPO_FILE_MISSING),
        (an_entry(target=a_file("owner/nothing", TARGET_FILE)), "target", ErrorKind.REPO_MISSING),
        (an_entry(draft=a_file(DRAFT, "x.gguf", parameters=10**9)), "draft", ErrorKind.REPO_FILE_MISSING),
    ],
)
def test_what_is_missing_is_named(serving: FakeHub, tmp_path: Path, entry: Entry, side: str, kind: ErrorKind) -> None:
    """The entry fails with the side and the reason; the next one is asked all the same."""
    failing, good = check(serving, tmp_path, entry, an_entry("good"))
    assert not failing.works
    report = (failing.target if side == "target" else failing.draft).error
    assert report is not None
    assert report.kind is kind
    assert f"    {side}: " in checked_text(failing, 12)
    assert "not compared" in checked_text(failing, 12)
    assert good.works


def test_vocabularies_that_do_not_match_fail(hub: FakeHub, tmp_path: Path, model: bytes, stranger: bytes) -> None:
    """A draft of another family is found out without a download."""
    hub.add(TARGET, {TARGET_FILE: model})
    hub.add(DRAFT, {DRAFT_FILE: stranger})
    (checked,) = check(hub, tmp_path, an_entry())
    assert not checked.works
    assert isinstance(checked.vocabulary, ErrorReport)
    assert checked.vocabulary.kind is ErrorKind.DRAFT_VOCABULARY
    text = checked_text(checked, 12)
    assert "do not match" in text
    assert "    pair: " in text


def test_vocabularies_that_differ_a_little_work(hub: FakeHub, tmp_path: Path, model: bytes, neighbour: bytes) -> None:
    """Ids that differ are masked, so the pair works, and their number is told."""
    hub.add(TARGET, {TARGET_FILE: model})
    hub.add(DRAFT, {DRAFT_FILE: neighbour})
    (checked,) = check(hub, tmp_path, an_entry())
    assert checked.works
    assert "1 differ" in checked_text(checked, 12)
    vocabulary = checked_document(checked)["vocabulary"]
    assert vocabulary == {"matches": True, "masked": 1, "error": None}


def test_what_cannot_write_by_itself_is_no_half_of_a_pair(hub: FakeHub, tmp_path: Path, model: bytes) -> None:
    """An encoder, or a head that reads another model's hidden state, is refused by its header."""
    hub.add(TARGET, {TARGET_FILE: model})
    hub.add(DRAFT, {DRAFT_FILE: write_embedding_model(tmp_path / "encoder.gguf").read_bytes()})
    (checked,) = check(hub, tmp_path, an_entry())
    assert isinstance(checked.vocabulary, ErrorReport)
    assert checked.vocabulary.kind is ErrorKind.NOT_GENERATIVE


def test_a_gated_pair_without_a_token(hub: FakeHub, tmp_path: Path, model: bytes) -> None:
    """What the hub shows to all is checked; the files themselves are closed, and the way to them is told."""
    hub.add(Repo(TARGET, gated="manual"), {TARGET_FILE: model})
    hub.add(DRAFT, {DRAFT_FILE: model})
    (checked,) = check(hub, tmp_path, an_entry(gated=True))
    assert checked.contradictions == ()
    assert checked.target.gated
    assert isinstance(checked.vocabulary, ErrorReport)
    assert checked.vocabulary.kind is ErrorKind.REPO_GATED


def test_all_parts_of_a_split_file(hub: FakeHub, tmp_path: Path, model: bytes) -> None:
    """Each part has its own size and hash, and the sum is the size of the model."""
    paths = write_split_model(tmp_path)
    hub.add(TARGET, {path.name: path.read_bytes() for path in paths})
    hub.add(DRAFT, {DRAFT_FILE: model})
    entry = an_entry(target=a_file(TARGET, "", parts=[a_part(path.name) for path in paths]))
    (checked,) = check(hub, tmp_path, entry)
    assert checked.works
    differences = told(checked)
    assert [differences[f"target.parts[{number}].size_bytes"][1] for number in (0, 1)] == [
        path.stat().st_size for path in paths
    ]
    assert differences["target.about_bytes"][1] == sum(path.stat().st_size for path in paths)


def test_a_hub_that_asks_for_a_pause(serving: FakeHub, tmp_path: Path) -> None:
    """Too many requests end the check: the next pair would fare no better."""
    serving.script("api", *[too_many(retry_after=60)] * 9)
    with pytest.raises(EngineError) as caught:
        check(serving, tmp_path, an_entry())
    assert caught.value.report.kind is ErrorKind.HUB_BUSY


def test_an_odd_answer_fails_its_own_pair(serving: FakeHub, tmp_path: Path) -> None:
    """A hub that fails once is asked on for the others."""
    serving.script("api", failing(503))
    failed, good = check(serving, tmp_path, an_entry(), an_entry("second"))
    assert failed.target.error is not None
    assert failed.target.error.kind is ErrorKind.HUB_REFUSED
    assert good.works


def test_a_hub_that_is_not_there(tmp_path: Path) -> None:
    """It ends at the first question."""
    with FakeHub() as hub:
        pass
    with pytest.raises(EngineError) as caught:
        check(hub, tmp_path, an_entry(), an_entry("other"))
    assert caught.value.report.kind is ErrorKind.HUB_UNREACHABLE


def test_each_repository_is_asked_once(serving: FakeHub, tmp_path: Path) -> None:
    """Pairs share targets and drafts; hubs count requests."""
    check(serving, tmp_path, an_entry(), an_entry("second"), an_entry("third"))
    assert len(serving.asked("api")) == 2
    assert len(serving.asked("bytes", DRAFT_FILE)) == 1


def test_what_the_hub_says_is_written(serving: FakeHub, tmp_path: Path, model: bytes, small_model: bytes) -> None:
    """Names, sizes, hashes, commit, licence and gate come into the file; all else stays as its author wrote it."""
    path = tmp_path / "models.json"
    entries = [
        an_entry("other", target=a_file("owner/none", "none.gguf")),
        an_entry(licence="mit", gated=True, draft=a_file(DRAFT, DRAFT_FILE.lower(), parameters=10**9)),
    ]
    text = a_catalogue(*entries).replace('": ', '" :\t').replace("\n", "\r\n")
    path.write_bytes(text.encode())
    check(serving, tmp_path, write=True)
    after = path.read_bytes().decode()
    assert len(after.splitlines()) == len(text.splitlines())
    assert after.count("\r\n") == after.count("\n")
    assert '" :\t' in after
    other, entry = json.loads(after)["pairs"]
    assert other["target"] == entries[0]["target"]
    assert (entry["licence"], entry["gated"]) == ("apache-2.0", False)
    assert entry["draft"]["parts"] == [a_part(DRAFT_FILE, len(small_model), sha256(small_model).hexdigest())]
    assert entry["target"]["about_bytes"] == len(model)
    assert len(entry["target"]["revision"]) == 40


def test_a_second_check_finds_nothing_to_change(serving: FakeHub, tmp_path: Path) -> None:
    """What was written is what the hub says, and stays so at the pinned commit when the hub goes on."""
    check(serving, tmp_path, an_entry(), write=True)
    serving.commit(TARGET, {TARGET_FILE: b"GGUF replaced"})
    (checked,) = check(serving, tmp_path)
    assert checked.works
    assert checked.differences == ()


def test_checking_writes_nothing_by_itself(serving: FakeHub, tmp_path: Path) -> None:
    """The file is the same after a check."""
    check(serving, tmp_path, an_entry())
    assert (tmp_path / "models.json").read_text(encoding="utf-8") == a_catalogue(an_entry())


def test_a_file_that_is_not_there_is_told(tmp_path: Path) -> None:
    """There is nothing to write into."""
    with pytest.raises(EngineError) as caught:
        CheckedCatalogueFile(tmp_path / "none.json")
    assert caught.value.report.kind is ErrorKind.FILE_MISSING
