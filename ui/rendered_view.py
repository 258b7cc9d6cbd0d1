"""A reply as its Markdown means it. When text arrives, it is written anew from its last block on."""

from __future__ import annotations

import math
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
from ui.markdown import LINE, QUOTE_STEP, TEXT_PX, BlockMark, MarkdownWriter, parser, web_address
from ui.text_view import BOX_RADIUS
from ui.theme import theme, theme_notifier

LEAST_S = 0.2  # between two renderings while text arrives
SHARE = 10  # a rendering that takes long waits this many times as long for the next
CHARACTERS = 7.5  # average width in pixels, for the estimate


class RenderedView(QTextBrowser):
    """Read-only; text can be selected and copied, web links open in the browser. Nothing is loaded.

    Signals:
        outdated(): time for `show_source` with the newest text.
    """

    outdated = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.renderings = 0  # blocks written, counting each time: the work done
        self._source = ""
        self._rendered = ""
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
        self.document().setUndoRedoEnabled(False)
        self.document().setDefaultFont(text_font(TEXT_PX))
        self.anchorClicked.connect(_open)
        theme_notifier().changed.connect(self._recolour)
        self._recolour()

    def show_source(self, text: str, *, complete: bool) -> None:
        """The Markdown so far; it only grows. While it is not complete, it is rendered a few times a second."""
        self._source = text
        if complete:
            self._next_s = 0.0

    def set_width(self, width: int) -> None:
        self.document().setTextWidth(width)
        self.resize(width, self.wanted_height())

    def wanted_height(self) -> int:
        if not self._rendered:
            rows = len(self._source) * CHARACTERS / max(1, self.width())
            return LINE * (math.ceil(rows) + self._source.count("\n\n") // 2)
        return math.ceil(self.document().size().height())

    def show_between(self, top: int, bottom: int) -> None:
        """Render what is new, if it is time."""
        if self._rendered == self._source:
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
        self._rendered = ""
        self._writer = MarkdownWriter(QTextCursor(self.document()), theme())
        self._stable = 0  # characters of the source in front of its last block …
        self._place, self._fresh = 0, True  # … which was written here

    def _render(self) -> None:
        tail = self._source[self._stable :]
        blocks = _top_level(self._parser.parse(tail))
        cursor = QTextCursor(self.document())
        cursor.beginEditBlock()
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
        cursor.endEditBlock()
        self._rendered = self._source

    def _recolour(self) -> None:
        t = theme()
        colours = self.palette()
        colours.setColor(QPalette.ColorRole.Text, QColor(t.text))
        colours.setColor(QPalette.ColorRole.Link, QColor(t.accent))
        colours.setColor(QPalette.ColorRole.Highlight, QColor(t.accent))
        colours.setColor(QPalette.ColorRole.HighlightedText, QColor(t.on_accent))
        self.setPalette(colours)
        if self._rendered:
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
        begun: QTextBlock | None = None
        while block.isValid():
            number = block.blockFormat().intProperty(BlockMark.CODE)
            area = layout.blockBoundingRect(block)
            if depth := block.blockFormat().intProperty(BlockMark.QUOTE):
                for step in range(depth):
                    painter.fillRect(
                        QRectF(4 + step * QUOTE_STEP, area.top(), 3, area.height()), QColor(theme().border)
                    )
            if number and begun is None:
                begun = block
            following = block.next()
            if begun is not None and (
                not following.isValid() or following.blockFormat().intProperty(BlockMark.CODE) != number
            ):
                self._paint_box(painter, begun, block)
                begun = None
            elif begun is not None and area.top() > bottom:
                self._paint_box(painter, begun, block)
            if area.top() > bottom:
                break
            block = following

    def _paint_box(self, painter: QPainter, first: QTextBlock, last: QTextBlock) -> None:
        """The frame around these lines, which may be the visible part of a longer block."""
        layout = self.document().documentLayout()
        top, bottom = layout.blockBoundingRect(first).top(), layout.blockBoundingRect(last).bottom()
        number = first.blockFormat().intProperty(BlockMark.CODE)
        inside = [first.previous().blockFormat(), last.next().blockFormat()]
        top -= BOX_RADIUS if inside[0].intProperty(BlockMark.CODE) == number else 10
        bottom += BOX_RADIUS if inside[1].intProperty(BlockMark.CODE) == number else 10
        painter.setPen(QColor(theme().border))
        painter.setBrush(QColor(theme().code))
        left = layout.blockBoundingRect(first).left() - 14
        box = QRectF(left + 0.5, top + 0.5, self.width() - left - 1, bottom - top - 1)
        painter.drawRoundedRect(box, BOX_RADIUS, BOX_RADIUS)

    def wheelEvent(self, event: QWheelEvent) -> None:
        event.ignore()  # the conversation scrolls, not the reply

    def loadResource(self, kind: int, name: QUrl) -> object:
        """Nothing, whatever is asked for."""
        return None


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
