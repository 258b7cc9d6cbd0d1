"""Rendered replies: what Markdown means, nothing that could harm, and little work while text arrives."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QUrl
from PySide6.QtGui import QDesktopServices, QFont, QTextBlock, QTextDocument, QTextListFormat, QTextTable
from pytestqt.qtbot import QtBot

from app.conversation import Conversation
from tests.gui.chats import conversation, finish, one_round, reply_view, running, settled, shown, tokens
from tests.gui.shell import ignore_platform
from ui.legend import ViewMode
from ui.markdown import BlockMark, web_address
from ui.rendered_view import RenderedView
from ui.theme import DARK, LIGHT, ThemeChoice, theme_notifier
from ui.transcript import Transcript

pytestmark = ignore_platform


@pytest.fixture(autouse=True)
def _light() -> None:
    theme_notifier().choose(ThemeChoice.LIGHT)


class Opened:
    """Addresses that the desktop was asked to open."""

    def __init__(self) -> None:
        self.urls: list[str] = []

    def take(self, url: QUrl) -> bool:
        self.urls.append(url.toString())
        return True


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> Opened:
    found = Opened()
    monkeypatch.setattr(QDesktopServices, "openUrl", staticmethod(found.take))
    return found


def rendered(qtbot: QtBot, text: str) -> RenderedView:
    """A view that shows this Markdown."""
    view = RenderedView(lambda: text)
    qtbot.addWidget(view)
    view.set_width(600)
    view.bring_up_to_date()
    return view


def blocks(view: RenderedView) -> list[QTextBlock]:
    found, block = [], view.document().begin()
    while block.isValid():
        found.append(block)
        block = block.next()
    return found


def links(view: RenderedView) -> list[str]:
    return [
        fragment.fragment().charFormat().anchorHref()
        for block in blocks(view)
        for fragment in block
        if fragment.fragment().charFormat().isAnchor()
    ]


def shown_rendered(qtbot: QtBot, made: Conversation) -> tuple[Transcript, RenderedView]:
    transcript = shown(qtbot, made)
    transcript.set_mode(ViewMode.RENDERED)
    settled(qtbot, transcript)
    view = reply_view(transcript).rendered
    assert view is not None
    return transcript, view


# Meaning


def test_text_without_its_marks(qtbot: QtBot) -> None:
    """Headings, emphasis, code, lists and quotations are shown by their form, not by their marks."""
    made = rendered(qtbot, "# Title\n\nSome *soft* **strong** ~~gone~~ `code`\nsame line\n\n> said\n\n- one\n- two\n")
    assert made.toPlainText().split("\n") == ["Title", "Some soft strong gone code same line", "said", "one", "two"]


def test_emphasis_has_its_form(qtbot: QtBot) -> None:
    """Strong text is bold, soft text italic, struck text struck, code in the code font; plain text is none of it."""
    view = rendered(qtbot, "plain *soft* **strong** ~~gone~~ `code`")
    (block,) = blocks(view)
    forms = {fragment.fragment().text().strip(): fragment.fragment().charFormat() for fragment in block}
    assert forms["soft"].fontItalic()
    assert forms["strong"].fontWeight() == QFont.Weight.DemiBold
    assert forms["gone"].fontStrikeOut()
    assert "JetBrains Mono" in forms["code"].font().families()
    plain = forms["plain"]
    assert not plain.fontItalic()
    assert not plain.fontStrikeOut()
    assert plain.fontWeight() == QFont.Weight.Normal


def test_headings_grow_with_their_rank(qtbot: QtBot) -> None:
    """Higher headings are larger, and all are larger than text or bold."""
    view = rendered(qtbot, "# a\n\n## b\n\n### c\n\ntext")
    sizes = [next(iter(block)).fragment().charFormat().font().pixelSize() for block in blocks(view)]
    assert sizes == sorted(sizes, reverse=True)
    assert len(set(sizes)) == 4


def test_lists_keep_their_numbers_and_depth(qtbot: QtBot) -> None:
    """Numbered lists start where they say, bullets are bullets, and lists inside are indented."""
    made = rendered(qtbot, "3. three\n4. four\n   - inner\n\n     same item\n5. five\n")
    three, four, inner, same, five = blocks(made)
    numbers = three.textList()
    assert numbers.format().start() == 3
    assert [numbers.itemText(block).strip(".") for block in (three, four, five)] == ["3", "4", "5"]
    assert inner.textList().format().style() is not QTextListFormat.Style.ListDecimal
    assert inner.textList().format().indent() == 2
    assert same.textList() is None
    assert same.blockFormat().indent() == 2


def test_code_blocks_are_marked_and_coloured(qtbot: QtBot) -> None:
    """Each code block is one marked run of lines in the code font, with syntax colours and without its fences."""
    made = rendered(qtbot, "```python\nreturn 1\n\n# why\n```\n\ntext\n\n    indented\n")
    marks = [block.blockFormat().intProperty(BlockMark.CODE) for block in blocks(made)]
    assert marks == [1, 1, 1, 0, 2]
    assert [block.text() for block in blocks(made)][:3] == ["return 1", "", "# why"]
    colours = {fragment.fragment().charFormat().foreground().color().name() for fragment in blocks(made)[0]}
    assert len(colours) > 1


def test_tables_have_their_cells(qtbot: QtBot) -> None:
    """A table becomes a table, and what follows it stands behind it."""
    made = rendered(qtbot, "| a | b |\n|---|---|\n| 1 | **2** |\n\nafter\n")
    (table,) = (frame for frame in made.document().rootFrame().childFrames() if isinstance(frame, QTextTable))
    cells = [[table.cellAt(row, column).firstCursorPosition().block().text() for column in (0, 1)] for row in (0, 1)]
    assert cells == [["a", "b"], ["1", "2"]]
    assert blocks(made)[-1].text() == "after"


# Safety


def test_html_is_text(qtbot: QtBot) -> None:
    """Tags of any kind are shown as they were written, never taken for HTML."""
    tags = ["<script>alert(1)</script>", "A <b onclick='x()'>b</b> <img src=x onerror=y>", "<iframe src='//evil'>"]
    made = rendered(qtbot, "\n\n".join(tags))
    assert made.toPlainText().split("\n") == tags
    assert links(made) == []


@pytest.mark.parametrize(
    "target",
    [
        "javascript:alert(1)",
        "JaVaScRiPt:alert(1)",
        "java&#x0A;script:alert(1)",
        "vbscript:x",
        "data:text/html,<script>alert(1)</script>",
        "file:///etc/passwd",
        "//evil.example/x",
        "relative/page",
        "mailto:a@example.org",
        "https:///nowhere",
    ],
)
def test_only_web_addresses_become_links(qtbot: QtBot, target: str) -> None:
    """Every other kind of link stays plain text."""
    made = rendered(qtbot, f"[words]({target}) and ![picture]({target}) and <{target}>")
    assert links(made) == []
    assert "words" in made.toPlainText()


def test_links_open_only_when_clicked(qtbot: QtBot, opened: Opened) -> None:
    """A web link waits for the user's click and then opens in the browser, with its address to be seen before."""
    view = rendered(qtbot, "[words](https://example.org/page?a=1)")
    assert links(view) == ["https://example.org/page?a=1"]
    form = next(iter(blocks(view)[0])).fragment().charFormat()
    assert form.toolTip() == "https://example.org/page?a=1"
    assert opened.urls == []
    view.anchorClicked.emit(QUrl("https://example.org/page?a=1"))
    view.anchorClicked.emit(QUrl("file:///etc/passwd"))
    view.anchorClicked.emit(QUrl("javascript:alert(1)"))
    assert opened.urls == ["https://example.org/page?a=1"]


