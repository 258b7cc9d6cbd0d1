"""Tokens of a reply: where they are tinted, what their card says, how they are reached, selected and copied."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QColor, QGuiApplication, QImage
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from app.conversation import Conversation
from engine.types import MAX_MATCH, Rejected, Source, TokenEvent
from tests.gui.chats import conversation, finish, one_round, pixel, reply_view, running, settled, shown, token, tokens
from tests.gui.shell import ignore_platform
from ui.hover_card import card_text, quoted, share
from ui.provenance import Mark
from ui.theme import DARK, LIGHT, ThemeChoice, theme, theme_notifier
from ui.token_view import TokenView

pytestmark = ignore_platform

MIXED = [
    token("Here", Source.ACCEPTED, index=0),
    token(" is", Source.RESAMPLED, index=1, rejected=Rejected(9, " was", 0.09, 0.44), position=1),
    token(" a", Source.BONUS, index=2, q=None),
    token(" text", Source.PLAIN, index=3, q=None),
    token("\n\n", Source.ACCEPTED, index=4),
    token("More", Source.ACCEPTED, index=5),
    token(" of it", Source.ACCEPTED, index=6, q=1.0, match=9),
]


@pytest.fixture(autouse=True)
def _light() -> None:
    theme_notifier().choose(ThemeChoice.LIGHT)


def token_view(qtbot: QtBot, found: list[TokenEvent], width: int = 700) -> TokenView:
    """A view of these tokens on the screen."""
    view = TokenView()
    qtbot.addWidget(view)
    view.set_width(width)
    view.show_tokens(found)
    view.settle()
    with qtbot.waitExposed(view):
        view.show()
    view.setFocus()
    view.selection_dragged.connect(lambda place: view.select(view.anchor_offset, offset_below(view, place)))
    return view


def offset_below(view: TokenView, place: QPoint) -> int:
    return view.offset_at(view.mapFromGlobal(place).toPointF())


def picture(view: TokenView) -> QImage:
    return view.grab().toImage()


# Tints


def test_each_source_has_its_tint(qtbot: QtBot) -> None:
    """Behind accepted, resampled, bonus and lookup tokens lies their colour; behind plain ones lies nothing."""
    view = token_view(qtbot, MIXED)
    image = picture(view)
    assert pixel(view, image, 6, dx=10) == QColor(LIGHT.lookup)
    seen = [pixel(view, image, index) for index in range(4)]
    assert seen[:3] == [QColor(LIGHT.accepted), QColor(LIGHT.resampled), QColor(LIGHT.bonus)]
    assert seen[3] not in seen[:3]


def test_lines_tell_sources_apart_without_colour(qtbot: QtBot) -> None:
    """Under bonus tokens runs a solid line, under resampled ones a wave, under lookup ones dots, elsewhere none."""
    view = token_view(qtbot, MIXED)
    image = picture(view)

    def line_pixels(index: int, colour: str) -> int:
        area = view.token_area(index)
        rows = range(area.bottom() - 3, area.bottom() + 3)
        columns = range(area.left() + 2, area.right() - 1)
        wanted = QColor(colour)
        return sum(any(_near(image.pixelColor(x, y), wanted) for y in rows) for x in columns)

    bonus, width = line_pixels(2, LIGHT.bonus_line), view.token_area(2).width()
    assert bonus >= width - 5
    assert line_pixels(1, LIGHT.resampled_line) > 2
    dots, width = line_pixels(6, LIGHT.lookup_line), view.token_area(6).width()
    assert width / 3 < dots < width * 2 / 3
    assert line_pixels(0, LIGHT.bonus_line) == line_pixels(0, LIGHT.resampled_line) == 0


def _near(one: QColor, other: QColor) -> bool:
    return all(abs(a - b) < 60 for a, b in zip(one.getRgb()[:3], other.getRgb()[:3], strict=True))


def test_spaces_in_front_are_not_tinted(qtbot: QtBot) -> None:
    """A token's leading space belongs to it, for the mouse, but has no tint."""
    view = token_view(qtbot, tokens("One", " two"))
    first, second = (box for box in view.boxes(0))
    assert first.tint is not None
    assert second.tint is not None
    assert second.area.left() == pytest.approx(first.area.right())
    assert second.tint.left() > second.area.left() + 1
    gap = picture(view).pixelColor(round(view.token_area(1).left()) - 1, round(view.token_area(1).center().y()))
    assert gap != QColor(LIGHT.accepted)


