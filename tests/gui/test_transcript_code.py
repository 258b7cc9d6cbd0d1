"""Syntax colours: found line by line, and readable in front of every tint."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from pygments.lexers import get_lexer_by_name
from pygments.styles import get_style_by_name
from pygments.token import Comment, Keyword, Number, String
from PySide6.QtGui import QColor

from ui.code_colours import LINE_LIMIT, OPEN_LIMIT, READABLE, CodeColours, colour_of, contrast
from ui.theme import DARK, LIGHT, Theme

SOURCES = {
    "python": '@cache\ndef f(x: int) -> str:\n    s = """two\n    lines"""\n    return f"{x}" + s  # why\n',
    "c": "#include <stdio.h>\n/* two\n   lines */\nint main(void) {\n  return 0x1F; // end\n}\n",
    "javascript": "const a = `x ${b} y`;\n/* two\n lines */\nclass A extends B { m() { return /re/g; } }\n",
    "html": "<!-- two\nlines -->\n<script>\nlet a = 1;\n</script>\n<p class='x'>hi</p>\n",
    "rust": 'fn main() {\n    let s = "two\nlines"; /* a\n b */\n}\n',
    "sql": "select a from b -- c\nwhere d = 'two\nlines';\n",
    "css": "a { color: red; }\n/* two\n lines */\nb {}\n",
    "go": "package main\n\nfunc f() string {\n\treturn `two\nlines`\n}\n",
    "json": '{"a": [1, true, null],\n "b": "c"}\n',
    "yaml": "a: 1\nb:\n  - c: 'd'\n# e\n",
}


def spans(colours: CodeColours, lines: list[str]) -> list[list[tuple[str, str]]]:
    """Per line: what is coloured, and as what."""
    return [
        [(line[start : start + length], str(kind)) for start, length, kind in colours.spans(number)]
        for number, line in enumerate(lines)
    ]


def at_once(language: str, lines: list[str]) -> CodeColours:
    colours = CodeColours(language)
    for number, line in enumerate(lines):
        colours.set_line(number, line)
    while colours.behind:
        colours.advance(1_000)
    return colours


@pytest.mark.parametrize("language", ["python", "c", "javascript", "html", "rust", "sql", "css", "go"])
def test_colours_are_those_of_pygments(language: str) -> None:
    """Code that comes at once is coloured exactly as Pygments colours the whole."""
    text = SOURCES[language] * 3
    expected = [
        (value.strip("\n"), str(kind))
        for _, kind, full in get_lexer_by_name(language, ensurenl=False).get_tokens_unprocessed(text)
        for value in full.split("\n")
        if value and not value.isspace()
    ]
    lines = text.split("\n")
    assert [span for line in spans(at_once(language, lines), lines) for span in line] == expected


@pytest.mark.parametrize("language", sorted(SOURCES))
def test_growing_code_gets_the_same_colours(language: str) -> None:
    """Code that comes a few characters at a time ends up as coloured as code that comes at once."""
    lines = (SOURCES[language] * 3).split("\n")
    growing = CodeColours(language)
    for number, line in enumerate(lines):
        for end in range(0, len(line) + 3, 3):
            growing.set_line(number, line[:end])
            growing.advance(10)
    assert spans(growing, lines) == spans(at_once(language, lines), lines)


def test_a_line_costs_the_same_anywhere() -> None:
    """Colouring line 3,000 looks at as few lines as colouring line 10."""
    colours = CodeColours("python")
    for number in range(3_000):
        colours.set_line(number, f"    total += weights[{number}]  # add")
        changed = colours.advance(10)
        assert changed == [number]
        assert number - colours.begin <= 2


def test_what_never_ends_stays_cheap() -> None:
    """In a comment without an end, colours are given up rather than the whole being read for every line."""
    colours = CodeColours("c")
    for number in range(OPEN_LIMIT // 20):
        colours.set_line(number, "/* " + "never ending " * 3)
        colours.advance(10)
    assert colours.behind == 0
    assert colours.spans(number) == ()


def test_data_and_unknown_languages_stay_plain() -> None:
    """Very long lines and languages that nobody knows have no colours, and nothing fails."""
    lines = ["x = 1", "y = '" + "a" * LINE_LIMIT + "'", "z = 2"]
    assert [bool(line) for line in spans(at_once("python", lines), lines)] == [True, False, True]
    for language in ("", "no-such-language", "{.python}"):
        assert spans(at_once(language, lines), lines) == [[], [], []]


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=lambda theme: theme.name)
def test_every_colour_can_be_read_on_every_tint(theme: Theme) -> None:
    """No syntax colour has less contrast than WCAG AA asks for, on the code's background and on all tints."""
    behind = [QColor(value) for value in (theme.code, theme.accepted, theme.resampled, theme.bonus, theme.lookup)]
    for kind, _ in get_style_by_name(theme.pygments):
        colour = colour_of(theme, kind)
        if colour is not None:
            assert min(contrast(colour, tint) for tint in behind) >= READABLE, kind
    for tint in behind:
        assert contrast(QColor(theme.text), tint) >= READABLE


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=lambda theme: theme.name)
def test_kinds_of_code_look_different(theme: Theme) -> None:
    """Keywords, texts, numbers and comments can be told apart."""
    colours = {colour.name() for kind in (Keyword, String, Number, Comment) if (colour := colour_of(theme, kind))}
    assert len(colours) >= 3


def test_contrast_is_that_of_wcag() -> None:
    """Black on white has 21, a colour on itself 1."""
    assert contrast(QColor("#000000"), QColor("#ffffff")) == pytest.approx(21)
    assert contrast(QColor("#777777"), QColor("#ffffff")) == pytest.approx(4.48, abs=0.01)
    assert contrast(QColor("#123456"), QColor("#123456")) == 1


WARM_UP = """
from threading import Thread
from ui.code_colours import COMMON, _lexer, warm_up
thread = Thread(target=warm_up)
thread.start()
_lexer("rust")  # somebody needs one meanwhile
thread.join()
made = _lexer.cache_info().misses
assert None not in map(_lexer, COMMON)
assert _lexer.cache_info().misses == made
"""


def test_common_languages_are_ready_before_they_are_needed() -> None:
    """After the warm-up no common language is unknown or has to be looked for any more."""
    subprocess.run([sys.executable, "-c", WARM_UP], check=True, cwd=Path(__file__).parents[2])
