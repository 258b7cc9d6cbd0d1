"""The hub's token: in the environment, the system's keyring, or a file that only its owner may read.

It is a secret: it stands in no log, no repr, no error and no argument of a process.
"""

from __future__ import annotations

import contextlib
import os
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING

from app.paths import Paths, make_folder, storage_error
from app.small_file import read_small_file, write_small_file
from app.translate import translate
from engine.errors import EngineError, ErrorKind

if TYPE_CHECKING:
    from keyring.backend import KeyringBackend

TOKEN_VARIABLE = "HF_TOKEN"

_SERVICE, _USER = "Draftlight", "hub token"
_IN_KEYRING = "in the keyring"  # no token has blanks
_MAX_LENGTH = 1000


class Token:
    """Thread-safe. What was stored is asked for once and remembered.

    A file holds the token, or says that the keyring does. So nobody who never gave a token is asked to open a keyring,
    and a token that a locked keyring does not give up is forgotten all the same.
    """

    def __init__(self, paths: Paths, patience_s: float = 5.0) -> None:
        """`patience_s`: how long a keyring may take to answer before it counts as not there."""
        self._file = paths.data / "hub-token"
        self._keyring = _Keyring(patience_s)
        self._lock = threading.Lock()
        self._known = False
        self._stored: str | None = None

    def load(self) -> str | None:
        """The token to send, HF_TOKEN first. The first call may wait for the keyring, some seconds at most.

        Raises:
            EngineError: SETTING_INVALID where HF_TOKEN cannot be a token. What was stored is not sent in its place.
        """
        if given := os.environ.get(TOKEN_VARIABLE, "").strip():
            return _usable(given, TOKEN_VARIABLE)
        with self._lock:
            if not self._known:
                text = self._read_file()
                self._stored = _clean(self._keyring.get() if text == _IN_KEYRING else text)
                self._known = True
            return self._stored

    def save(self, text: str) -> None:
        """Keep a token. May wait for the keyring.

        Raises:
            EngineError: SETTING_INVALID where `text` cannot be a token; FOLDER_UNWRITABLE, DISK_FULL.
        """
        token = _usable(text, translate("hub", "The token"))
        with self._lock:
            self._write_file(_IN_KEYRING if self._keyring.set(token) else token)
            self._stored, self._known = token, True

    def forget(self) -> None:
        """Keep no token any more. HF_TOKEN still counts. Raises EngineError: FOLDER_UNWRITABLE."""
        with self._lock:
            if self._read_file() == _IN_KEYRING:
                self._keyring.delete()
            try:
                self._file.unlink(missing_ok=True)
            except OSError as error:
                raise storage_error(self._file, error) from None
            self._stored, self._known = None, True

    def _read_file(self) -> str:
        try:
            return read_small_file(self._file)
        except (OSError, ValueError):
            return ""

    def _write_file(self, text: str) -> None:
        make_folder(self._file.parent)
        try:
            write_small_file(self._file, text, private=True)
        except OSError as error:
            raise storage_error(self._file, error) from None


class _Keyring:
    """The system's keyring behind calls that always return.

    Backends may ask the user for a password, wait for a service that never answers, or fail in ways of their own,
    so each call runs in a thread that is left behind when it takes too long.
    """

    def __init__(self, patience_s: float) -> None:
        self._patience_s = patience_s

    def get(self) -> str:
        """What it holds; "" also where it cannot be asked."""
        found: list[str] = []

        def ask() -> None:
            found.append(_backend().get_password(_SERVICE, _USER) or "")

        return found[0] if self._done(ask) else ""

    def set(self, token: str) -> bool:
        """Whether it holds the token now."""
        return self._done(lambda: _backend().set_password(_SERVICE, _USER, token))

    def delete(self) -> None:
        """Let it forget the token, if it can be asked."""
        self._done(lambda: _backend().delete_password(_SERVICE, _USER))

    def _done(self, work: Callable[[], None]) -> bool:
        succeeded = threading.Event()
        thread = threading.Thread(target=_quietly, args=(work, succeeded), name="keyring", daemon=True)
        thread.start()
        thread.join(self._patience_s)
        return succeeded.is_set()


class _UnusableError(Exception):
    """There is no keyring that would keep a secret."""


def _backend() -> KeyringBackend:
    import keyring

    backend = keyring.get_keyring()
    if backend.priority < 1:  # those that only fail or forget, and files in plain text
        raise _UnusableError
    return backend


def _quietly(work: Callable[[], None], succeeded: threading.Event) -> None:
    # Backends raise what they like, and their words may hold what was to be kept.
    with contextlib.suppress(Exception):
        work()
        succeeded.set()


def _usable(text: str, name: str) -> str:
    """The token in `text`. Raises EngineError: SETTING_INVALID, which does not repeat it."""
    token = _clean(text)
    if token is None:
        reason = translate("hub", "it is not a line of letters and digits, of a token's length")
        raise EngineError(ErrorKind.SETTING_INVALID, name=name, value="…", reason=reason)
    return token


def _clean(text: str) -> str | None:
    """The token in `text`; None where it could not stand in a header."""
    token = text.strip()
    usable = 0 < len(token) <= _MAX_LENGTH and token.isascii() and token.isprintable() and " " not in token
    return token if usable else None
