"""The states of the Compare page that have a picture, as in `docs.window_states`."""

from __future__ import annotations

from app.compare.values import Arm
from app.mix import Mix, MixedReply, mix_key
from docs.window_states import CODE, Stage
from engine.types import Choice, Drafter, EndReason, Inactive, RoundChoice
from tests.fakes import tapes
from ui.main import MIX_FILE

MIX = (
    MixedReply("code", 9_210, 0, 144.1, 257.9),
    MixedReply("json", 3_870, 0, 53.1, 108.4),
    MixedReply("translate", 2_150, 0, 49.8, 60.2),
    MixedReply("chat", 1_940, 1_200, 54.3, 54.3),
)
KEPT = (5, 5, 3, 5, 1, 5, 2, 5, 4, 0)
PAYS = RoundChoice(Choice.DRAFTING, Drafter.MODEL, 5, 1.71)


def compare_ready(stage: Stage) -> None:
    _open(stage)


def compare_running(stage: Stage) -> None:
    """In the second measured pair."""
    _open(stage, *[_off(), _on()] * 2, _off(), tapes.held(_on(), 14))
    comparing = stage.program.comparing
    stage.wait(lambda: (on := comparing.shown(Arm.ON)) and on.fold.end is None and on.fold.stats.rounds == 14)


def compare(stage: Stage) -> None:
    _open(stage, *[_off(), _on()] * 4)
    _wait_for_end(stage)


def compare_difference(stage: Stage) -> None:
    """Texts that part at a tie."""
    other = CODE.replace("must be non-negative", "must not be negative")
    _open(stage, *[_off(), _on(other)] * 4)
    _wait_for_end(stage)
    stage.window.compare.board.show_difference()


def compare_slower(stage: Stage) -> None:
    """A pair that lost against its own history."""
    compare(stage)
    stage.wait(lambda: stage.program.compared.runs)
    stage.client.play_next(*[_off(), _on(verify_s=0.075)] * 4)
    stage.window.compare.bar.run_wanted.emit()
    _wait_for_end(stage)
    stage.wait(lambda: stage.program.compared.drop)


def compare_too_short(stage: Stage) -> None:
    _open(stage, _off("Yes."))
    _wait_for_end(stage)


def compare_narrow(stage: Stage) -> None:
    stage.window.resize(900, 600)
    compare(stage)


STATES = (
    compare_ready,
    compare_running,
    compare,
    compare_difference,
    compare_slower,
    compare_too_short,
    compare_narrow,
)


def _open(stage: Stage, *replies: tapes.Tape) -> None:
    """The page, of a pair whose own mix is known, with the replies to come; a comparison begins if there are any."""
    known = Mix(stage.folder / "data" / MIX_FILE)
    for row in MIX:
        known.add(mix_key(tapes.REQUEST), row)
    known.close()
    stage.load()
    stage.window.rail.chosen.emit("compare")
    stage.wait(lambda: stage.program.mix.rows)
    if replies:
        stage.client.play_next(*replies)
        stage.window.compare.bar.run_wanted.emit()


def _wait_for_end(stage: Stage) -> None:
    stage.wait(lambda: not stage.program.comparing.running)


def _off(text: str = CODE) -> tapes.Tape:
    return tapes.reply(text, inactive=Inactive.SWITCHED_OFF, draft_s=0.0, verify_s=0.0286, reason=EndReason.LENGTH)


def _on(text: str = CODE, verify_s: float = 0.045) -> tapes.Tape:
    whole = tapes.reply(text, kept=KEPT, draft_length=5, verify_s=verify_s, reason=EndReason.LENGTH)
    return tapes.chosen(whole, PAYS)
