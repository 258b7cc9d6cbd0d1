"""Each state of the window says what is the case, in both themes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from app.conversation import ReplyTurn
from app.fit.values import Verdict
from engine.errors import ErrorKind, ErrorReport
from engine.protocol import Measuring
from engine.types import EndReason, Inactive
from tests.fakes import tapes
from tests.fakes.devices import GIB, card, machine
from tests.fakes.fake_client import FakeClient
from tests.gui.shell import Shell, ignore_platform, open_shell
from ui.cards import Action, load_notice
from ui.pair_control import Loading, Refusal
from ui.theme import DARK, LIGHT, ThemeChoice, theme, theme_notifier

pytestmark = ignore_platform


@pytest.fixture(params=[ThemeChoice.LIGHT, ThemeChoice.DARK], ids=["light", "dark"])
def shell(request: pytest.FixtureRequest, qtbot: QtBot, tmp_path: Path) -> Iterator[Shell]:
    with open_shell(qtbot, tmp_path) as opened:
        opened.window.settings_page.theme_chosen.emit(request.param.value)
        assert theme() is (DARK if request.param is ThemeChoice.DARK else LIGHT)
        yield opened
    theme_notifier().choose(ThemeChoice.SYSTEM)


def titles(shell: Shell) -> list[str]:
    return [notice.title for notice in shell.notices]


def test_first_start(shell: Shell) -> None:
    """Before any pair the first page shows what was found, and nothing that does not exist."""
    shell.wait(lambda: shell.pairs.engine is not None)
    page = shell.window.first_start
    assert page.isVisible()
    assert not shell.window.top_bar.speculation.isVisible()
    assert shell.window.status_line.state == "Engine ready, no pair loaded"
    words = [chip.words for chip in page.chips if chip.isVisible()]
    assert words[:2] == ["Intel(R) Xeon(R) Processor, 25.1 GB, 21.9 GB free", "Engine with CPU"]
    assert words[2].endswith("free for models")


def test_engine_that_does_not_start(qtbot: QtBot, tmp_path: Path) -> None:
    """The first page says that the engine could not be started, instead of waiting for ever."""
    report = ErrorReport(ErrorKind.ENGINE_START_FAILED, (("reason", "no answer"),))
    with open_shell(qtbot, tmp_path, FakeClient(engine=report)) as shell:
        shell.wait(lambda: shell.pairs.engine is not None)
        assert shell.window.first_start.chips[0].words == "The engine could not be started"
        assert shell.window.status_line.state == "The engine did not start"


def test_engine_that_dies_before_the_first_pair(shell: Shell) -> None:
    """The first page does not go on praising an engine that is gone."""
    shell.wait(lambda: shell.pairs.engine is not None)
    shell.client.kill()
    assert shell.window.status_line.state == "The engine stopped"
    assert shell.window.first_start.chips[1].words == "The engine stopped; a load starts it again"
    shell.load()


def test_loading(shell: Shell) -> None:
    """A load shows how far target and draft are, and what is typed meanwhile waits in the box."""
    shell.client.load_next(tapes.loading(hold_at=0.5))
    shell.pairs.open_starter()
    shell.wait(lambda: shell.pairs.loading and shell.pairs.loading.done_bytes)
    shell.wait(lambda: "319" in shell.chat.notices.loading.text)
    assert shell.chat.notices.loading.isVisible()
    assert shell.window.status_line.state.startswith("Loading ")
    shell.type("hello")
    shell.enter()
    assert shell.chat.transcript.box.text == "hello"
    assert "still loading" in shell.chat.notices.hint
    assert not shell.client.requests
    shell.client.release()
    shell.wait(lambda: shell.loaded)
    assert not shell.chat.notices.loading.isVisible()
    assert shell.chat.notices.hint == ""


def test_time_left(shell: Shell) -> None:
    """The time left follows from the pace so far; in the first two seconds and at the end nothing is said of it."""
    card, now_s = shell.chat.notices.loading, 10.0
    card.clock = lambda: now_s
    loading = Loading(1, "model", draft_bytes=100_000_000, done_bytes=0, total_bytes=600_000_000)
    card.show_loading(loading)
    now_s = 10.4
    card.show_loading(replace(loading, done_bytes=100_000_000))
    assert card.text == "target 100 MB of 500 MB, then draft 100 MB"
    now_s = 12.0
    card.show_loading(replace(loading, done_bytes=200_000_000))
    assert card.text == "target 200 MB of 500 MB, then draft 100 MB · 4 s left"
    card.show_loading(replace(loading, model="draft", done_bytes=550_000_000))
    assert card.text == "target ready, draft 50 MB of 100 MB · 1 s left"
    card.show_loading(replace(loading, model="draft", done_bytes=600_000_000))
    assert card.text == "target ready, draft 100 MB of 100 MB"


def test_measuring_after_the_files_are_read(shell: Shell) -> None:
    """The last second or two of a load have words of their own, and can be cancelled too."""
    shell.client.load_next((*tapes.loading()[:-1], Measuring(0), tapes.Hold(), *tapes.loading()[-1:]))
    shell.pairs.open(tapes.REQUEST)
    shell.wait(lambda: shell.chat.notices.loading.text == "Measuring how fast the pair is…")
    shell.chat.notices.loading.press_cancel()
    assert shell.chat.notices.loading.text == "Stopping…"
    shell.wait(lambda: shell.pairs.loading is None)
    assert shell.pairs.pair is None


def test_cancelled_load(shell: Shell) -> None:
    """Cancel ends the load and leads back to the first page without an error."""
    shell.client.load_next(tapes.loading(hold_at=0.5))
    shell.pairs.open_starter()
    shell.wait(lambda: shell.pairs.loading and shell.pairs.loading.done_bytes)
    shell.chat.notices.loading.press_cancel()
    shell.wait(lambda: shell.pairs.loading is None)
    assert shell.window.first_start.isVisible()
    assert titles(shell) == ["No pair is loaded"]


def test_ready(shell: Shell) -> None:
    """A loaded pair is named, the switch says what it does, the status line says what is ready."""
    shell.load()
    assert shell.window.top_bar.pair.accessibleName() == "SmolLM2 135M Instruct F32 + SmolLM2 135M Instruct Q4_1"
    assert shell.window.status_line.state == "Engine ready · CPU · n_ctx 8,192"
    assert shell.window.status_line.verdict == "Draft SmolLM2 135M Instruct Q4_1 matches the target vocabulary"
    assert shell.window.top_bar.speculation.subtitle == "auto"
    assert not shell.notices


def test_prefill(shell: Shell) -> None:
    """While a long prompt is read, the reply's heading says how far."""
    shell.load()
    shell.client.play_next(tapes.reading(total=2_400, done=1_024))
    reply = shell.send("A long text")
    shell.wait(lambda: reply.prefill == (1_024, 2_400))
    assert shell.window.status_line.state == "Reading the prompt…"
    shell.client.release()
    shell.wait(lambda: not reply.running)
    assert reply.text == "Here is the summary."