def test_white_space_alone_has_no_tint(qtbot: QtBot) -> None:
    """Indentation and line ends are tokens without a tint."""
    view = token_view(qtbot, tokens("a", "    ", "b", "\n", "c"))
    tinted = {box.token for index in range(len(view.flow.pieces)) for box in view.boxes(index) if box.tint}
    assert tinted == {0, 2, 4}


def test_tints_cover_the_text_token_by_token(qtbot: QtBot) -> None:
    """On every line the tokens' areas follow one another without gap or overlap, also where lines wrap."""
    view = token_view(qtbot, tokens(*(f" word{number}" for number in range(400))), width=300)
    assert len(view.flow.pieces) > 3
    met = set()
    for index in range(len(view.flow.pieces)):
        boxes = view.boxes(index)
        for before, after in pairwise(boxes):
            if before.area.top() == after.area.top():
                assert after.area.left() == pytest.approx(before.area.right())
        met |= {box.token for box in boxes}
    assert met == set(range(400))


def test_parts_of_an_emoji_share_its_width(qtbot: QtBot) -> None:
    """An emoji that came in three tokens is one sign, and each token has its share of it."""
    view = token_view(qtbot, tokens("x", "👩", "\u200d", "🚀", " y"))
    areas = {box.token: box.area for box in view.boxes(0)}
    assert all(areas[index].width() > 0 for index in (1, 2, 3))
    assert areas[1].right() == pytest.approx(areas[2].left())
    assert areas[3].right() == pytest.approx(areas[4].left())
    layout = view.flow.pieces[0].layout
    assert layout is not None
    assert layout.lineAt(0).cursorToX(6)[0] == pytest.approx(areas[3].right())  # x, four units, one, two


def test_fences_step_back(qtbot: QtBot) -> None:
    """The lines that open and close code have no tint; the code between them does."""
    view = token_view(qtbot, tokens("```", "py", "\n", "x", " =", " 1", "\n", "```"))
    tinted = {box.token for index in range(len(view.flow.pieces)) for box in view.boxes(index) if box.tint}
    assert tinted == {3, 4, 5}


def test_code_has_syntax_colours_in_front_of_tints(qtbot: QtBot) -> None:
    """A keyword is written in its colour while the tint behind it stays its source's."""
    view = token_view(qtbot, tokens("```", "python", "\n", "return", " x", "\n"))
    image = picture(view)
    area = view.token_area(3)
    columns, rows = range(area.left(), area.right()), range(area.top(), area.bottom())
    colours = {image.pixelColor(x, y).name() for x in columns for y in rows}
    assert LIGHT.accepted in colours
    assert any(QColor(name).hue() > 280 for name in colours)  # purple


def test_another_theme_is_painted_at_once(qtbot: QtBot) -> None:
    """When the theme changes, tints, text and code follow without anything else happening."""
    transcript = shown(qtbot, conversation("Text.\n\n```python\nreturn 1\n```\n"))
    settled(qtbot, transcript)
    view = reply_view(transcript).tokens
    assert pixel(view, picture(view), 0) == QColor(LIGHT.accepted)
    theme_notifier().choose(ThemeChoice.DARK)
    assert pixel(view, picture(view), 0) == QColor(DARK.accepted)
    assert transcript.grab().toImage().pixelColor(5, 200) == QColor(DARK.background)


# Text


def test_tokens_are_shown_whole(qtbot: QtBot) -> None:
    """What the view holds is the text of the tokens, each at its own offset, empty ones included."""
    found = tokens("", "Grüße", "", ", ", "世界", "!", "\n", "👩‍🚀")
    view = token_view(qtbot, found)
    assert view.flow.slice(0, view.flow.length) == "Grüße, 世界!\n👩‍🚀"
    assert view.starts == [0, 0, 5, 5, 7, 9, 10, 11]


def test_a_tail_belongs_to_the_last_token(qtbot: QtBot) -> None:
    """Text that comes with the ending is shown once, and belongs to the last token."""
    made = running(one_round(tokens("a", " b")))
    transcript = shown(qtbot, made)
    finish(made, tail=" </s")
    qtbot.waitUntil(lambda: not transcript.busy)
    view = reply_view(transcript).tokens
    assert view.flow.slice(0, view.flow.length) == "a b </s"
    assert view.token_at(QPointF(view.token_area(1).right() - 2, view.token_area(1).center().y())) == 1


