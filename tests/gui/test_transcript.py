"""The conversation as a whole: following it, scrolling, the figures, the prompt."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from PySide6.QtCore import QEvent, QObject, QPoint, QPointF, Qt
from PySide6.QtGui import QFontInfo, QGuiApplication, QTextCursor, QWheelEvent
from PySide6.QtWidgets import QApplication, QLabel
from pytestqt.qtbot import QtBot

from app.conversation import Conversation
from engine.errors import ErrorKind, ErrorReport
from engine.protocol import Failed, Finished, PrefillProgress
from engine.types import EndReason
from tests.fakes import tapes
from tests.gui.chats import (
    REQUEST,
    add_reply,
    conversation,
    finish,
    one_round,
    reply_view,
    running,
    settled,
    shown,
    tokens,
)
from tests.gui.shell import ignore_platform
from ui.fonts import FOLDER, code_font, text_font
from ui.hover_card import HoverCard
from ui.legend import ViewMode
from ui.message_box import MOST_LINES, MessageBox
from ui.state_card import StateCard, Tone
from ui.text_view import TextView
from ui.transcript import Transcript

pytestmark = ignore_platform

LONG = "A line of the reply.\n" * 120


class PaintCount(QObject):
    """Counts how often the widgets it watches are painted."""

    def __init__(self) -> None:
        super().__init__()
        self.paints = 0

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        self.paints += event.type() is QEvent.Type.Paint
        return False


def bar_value(transcript: Transcript) -> int:
    return transcript.stack.verticalScrollBar().value()


def at_end(transcript: Transcript) -> bool:
    return bar_value(transcript) == transcript.stack.verticalScrollBar().maximum()


def wheel(transcript: Transcript, notches: int) -> None:
    """Turn the wheel over the conversation; up is positive."""
    viewport = transcript.stack.viewport()
    place = QPointF(viewport.rect().center())
    event = QWheelEvent(
        place,
        viewport.mapToGlobal(place),
        QPoint(),
        QPoint(0, 120 * notches),
        Qt.MouseButton.NoButton,
        Qt.KeyboardModifier.NoModifier,
        Qt.ScrollPhase.NoScrollPhase,
        False,
    )
    QApplication.sendEvent(viewport, event)


# Following


def test_turns_and_tokens_appear_by_themselves(qtbot: QtBot) -> None:
    """What is added to the conversation is shown without being asked for, several tokens to an event."""
    made = Conversation()
    transcript = shown(qtbot, made)
    made.add_user("How many?")
    made.begin_reply("Target 7B", REQUEST)
    text = "Twelve ships came home, and one did not."
    for event in tapes.reply(text):
        made.add_event(event)
    settled(qtbot, transcript)
    assert [view.heading()[0] for view in transcript.stack.views] == ["You", "Assistant"]
    view = reply_view(transcript).tokens
    assert view.flow.slice(0, view.flow.length) == text
    assert len(view.starts) == len(made.turns[1].fold.tokens)


def test_paints_are_coalesced(qtbot: QtBot) -> None:
    """A thousand events in a row are painted a few times, not a thousand times."""
    made = running()
    transcript = shown(qtbot, made)
    settled(qtbot, transcript)
    count = PaintCount()
    reply_view(transcript).tokens.installEventFilter(count)
    for number in range(1_000):
        made.add_event(one_round(tokens(f" {number}")))
        QApplication.sendPostedEvents()
    settled(qtbot, transcript)
    assert 1 <= count.paints < 100


def test_writing_again_replaces_the_reply(qtbot: QtBot) -> None:
    """A dropped reply leaves, the new one takes its place, and the question stays the same widget."""
    made = conversation("The first answer.")
    transcript = shown(qtbot, made)
    settled(qtbot, transcript)
    question = transcript.stack.views[0]
    made.drop_last_reply()
    made.begin_reply("Target 7B", REQUEST)
    for event in tapes.reply("The second."):
        made.add_event(event)
    settled(qtbot, transcript)
    assert len(transcript.stack.views) == 2
    assert transcript.stack.views[0] is question
    assert reply_view(transcript).turn.text == "The second."


def test_another_conversation_is_shown_from_its_end(qtbot: QtBot) -> None:
    """Opening a conversation shows its last lines; the one before is no longer followed."""
    first, second = conversation("One."), conversation(LONG, LONG)
    transcript = shown(qtbot, first)
    transcript.show_conversation(second)
    settled(qtbot, transcript)
    assert at_end(transcript)
    add_reply(first, "Two.")
    settled(qtbot, transcript)
    assert len(transcript.stack.views) == 4


def test_only_what_is_visible_is_laid_out_on_opening(qtbot: QtBot) -> None:
    """Of 200 turns, a handful are laid out at once; the others wait for idle time."""
    made = conversation(*("A short answer.\n\nWith two paragraphs." for _ in range(100)))
    transcript = shown(qtbot, Conversation())
    transcript.show_conversation(made)
    assert len(transcript.stack.views) == 200
    assert sum(view.filled for view in transcript.stack.views) < 30
    settled(qtbot, transcript)
    assert all(view.filled for view in transcript.stack.views)


def test_prefill_is_told_beside_the_name(qtbot: QtBot) -> None:
    """While the prompt is read, the heading of the reply says how far it is."""
    made = Conversation()
    made.add_user("Read this.")
    made.begin_reply("Target 7B", REQUEST)
    transcript = shown(qtbot, made)
    made.add_event(PrefillProgress(1, 512, 2048))
    assert reply_view(transcript).heading() == ("Assistant", "Target 7B    reading the prompt: 512 of 2,048 tokens")


# Scrolling


def test_the_end_stays_in_sight(qtbot: QtBot) -> None:
    """At the end of the conversation, new lines keep the end in sight."""
    made = running(one_round(tokens(LONG)))
    transcript = shown(qtbot, made, height=500)
    settled(qtbot, transcript)
    for _ in range(5):
        made.add_event(one_round(tokens("and\nanother\nline\n")))
        settled(qtbot, transcript)
        assert at_end(transcript)


def test_a_reader_above_is_left_alone(qtbot: QtBot) -> None:
    """Who has scrolled up stays where he is while tokens arrive, until he goes back to the end."""
    made = running(one_round(tokens(LONG)))
    transcript = shown(qtbot, made, height=500)
    settled(qtbot, transcript)
    wheel(transcript, 5)
    place = bar_value(transcript)
    assert not at_end(transcript)
    made.add_event(one_round(tokens("and\nanother\nline\n")))
    settled(qtbot, transcript)
    assert bar_value(transcript) == place
    while not at_end(transcript):
        wheel(transcript, -5)
    made.add_event(one_round(tokens("and\nanother\nline\n")))
    settled(qtbot, transcript)
    assert at_end(transcript)


def test_sending_returns_to_the_end(qtbot: QtBot) -> None:
    """The user's own message is always brought into sight."""
    made = conversation(LONG)
    transcript = shown(qtbot, made, height=500)
    transcript.box.set_ready(True)
    transcript.send_requested.connect(made.add_user)
    settled(qtbot, transcript)
    wheel(transcript, 20)
    transcript.box.set_text("Next question")
    qtbot.keyClick(transcript.box.edit, Qt.Key.Key_Return)
    settled(qtbot, transcript)
    assert at_end(transcript)