def test_streaming(shell: Shell) -> None:
    """While a reply is written its figures move, and they end as the fold has them."""
    shell.load()
    whole = tapes.reply("The cat sat on the mat and looked at the rain. " * 8)
    shell.client.play_next(tapes.held(whole, 12))
    reply = shell.send("A story")
    shell.wait(lambda: reply.fold.stats.rounds == 12)
    shell.wait(lambda: shell.chat.live.reply and shell.chat.live.reply.stats.rounds == 12)
    moving = shell.chat.live.reply
    assert moving is not None
    assert moving.rate
    assert moving.stats.accepted_at[0] <= moving.stats.verified_at[0]
    shell.wait(lambda: shell.window.status_line.state == "Writing…")
    shell.client.release()
    shell.wait(lambda: not reply.running)
    final = shell.chat.live.reply
    assert final is not None
    assert final.rate == reply.fold.stats.tokens_per_s
    assert "% used" in shell.window.status_line.state


def test_stopped(shell: Shell) -> None:
    """Stop keeps the text so far and ends the reply as cancelled."""
    shell.load()
    shell.client.play_next(tapes.held(tapes.reply("One two three four five six seven. " * 5), 3))
    reply = shell.send("Count")
    shell.wait(lambda: reply.fold.stats.rounds == 3)
    shell.bot.mouseClick(shell.chat.transcript.box.button, Qt.MouseButton.LeftButton)
    shell.wait(lambda: not reply.running)
    assert reply.fold.end is EndReason.CANCELLED
    assert reply.text.startswith("One two")
    assert not shell.notices


