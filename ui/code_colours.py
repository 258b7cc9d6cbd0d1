"""Syntax colours that follow code as it is written: each new line costs the same, however long the block is.

Pygments has no incremental interface, so the loop of its `RegexLexer` runs here, with the stack of states in
our hands: the state at the start of a line is remembered, and the next run begins there.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from threading import Lock

from pygments.lexer import ExtendedRegexLexer, Lexer, RegexLexer
from pygments.lexers import get_lexer_by_name
from pygments.styles import get_style_by_name
from pygments.token import Error, Text, _TokenType
from pygments.util import ClassNotFound
from PySide6.QtGui import QColor

from ui.theme import Theme

LINE_LIMIT = 400  # characters; longer lines are data and stay plain
READABLE = 4.5  # contrast, from WCAG AA
STEPS = 20  # from a colour to the text's own
OPEN_LIMIT = 8_000  # characters of a construct that does not end; what follows it stays plain

Span = tuple[int, int, _TokenType]  # start and length in the line, in code points
Scanned = tuple[int, _TokenType, str]
Stack = tuple[str, ...]
ROOT: Stack = ("root",)
# What models write most. Pygments compiles the tables of a language at its first use, up to 40 ms for one of these.
COMMON = (
    "python", "bash", "json", "javascript", "typescript", "html", "css", "sql", "java", "c", "cpp", "csharp", "rust",
    "go", "yaml", "markdown", "php", "ruby", "kotlin", "swift", "xml", "lua", "r", "perl",
)  # fmt: skip
_compiling = Lock()  # two threads at the same tables would mix them up


@cache
def colour_of(theme: Theme, token: _TokenType) -> QColor | None:
    """The colour of a kind of token, None where it is the text's own. It can be read in front of every tint."""
    value = get_style_by_name(theme.pygments).style_for_token(token)["color"]
    if not value:
        return None
    behind = [QColor(tint) for tint in (theme.code, theme.accepted, theme.resampled, theme.bonus)]
    colour, text = QColor(f"#{value}"), QColor(theme.text)
    for step in range(1, STEPS + 1):
        if min(contrast(colour, tint) for tint in behind) >= READABLE:
            break
        colour = _mixed(QColor(f"#{value}"), text, step / STEPS)
    return colour


def contrast(one: QColor, other: QColor) -> float:
    """The contrast ratio of two colours as WCAG defines it, 1 to 21."""
    darker, lighter = sorted((_luminance(one), _luminance(other)))
    return (lighter + 0.05) / (darker + 0.05)


class CodeColours:
    """The spans of one code block. Lines are set in order; the last one may be set again while it grows.

    Attributes:
        begin: the line at which the next run begins; those before it are settled.
    """

    def __init__(self, language: str) -> None:
        self._lexer = _lexer(language)
        self._lines: list[str] = []
        self._spans: list[tuple[Span, ...]] = []
        self.begin = 0
        self._stack = ROOT  # the state in which the next run begins
        self._seen = 0  # lines that were looked at; the last of them may still change

    @property
    def behind(self) -> int:
        """Lines that were set and not looked at yet."""
        return len(self._lines) - self._seen if self._lexer is not None else 0

    def set_line(self, number: int, text: str) -> None:
        """Set the line after the last one, or the last one again."""
        del self._lines[number:]
        self._lines.append(text if len(text) <= LINE_LIMIT else "")
        self._seen = min(self._seen, number)

    def spans(self, number: int) -> tuple[Span, ...]:
        """Empty for plain lines and for those not looked at yet."""
        return self._spans[number] if number < len(self._spans) else ()

    def advance(self, lines: int) -> list[int]:
        """Look at up to `lines` more lines; return the numbers of all lines whose spans became others."""
        if self._lexer is None or not self.behind:
            return []
        begin, end = self.begin, min(len(self._lines), self._seen + lines)
        if _has_states(self._lexer):
            fresh = self._run(self._lexer, begin, end)
        else:
            lines_alone = (f"{line}\n" for line in self._lines[begin:end])
            fresh = [_by_line(self._lexer.get_tokens_unprocessed(line), line)[0] for line in lines_alone]
            self.begin = end - 1
        changed = [begin + place for place, spans in enumerate(fresh) if spans != self.spans(begin + place)]
        self._spans[begin:] = fresh
        self._seen = end
        return changed

    def _run(self, lexer: RegexLexer, begin: int, end: int) -> list[tuple[Span, ...]]:
        """Scan these lines and remember where the next run begins.

        That is one line before the end, because rules look ahead and the last line may grow.
        """
        text = "".join(line + "\n" for line in self._lines[begin:end])
        starts: list[tuple[int, Stack]] = []
        fresh = _by_line(_scan(lexer, text, self._stack, starts), text)
        margin = len(text) - sum(len(line) + 1 for line in self._lines[max(begin, end - 2) : end])
        safe = [(position, stack) for position, stack in starts if position <= margin]
        if safe:
            position, self._stack = safe[-1]
            self.begin = begin + text.count("\n", 0, position)
        if len(text) - (safe[-1][0] if safe else 0) > OPEN_LIMIT + 2 * LINE_LIMIT:
            self._lexer = None
        return fresh