@pytest.mark.parametrize("mode", list(ViewMode))
def test_what_is_read_stays_when_heights_become_known(qtbot: QtBot, mode: ViewMode) -> None:
    """Scrolling up through turns that nobody has laid out yet does not make the text jump."""
    made = conversation(*(f"Answer {number}.\n\n" + "Some words. " * 80 for number in range(40)))
    transcript = shown(qtbot, made, height=500)
    transcript.set_mode(mode)
    settled(qtbot, transcript)
    for _ in range(4):
        wheel(transcript, 10)
    views = transcript.stack.views
    seen = next(view for view in views if view.visibleRegion().boundingRect().height() > 50)
    before = seen.mapTo(transcript, QPoint(0, 0)).y()
    settled(qtbot, transcript)
    assert seen.mapTo(transcript, QPoint(0, 0)).y() == before


def test_the_line_at_the_top_survives_resizing(qtbot: QtBot) -> None:
    """After the window has become narrower, the line that was at the top is there again."""
    made = conversation("".join(f"Paragraph {number}: " + "words " * 40 + "\n\n" for number in range(40)))
    transcript = shown(qtbot, made, width=900, height=500)
    settled(qtbot, transcript)
    wheel(transcript, 10)
    view = reply_view(transcript).tokens

    def top_offset() -> int:
        return view.anchor(view.mapFrom(transcript.stack.viewport(), QPoint(0, 0)).y())[0]

    before, height = top_offset(), view.height()
    transcript.resize(640, 500)
    settled(qtbot, transcript)
    assert view.height() > height
    assert top_offset() == before