def hang(shell: Shell) -> ReplyTurn:
    """A reply whose engine hears nothing more after its third round."""
    shell.load()
    shell.client.play_next(tapes.held(tapes.reply("One two three four five six seven. " * 5), 3, deaf=True))
    reply = shell.send("Count")
    shell.wait(lambda: reply.fold.stats.rounds == 3 and shell.chat.transcript.box.button.text() == "Stop")
    return reply


def test_stopping(shell: Shell) -> None:
    """The button says at once that a stop is on its way, and cannot be pressed again."""
    reply = hang(shell)
    button = shell.chat.transcript.box.button
    shell.bot.mouseClick(button, Qt.MouseButton.LeftButton)
    assert button.text() == "Stopping…"
    assert not button.isEnabled()
    shell.client.release()
    shell.wait_for_end()
    assert reply.fold.end is EndReason.CANCELLED
    shell.client.play_next(tapes.held(tapes.reply("Another one."), 1))
    shell.send("Again")
    shell.wait(lambda: button.text() == "Stop")
    shell.client.release()
    shell.wait_for_end()


def test_cancelled_load_behind_a_hanging_reply(shell: Shell) -> None:
    """A load that has not begun ends when it is cancelled; after the engine's end its pair returns."""
    reply = hang(shell)
    shell.pairs.open(replace(tapes.REQUEST, draft=None))
    assert shell.chat.transcript.box.button.text() == "Stopping…"
    assert shell.chat.notices.loading.isVisible()
    shell.chat.notices.loading.press_cancel()
    assert shell.pairs.loading is None
    assert shell.pairs.request == tapes.REQUEST
    assert reply.running
    shell.client.kill()
    shell.wait(lambda: shell.replies.writing is None and shell.loaded)
    assert reply.fold.end is EndReason.CANCELLED
    assert reply.text.startswith("One two")
    assert shell.client.loads == [tapes.REQUEST, tapes.REQUEST]
    assert not shell.notices


def test_speculation_off(shell: Shell) -> None:
    """Switched off, the next message goes without the draft, nothing is loaded anew, and every place says so."""
    shell.load()
    shell.window.top_bar.speculation.toggle()
    shell.client.play_next(tapes.reply("Plain words only. " * 12, inactive=Inactive.SWITCHED_OFF))
    shell.ask("Hello")
    assert shell.client.requests[-1].speculate is False
    assert len(shell.client.loads) == 1
    assert shell.window.top_bar.speculation.subtitle == "off"
    assert shell.chat.live.note == "Speculation is switched off."
    assert not shell.notices


def test_ratio_needs_an_off_reply(shell: Shell) -> None:
    """A ratio is shown only against an off reply of the same pair measured in this session."""
    shell.load()
    shell.ask("Hello")
    assert shell.chat.live.ratio == ""
    assert shell.chat.live.note == "off not measured yet with this pair"
    shell.window.top_bar.speculation.toggle()
    shell.client.play_next(tapes.reply("Plain words only. " * 12, inactive=Inactive.SWITCHED_OFF))
    off = shell.ask("Hello")
    shell.window.top_bar.speculation.toggle()
    shell.client.play_next(tapes.reply("Fast words only. " * 12))
    on = shell.ask("Hello")
    on_rate, off_rate = on.fold.stats.tokens_per_s, off.fold.stats.tokens_per_s
    assert on_rate is not None
    assert off_rate is not None
    assert shell.chat.live.ratio == f"{on_rate / off_rate:.2f}×"
    assert shell.chat.live.note == f"off measured here: {off_rate:.1f} tok/s"


def test_pair_that_cannot_speculate(shell: Shell) -> None:
    """A pair without rollback says why at the switch, in the live panel and on a card."""
    shell.client.load_next(tapes.loading(replace(tapes.PAIR, inactive=Inactive.TARGET_ROLLBACK)))
    shell.load()
    assert shell.window.top_bar.speculation.subtitle == "not with this target"
    shell.client.play_next(tapes.reply("Plain.", inactive=Inactive.TARGET_ROLLBACK))
    shell.ask("Hello")
    assert titles(shell) == ["Speculation is not running"]
    assert "cannot forget rejected tokens" in shell.chat.live.note