def test_pictures_are_not_loaded(qtbot: QtBot) -> None:
    """A picture becomes its description and a link; nothing is fetched, whatever is asked for."""
    view = rendered(qtbot, "![A cat](https://example.org/cat.png)")
    assert view.toPlainText() == "[picture: A cat]"
    assert links(view) == ["https://example.org/cat.png"]
    for kind in (QTextDocument.ResourceType.ImageResource, QTextDocument.ResourceType.HtmlResource):
        assert view.loadResource(kind.value, QUrl("https://example.org/cat.png")) is None
    assert not any(form.fragment().charFormat().isImageFormat() for block in blocks(view) for form in block)


def test_web_addresses_need_a_host() -> None:
    """Only http and https with a host count, in any case."""
    assert web_address("HTTP://example.org") is not None
    assert web_address("https://") is None
    assert web_address("https:example.org") is None


# Growing


def test_growing_ends_as_the_whole(qtbot: QtBot) -> None:
    """A reply rendered while it grew looks as if it had been rendered at once."""
    text = (
        "# Title\n\nText *soft*.\n\n- one\n  - inner\n- two\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n```python\nx = 1\n"
        "y = 2\n```\n\n> said\n\n---\n\nLast **words**.\n\nTitle two\n---------\n\n1. end\n"
    )
    source = ""
    growing = RenderedView(lambda: source)
    qtbot.addWidget(growing)
    growing.set_width(600)
    for end in range(1, len(text) + 1):
        source = text[:end]
        growing.source_changed(complete=True)
        growing.bring_up_to_date()
    whole = rendered(qtbot, text)
    assert growing.document().toPlainText() == whole.document().toPlainText()
    assert growing.document().toHtml() == whole.document().toHtml()