@pytest.mark.usefixtures("qapp")
@given(st.lists(st.text(alphabet="ab \n`é中👩‍🚀\u0301\t\r\x00\u2028\ufffc\u202eש", max_size=6), max_size=40))
def test_any_text_can_be_painted(parts: list[str]) -> None:
    """Whatever characters a model writes, however they are cut into tokens, every token can be found and painted."""
    view = TokenView()
    view.set_width(200)
    found = tokens(*parts)
    for end in range(1, len(found) + 1):
        view.show_tokens(found[:end])
    view.settle()
    view.grab()
    for index in range(len(found)):
        view.token_area(index)
    assert view.flow.slice(0, view.flow.length) == "".join(parts)


# The card


def test_card_of_a_resampled_token() -> None:
    """It names the guess, both probabilities of the guess, the chance to keep it, and the token's own."""
    found = token(" linear", Source.RESAMPLED, p=0.71, rejected=Rejected(7, " fast", 0.09, 0.44), position=2)
    text = card_text(found, 5)
    assert (text.token, text.mark) == ("“linear”", Mark.RESAMPLED)
    assert text.rows == (
        ("Draft guessed", "“fast”"),
        ("q(“fast”) draft", "0.44"),
        ("p(“fast”) target", "0.09"),
        ("chance to keep it, p/q", "0.20"),
        ("p(“linear”) target", "0.71"),
        ("round 1, position 3 of 5", "id 100"),
    )


def test_card_of_an_accepted_token() -> None:
    """The chance to keep a guess is never more than one."""
    text = card_text(token("x", p=0.9, q=0.3), 4)
    assert text.rows[:3] == (("q(“x”) draft", "0.30"), ("p(“x”) target", "0.90"), ("chance to keep it, p/q", "1.00"))


def test_cards_of_the_lookup() -> None:
    """Its q is always one, so the card tells the length of the match instead; p is the chance to keep the guess."""
    kept = card_text(token("x", p=0.9, q=1.0, match=9), 4)
    assert kept.spoken == (
        "“x” lookup; tokens that agreed before it 9; p(“x”) target, its chance 0.90; round 1, position 1 of 4 id 100"
    )
    wrong = token("x", Source.RESAMPLED, p=0.7, q=0.0, rejected=Rejected(7, "y", 0.2, 1.0), match=MAX_MATCH)
    assert card_text(wrong, 4).rows[:4] == (
        ("Lookup guessed", "“y”"),
        ("tokens that agreed before it", "64 or more"),
        ("p(“y”) target, its chance", "0.20"),
        ("p(“x”) target", "0.70"),
    )


def test_cards_without_a_draft() -> None:
    """Bonus and plain tokens say why there is no guess to show."""
    bonus, plain = (card_text(token("x", source, q=None), 4) for source in (Source.BONUS, Source.PLAIN))
    assert [row[0] for row in bonus.rows] == ["p(“x”) target", "round 1, after all 4 guesses"]
    assert [row[0] for row in plain.rows] == ["p(“x”) target", "round 1, no draft"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (" a", "“a”"),
        ("  ", "“␣␣”"),
        ("\n\n", "“⏎⏎”"),
        ("}\n", "“}⏎”"),
        ("\t", "“⇥”"),
        ("", "part of the next character"),
        ("x" * 50, "“" + "x" * 23 + "…”"),
    ],
)
def test_white_space_is_visible_in_quotes(text: str, expected: str) -> None:
    """White space alone, and line ends anywhere, are shown as signs; long tokens are cut."""
    assert quoted(text) == expected


@pytest.mark.parametrize(("p", "expected"), [(0.0, "0.00"), (1.0, "1.00"), (0.2045, "0.20"), (0.0034, "0.003")])
def test_probabilities_keep_a_digit_that_says_something(p: float, expected: str) -> None:
    """Small probabilities are not rounded to nothing."""
    assert share(p) == expected


def hover(qtbot: QtBot, view: TokenView, index: int) -> None:
    """Move the mouse over a token; a first step makes it a move wherever the mouse was before."""
    place = view.token_area(index).center()
    qtbot.mouseMove(view, place - QPoint(1, 0))
    qtbot.mouseMove(view, place)


