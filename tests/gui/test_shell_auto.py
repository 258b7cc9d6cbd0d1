"""Lengths chosen by time explain themselves: at the switch, in the live panel and on cards."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from app.conversation import ReplyTurn
from app.generation_settings import GenerationSettings
from app.mix import MixRow
from engine.costs import MeasuredCosts
from engine.types import Choice, Drafter, EndReason, LoadRequest, RoundChoice
from tests.fakes import tapes
from tests.gui.shell import Shell, ignore_platform, open_shell
from ui.cards import Action
from ui.cost_curve import USUAL_TOKENS, CostCurve
from ui.main_window import LEAST

pytestmark = ignore_platform

TEXT = "The keeper counted the ships every evening and wrote the number into a book. " * 3
DRAFTING = RoundChoice(Choice.DRAFTING, Drafter.MODEL, 5, 1.83)
PROBING = RoundChoice(Choice.PROBING, Drafter.MODEL, 2, 0.9, 12)
RESTING = RoundChoice(Choice.RESTING, None, 0, 0.93, 40, 12)
HOPING = RoundChoice(Choice.RESTING, None, 0, 1.04, 40, 12)
CHECKING = RoundChoice(Choice.CHECKING, None, 0, 1.03)
LOOKING = RoundChoice(Choice.LOOKING, None, 0, 1.5)
TOO_SLOW = RoundChoice(Choice.ROUNDS_TOO_SLOW, None, 0, 1.2)


@pytest.fixture
def shell(qtbot: QtBot, tmp_path: Path) -> Iterator[Shell]:
    with open_shell(qtbot, tmp_path) as opened:
        opened.chat.settings.changed.emit(GenerationSettings(draft_length=None))
        yield opened


def load(shell: Shell, request: LoadRequest = tapes.REQUEST, costs: MeasuredCosts | None = tapes.COSTS) -> None:
    shell.client.load_next(tapes.loading(costs=costs))
    shell.pairs.open(request)
    shell.wait(lambda: shell.loaded and shell.pairs.request == request)


def ask(shell: Shell, *choices: RoundChoice) -> ReplyTurn:
    """A reply whose rounds have these choices."""
    shell.client.play_next(tapes.chosen(tapes.reply(TEXT, plain=choices[-1].length == 0), *choices))
    return shell.ask("Hello")


def titles(shell: Shell) -> list[str]:
    return [notice.title for notice in shell.notices]


@pytest.mark.parametrize(
    ("choice", "subtitle", "note"),
    [
        (DRAFTING, "auto · draft 5", "auto: draft 5, 1.83× predicted"),
        (PROBING, "auto · trying again", "auto: trying again, 0.90× predicted"),
        (RESTING, "auto · resting: 0.93× predicted", "auto: resting, 0.93× predicted"),
        (HOPING, "auto · resting", "auto: resting until a try pays"),
        (CHECKING, "auto · checking", "auto: one round without, 1.03× predicted"),
        (LOOKING, "auto · looking", "auto: looking for something to copy"),
        (TOO_SLOW, "auto · off, rounds too slow", "auto: off, rounds were far too slow"),
    ],
    ids=lambda value: value.choice.value if isinstance(value, RoundChoice) else "",
)
def test_auto_says_what_it_does(shell: Shell, choice: RoundChoice, subtitle: str, note: str) -> None:
    """While a reply is written the switch and the panel say in one line what was chosen, and why."""
    load(shell)
    shell.client.play_next(tapes.held(tapes.chosen(tapes.reply(TEXT), choice), 3))
    shell.send("Hello")
    shell.wait(lambda: shell.window.top_bar.speculation.subtitle == subtitle)
    assert shell.chat.live.auto == note
    assert shell.chat.live.curve.chosen == choice.length
    shell.client.release()
    shell.wait_for_end()


def test_the_longest_words_leave_the_window_narrow(shell: Shell) -> None:
    """What auto says beside the switch does not widen the smallest window."""
    load(shell)
    shell.client.play_next(tapes.held(tapes.chosen(tapes.reply(TEXT), RESTING), 3))
    shell.window.resize(LEAST)
    shell.send("Hello")
    shell.wait(lambda: shell.window.top_bar.speculation.subtitle.endswith("predicted"))
    assert shell.window.minimumSizeHint().width() <= LEAST.width()
    assert shell.window.size() == LEAST
    shell.client.release()
    shell.wait_for_end()


def test_a_fixed_length_explains_nothing(shell: Shell) -> None:
    """Where the user chose the length, the panel has no line about it."""
    load(shell)
    ask(shell, RoundChoice(Choice.FIXED, Drafter.MODEL, 4))
    assert shell.chat.live.auto == ""


def test_costs_are_known_from_the_load(shell: Shell) -> None:
    """The window has costs measured with the load, and shows them before the first reply."""
    load(shell)
    assert shell.client.measured == [True]
    curve = shell.chat.live.curve
    assert curve.isVisible()
    assert curve.points == tapes.COSTS.verify_s[:USUAL_TOKENS]
    assert curve.chosen is None


def test_costs_are_kept_up_to_date_in_a_reply(shell: Shell) -> None:
    """A reply that tells other costs changes the curve, which stays when another conversation opens."""
    load(shell)
    slower = MeasuredCosts(tuple(2 * seconds for seconds in tapes.COSTS.verify_s), 0.01)
    shell.client.play_next(tapes.chosen(tapes.reply(TEXT), DRAFTING, costs=slower))
    shell.ask("Hello")
    assert shell.chat.live.curve.points == slower.verify_s[:USUAL_TOKENS]
    assert shell.chat.live.curve.chosen == 5
    shell.chat.new_chat()
    assert shell.chat.live.curve.points == slower.verify_s[:USUAL_TOKENS]
    assert shell.chat.live.curve.chosen is None


def test_no_costs_no_curve(shell: Shell) -> None:
    """A pair of which nothing was measured has no curve, nor has one that is gone."""
    load(shell, costs=None)
    assert not shell.chat.live.curve.isVisible()
    load(shell, replace(tapes.REQUEST, ctx=4_096))
    assert shell.chat.live.curve.isVisible()
    shell.pairs.unload()
    assert not shell.chat.live.curve.isVisible()


def test_curve_goes_as_far_as_is_used(shell: Shell) -> None:
    """Nine tokens are usual; where more are checked at once, all that were measured are shown."""
    curve = shell.chat.live.curve
    curve.show_costs(tapes.COSTS, USUAL_TOKENS - 1)
    assert len(curve.points) == USUAL_TOKENS
    curve.show_costs(tapes.COSTS, USUAL_TOKENS)
    assert len(curve.points) == 17


def test_curve_tells_its_figures(shell: Shell) -> None:
    """Pointing at the curve and reading it aloud give the milliseconds, and those of the draft."""
    load(shell)
    curve = shell.chat.live.curve
    curve.show_costs(tapes.COSTS, 5)
    assert curve.tip(0) == "1 token: 18.0 ms\nA pass of the draft: 3.2 ms"
    assert curve.tip(curve.width()) == "9 tokens at once: 27.0 ms, 1.50× one token\nA pass of the draft: 3.2 ms"
    assert "1: 18.0 ms" in curve.accessibleName()
    assert "chosen: 5, A pass of the draft: 3.2 ms" in curve.accessibleName()
    curve.show_costs(MeasuredCosts((0.18, 0.2)), None)  # a target alone
    assert curve.tip(0) == "1 token: 180 ms"


def test_a_reply_that_rested(shell: Shell) -> None:
    """Where auto rested for nearly all of a reply a card says what was predicted; the user may keep it on."""
    load(shell)
    ask(shell, DRAFTING)
    ask(shell, RESTING)
    assert titles(shell) == ["Speculation rested in this reply"]
    assert shell.notices[0].text.startswith("Predicted 0.93× on this text with this pair, so the target wrote alone.")
    shell.press(Action.KEEP_ON)
    assert not shell.notices
    assert shell.replies.settings.draft_length == 5  # what paid before
    assert shell.chat.settings.settings.draft_length == 5
    assert shell.window.top_bar.speculation.subtitle == "draft 5"
    shell.ask("Again")
    assert shell.client.requests[-1].draft_length == 5


def test_keeping_it_on_where_it_never_paid(shell: Shell) -> None:
    """Where no length is known to pay, a usual one is taken."""
    load(shell)
    ask(shell, HOPING)
    assert shell.notices[0].text.startswith("Guessing did not pay on this text")
    shell.press(Action.KEEP_ON)
    assert shell.replies.settings.draft_length == 4


def test_a_rest_is_told_until_it_is_dismissed(shell: Shell) -> None:
    """Once it is dismissed, the same pair is not told of again; another pair is."""
    load(shell)
    ask(shell, RESTING)
    shell.press(Action.DISMISS_REST)
    assert not shell.notices
    ask(shell, RESTING)
    assert not shell.notices
    load(shell, replace(tapes.REQUEST, draft="/m/other.gguf"))
    ask(shell, RESTING)
    assert titles(shell) == ["Speculation rested in this reply"]


def test_a_rest_in_passing_is_not_told(shell: Shell) -> None:
    """A reply that rested for a part of it needs no card, nor does a very short one."""
    load(shell)
    ask(shell, *[DRAFTING] * 15, RESTING)
    assert not shell.notices
    tape = tapes.reply("Plain words.")
    shell.client.play_next(tapes.chosen(tape, RESTING))
    shell.ask("Hello")
    assert not shell.notices


def test_rounds_that_are_too_slow_are_told_at_once(shell: Shell) -> None:
    """The watchdog's card comes while the reply is still being written, says what to do, and goes with the next."""
    load(shell)
    tape = tapes.chosen(tapes.reply(TEXT), *[DRAFTING] * 3, TOO_SLOW)
    shell.client.play_next(tapes.held(tape, 6), tapes.reply("Fine."))
    reply = shell.send("Hello")
    shell.wait(lambda: shell.notices)
    assert reply.running
    assert titles(shell) == ["Speculation is off for a while"]
    assert "close it" in shell.notices[0].text
    shell.client.release()
    shell.wait_for_end()
    assert titles(shell) == ["Speculation is off for a while"]
    shell.ask("Again")
    assert not shell.notices


