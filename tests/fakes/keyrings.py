"""Keyrings that keep, refuse, forget, or never answer."""

from __future__ import annotations

import threading

from keyring.backend import KeyringBackend
from keyring.errors import KeyringLocked, PasswordDeleteError


class MemoryKeyring(KeyringBackend):
    """One that works."""

    priority = 5.0

    def __init__(self) -> None:
        super().__init__()
        self.kept: dict[tuple[str, str], str] = {}

    def get_password(self, service: str, username: str) -> str | None:
        return self.kept.get((service, username))

    def set_password(self, service: str, username: str, password: str) -> None:
        self.kept[service, username] = password

    def delete_password(self, service: str, username: str) -> None:
        if (service, username) not in self.kept:
            raise PasswordDeleteError("not found")
        del self.kept[service, username]


class LockedKeyring(MemoryKeyring):
    """The user does not give the password that opens it, and its errors repeat what it was given."""

    locked = True

    def get_password(self, service: str, username: str) -> str | None:
        self._check(username)
        return super().get_password(service, username)

    def set_password(self, service: str, username: str, password: str) -> None:
        self._check(password)
        super().set_password(service, username, password)

    def delete_password(self, service: str, username: str) -> None:
        self._check(username)
        super().delete_password(service, username)

    def _check(self, text: str) -> None:
        if self.locked:
            raise KeyringLocked(f"cannot open for {text}")


class HangingKeyring(MemoryKeyring):
    """Waits for a service that never answers, until `gone` is set."""

    def __init__(self) -> None:
        super().__init__()
        self.gone = threading.Event()

    def get_password(self, service: str, username: str) -> str | None:
        self.gone.wait()
        return None

    def set_password(self, service: str, username: str, password: str) -> None:
        self.gone.wait()

    def delete_password(self, service: str, username: str) -> None:
        self.gone.wait()


# Defined is registered, and a program under test must not find them by itself.
for keyring in (MemoryKeyring, LockedKeyring, HangingKeyring):
    KeyringBackend._classes.discard(keyring)