def test_speculation_that_stops_inside_a_reply(shell: Shell) -> None:
    """A draft that fails in the middle of a reply is told of on a card; the reply goes on."""
    shell.load()
    shell.client.play_next(tapes.stopping(tapes.reply("The reply goes on. " * 6), 2, Inactive.DRAFT_FAILED))
    reply = shell.ask("Hello")
    assert reply.fold.end is EndReason.STOP
    assert titles(shell) == ["The draft is not at work"]
    assert shell.chat.live.reply is not None
    assert not shell.chat.live.reply.reason  # text that repeats is still proposed


def test_draft_refused(shell: Shell) -> None:
    """A draft of another vocabulary is refused with the first difference; the target can be used alone."""
    shell.client.load_next(
        tapes.failing(
            ErrorKind.DRAFT_VOCABULARY,
            target="/m/big.gguf",
            draft="/m/other.gguf",
            difference="token",
            token_id=5,
            target_text="%",
            draft_text="<unused0>",
        )
    )
    shell.pairs.open(replace(tapes.REQUEST, target="/m/big.gguf", draft="/m/other.gguf"))
    shell.wait(lambda: shell.notices)
    assert shell.notices[0].actions[0] is Action.LOAD_WITHOUT_DRAFT
    assert shell.chat.isVisible()
    shell.press(Action.LOAD_WITHOUT_DRAFT)
    shell.wait(lambda: shell.loaded)
    assert shell.client.loads[-1].draft is None
    assert shell.client.loads[-1].target == "/m/big.gguf"
    assert not shell.notices


def test_wrong_draft_leaves_the_pair_alone(shell: Shell) -> None:
    """A draft whose file is wrong is refused before the loaded pair is given up, which goes on writing."""
    shell.load()
    shell.client.refuse_next(ErrorKind.DRAFT_VOCABULARY, target="t.gguf", draft="d.gguf", difference="size")
    shell.pairs.open(replace(tapes.REQUEST, draft="/m/other.gguf"))
    shell.wait(lambda: shell.notices)
    assert len(shell.client.loads) == 1
    assert shell.ask("Hello").fold.end is EndReason.STOP
    shell.press(Action.DISMISS)
    assert not shell.notices
    assert shell.pairs.request == tapes.REQUEST


def test_target_refused(shell: Shell) -> None:
    """A file that is no model is refused with its name, and another can be chosen."""
    shell.client.load_next(tapes.failing(ErrorKind.NOT_GGUF, path="/m/page.gguf"))
    shell.pairs.open(replace(tapes.REQUEST, target="/m/page.gguf", draft=None))
    shell.wait(lambda: shell.notices)
    assert "page.gguf" in titles(shell)[0]
    assert shell.notices[0].actions == (Action.OPEN_FILES, Action.DETAILS)
    assert shell.pairs.pair is None


def test_starter_pair_that_fails() -> None:
    """Where the starter pair cannot be made it can be tried again, or other files opened."""
    notice = load_notice(Refusal(ErrorReport(ErrorKind.DISK_FULL, (("path", "/m"),)), None), None)
    assert notice.actions == (Action.LOAD_STARTER, Action.OPEN_FILES, Action.DETAILS)


def test_out_of_memory(shell: Shell) -> None:
    """Memory that runs out at a load leads to the load options, filled with the refused pair."""
    shell.client.load_next(tapes.failing(ErrorKind.OUT_OF_MEMORY, path="/m/big.gguf"))
    shell.pairs.open(replace(tapes.REQUEST, ctx=32_768))
    shell.wait(lambda: shell.notices)
    assert titles(shell) == ["There is not enough memory"]
    shell.press(Action.LOAD_OPTIONS)
    dialog = shell.open_dialog()
    assert dialog.target.path == tapes.REQUEST.target
    dialog.reject()


