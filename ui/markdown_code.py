"""A code block in a text document that grows with its text: lines that stand are not written again."""

from __future__ import annotations

from PySide6.QtGui import QColor, QTextBlockFormat, QTextCharFormat, QTextCursor

from ui.code_colours import CodeColours, colour_of
from ui.fonts import code_font
from ui.pieces import BOX_INSET
from ui.theme import Theme

CODE_PX = 13
PITCH = 20  # least distance of base lines in pixels
ABOVE, BELOW = 22, 14  # margins of the first and the last line, with the frame in them


class CodeText:
    """One text block for each line.

    Attributes:
        info: what stands behind the fence.
    """

    def __init__(self, info: str, block: QTextBlockFormat, theme: Theme) -> None:
        self.info = info
        self._colours = CodeColours(info.strip().lower().split(" ")[0])
        self._theme = theme
        self._lines = 0
        self._last = 0  # position of the last line in the document
        self._block = block
        self._block.setLineHeight(PITCH, QTextBlockFormat.LineHeightTypes.MinimumHeight.value)
        self._block.setLeftMargin(block.leftMargin() + BOX_INSET)
        self._block.setRightMargin(BOX_INSET)
        self._plain = QTextCharFormat()
        self._plain.setFont(code_font(CODE_PX))
        self._plain.setForeground(QColor(theme.text))

    def write(self, cursor: QTextCursor, content: str) -> None:
        """Write all of the code; the cursor stands in the empty block of its first line."""
        self._last = cursor.position()
        self._write_from(cursor, 0, _lines(content))

    def grow(self, cursor: QTextCursor, content: str) -> None:
        """Write what was added since the last time. The block is the last one of the document."""
        cursor.setPosition(self._last)
        cursor.movePosition(QTextCursor.MoveOperation.End, QTextCursor.MoveMode.KeepAnchor)
        cursor.removeSelectedText()
        self._write_from(cursor, max(0, self._lines - 1), _lines(content))

    def _write_from(self, cursor: QTextCursor, first: int, lines: list[str]) -> None:
        for number in range(first, len(lines)):
            self._colours.set_line(number, lines[number])
        self._colours.advance(len(lines))
        for number in range(first, len(lines)):
            block = QTextBlockFormat(self._block)
            block.setTopMargin(ABOVE if number == 0 else 0)
            block.setBottomMargin(BELOW if number == len(lines) - 1 else 0)
            if number == first:
                cursor.setBlockFormat(block)
                cursor.setBlockCharFormat(self._plain)
            else:
                cursor.insertBlock(block, self._plain)
            self._last = cursor.position()
            self._write_line(cursor, lines[number], number)
        self._lines = len(lines)

    def _write_line(self, cursor: QTextCursor, line: str, number: int) -> None:
        done = 0
        for start, length, kind in self._colours.spans(number):
            cursor.insertText(line[done:start], self._plain)
            coloured = QTextCharFormat(self._plain)
            if (colour := colour_of(self._theme, kind)) is not None:
                coloured.setForeground(colour)
            cursor.insertText(line[start : start + length], coloured)
            done = start + length
        cursor.insertText(line[done:], self._plain)


def _lines(content: str) -> list[str]:
    return content.removesuffix("\n").split("\n")
