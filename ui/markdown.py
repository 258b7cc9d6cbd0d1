"""Markdown into a text document, without HTML on the way: what is written here cannot load or run anything.

Raw HTML stays visible text, pictures become their description, and only web addresses become links.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import IntEnum

from markdown_it import MarkdownIt
from markdown_it.token import Token
from PySide6.QtCore import QUrl
from PySide6.QtGui import (
    QColor,
    QFont,
    QTextBlockFormat,
    QTextCharFormat,
    QTextCursor,
    QTextFormat,
    QTextFrameFormat,
    QTextList,
    QTextListFormat,
    QTextTable,
    QTextTableFormat,
)

from app.translate import translate
from ui.fonts import code_font, text_font
from ui.markdown_code import CODE_PX, CodeText
from ui.theme import Theme

TEXT_PX = 15
PITCH = 23  # least distance of base lines in pixels
HEADINGS = {"h1": 21, "h2": 18, "h3": 16}
SPACE = 10  # above a block
QUOTE_STEP = 18


class BlockMark(IntEnum):
    """Properties of blocks for whoever paints the frames and bars behind them."""

    CODE = QTextFormat.Property.UserProperty + 1  # number of the code block, the same for all its lines
    QUOTE = QTextFormat.Property.UserProperty + 2  # how deep the quotation is
    RULE = QTextFormat.Property.UserProperty + 3  # a line across


def parser() -> MarkdownIt:
    return MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"])


def web_address(target: str) -> QUrl | None:
    """`target` where it leads to a web page, else None."""
    url = QUrl(target, QUrl.ParsingMode.StrictMode)
    return url if url.isValid() and url.scheme().lower() in ("http", "https") and url.host() else None


class MarkdownWriter:
    """Writes parsed blocks at a cursor.

    Attributes:
        fresh: the cursor stands in an empty block that the next one takes over.
        code: the code block that was written last, None after any other block.
    """

    def __init__(self, cursor: QTextCursor, theme: Theme) -> None:
        self.cursor = cursor
        self.fresh = True
        self.code: CodeText | None = None
        self._theme = theme
        self._lists: list[QTextList | None] = []
        self._list_formats: list[QTextListFormat] = []
        self._quotes = 0
        self._item = False  # the next block carries the bullet
        self._code_blocks = 0
        self._chars: list[QTextCharFormat] = [self._base()]

    def write(self, tokens: Sequence[Token]) -> None:
        """Write whole top-level blocks."""
        index = 0
        while index < len(tokens):
            token = tokens[index]
            if token.type == "table_open":
                end = next(i for i in range(index, len(tokens)) if tokens[i].type == "table_close")
                self._table(tokens[index + 1 : end])
                index = end
            else:
                self._block(token, tokens[index + 1] if index + 1 < len(tokens) else None)
            index += 1

    # Blocks

    def _block(self, token: Token, following: Token | None) -> None:
        match token.type:
            case "paragraph_open":
                self._begin(self._format(3 if token.hidden else SPACE))
            case "heading_open":
                self._begin(self._format(SPACE + 6, heading=True))
                self._chars.append(self._heading(token.tag))
            case "heading_close":
                self._chars.pop()
            case "inline":
                self._inline(token.children or ())
            case "fence" | "code_block":
                self._code(token)
            case "hr":
                rule = self._format(0)
                rule.setProperty(BlockMark.RULE, 1)
                self._begin(rule)
            case "bullet_list_open" | "ordered_list_open":
                self._open_list(token)
            case "bullet_list_close" | "ordered_list_close":
                self._lists.pop()
                self._list_formats.pop()
            case "list_item_open":
                self._item = True
                if following is not None and following.type == "list_item_close":
                    self._begin(self._format(3))
            case "list_item_close":
                self._item = False
            case "blockquote_open":
                self._quotes += 1
            case "blockquote_close":
                self._quotes -= 1

    def _open_list(self, token: Token) -> None:
        style = QTextListFormat.Style
        bullets = (style.ListDisc, style.ListCircle, style.ListSquare)
        made = QTextListFormat()
        ordered = token.type == "ordered_list_open"
        made.setStyle(style.ListDecimal if ordered else bullets[min(len(self._lists), 2)])
        made.setIndent(len(self._lists) + 1)
        if ordered:
            made.setStart(int(token.attrGet("start") or 1))
        self._lists.append(None)
        self._list_formats.append(made)

    def _begin(self, block: QTextBlockFormat) -> None:
        """Start a block, as an item of the innermost list where a bullet is due."""
        self.code = None
        if self.fresh:
            self.cursor.setBlockFormat(block)
            self.cursor.setBlockCharFormat(self._chars[-1])
        else:
            self.cursor.insertBlock(block, self._chars[-1])
        self.fresh = False
        if not self._lists:
            return
        if self._item:
            made = self._lists[-1]
            if made is None:
                self._lists[-1] = self.cursor.createList(self._list_formats[-1])
            else:
                made.add(self.cursor.block())
            self._item = False

    def _format(self, above: int, *, heading: bool = False) -> QTextBlockFormat:
        made = QTextBlockFormat()
        made.setTopMargin(above if self.cursor.position() else 0)
        made.setLeftMargin(QUOTE_STEP * self._quotes)
        if self._quotes:
            made.setProperty(BlockMark.QUOTE, self._quotes)
        if self._lists and not self._item:
            made.setIndent(len(self._lists))
        if not heading:
            made.setLineHeight(PITCH, QTextBlockFormat.LineHeightTypes.MinimumHeight.value)
        return made

    def _code(self, token: Token) -> None:
        self._code_blocks += 1
        block = self._format(0)
        block.setProperty(BlockMark.CODE, self._code_blocks)
        self._begin(block)
        self.code = CodeText(token.info, self.cursor.blockFormat(), self._theme)
        self.code.write(self.cursor, token.content)

    def _table(self, tokens: Sequence[Token]) -> None:
        rows: list[list[Token]] = []
        for token in tokens:
            if token.type == "tr_open":
                rows.append([])
            elif token.type == "inline":
                rows[-1].append(token)
        made = QTextTableFormat()
        made.setBorder(1)
        made.setBorderCollapse(True)
        made.setBorderBrush(QColor(self._theme.border))
        made.setBorderStyle(QTextFrameFormat.BorderStyle.BorderStyle_Solid)
        made.setCellPadding(6)
        made.setTopMargin(SPACE)
        made.setBottomMargin(4)
        if not self.fresh:
            self.cursor.insertBlock(self._format(0), self._chars[-1])
        table: QTextTable = self.cursor.insertTable(len(rows), max(map(len, rows)), made)
        for place, row in enumerate(rows):
            for column, cell in enumerate(row):
                self.cursor = table.cellAt(place, column).firstCursorPosition()
                if place == 0:
                    self._chars.append(self._with(weight=QFont.Weight.DemiBold))
                self._inline(cell.children or ())
                if place == 0:
                    self._chars.pop()
        self.cursor = table.lastCursorPosition()
        self.cursor.movePosition(QTextCursor.MoveOperation.NextBlock)
        self.fresh = True

    # Text in a block

    def _inline(self, tokens: Sequence[Token]) -> None:
        for token in tokens:
            match token.type:
                case "text" | "text_special":
                    self.cursor.insertText(token.content, self._chars[-1])
                case "softbreak":
                    self.cursor.insertText(" ", self._chars[-1])
                case "hardbreak":
                    self.cursor.insertText("\u2028", self._chars[-1])
                case "code_inline":
                    self.cursor.insertText(token.content, self._inline_code())
                case "strong_open":
                    self._chars.append(self._with(weight=QFont.Weight.DemiBold))
                case "em_open":
                    self._chars.append(self._with(italic=True))
                case "s_open":
                    self._chars.append(self._with(struck=True))
                case "link_open":
                    self._chars.append(self._link(str(token.attrGet("href") or "")))
                case "strong_close" | "em_close" | "s_close" | "link_close":
                    self._chars.pop()
                case "image":
                    words = translate("transcript", "[picture: {description}]").format(description=token.content)
                    self.cursor.insertText(words, self._link(str(token.attrGet("src") or "")))
                case _:
                    self.cursor.insertText(token.content, self._chars[-1])

    def _base(self) -> QTextCharFormat:
        made = QTextCharFormat()
        made.setFont(text_font(TEXT_PX))
        made.setForeground(QColor(self._theme.text))
        return made

    def _heading(self, tag: str) -> QTextCharFormat:
        made = self._base()
        made.setFont(text_font(HEADINGS.get(tag, TEXT_PX), strong=True))
        return made

    def _with(
        self, *, weight: QFont.Weight | None = None, italic: bool = False, struck: bool = False
    ) -> QTextCharFormat:
        made = QTextCharFormat(self._chars[-1])
        if weight is not None:
            made.setFontWeight(weight)
        if italic:
            made.setFontItalic(True)
        if struck:
            made.setFontStrikeOut(True)
        return made

    def _inline_code(self) -> QTextCharFormat:
        made = QTextCharFormat(self._chars[-1])
        made.setFont(code_font(CODE_PX))
        made.setBackground(QColor(self._theme.raised))
        return made

    def _link(self, target: str) -> QTextCharFormat:
        """Text that leads to `target`, if that is a web page."""
        made = QTextCharFormat(self._chars[-1])
        url = web_address(target)
        if url is not None:
            made.setAnchor(True)
            made.setAnchorHref(url.toString())
            made.setToolTip(url.toDisplayString())
            made.setForeground(QColor(self._theme.accent))
            made.setFontUnderline(True)
        return made