# Figures


@pytest.mark.parametrize(
    ("reason", "words"),
    [
        (EndReason.STOP, ""),
        (EndReason.CANCELLED, "stopped after 9 tokens"),
        (EndReason.LENGTH, "ended at its limit of 9 tokens"),
        (EndReason.CONTEXT, "ended where the context is full"),
    ],
)
def test_figures_below_a_reply(qtbot: QtBot, reason: EndReason, words: str) -> None:
    """Below a finished reply stand its speed, what was accepted, its first token, its seed, and how it ended."""
    made = Conversation()
    made.add_user("Count.")
    made.begin_reply("Target 7B", REQUEST)
    for event in tapes.reply("one two three four five six seven eight.", kept=(4,), reason=reason):
        made.add_event(event)
    transcript = shown(qtbot, made)
    settled(qtbot, transcript)
    figures = reply_view(transcript).figures
    assert figures is not None
    parts = figures.words.split("    ")
    assert parts[0].endswith(" tok/s")
    assert parts[1:5] == ["100 % accepted", "4.5 tokens a round", "first token 0.21 s", "seed 0"]
    assert parts[5:] == ([words] if words else [])


def test_a_reply_that_was_stopped_before_its_first_token_names_no_time_and_no_speed(qtbot: QtBot) -> None:
    """What the engine measured until the stop is no first token's time, and nothing is set in bold."""
    made = Conversation()
    made.add_user("Count.")
    made.begin_reply("Target 7B", REQUEST)
    made.add_event(Finished(1, EndReason.CANCELLED, "", 0.36, 0.0))
    transcript = shown(qtbot, made)
    settled(qtbot, transcript)
    figures = reply_view(transcript).figures
    assert figures is not None
    assert figures.words == "stopped after 0 tokens"
    assert "<b" not in figures.label.text()


def test_a_broken_reply_says_so(qtbot: QtBot) -> None:
    """Below a reply that an error ended stands what happened, and its text is still there."""
    made = running(one_round(tokens("Once", " upon")))
    transcript = shown(qtbot, made)
    made.add_event(Failed(1, ErrorReport(ErrorKind.ENGINE_DIED)))
    settled(qtbot, transcript)
    view = reply_view(transcript)
    assert view.figures is not None
    assert "stopped unexpectedly" in view.figures.words
    assert view.tokens.flow.slice(0, view.tokens.flow.length) == "Once upon"


def test_copy_and_again(qtbot: QtBot) -> None:
    """Copy puts the source on the clipboard; Again is offered below the last reply only and names its place."""
    transcript = shown(qtbot, conversation("**One**", "Two"))
    settled(qtbot, transcript)
    first, last = reply_view(transcript, 1).figures, reply_view(transcript, 3).figures
    assert first is not None
    assert last is not None
    with qtbot.waitSignal(transcript.copy_requested) as copied:
        first.copy.click()
    assert copied.args == ["**One**"]
    assert QGuiApplication.clipboard().text() == "**One**"
    assert not first.again.isVisible()
    with qtbot.waitSignal(transcript.again_requested) as again:
        last.again.click()
    assert again.args == [3]


def test_nothing_can_be_done_with_a_reply_that_is_written(qtbot: QtBot) -> None:
    """Figures and buttons come with the end of a reply, not before."""
    made = running(one_round(tokens("One")))
    transcript = shown(qtbot, made)
    settled(qtbot, transcript)
    assert reply_view(transcript).figures is None
    finish(made)
    settled(qtbot, transcript)
    assert reply_view(transcript).figures is not None


def test_empty_reply_offers_no_copy(qtbot: QtBot) -> None:
    """A reply without text can be written again, but there is nothing to copy."""
    made = running()
    finish(made)
    transcript = shown(qtbot, made)
    settled(qtbot, transcript)
    figures = reply_view(transcript).figures
    assert figures is not None
    assert figures.copy.isHidden()
    assert figures.again.isVisible()


