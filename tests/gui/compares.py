"""Replies off and on for comparisons, as tapes."""

from __future__ import annotations

from engine.types import Choice, Drafter, EndReason, Inactive, RoundChoice
from tests.fakes import tapes
from tests.gui.shell import Shell

TEXT = " ".join(["The keeper of the lighthouse counted the ships every evening and wrote the number down."] * 5)
OTHER = TEXT.replace("evening and wrote", "morning and wrote", 1)


def off(text: str = TEXT) -> tapes.Tape:
    return tapes.reply(text, inactive=Inactive.SWITCHED_OFF, draft_s=0.0, verify_s=0.03, reason=EndReason.LENGTH)


def on(text: str = TEXT) -> tapes.Tape:
    """With lengths chosen by time."""
    choice = RoundChoice(Choice.DRAFTING, Drafter.MODEL, 4, 1.6)
    return tapes.chosen(tapes.reply(text, verify_s=0.04, reason=EndReason.LENGTH), choice)


def pairs(count: int, *, off_tape: tapes.Tape | None = None, on_tape: tapes.Tape | None = None) -> list[tapes.Tape]:
    """The tapes of so many pairs, the warm-up included."""
    return [off_tape or off(), on_tape or on()] * count


def open_compare(shell: Shell, *replies: tapes.Tape) -> None:
    """A loaded pair, the Compare page, and the replies to come: a warm-up and three pairs unless given."""
    shell.load()
    shell.client.play_next(*(replies or pairs(4)))
    shell.window.rail.chosen.emit("compare")


def compare(shell: Shell) -> None:
    """Press Run and wait for the end."""
    shell.compare.bar.run.click()
    assert shell.comparing.running
    shell.wait(lambda: not shell.comparing.running)
