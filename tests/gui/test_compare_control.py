"""A comparison asks for the right replies, and ends cleanly whatever happens."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from app.compare.values import Arm
from engine.errors import ErrorKind
from engine.types import EndReason, Inactive, LoadRequest
from tests.fakes import tapes
from tests.gui.compares import OTHER, TEXT, compare, off, on, open_compare, pairs
from tests.gui.shell import Shell, ignore_platform, open_shell
from ui.compare_bar import RunState

pytestmark = ignore_platform


@pytest.fixture
def shell(qtbot: QtBot, tmp_path: Path) -> Iterator[Shell]:
    with open_shell(qtbot, tmp_path) as opened:
        yield opened


def rounds(shell: Shell) -> int:
    """Of the reply being written."""
    step = shell.comparing.step
    reply = shell.comparing.comparison.live(step.arm) if step is not None else None
    return reply.stats.rounds if reply is not None else 0


def running(shell: Shell, *replies: tapes.Tape) -> None:
    """A comparison whose reply stands still after six rounds."""
    open_compare(shell, *replies)
    shell.compare.bar.run.click()
    shell.wait(lambda: rounds(shell) == 6)


def test_replies_in_turn(shell: Shell) -> None:
    """Off and on in turn, a warm-up of each first, all cold, with one seed and the same settings otherwise."""
    open_compare(shell)
    shell.replies.settings = replace(shell.replies.settings, draft_length=5)
    compare(shell)
    requests = shell.client.requests
    assert [request.speculate for request in requests] == [False, True] * 4
    assert all(request.cold and request.sampling.seed == 42 and request.max_tokens == 256 for request in requests)
    assert {replace(request, speculate=True) for request in requests} == {requests[1]}
    assert requests[1].draft_length == 5
    outcome = shell.comparing.comparison.outcome
    assert outcome is not None
    assert len(outcome.pairs) == 3
    assert outcome.difference is None


def test_draft_length_of_nothing(shell: Shell) -> None:
    """A chat without speculation does not make a comparison of off with off."""
    open_compare(shell)
    shell.replies.settings = replace(shell.replies.settings, draft_length=0)
    shell.replies.speculate = False
    compare(shell)
    assert shell.client.requests[1].draft_length is None


def test_difference_is_weighed(shell: Shell) -> None:
    """Where the texts part the target is asked how near the two words were."""
    open_compare(shell, *pairs(4, on_tape=on(OTHER)))
    compare(shell)
    difference = shell.comparing.comparison.outcome.difference
    assert difference is not None
    assert (difference.off_text, difference.on_text) == ("evening", "morning")
    assert difference.gap is not None
    assert len(shell.client.weighings) == 1


@pytest.mark.parametrize("replies", [[tapes.held(off(), 6)], [off(), tapes.held(on(), 6)]], ids=["off", "on"])
def test_stop(shell: Shell, replies: list[tapes.Tape]) -> None:
    """Stop ends the comparison in any of its replies, and another one can begin."""
    running(shell, *replies)
    shell.compare.bar.run.click()
    assert shell.compare.bar.state is RunState.STOPPING
    shell.wait(lambda: not shell.comparing.running)
    assert len(shell.client.requests) == len(replies)
    assert shell.comparing.error is None
    assert shell.compare.bar.state is RunState.RUN
    assert shell.replies.ready
    shell.client.play_next(*pairs(4))
    compare(shell)
    assert shell.comparing.comparison.outcome is not None


def test_stop_keeps_what_was_measured(shell: Shell) -> None:
    """Both sides show their last whole replies, and the pairs that are complete count."""
    running(shell, *pairs(2), tapes.held(off(OTHER), 6))
    shell.compare.bar.run.click()
    shell.wait(lambda: not shell.comparing.running)
    outcome = shell.comparing.comparison.outcome
    assert outcome is not None
    assert len(outcome.pairs) == 1
    for arm in Arm:
        shown = shell.comparing.shown(arm)
        assert shown is not None
        assert shown.fold.text == TEXT
        assert shown.fold.end is EndReason.LENGTH


def test_stop_before_anything_is_measured(shell: Shell) -> None:
    """The result from before is back, and a line says that there is no new one."""
    open_compare(shell)
    compare(shell)
    before = shell.comparing.measured
    shell.client.play_next(*pairs(1), tapes.held(off(OTHER), 6))
    shell.compare.bar.run.click()
    shell.wait(lambda: rounds(shell) == 6)
    shell.compare.bar.run.click()
    shell.wait(lambda: not shell.comparing.running)
    assert shell.comparing.measured == before
    assert shell.compare.bar.state is RunState.RUN_AGAIN
    assert shell.compare.notices.hint == "Stopped before anything was measured."


def test_impatient_clicks(shell: Shell) -> None:
    """However fast Run and Stop are pressed, each begun comparison ends and the engine is free again."""
    open_compare(shell, *[tapes.held(off(), 3)] * 9)
    for _ in range(12):
        shell.compare.bar.run.click()
    shell.comparing.stop()
    shell.wait(lambda: not shell.comparing.running)
    assert shell.replies.ready
    assert shell.compare.bar.run.isEnabled()


def test_engine_dies(shell: Shell) -> None:
    """The comparison ends with the reason, the pair comes back, and the next comparison works."""
    open_compare(shell, off(), tapes.crashing(on(), 6))
    shell.compare.bar.run.click()
    shell.wait(lambda: not shell.comparing.running)
    assert shell.comparing.error is not None
    assert shell.comparing.error.kind is ErrorKind.ENGINE_DIED
    shell.wait(lambda: shell.loaded)
    shell.client.play_next(*pairs(4))
    compare(shell)
    assert shell.comparing.error is None


def test_unload(shell: Shell) -> None:
    """An unload ends the comparison; what was measured stays in sight."""
    running(shell, *pairs(2), tapes.held(off(), 6))
    shell.window.top_bar.pair.unload_wanted.emit()
    shell.wait(lambda: not shell.comparing.running)
    assert shell.comparing.error is None
    assert shell.comparing.comparison.outcome is not None
    assert shell.pairs.pair is None


def test_another_pair(shell: Shell) -> None:
    """A load ends the comparison, since it waits for the engine."""
    running(shell, tapes.held(off(), 6))
    shell.pairs.open(LoadRequest("/models/other.gguf"))
    shell.wait(lambda: not shell.comparing.running and shell.loaded)
    assert shell.comparing.error is None


def test_closing(qtbot: QtBot, tmp_path: Path) -> None:
    """The window closes while a comparison runs."""
    with open_shell(qtbot, tmp_path) as shell:
        running(shell, tapes.held(off(), 6))
    assert not shell.program.worker.running


def test_target_that_cannot_roll_back(shell: Shell) -> None:
    """There is nothing to compare, and no reply is asked for."""
    shell.client.load_next(tapes.loading(replace(tapes.PAIR, inactive=Inactive.TARGET_ROLLBACK)))
    open_compare(shell)
    shell.compare.bar.run.click()
    assert not shell.comparing.running
    assert "cannot" in shell.compare.notices.hint
    assert shell.client.requests == []


def test_target_alone(shell: Shell) -> None:
    """Without a draft the lookup alone is compared."""
    shell.client.load_next(tapes.loading(replace(tapes.PAIR, draft=None, inactive=Inactive.NO_DRAFT)))
    open_compare(shell)
    compare(shell)
    assert shell.comparing.comparison.outcome is not None
    assert shell.compare.board.panes[Arm.ON].head.subtitle == "lookup alone, cold cache"


def test_speculation_that_does_not_run(shell: Shell) -> None:
    """The comparison ends at once where the reply with speculation is plain, and says why."""
    plain = tapes.reply(TEXT, inactive=Inactive.DRAFT_CONTEXT_FULL)
    open_compare(shell, off(), plain)
    compare(shell)
    assert shell.comparing.error is not None
    assert shell.comparing.error.kind is ErrorKind.SPECULATION_INACTIVE
    assert len(shell.client.requests) == 2


def test_reply_of_nothing(shell: Shell) -> None:
    """A reply too short to measure is told as such."""
    open_compare(shell, off("Yes."), on("Yes."))
    compare(shell)
    assert shell.comparing.error is not None
    assert shell.comparing.error.kind is ErrorKind.REPLY_TOO_SHORT


def test_chat_waits(shell: Shell) -> None:
    """While a comparison runs a message stays in the box with a hint, and is sent afterwards."""
    running(shell, tapes.held(off(), 6))
    shell.window.rail.chosen.emit("chat")
    shell.type("hello")
    shell.enter()
    assert shell.chat.transcript.box.text == "hello"
    assert "comparison" in shell.chat.notices.hint
    shell.comparing.stop()
    shell.wait(lambda: not shell.comparing.running)
    shell.client.play_next(tapes.reply("Hello."))
    shell.enter()
    shell.wait_for_end()
    assert shell.conversation.last_reply is not None


def test_reply_in_a_chat(shell: Shell) -> None:
    """While a reply is written no comparison begins, and the page says why."""
    shell.load()
    shell.client.play_next(tapes.held(on(), 6))
    shell.send("hello")
    shell.window.rail.chosen.emit("compare")
    shell.compare.bar.run.click()
    assert not shell.comparing.running
    assert "chat" in shell.compare.notices.hint
    shell.replies.stop()
    shell.wait(lambda: shell.replies.ready)
    assert shell.compare.notices.hint == ""


def test_without_a_pair(shell: Shell) -> None:
    """The page offers the starter pair, and Run says what is missing."""
    shell.window.rail.chosen.emit("compare")
    shell.compare.bar.run.click()
    assert shell.compare.notices.hint == "No pair is loaded."
    assert shell.compare.notices.notices[0].title == "No pair is loaded"