def test_only_the_last_block_is_written_again(qtbot: QtBot) -> None:
    """Blocks before the last one are never touched again, however long the reply becomes."""
    source = ""
    view = RenderedView(lambda: source)
    qtbot.addWidget(view)
    view.set_width(600)
    work = []
    for number in range(200):
        source += f"Paragraph {number} with *soft* words.\n\n"
        view.source_changed(complete=True)
        before = view.renderings
        view.bring_up_to_date()
        work.append(view.renderings - before)
    assert max(work) <= 2


def test_a_growing_code_block_is_not_written_anew(qtbot: QtBot) -> None:
    """Lines of code that stand are kept as they are while more lines arrive."""
    source = "```python\n"
    view = RenderedView(lambda: source)
    qtbot.addWidget(view)
    view.set_width(600)
    for number in range(300):
        source += f"x = {number}\n"
        view.source_changed(complete=True)
        view.bring_up_to_date()
    assert view.renderings == 1
    assert view.document().toPlainText().split("\n") == [f"x = {number}" for number in range(300)]


def test_rendering_is_rare_while_text_arrives(qtbot: QtBot) -> None:
    """Of many events in a row, few lead to a rendering; the last one always does."""
    made = running(one_round(tokens("Start")))
    transcript, view = shown_rendered(qtbot, made)
    before = view.renderings
    for number in range(300):
        made.add_event(one_round(tokens(f" {number}")))
        transcript.refresh()
    assert view.renderings - before <= 10
    finish(made)
    settled(qtbot, transcript)
    assert view.document().toPlainText() == made.turns[1].text


def test_a_pause_in_the_stream_does_not_hide_text(qtbot: QtBot) -> None:
    """Text that came just after a rendering appears by itself, though nothing else arrives."""
    made = running(one_round(tokens("Start")))
    _, view = shown_rendered(qtbot, made)
    made.add_event(one_round(tokens(" and more")))
    qtbot.waitUntil(lambda: view.document().toPlainText() == "Start and more")


# In the conversation


def test_switching_back_shows_all_tokens(qtbot: QtBot) -> None:
    """Tokens that came while rendered text was shown are there after switching back."""
    made = running(one_round(tokens("One")))
    transcript, _ = shown_rendered(qtbot, made)
    made.add_event(one_round(tokens(" two")))
    settled(qtbot, transcript)
    transcript.set_mode(ViewMode.TOKENS)
    settled(qtbot, transcript)
    view = reply_view(transcript)
    assert view.rendered is None
    assert view.tokens.isVisible()
    assert view.tokens.flow.slice(0, view.tokens.flow.length) == "One two"


def test_rendered_text_follows_the_theme(qtbot: QtBot) -> None:
    """Another theme recolours text, code and links at once."""
    _, view = shown_rendered(qtbot, conversation("Text and [words](https://example.org)."))

    def colours() -> set[str]:
        return {
            fragment.fragment().charFormat().foreground().color().name() for block in blocks(view) for fragment in block
        }

    assert colours() == {LIGHT.text, LIGHT.accent}
    theme_notifier().choose(ThemeChoice.DARK)
    assert colours() == {DARK.text, DARK.accent}


def test_the_reply_is_as_high_as_its_text(qtbot: QtBot) -> None:
    """Nothing of a rendered reply is cut off, and figures stand below it."""
    transcript, view = shown_rendered(qtbot, conversation("Text.\n\n" * 40 + "```\ncode\n```"))
    assert view.height() >= view.document().size().height()
    figures = reply_view(transcript).figures
    assert figures is not None
    assert figures.y() >= view.geometry().bottom()