def test_kind_of_text_is_asked_for(shell: Shell) -> None:
    """A request says of what kind its text is going to be."""
    load(shell)
    shell.ask("Write a Python function that sorts a list")
    assert shell.client.requests[-1].kind == "code"
    shell.ask("Thank you!")
    assert shell.client.requests[-1].kind == "chat"


def test_own_mix_is_remembered(qtbot: QtBot, tmp_path: Path) -> None:
    """What a reply brought by time is there for its pair, in the next run too; a broken one does not count."""
    with open_shell(qtbot, tmp_path) as shell:
        load(shell)
        reply = ask(shell, DRAFTING)
        shell.wait(lambda: shell.program.mix.rows)
        stats = reply.fold.stats
        assert stats.plain_s > stats.timed_tokens * tapes.COSTS.verify_s[0]  # every round had guesses
        rows = (MixRow("chat", stats.plain_s / stats.decode_s, 0.0, stats.timed_tokens),)
        assert shell.program.mix.rows == rows
        shell.client.play_next(tapes.crashing(tapes.chosen(tapes.reply(TEXT), DRAFTING), 5))
        assert shell.ask("Hello").fold.end is EndReason.ERROR
        shell.wait(lambda: shell.loaded)
        load(shell, replace(tapes.REQUEST, draft="/m/other.gguf"))
        shell.wait(lambda: not shell.program.mix.rows)
    with open_shell(qtbot, tmp_path) as shell:
        load(shell)
        shell.wait(lambda: shell.program.mix.rows)
        assert shell.program.mix.rows == rows