def test_a_pair_that_does_not_fit(shell: Shell) -> None:
    """Before a load that would not fit what is loaded stays, and a card offers what fits, with one click."""
    shell.load()
    shell.desk.models = "llama-8b", "llama-1b-tied"
    shell.desk.now = machine(card(24 * GIB, 9 * GIB, name="RTX 4070"))
    shell.pairs.open(replace(tapes.REQUEST, ctx=32_768))
    shell.wait(lambda: shell.notices)
    assert titles(shell) == ["This does not fit into memory"]
    assert shell.pairs.request == tapes.REQUEST
    assert len(shell.client.loads) == 1
    offered = (Action.LOAD_REMEDY, Action.LOAD_ANYWAY, Action.LOAD_OPTIONS, Action.DISMISS)
    assert shell.notices[0].actions == offered
    button = shell.chat.notices.button(Action.LOAD_REMEDY)
    assert button is not None
    assert "Use a context of" in button.text()
    shell.press(Action.LOAD_REMEDY)
    shell.wait(lambda: len(shell.client.loads) == 2 and shell.loaded)
    assert not shell.notices
    used = shell.client.loads[1].ctx
    assert used is not None
    assert used < 32_768
    assert shell.pairs.forecast is not None
    assert shell.pairs.forecast.verdict is Verdict.FITS


def test_a_pair_that_does_not_fit_anyway(shell: Shell) -> None:
    """The user may overrule it; the question comes again before the next load."""
    shell.desk.models = "llama-8b", "llama-1b-tied"
    shell.desk.now = machine(card(24 * GIB, 9 * GIB, name="RTX 4070"))
    wanted = replace(tapes.REQUEST, ctx=32_768)
    shell.pairs.open(wanted)
    shell.wait(lambda: shell.notices)
    shell.press(Action.LOAD_ANYWAY)
    shell.wait(lambda: shell.loaded)
    assert shell.client.loads == [wanted]
    shell.pairs.open(wanted)
    shell.wait(lambda: shell.notices)
    assert len(shell.client.loads) == 1


def test_a_load_that_was_given_up_says_nothing(shell: Shell) -> None:
    """What would have fitted of one pair is not offered for another, and a cancelled load asks nothing."""
    shell.desk.models = "llama-8b", "llama-1b-tied"
    shell.desk.now = machine(card(24 * GIB, 9 * GIB, name="RTX 4070"))
    shell.desk.gate.clear()
    shell.pairs.open(replace(tapes.REQUEST, ctx=32_768))
    shell.pairs.cancel()
    shell.desk.gate.set()
    shell.wait(lambda: shell.pairs.loading is None)
    assert shell.pairs.refusal is None
    assert shell.pairs.remedy is None


def test_memory_that_runs_out_while_writing(shell: Shell) -> None:
    """The text so far stays, the figures are told, and a click loads the pair with less."""
    shell.desk.models = "llama-8b", "llama-1b-tied"
    shell.desk.now = machine(card(24 * GIB, name="RTX 4070"))
    shell.load()
    begun = tapes.reply("There was once a lighthouse at the end of a long pier.")
    shell.client.play_next((*begun[:-1], *tapes.failing(ErrorKind.OUT_OF_MEMORY, stage="decode")))
    reply = shell.ask("Go on")
    assert reply.text
    assert titles(shell) == ["There is not enough memory"]
    assert "This takes less: " in shell.notices[0].text
    shell.press(Action.LOAD_REMEDY)
    shell.wait(lambda: len(shell.client.loads) == 2 and shell.loaded)
    assert shell.pairs.remedy is None


def test_context_full(shell: Shell) -> None:
    """A reply that ends with the context says so and offers a longer one."""
    shell.load()
    shell.client.play_next(tapes.reply("Cut here", reason=EndReason.CONTEXT, prompt_tokens=8_188))
    shell.ask("Go on")
    assert titles(shell) == ["The context is full"]
    assert "8,188" in shell.notices[0].text
    assert shell.notices[0].actions == (Action.LOAD_OPTIONS,)


def test_oldest_messages_dropped(shell: Shell) -> None:
    """Requests allow trimming, and a card says how many of the oldest messages were not sent."""
    shell.load()
    shell.client.play_next(tapes.reply("Short.", dropped_messages=4))
    shell.ask("Hello")
    assert shell.client.requests[-1].trim_oldest
    assert titles(shell) == ["The conversation is longer than the context (8,192 tokens)"]
    assert shell.notices[0].text.startswith("The 4 oldest messages were not sent")