def test_pointing_shows_the_card(qtbot: QtBot) -> None:
    """The card of the token under the mouse appears beside it, follows the mouse, and leaves with it."""
    transcript = shown(qtbot, running(one_round(MIXED)))
    settled(qtbot, transcript)
    view = reply_view(transcript).tokens
    hover(qtbot, view, 1)
    qtbot.waitUntil(transcript.card.isVisible)
    assert transcript.card.text is not None
    assert transcript.card.text.token == "“is”"
    hover(qtbot, view, 2)
    qtbot.waitUntil(lambda: transcript.card.text is not None and transcript.card.text.token == "“a”")
    qtbot.mouseMove(transcript.box)
    qtbot.waitUntil(lambda: not transcript.card.isVisible())


def test_card_stays_inside_the_window(qtbot: QtBot) -> None:
    """At the right edge the card moves left, so that all of it can be read."""
    transcript = shown(qtbot, conversation("word " * 300), width=500, height=400)
    settled(qtbot, transcript)
    view = reply_view(transcript).tokens
    view.setFocus()
    for _ in range(40):
        qtbot.keyClick(view, Qt.Key.Key_Right)
        assert transcript.rect().contains(transcript.card.geometry())


def test_keyboard_walks_through_tokens(qtbot: QtBot) -> None:
    """Right and Left move from token to token and show each card; Escape closes it; the ends hold."""
    transcript = shown(qtbot, running(one_round(MIXED)))
    settled(qtbot, transcript)
    view = reply_view(transcript).tokens
    view.setFocus()

    def press(key: Qt.Key) -> str | None:
        qtbot.keyClick(view, key)
        card = transcript.card
        return card.text.token if card.isVisible() and card.text is not None else None

    right, left = Qt.Key.Key_Right, Qt.Key.Key_Left
    assert [press(key) for key in (right, right, right, left)] == ["“Here”", "“is”", "“a”", "“is”"]
    assert [press(left), press(left)] == ["“Here”", "“Here”"]
    assert press(Qt.Key.Key_Escape) is None
    assert press(right) == "“is”"
    for _ in range(10):
        press(right)
    assert press(right) == "“of it”"


def test_the_token_cursor_is_brought_into_sight(qtbot: QtBot) -> None:
    """Walking on past the edge of the window scrolls, and the card's token is visible."""
    transcript = shown(qtbot, conversation("word " * 900), height=400)
    settled(qtbot, transcript)
    view = reply_view(transcript).tokens
    view.setFocus()
    view.point_at(0)
    assert transcript.card.isVisible()
    area = view.token_area(0)
    top = view.mapTo(transcript.stack.viewport(), area.topLeft())
    assert transcript.stack.viewport().rect().contains(top)


def test_every_part_is_reached_by_tab(qtbot: QtBot) -> None:
    """Tab goes through the switch, every message, the buttons of a reply and the prompt; each says what it is."""
    transcript = shown(qtbot, conversation("One.", "Two."))
    settled(qtbot, transcript)
    transcript.legend.tokens.setFocus()
    met: list[str] = []
    for _ in range(20):
        widget = QGuiApplication.focusObject()
        assert isinstance(widget, QWidget)
        met.append(widget.accessibleName() or getattr(widget, "text", str)())
        if widget is transcript.box.button or (met.count(met[0]) > 1):
            break
        qtbot.keyClick(widget, Qt.Key.Key_Tab)
    for name in ("You", "Reply of Target 7B", "Copy this reply", "Write this reply again", "Message"):
        assert name in met, met
    assert all(met)


def test_readers_get_the_text(qtbot: QtBot) -> None:
    """A screen reader finds the whole text of a message and of a finished reply."""
    transcript = shown(qtbot, conversation("Twelve ships.", "None."))
    settled(qtbot, transcript)
    texts = [view.text_view.accessibleDescription() for view in transcript.stack.views]
    assert texts == ["A question", "Twelve ships.", "A question", "None."]


# Selecting


def drag(qtbot: QtBot, view: TokenView, first: int, last: int) -> None:
    """From before one token to behind another."""
    start, end = view.token_area(first), view.token_area(last)
    left = Qt.MouseButton.LeftButton
    qtbot.mousePress(view, left, pos=start.topLeft() + (start.bottomLeft() - start.topLeft()) / 2)
    qtbot.mouseMove(view, end.topRight() + (end.bottomRight() - end.topRight()) / 2)
    qtbot.mouseRelease(view, left)