# The prompt


@pytest.fixture
def box(qtbot: QtBot) -> MessageBox:
    made = MessageBox()
    qtbot.addWidget(made)
    made.resize(500, 60)
    made.set_ready(True)
    made.show()
    return made


def test_enter_sends_and_shift_enter_adds_a_line(qtbot: QtBot, box: MessageBox) -> None:
    """Enter sends what was typed, as it was typed, and empties the box."""
    qtbot.keyClicks(box.edit, "one")
    qtbot.keyClick(box.edit, Qt.Key.Key_Return, Qt.KeyboardModifier.ShiftModifier)
    qtbot.keyClicks(box.edit, "two")
    with qtbot.waitSignal(box.send_requested) as sent:
        qtbot.keyClick(box.edit, Qt.Key.Key_Return)
    assert sent.args == ["one\ntwo"]
    assert box.text == ""


def test_nothing_is_not_sent(qtbot: QtBot, box: MessageBox) -> None:
    """White space alone is not a message, and the button says so by being disabled."""
    qtbot.keyClicks(box.edit, "   ")
    assert not box.button.isEnabled()
    with qtbot.assertNotEmitted(box.send_requested):
        qtbot.keyClick(box.edit, Qt.Key.Key_Return)
    assert box.text == "   "


def test_stop_takes_the_place_of_send(qtbot: QtBot, box: MessageBox) -> None:
    """While a reply is written, the button and Escape stop it, and Enter keeps what is typed."""
    box.set_writing(True)
    assert box.button.text() == "Stop"
    assert box.button.isEnabled()
    with qtbot.waitSignal(box.stop_requested):
        box.button.click()
    with qtbot.waitSignal(box.stop_requested):
        qtbot.keyClick(box.edit, Qt.Key.Key_Escape)
    qtbot.keyClicks(box.edit, "next")
    with qtbot.assertNotEmitted(box.send_requested):
        qtbot.keyClick(box.edit, Qt.Key.Key_Return)
    assert box.text == "next"
    box.set_writing(False)
    assert box.button.text() == "Send"
    with qtbot.assertNotEmitted(box.stop_requested):
        qtbot.keyClick(box.edit, Qt.Key.Key_Escape)


def test_the_box_follows_the_reply(qtbot: QtBot) -> None:
    """The button shows Stop exactly while the last reply is running."""
    made = running()
    transcript = shown(qtbot, made)
    settled(qtbot, transcript)
    assert transcript.box.button.text() == "Stop"
    made.add_event(Finished(1, EndReason.STOP, "", 0.1, 1.0))
    settled(qtbot, transcript)
    assert transcript.box.button.text() == "Send"


def test_the_box_grows_to_eight_lines(qtbot: QtBot, box: MessageBox) -> None:
    """Each line adds its height, up to eight; then the box scrolls."""
    heights = []
    for _ in range(MOST_LINES + 4):
        heights.append(box.edit.height())
        qtbot.keyClick(box.edit, Qt.Key.Key_Return, Qt.KeyboardModifier.ShiftModifier)
    assert heights[:MOST_LINES] == sorted(set(heights[:MOST_LINES]))
    assert len(set(heights[MOST_LINES - 1 :])) == 1


