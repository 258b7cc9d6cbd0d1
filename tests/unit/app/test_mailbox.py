"""A message reaches the mailbox's owner, whatever interrupts who leaves it."""

from __future__ import annotations

import pytest

from app.mailbox import Mailbox


def ignore() -> None:
    """A request."""


def test_all_that_is_left_wakes_the_owner_once() -> None:
    """And is taken in order."""
    mailbox = Mailbox()
    requests = [lambda: None for _ in range(3)]
    for request in requests:
        assert mailbox.post(request)
    assert mailbox.take() == requests
    assert not mailbox.reader.poll()
    assert mailbox.close() == []
    assert not mailbox.post(ignore)


def test_who_is_interrupted_before_the_owner_was_woken_does_not_keep_it_asleep(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A second Ctrl-C raises in the middle of the first one's message; the next one wakes the owner for both."""
    mailbox = Mailbox()

    def interrupted(data: bytes) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(mailbox._writer, "send_bytes", interrupted)
        with pytest.raises(KeyboardInterrupt):
            mailbox.post(ignore)
    assert mailbox.post(ignore)
    assert mailbox.reader.poll()
    assert mailbox.take() == [ignore, ignore]


def test_a_second_waking_brings_nothing() -> None:
    """Who was interrupted after it wakes the owner once more."""
    mailbox = Mailbox()
    mailbox.post(ignore)
    mailbox._waking = False
    mailbox.post(ignore)
    assert mailbox.take() == [ignore, ignore]
    assert mailbox.reader.poll()
    assert mailbox.take() == []
