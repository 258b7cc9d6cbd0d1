"""Laying out a reply: the text stays what it is, and a token costs the same wherever it comes."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from time import perf_counter

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtWidgets import QApplication

from tests.fakes.long_texts import chinese, one_code_block, one_paragraph, short_lines
from ui.pieces import BOX_INSET
from ui.source_lines import LineKind, index_of_unit, kind_of, units
from ui.text_flow import KEPT, TextFlow
from ui.theme import LIGHT

COUNT = 20_000

pytestmark = pytest.mark.usefixtures("qapp")


def flow(text: str = "", width: int = 700) -> TextFlow:
    made = TextFlow(LIGHT)
    made.set_width(width)
    if text:
        made.append(text)
    return made


def finished(made: TextFlow) -> TextFlow:
    while made.work(perf_counter() + 1):
        pass
    return made


def rows(made: TextFlow) -> list[str]:
    """Every visual line."""
    found = []
    for index in range(len(made.pieces)):
        made.visible(made.top(index), made.top(index) + 1)
        piece = made.pieces[index]
        layout = piece.layout
        assert layout is not None
        for row in range(layout.lineCount()):
            line = layout.lineAt(row)
            first, last = line.textStart(), line.textStart() + line.textLength()
            found.append(piece.text[index_of_unit(piece.text, first) : index_of_unit(piece.text, last)])
    return found


@pytest.mark.parametrize("make", [one_paragraph, short_lines, one_code_block, chinese])
def test_work_for_a_token_does_not_grow(make: Callable[[int], list[str]]) -> None:
    """Of 20,000 tokens the last thousand lay out at most 1.5 times as many visual lines as the first thousand."""
    made, work = flow(), []
    for text in make(COUNT):
        before = made.laid_lines
        made.append(text)
        work.append(made.laid_lines - before)
    assert sum(work[-1000:]) <= 1.5 * sum(work[:1000])
    assert max(work) < 60  # also when a piece is cut


def test_layouts_far_away_are_given_up() -> None:
    """However long the reply, only so many layouts are kept; heights stay."""
    made = flow()
    for text in short_lines(4_000):
        made.append(text)
    height = made.height
    assert sum(piece.layout is not None for piece in made.pieces) <= KEPT < len(made.pieces)
    made.visible(0, 500)
    assert made.height == height


ODD = "ab \n`~#é中👩‍🚀\u0301\t\r\x00\x0b\u2028\u2029\u200d\ufeff\ufffc\u202eש"


@given(st.lists(st.text(alphabet=ODD, max_size=12), max_size=30), st.integers(60, 900))
def test_the_text_is_what_was_appended(parts: list[str], width: int) -> None:
    """Whatever arrives in whatever pieces, and whatever the width becomes, reading it back gives the same text."""
    made = flow()
    for part in parts:
        made.append(part)
    text = "".join(parts)
    assert made.length == units(text)
    assert made.slice(0, made.length) == text
    made.set_width(width)
    finished(made)
    assert made.slice(0, made.length) == text


@given(st.text(alphabet="ab \n中👩é", max_size=40), st.data())
def test_slices_are_utf16_slices(text: str, data: st.DataObject) -> None:
    """A slice between two offsets holds exactly the UTF-16 units between them."""
    made = flow(text)
    edges = [units(text[:place]) for place in range(len(text) + 1)]
    start = data.draw(st.sampled_from(edges))
    end = data.draw(st.sampled_from([edge for edge in edges if edge >= start]))
    assert made.slice(start, end).encode("utf-16-le") == text.encode("utf-16-le")[2 * start : 2 * end]


@pytest.mark.parametrize("make", [one_paragraph, short_lines, one_code_block, chinese])
def test_streaming_breaks_lines_like_loading(make: Callable[[int], list[str]]) -> None:
    """A reply looks the same whether it came token by token or all at once."""
    texts = make(1_500)
    streamed = flow()
    for text in texts:
        streamed.append(text)
    assert rows(streamed) == rows(finished(flow("".join(texts))))


def test_resizing_breaks_lines_like_the_new_width() -> None:
    """After a change of width, lines are broken as if the text had always been that wide."""
    text = "".join(one_paragraph(1_500)) + "\n\nA last line."
    made = finished(flow(text, 800))
    made.set_width(431)
    assert rows(finished(made)) == rows(finished(flow(text, 431)))


def test_bulk_text_is_laid_out_when_somebody_looks() -> None:
    """A long text that comes at once costs nothing but what is visible."""
    made = flow("\n".join(f"line {number} of many" for number in range(5_000)))
    before = made.laid_lines
    made.visible(2_000, 2_600)
    assert 0 < made.laid_lines - before <= 60


def test_idle_work_ends_and_makes_heights_exact() -> None:
    """Idle work stops by itself, and afterwards no height changes any more."""
    text = "\n".join("word " * (number % 60) for number in range(500))
    made = finished(flow(text, 300))
    height = made.height
    assert not made.work(perf_counter() + 1)
    made.visible(0, height)
    assert made.height == height


def test_chinese_wraps_between_characters() -> None:
    """Text without spaces fills its lines and is not pushed out of the window."""
    found = rows(flow("中文写一个函数" * 40, 300))
    assert len(found) > 5
    lengths = {len(row) for row in found[:-1]}
    assert max(lengths) - min(lengths) <= 1


def test_a_word_longer_than_the_line_is_broken() -> None:
    """Nothing is wider than the window."""
    made = flow("x" * 400, 300)
    piece = made.pieces[0]
    assert piece.layout is not None
    assert all(piece.layout.lineAt(row).naturalTextWidth() <= 300 for row in range(piece.layout.lineCount()))


@pytest.mark.parametrize("parts", [("👩", "\u200d", "🚀"), ("e", "\u0301"), ("🇩", "🇪"), ("👍", "🏽")])
def test_a_character_in_several_parts_is_one(parts: tuple[str, ...]) -> None:
    """Parts of one visible character are shaped together, though they came one by one."""
    made = flow("a ")
    for part in parts:
        made.append(part)
    layout = made.pieces[0].layout
    assert layout is not None
    assert layout.nextCursorPosition(2) == 2 + sum(map(units, parts))


def test_right_to_left_lines_begin_at_the_right() -> None:
    """A Hebrew or Arabic line is set from the right, also where it continues, and nothing breaks."""
    made = flow("שלום עולם " * 120 + "\nabc\n" + "مرحبا " * 30, 400)
    assert made.caret(0).x() > made.caret(5).x()
    assert made.caret(0).x() == pytest.approx(400, abs=1)
    assert all(piece.right_to_left for piece in made.pieces if "ש" in piece.text or "م" in piece.text)
    assert made.slice(0, made.length).startswith("שלום")


def test_code_is_recognised_while_it_is_written() -> None:
    """A fence counts as soon as it has three marks, and what looks like one in the middle of a line does not."""
    made = flow()
    kinds = []
    for part in ("Text ``` here\n", "``", "`", "py\n", "x = 1\n", "``", "`", "\n", "after"):
        made.append(part)
        kinds.append(made.pieces[-1].kind)
    open_, code, close, prose = LineKind.FENCE_OPEN, LineKind.CODE, LineKind.FENCE_CLOSE, LineKind.PROSE
    assert kinds == [prose, prose, open_, code, code, code, close, prose, prose]
    assert made.pieces[2].left == BOX_INSET
    assert made.pieces[-1].left == 0


def test_fences_close_only_with_their_like() -> None:
    """Shorter or other marks, and marks with words behind them, are code inside a block."""
    _, fence = kind_of("````md", None)
    assert fence is not None
    assert kind_of("```", fence)[0] is LineKind.CODE
    assert kind_of("~~~~", fence)[0] is LineKind.CODE
    assert kind_of("```` x", fence)[0] is LineKind.CODE
    assert kind_of("  `````  ", fence) == (LineKind.FENCE_CLOSE, None)
    assert kind_of("``` a `b`", None)[0] is LineKind.PROSE
    assert kind_of("   ~~~Python {.x}", None)[1].language == "python"


def test_tops_follow_from_heights() -> None:
    """Each piece begins where the one before it ends, and the whole is as high as its parts."""
    made = finished(flow("One\n\n```c\nint x;\n```\n" + "word " * 300))
    tops = [made.top(index) for index in range(len(made.pieces))]
    gaps = [after - before for before, after in pairwise(tops)]
    assert gaps == [piece.height for piece in made.pieces[:-1]]
    assert made.height == tops[-1] + made.pieces[-1].height


def test_points_and_offsets_agree(qapp: QApplication) -> None:
    """The offset found at a caret's place is that caret's offset, in prose and in code."""
    made = finished(flow("Some words here\n```python\nvalue = 12\n```\nend " * 3))
    for offset in range(made.length):
        caret = made.caret(offset)
        assert made.position_at(caret.x() + 0.1, caret.center().y()) == offset