def test_no_part_of_a_line_is_shown_below_the_last(box: MessageBox) -> None:
    """Of a text that goes on, nothing is painted in the room under the eighth line."""
    box.edit.setPlainText("\n".join("█" * 20 for _ in range(MOST_LINES + 4)))
    box.edit.moveCursor(QTextCursor.MoveOperation.Start)
    shown = box.edit.grab().toImage()
    ratio = shown.devicePixelRatio()
    below = round((box.edit.height() - 3) * ratio)
    colours = {shown.pixelColor(x, below).rgba() for x in range(round(20 * ratio), round(60 * ratio))}
    middle = {shown.pixelColor(x, below // 2).rgba() for x in range(round(20 * ratio), round(60 * ratio))}
    assert len(colours) == 1
    assert colours != middle


def test_pasted_styles_are_dropped(qtbot: QtBot, box: MessageBox) -> None:
    """Pasting takes the plain text of what is on the clipboard."""
    data = QGuiApplication.clipboard()
    data.setText("plain")
    qtbot.keyClick(box.edit, Qt.Key.Key_V, Qt.KeyboardModifier.ControlModifier)
    assert box.text == "plain"


# Parts


def test_legend_marks_sources_as_tokens_are_marked(qtbot: QtBot) -> None:
    """The strip names the four marks and switches the view; the switch shows the present mode."""
    transcript = shown(qtbot, conversation("Text."))
    legend = transcript.legend
    assert [chip.accessibleName() for chip in legend.chips.values()] == ["accepted", "resampled", "bonus", "lookup"]
    with qtbot.waitSignal(transcript.mode_chosen) as chosen:
        legend.rendered.click()
    assert chosen.args == [ViewMode.RENDERED]
    transcript.set_mode(ViewMode.TOKENS)
    assert legend.tokens.isChecked()


def test_notices_stand_above_the_prompt(qtbot: QtBot) -> None:
    """A widget of the program's own stands between the conversation and the prompt."""
    transcript = shown(qtbot, conversation("Text."))
    notice = QLabel("Attention")
    transcript.insert_above_prompt(notice)
    settled(qtbot, transcript)
    qtbot.waitUntil(lambda: notice.geometry().bottom() < transcript.box.geometry().top())
    assert notice.geometry().top() >= transcript.stack.geometry().bottom()


@pytest.mark.usefixtures("qapp")
def test_fonts_are_bundled() -> None:
    """The fonts of text and code come with the program, each beside its licence, and hold every weight in use."""
    for font in (text_font(15), text_font(15, strong=True), text_font(15, italic=True), code_font(13)):
        found = QFontInfo(font)
        assert (found.family(), found.weight(), found.italic()) == (font.family(), font.weight(), font.italic())
    for name in ("Inter", "JetBrainsMono"):
        assert "SIL OPEN FONT LICENSE" in (FOLDER / f"{name}-OFL.txt").read_text()


def test_state_card_says_and_offers(qtbot: QtBot) -> None:
    """A card shows its title, text and buttons, tells which was pressed, and has names for readers."""
    card = StateCard("The engine stopped", "Nothing is lost.", ("Continue", "Details"), Tone.WARNING)
    qtbot.addWidget(card)
    card.show()
    with qtbot.waitSignal(card.clicked) as clicked:
        card.buttons[1].click()
    assert clicked.args == [1]
    assert (card.accessibleName(), card.accessibleDescription()) == ("The engine stopped", "Nothing is lost.")


def test_wrapped_selection_dragged_outside_scrolls(qtbot: QtBot) -> None:
    """Dragging a selection beyond the window's edge scrolls the conversation."""
    transcript = shown(qtbot, conversation(LONG), height=500)
    settled(qtbot, transcript)
    view = reply_view(transcript).tokens
    viewport = transcript.stack.viewport()
    start = view.mapFrom(viewport, QPoint(60, 100))
    before = bar_value(transcript)
    qtbot.mousePress(view, Qt.MouseButton.LeftButton, pos=start)
    qtbot.mouseMove(view, view.mapFrom(viewport, QPoint(60, -60)))
    qtbot.mouseRelease(view, Qt.MouseButton.LeftButton)
    assert bar_value(transcript) < before
    assert view.selected_text()


@pytest.mark.parametrize("part", [HoverCard, TextView])
def test_parts_can_stand_alone(qtbot: QtBot, part: Callable[[QLabel], HoverCard | TextView]) -> None:
    """The card and the text view need nothing but a parent."""
    parent = QLabel()
    qtbot.addWidget(parent)
    assert part(parent).parent() is parent


@pytest.mark.parametrize(("buttons", "below"), [(2, False), (4, True)])
def test_many_buttons_of_a_card_leave_the_words_their_room(qtbot: QtBot, buttons: int, below: bool) -> None:
    """Two buttons stand beside the words, four below them."""
    card = StateCard("Title", "Some words about what can be done.", ["A button"] * buttons)
    qtbot.addWidget(card)
    card.resize(560, 120)
    with qtbot.waitExposed(card):
        card.show()
    words = next(label for label in card.findChildren(QLabel) if label.text() == "Title")
    qtbot.waitUntil(lambda: (card.buttons[0].y() > words.geometry().bottom()) is below)
    assert words.width() > 250
