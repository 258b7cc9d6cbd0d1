"""A reply as its Markdown means it. When text arrives, it is written anew from its last block on."""

from __future__ import annotations

import math
from collections.abc import Callable
from time import perf_counter

from markdown_it.token import Token
from PySide6.QtCore import QPointF, QRectF, Qt, QTimer, QUrl, Signal
from PySide6.QtGui import (
    QColor,
    QDesktopServices,
    QPainter,
    QPaintEvent,
    QPalette,
    QTextBlock,
    QTextCursor,
    QWheelEvent,
)
from PySide6.QtWidgets import QFrame, QTextBrowser, QWidget

from ui.fonts import text_font
from ui.markdown import QUOTE_STEP, TEXT_PX, BlockMark, MarkdownWriter, parser, web_address
from ui.pieces import BOX_INSET
from ui.text_view import BOX_RADIUS
from ui.theme import theme
from ui.turn_view import rough_height

INDENT = 24  # pixels of a list inside another
LEAST_S = 0.2  # between two renderings while text arrives
SHARE = 10  # a rendering that takes long waits this many times as long for the next


class RenderedView(QTextBrowser):
    """Read-only; text can be selected and copied, web links open in the browser. Nothing is loaded.

    Args:
        source: gives the Markdown so far, which only grows.

    Attributes:
        renderings: blocks written, counting each time: the work done.

    Signals:
        outdated(): time for `bring_up_to_date`.
    """

    outdated = Signal()

    def __init__(self, source: Callable[[], str], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.renderings = 0
        self._source = source
        self._parser = parser()
        self._forget()
        self._next_s = 0.0
        self._later = QTimer(self, singleShot=True)
        self._later.timeout.connect(self.outdated)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setOpenLinks(False)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextBrowserInteraction | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        self.viewport().setAutoFillBackground(False)
        self.document().setDocumentMargin(0)
        self.document().setIndentWidth(INDENT)
        self.document().setUndoRedoEnabled(False)
        self.document().setDefaultFont(text_font(TEXT_PX))
        self.anchorClicked.connect(_open)
        self.recolour()

    def source_changed(self, *, complete: bool) -> None:
        """The Markdown has grown. While it is not complete, it is rendered a few times a second."""
        self._current = False
        if complete:
            self._next_s = 0.0

    def set_width(self, width: int) -> None:
        self.document().setTextWidth(width)
        self.resize(width, self.wanted_height())

    def wanted_height(self) -> int:
        if self._empty:
            return rough_height(self._source(), self.width())
        return math.ceil(self.document().size().height())

    def bring_up_to_date(self) -> None:
        """Render what is new, if it is time."""
        if self._current:
            return
        wait_s = self._next_s - perf_counter()
        if wait_s > 0:
            if not self._later.isActive():
                self._later.start(math.ceil(1000 * wait_s))
            return
        begun = perf_counter()
        self._render()
        now = perf_counter()
        self._next_s = now + max(LEAST_S, SHARE * (now - begun))

    def _forget(self) -> None:
        """Begin again at the first block."""
        self._empty = True
        self._current = False
        self._writer = MarkdownWriter(QTextCursor(self.document()), theme())
        self._stable = 0  # characters of the source in front of its last block …
        self._place, self._fresh = 0, True  # … which was written here

    def _render(self) -> None:
        """Write the last block of what was rendered again, and what follows it."""
        tail = self._source()[self._stable :]
        blocks = _top_level(self._parser.parse(tail))
        cursor = QTextCursor(self.document())
        cursor.beginEditBlock()
        code = self._writer.code
        if code is not None and len(blocks) == 1 and blocks[0][0].type == "fence" and blocks[0][0].info == code.info:
            code.grow(cursor, blocks[0][0].content)
        else:
            self._write(cursor, tail, blocks)
        cursor.endEditBlock()
        self._empty = False
        self._current = True

    def _write(self, cursor: QTextCursor, tail: str, blocks: list[list[Token]]) -> None:
        cursor.setPosition(self._place)
        block_format, char_format = cursor.blockFormat(), cursor.blockCharFormat()
        cursor.movePosition(QTextCursor.MoveOperation.End, QTextCursor.MoveMode.KeepAnchor)
        cursor.removeSelectedText()
        # An empty block that loses its neighbours takes their format over.
        cursor.setBlockFormat(block_format)
        cursor.setBlockCharFormat(char_format)
        self._writer.cursor, self._writer.fresh = cursor, self._fresh
        for place, block in enumerate(blocks):
            if place + 1 == len(blocks):
                line = block[0].map[0] if block[0].map else 0
                self._stable += _line_start(tail, line)
                self._place, self._fresh = self._writer.cursor.position(), self._writer.fresh
            self._writer.write(block)
            self.renderings += 1

    def recolour(self) -> None:
        """The theme is another one."""
        t = theme()
        colours = self.palette()
        colours.setColor(QPalette.ColorRole.Text, QColor(t.text))
        colours.setColor(QPalette.ColorRole.Link, QColor(t.accent))
        colours.setColor(QPalette.ColorRole.Highlight, QColor(t.accent))
        colours.setColor(QPalette.ColorRole.HighlightedText, QColor(t.on_accent))
        self.setPalette(colours)
        if not self._empty:
            self.document().clear()
            self._forget()
            self._render()

    # Frames of code and bars of quotations, which text documents cannot round

    def paintEvent(self, event: QPaintEvent) -> None:
        with QPainter(self.viewport()) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            self._paint_behind(painter, event.rect().top(), event.rect().bottom())
        super().paintEvent(event)

    def _paint_behind(self, painter: QPainter, top: int, bottom: int) -> None:
        layout = self.document().documentLayout()
        block = self.document().findBlock(layout.hitTest(QPointF(0, top), Qt.HitTestAccuracy.FuzzyHit))
        code: list[QTextBlock] = []
        while block.isValid() and layout.blockBoundingRect(block).top() <= bottom:
            self._paint_bars(painter, block)
            if code and _code_number(block) != _code_number(code[0]):
                self._paint_box(painter, code[0], code[-1])
                code = []
            if _code_number(block):
                code.append(block)
            block = block.next()
        if code:
            self._paint_box(painter, code[0], code[-1])

    def _paint_bars(self, painter: QPainter, block: QTextBlock) -> None:
        """What stands beside a quotation, and the rule across the page."""
        area = self.document().documentLayout().blockBoundingRect(block)
        for step in range(block.blockFormat().intProperty(BlockMark.QUOTE)):
            bar = QRectF(4 + step * QUOTE_STEP, area.top() + 2, 3, area.height() + 4)
            painter.fillRect(bar, QColor(theme().border))
        if block.blockFormat().intProperty(BlockMark.RULE):
            painter.fillRect(QRectF(0, area.center().y() + 4, self.width(), 1), QColor(theme().border))

    def _paint_box(self, painter: QPainter, first: QTextBlock, last: QTextBlock) -> None:
        """The frame around these lines, which may be the visible part of a longer block."""
        layout, number = self.document().documentLayout(), _code_number(first)
        top = layout.blockBoundingRect(first).top() - (BOX_RADIUS if _code_number(first.previous()) == number else 10)
        bottom = layout.blockBoundingRect(last).bottom() + (BOX_RADIUS if _code_number(last.next()) == number else 10)
        inset = first.blockFormat()
        left = inset.leftMargin() - BOX_INSET + inset.indent() * INDENT
        painter.setPen(QColor(theme().border))
        painter.setBrush(QColor(theme().code))
        box = QRectF(left + 0.5, top + 0.5, self.width() - left - 1, bottom - top - 1)
        painter.drawRoundedRect(box, BOX_RADIUS, BOX_RADIUS)

    def wheelEvent(self, event: QWheelEvent) -> None:
        event.ignore()  # the conversation scrolls, not the reply

    def loadResource(self, kind: int, name: QUrl) -> object:
        """Nothing, whatever is asked for."""
        return None


def _code_number(block: QTextBlock) -> int:
    """Which code block a line belongs to, 0 for none."""
    return block.blockFormat().intProperty(BlockMark.CODE) if block.isValid() else 0


def _open(url: QUrl) -> None:
    if web_address(url.toString()) is not None:
        QDesktopServices.openUrl(url)


def _top_level(tokens: list[Token]) -> list[list[Token]]:
    """The tokens of each block that is in no other."""
    blocks: list[list[Token]] = [[]]
    for token in tokens:
        blocks[-1].append(token)
        if token.level == 0 and token.nesting <= 0:
            blocks.append([])
    return [block for block in blocks if block]


def _line_start(text: str, line: int) -> int:
    """The index at which a line begins."""
    index = 0
    for _ in range(line):
        index = text.index("\n", index) + 1
    return index
