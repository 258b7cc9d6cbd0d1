"""The hub's token is kept where only its owner finds it, whatever the system's keyring does."""

from __future__ import annotations

import stat
from collections.abc import Callable, Iterator

import pytest
from keyring.backend import KeyringBackend
from keyring.backends.fail import Keyring as FailKeyring
from keyring.backends.null import Keyring as NullKeyring

from app.hub.token import TOKEN_VARIABLE, Token
from app.paths import Paths
from engine.errors import ErrorKind
from tests.fakes.keyrings import HangingKeyring, LockedKeyring, MemoryKeyring
from tests.unit.app.hub.conftest import refusal

TOKEN = "hf_secretsecretsecret"
UseKeyring = Callable[[KeyringBackend], None]


@pytest.fixture
def hanging() -> Iterator[HangingKeyring]:
    keyring = HangingKeyring()
    yield keyring
    keyring.gone.set()


def on_disk() -> dict[str, str]:
    folder = Paths().data
    return {file.name: file.read_text() for file in folder.iterdir()} if folder.exists() else {}


def test_a_keyring_keeps_it(use_keyring: UseKeyring) -> None:
    """With a keyring no file holds the token, and the next start finds it."""
    keyring = MemoryKeyring()
    use_keyring(keyring)
    Token(Paths()).save(f"  {TOKEN}\n")
    assert Token(Paths()).load() == TOKEN
    assert list(keyring.kept.values()) == [TOKEN]
    assert TOKEN not in repr(on_disk())
    Token(Paths()).forget()
    assert Token(Paths()).load() is None
    assert (keyring.kept, on_disk()) == ({}, {})


def test_who_gave_no_token_is_not_asked(use_keyring: UseKeyring, hanging: HangingKeyring) -> None:
    """Without a token nobody has to open a keyring, or to wait for it."""
    use_keyring(hanging)
    assert Token(Paths(), patience_s=3600).load() is None
    Token(Paths(), patience_s=3600).forget()


@pytest.mark.parametrize("kind", [FailKeyring, NullKeyring, LockedKeyring])
def test_without_a_keyring_a_file_keeps_it(kind: type[KeyringBackend], use_keyring: UseKeyring) -> None:
    """Keyrings that fail, forget or stay locked give way to a file that only its owner may read."""
    use_keyring(kind())
    Token(Paths()).save(TOKEN)
    assert Token(Paths()).load() == TOKEN
    assert on_disk() == {"hub-token": TOKEN}
    assert stat.S_IMODE((Paths().data / "hub-token").stat().st_mode) == 0o600
    token = Token(Paths())
    token.forget()
    assert token.load() is None
    assert Token(Paths()).load() is None


def test_a_keyring_that_hangs_is_left(use_keyring: UseKeyring, hanging: HangingKeyring) -> None:
    """A keyring that never answers costs some patience, not the program."""
    use_keyring(hanging)
    Token(Paths(), patience_s=0.05).save(TOKEN)
    assert Token(Paths(), patience_s=0.05).load() == TOKEN
    Token(Paths(), patience_s=0.05).forget()
    assert Token(Paths(), patience_s=0.05).load() is None


def test_what_was_forgotten_stays_forgotten(use_keyring: UseKeyring) -> None:
    """A token that a locked keyring would not give up does not come back when it is opened."""
    keyring = LockedKeyring()
    keyring.locked = False
    use_keyring(keyring)
    Token(Paths()).save(TOKEN)
    keyring.locked = True
    assert Token(Paths()).load() is None
    Token(Paths()).forget()
    keyring.locked = False
    assert keyring.kept
    assert Token(Paths()).load() is None
    Token(Paths()).save("hf_new")
    assert Token(Paths()).load() == "hf_new"


def test_what_was_saved_last_counts(use_keyring: UseKeyring) -> None:
    """A token that went to the file because the keyring was locked wins over the older one inside."""
    keyring = LockedKeyring()
    keyring.locked = False
    use_keyring(keyring)
    Token(Paths()).save("hf_old")
    keyring.locked = True
    Token(Paths()).save(TOKEN)
    keyring.locked = False
    assert Token(Paths()).load() == TOKEN


def test_the_environment_wins(monkeypatch: pytest.MonkeyPatch) -> None:
    """HF_TOKEN comes first, unless it is empty; one that cannot be sent is told, not repeated and not passed over."""
    token = Token(Paths())
    token.save(TOKEN)
    monkeypatch.setenv(TOKEN_VARIABLE, " hf_other\n")
    assert token.load() == "hf_other"
    for empty in ("", "  "):
        monkeypatch.setenv(TOKEN_VARIABLE, empty)
        assert token.load() == TOKEN
    for useless in ("two words", "line\nbreak", "ünïcödé", "x" * 1001):
        monkeypatch.setenv(TOKEN_VARIABLE, useless)
        report = refusal(token.load)
        assert (report.kind, report.fact("name")) == (ErrorKind.SETTING_INVALID, TOKEN_VARIABLE)
        assert useless not in repr(report)


@pytest.mark.parametrize("text", ["", " ", "hf_a b", "hf_a\r\nHost: evil", "hf_ü", "x" * 1001, "hf_\0"])
def test_what_is_no_token_is_refused(text: str) -> None:
    """What could not stand in a header is not kept, and not repeated."""
    report = refusal(lambda: Token(Paths()).save(text))
    assert report.kind is ErrorKind.SETTING_INVALID
    assert text.strip() == "" or text.strip() not in repr(report)
    assert Token(Paths()).load() is None


def test_a_damaged_file_is_no_token() -> None:
    """Bytes that are no text count as nothing."""
    Paths().data.mkdir(parents=True)
    (Paths().data / "hub-token").write_bytes(b"\xff\xfe hf")
    assert Token(Paths()).load() is None


def test_a_folder_that_cannot_be_written(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where neither keyring nor file can keep it the user is told, without the token."""
    Paths().data.parent.mkdir(parents=True)
    Paths().data.write_text("in the way")
    report = refusal(lambda: Token(Paths()).save(TOKEN))
    assert report.kind is ErrorKind.FOLDER_UNWRITABLE
    assert TOKEN not in repr(report)