def test_a_length_that_was_set_is_in_the_own_mix_too(shell: Shell) -> None:
    """Apart, against what a pass over one token cost at the load; without speculation there is nothing to tell."""
    load(shell)
    shell.chat.settings.changed.emit(GenerationSettings(draft_length=4))
    shell.client.play_next(tapes.reply(TEXT))
    stats = shell.ask("Hello").fold.stats
    shell.wait(lambda: shell.program.mix.rows)
    ratio = stats.timed_tokens * tapes.COSTS.verify_s[0] / stats.decode_s
    assert shell.program.mix.rows == (MixRow("chat", ratio, 0.0, stats.timed_tokens, fixed=True),)


def test_a_card_of_rest_goes_with_the_switch(shell: Shell) -> None:
    """With speculation off there is nothing to keep on."""
    load(shell)
    ask(shell, RESTING)
    assert titles(shell) == ["Speculation rested in this reply"]
    shell.wait(lambda: not shell.chat._pause.isActive())  # nothing else is about to look
    shell.window.top_bar.speculation.toggle()
    assert titles(shell) == []


def test_a_clock_that_did_not_move_leaves_no_curve(qtbot: QtBot) -> None:
    """Passes without time have no ratio, and nothing is painted of them."""
    curve = CostCurve()
    qtbot.addWidget(curve)
    curve.show_costs(MeasuredCosts((0.0, 0.0)), 1)
    curve.resize(240, 88)
    curve.grab()
    assert (curve.points, curve.tip(20)) == ((), "")