def test_selection_copies_the_source(qtbot: QtBot) -> None:
    """What is dragged over is copied as it was written, with its line ends and its marks."""
    texts = ("One", " **two**", "\n\n", "```", "py", "\n", "x", "\n", "```", "\n", "three")
    transcript = shown(qtbot, running(one_round(tokens(*texts))))
    settled(qtbot, transcript)
    view = reply_view(transcript).tokens
    view.select(3, view.flow.length - 2)
    qtbot.keyClick(view, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    assert QGuiApplication.clipboard().text() == " **two**\n\n```py\nx\n```\nthr"


def test_dragging_selects(qtbot: QtBot) -> None:
    """The mouse selects from where it was pressed to where it is."""
    view = token_view(qtbot, tokens("One", " two", " three", " four"))
    drag(qtbot, view, 1, 2)
    assert view.selected_text().strip() == "two three"


def test_a_selection_runs_over_turns(qtbot: QtBot) -> None:
    """Dragging from one message to another selects the end of one, all between and the beginning of the last."""
    transcript = shown(qtbot, conversation("First answer.", "Second answer.", question="The question"))
    settled(qtbot, transcript)
    views = [view.text_view for view in transcript.stack.views]
    first, last = reply_view(transcript, 1).tokens, reply_view(transcript, 3).tokens
    start, end = first.token_area(1), last.token_area(0)
    qtbot.mousePress(first, Qt.MouseButton.LeftButton, pos=start.center() + QPoint(start.width() // 2, 0))
    qtbot.mouseMove(first, first.mapFromGlobal(last.mapToGlobal(end.topRight() + QPoint(0, 8))))
    assert [view.selected_text() for view in views] == ["", ".", "The question", "Second"]
    qtbot.mouseMove(first, first.mapFromGlobal(views[0].mapToGlobal(QPoint(-100, 5))))
    assert [view.selected_text() for view in views] == ["The question", "First answer", "", ""]
    qtbot.mouseRelease(first, Qt.MouseButton.LeftButton)
    qtbot.keyClick(first, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    assert QGuiApplication.clipboard().text() == "The question\n\nFirst answer"
    qtbot.mouseClick(last, Qt.MouseButton.LeftButton)
    assert [view.selected_text() for view in views] == ["", "", "", ""]


def test_double_click_selects_a_word(qtbot: QtBot) -> None:
    """A double click takes the word under it, over the borders of tokens."""
    view = token_view(qtbot, tokens("The mem", "ois", "ed text"))
    qtbot.mouseDClick(view, Qt.MouseButton.LeftButton, pos=view.token_area(1).center())
    assert view.selected_text() == "memoised"


def test_select_all_takes_the_reply(qtbot: QtBot) -> None:
    """Ctrl+A selects this reply, and no other."""
    transcript = shown(qtbot, conversation("One reply.", "Another one."))
    settled(qtbot, transcript)
    first, second = reply_view(transcript, 1).tokens, reply_view(transcript, 3).tokens
    for view in (first, second):
        view.setFocus()
        qtbot.keyClick(view, Qt.Key.Key_A, Qt.KeyboardModifier.ControlModifier)
    assert second.selected_text() == "Another one."
    assert first.selected_text() == ""


def test_selection_is_painted(qtbot: QtBot) -> None:
    """Selected text can be told from text that is not."""
    view = token_view(qtbot, tokens("One", " two"))
    before = pixel(view, picture(view), 0)
    view.select(0, 3)
    assert pixel(view, picture(view), 0) != before
    assert pixel(view, picture(view), 1) == QColor(theme().accepted)


def test_selecting_survives_new_tokens(qtbot: QtBot) -> None:
    """Text that arrives does not change what is selected."""
    made = running(one_round(tokens("One", " two")))
    transcript = shown(qtbot, made)
    settled(qtbot, transcript)
    view = reply_view(transcript).tokens
    view.select(0, 3)
    made.add_event(one_round(tokens(" three", "\n", "four")))
    settled(qtbot, transcript)
    assert view.selected_text() == "One"
    assert isinstance(made, Conversation)