def test_engine_death_in_a_reply(shell: Shell) -> None:
    """The text so far stays, the pair comes back by itself, and the reply can be written again."""
    shell.load()
    whole = tapes.reply("The rain fell on the town and on the sea. " * 4)
    shell.client.play_next(tapes.crashing(whole, 4), whole)
    reply = shell.send("A story")
    shell.wait(lambda: shell.replies.writing is None and shell.loaded)
    tokens = reply.fold.stats.completion_tokens
    assert reply.text
    assert titles(shell) == ["The engine stopped unexpectedly"]
    assert shell.notices[0].text == (
        f"It was started again and the pair is ready. The reply was cut after {tokens} tokens; nothing else is lost."
    )
    assert len(shell.client.loads) == 2
    seed = shell.client.requests[-1].sampling.seed
    shell.press(Action.WRITE_AGAIN)
    shell.wait_for_end()
    assert shell.client.requests[-1].sampling.seed == seed
    assert shell.conversation.last_reply is not reply
    assert not shell.notices


def test_engine_death_while_idle(shell: Shell) -> None:
    """A death between two replies is mended silently, and the next message works."""
    shell.load()
    shell.ask("Hello")
    shell.client.kill()
    shell.wait(lambda: len(shell.client.loads) == 2 and shell.loaded)
    assert not shell.notices
    assert shell.ask("Again").fold.end is EndReason.STOP


def test_engine_that_dies_again_and_again(shell: Shell) -> None:
    """An engine that dies before it wrote anything is not started a third time without being asked."""
    shell.load()
    shell.client.kill()
    shell.wait(lambda: len(shell.client.loads) == 2 and shell.loaded)
    shell.client.kill()
    shell.wait(lambda: shell.notices)
    assert len(shell.client.loads) == 2
    assert "SIGABRT" in shell.notices[0].text
    assert "Load the pair again" in shell.notices[0].text
    assert shell.notices[0].actions[0] is Action.LOAD_AGAIN
    shell.press(Action.DETAILS)
    assert "the engine was killed" in shell.details_text()
    shell.press(Action.LOAD_AGAIN)
    shell.wait(lambda: shell.loaded)


def test_engine_death_in_a_load(shell: Shell) -> None:
    """A load that takes the engine along says what it died of, and can be tried again."""
    shell.client.load_next((*tapes.loading()[:5], tapes.Crash()))
    shell.pairs.open(tapes.REQUEST)
    shell.wait(lambda: shell.notices)
    assert "SIGABRT" in shell.notices[0].text
    assert shell.notices[0].actions[0] is Action.LOAD_AGAIN
    shell.press(Action.LOAD_AGAIN)
    shell.wait(lambda: shell.loaded)


@pytest.mark.parametrize(
    ("kind", "action", "chat_format"),
    [
        (ErrorKind.NO_CHAT_TEMPLATE, Action.USE_CHATML, "chatml"),
        (ErrorKind.CHAT_TEMPLATE_BROKEN, Action.USE_PLAIN, "plain"),
    ],
)
def test_chat_template(shell: Shell, kind: ErrorKind, action: Action, chat_format: str) -> None:
    """Without a usable template the user chooses a format; the reply is tried again, and the choice stays."""
    shell.load()
    shell.client.play_next(tapes.failing(kind, model="base", reason="unknown filter"), tapes.reply("Fine."))
    shell.ask("Hello")
    assert shell.notices[0].actions[:2] == (Action.USE_CHATML, Action.USE_PLAIN)
    shell.press(action)
    shell.wait_for_end()
    assert shell.conversation.last_reply is not None
    assert shell.conversation.last_reply.text == "Fine."
    assert [turn.text for turn in shell.conversation.turns] == ["Hello", "Fine."]
    shell.ask("More")
    assert [request.chat_format.value for request in shell.client.requests] == ["model", chat_format, chat_format]


def test_details_of_an_error(shell: Shell) -> None:
    """Details shows the log's tail and the machine, and nothing that was said in the chat."""
    shell.load()
    shell.client.play_next(tapes.crashing(tapes.reply("Secret words in the reply. " * 4), 2))
    shell.ask("a secret question")
    shell.press(Action.DETAILS)
    text = shell.details_text()
    assert "GGML_ASSERT" in text
    assert "engine_died" in text
    assert "0.3.36" in text
    assert "ecret" not in text