def _luminance(colour: QColor) -> float:
    parts = (colour.redF(), colour.greenF(), colour.blueF())
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def _mixed(one: QColor, other: QColor, share: float) -> QColor:
    pairs = zip((one.redF(), one.greenF(), one.blueF()), (other.redF(), other.greenF(), other.blueF()), strict=True)
    return QColor.fromRgbF(*(a + (b - a) * share for a, b in pairs))


def warm_up() -> None:
    """Get ready for the languages in `COMMON`, so that no first line of code holds up whoever paints it. Any thread."""
    for language in COMMON:
        _lexer(language)


@cache
def _lexer(language: str) -> Lexer | None:
    try:
        with _compiling:
            return get_lexer_by_name(language, ensurenl=False) if language else None
    except ClassNotFound:
        return None


def _has_states(lexer: Lexer) -> bool:
    """Whether the lexer's tables can be run from a given stack. The others are asked line by line."""
    return isinstance(lexer, RegexLexer) and not isinstance(lexer, ExtendedRegexLexer)


def _scan(lexer: RegexLexer, text: str, stack: Stack, starts: list[tuple[int, Stack]]) -> Iterator[Scanned]:
    """`RegexLexer.get_tokens_unprocessed` from a given stack; notes (position, stack) at line starts."""
    states = list(stack)
    position = 0
    while position < len(text):
        # Rules may match nothing and change the stack; the line starts with the stack before them.
        at_start = position == 0 or text[position - 1] == "\n"
        if at_start and (not starts or starts[-1][0] < position):
            starts.append((position, tuple(states)))
        for match, action, new_state in lexer._tokens[states[-1]]:
            found = match(text, position)
            if found is None:
                continue
            if isinstance(action, _TokenType):
                yield position, action, found.group()
            elif action is not None:
                yield from action(lexer, found)
            position = found.end()
            _move(states, new_state)
            break
        else:
            if text[position] == "\n":
                states = list(ROOT)
                yield position, Text, "\n"
            else:
                yield position, Error, text[position]
            position += 1


def _move(states: list[str], new: object) -> None:
    """Change the stack as a rule says: names are pushed, numbers and "#pop" take away, the last one stays."""
    if isinstance(new, int):
        del states[max(1, len(states) + new) :]
    elif new == "#push":
        states.append(states[-1])
    elif isinstance(new, tuple):
        for name in new:
            if name == "#pop":
                del states[max(1, len(states) - 1) :]
            else:
                states.append(states[-1] if name == "#push" else name)


def _by_line(scan: Iterator[Scanned], text: str) -> list[tuple[Span, ...]]:
    """Spans of each line of `text`, whose lines all end with a line feed; white space is left out."""
    starts = [0, *(place + 1 for place, character in enumerate(text) if character == "\n")]
    spans: list[list[Span]] = [[] for _ in starts[1:]]
    line = 0
    for start, kind, value in scan:
        for part in value.split("\n"):
            while line + 2 < len(starts) and start >= starts[line + 1]:
                line += 1
            if part and not part.isspace():
                spans[line].append((start - starts[line], len(part), kind))
            start += len(part) + 1
    return [tuple(found) for found in spans]
