"""Cells of the Models page's tables: what one holds, and how it is painted."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, auto
from functools import cache, lru_cache
from itertools import pairwise

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFont, QFontMetrics, QPainter, QPen, QTextLayout
from PySide6.QtWidgets import QAbstractItemView, QStyle, QStyledItemDelegate, QStyleOptionViewItem

from app.translate import translate
from ui.bars import Segments, paint_segments
from ui.fonts import text_font as new_text_font
from ui.icons import icon
from ui.theme import Theme, theme

AnyIndex = QModelIndex | QPersistentModelIndex
CELL = Qt.ItemDataRole.UserRole

SIDE = 10  # left and right of a cell's content
GAP = 6  # between two buttons
BUTTON_HEIGHT = 30
ICON_BUTTON = 28
NO_BREAK = "\u00a0"


class Act(Enum):
    """What can be done with a row."""

    DOWNLOAD = auto()
    OPEN = auto()
    PAUSE = auto()
    RESUME = auto()
    CANCEL = auto()
    TRY_AGAIN = auto()
    DISMISS = auto()
    UP = auto()
    DOWN = auto()
    USE_AS_TARGET = auto()
    USE_AS_DRAFT = auto()
    VERIFY = auto()
    STOP = auto()
    SHOW = auto()
    REMOVE = auto()


ICONS = {
    Act.PAUSE: "pause",
    Act.RESUME: "play",
    Act.CANCEL: "cross",
    Act.DISMISS: "cross",
    Act.STOP: "cross",
    Act.UP: "up",
    Act.DOWN: "down",
}


@cache
def text_font(px: int, *, strong: bool = False) -> QFont:
    """One font for all cells: making one for each would be most of the painting."""
    return new_text_font(px, strong=strong)


def act_words(act: Act) -> str:
    match act:
        case Act.DOWNLOAD:
            return translate("models", "Download")
        case Act.OPEN:
            return translate("models", "Open")
        case Act.PAUSE:
            return translate("models", "Pause")
        case Act.RESUME:
            return translate("models", "Go on")
        case Act.CANCEL:
            return translate("models", "Cancel")
        case Act.TRY_AGAIN:
            return translate("models", "Try again")
        case Act.DISMISS:
            return translate("models", "Dismiss")
        case Act.UP:
            return translate("models", "Sooner")
        case Act.DOWN:
            return translate("models", "Later")
        case Act.USE_AS_TARGET:
            return translate("models", "Use as target")
        case Act.USE_AS_DRAFT:
            return translate("models", "Use as draft")
        case Act.VERIFY:
            return translate("models", "Verify")
        case Act.STOP:
            return translate("models", "Stop")
        case Act.SHOW:
            return translate("models", "Show in folder")
        case Act.REMOVE:
            return translate("models", "Remove…")


@dataclass(frozen=True, slots=True)
class Cell:
    """What one cell shows.

    Attributes:
        text, small: one line, and a smaller one below it.
        tone: of the text: "", "strong", "muted", "good", "caution" or "warn".
        share: of a bar above the small line, 0 … 1; None for no bar.
        segments: of a bar of several parts, above the small line where there is one.
        resting: the bar stands still.
        acts: buttons at the right.
        tip: the tool tip, where it says more than the texts.
        wraps: the text takes as many lines as the cell has room for.
    """

    text: str = ""
    small: str = ""
    tone: str = ""
    share: float | None = None
    resting: bool = False
    acts: tuple[Act, ...] = ()
    tip: str = ""
    wraps: bool = False
    segments: Segments = ()

    @property
    def words(self) -> str:
        """For screen readers, which hear of a bar what its tip says."""
        bar = self.tip.split("\n") if self.segments else []
        return ", ".join(part for part in (self.text, self.small, *bar, *map(act_words, self.acts)) if part)


def act_rects(cell: Cell, area: QRect) -> list[tuple[Act, QRect]]:
    """The buttons of `cell` where they are in `area`."""
    if not cell.acts:
        return []
    metrics = QFontMetrics(text_font(13, strong=True))
    widths = [ICON_BUTTON if act in ICONS else metrics.horizontalAdvance(act_words(act)) + 28 for act in cell.acts]
    left = area.right() + 1 - SIDE - sum(widths) - GAP * (len(widths) - 1)
    rects: list[tuple[Act, QRect]] = []
    for act, width in zip(cell.acts, widths, strict=True):
        height = ICON_BUTTON if act in ICONS else BUTTON_HEIGHT
        rects.append((act, QRect(left, area.center().y() + 1 - height // 2, width, height)))
        left += width + GAP
    return rects


class CellDelegate(QStyledItemDelegate):
    """Paints cells. `hot` is the button under the mouse: row, column, act."""

    hot: tuple[int, int, Act] | None = None

    def sizeHint(self, option: QStyleOptionViewItem, index: AnyIndex) -> QSize:
        return QSize(80, 40)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: AnyIndex) -> None:
        cell: Cell = index.data(CELL)
        t, area = theme(), QRect(option.rect)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self._background(painter, option, index, t)
        buttons = act_rects(cell, area)
        inside = area.adjusted(SIDE, 0, -SIDE, 0)
        if buttons:
            inside.setRight(buttons[0][1].left() - GAP)
        if cell.segments:
            _segments(painter, inside, cell, t)
        elif cell.share is not None:
            _bar(painter, inside, cell, t)
        else:
            _lines(painter, inside, cell, t)
        for act, rect in buttons:
            _button(painter, rect, act, (index.row(), index.column(), act) == self.hot, t)
        painter.restore()

    def _background(self, painter: QPainter, option: QStyleOptionViewItem, index: AnyIndex, t: Theme) -> None:
        area = QRect(option.rect)
        if option.state & QStyle.StateFlag.State_Selected:
            painter.fillRect(area, QColor(t.raised))
        table = self.parent()
        focus = isinstance(table, QAbstractItemView) and table.hasFocus() and table.currentIndex().row() == index.row()
        if focus and index.column() == 0:
            painter.fillRect(QRect(area.left(), area.top(), 3, area.height() - 1), QColor(t.accent))
        painter.fillRect(QRect(area.left(), area.bottom(), area.width(), 1), QColor(t.border))


def _lines(painter: QPainter, area: QRect, cell: Cell, t: Theme) -> None:
    strong = cell.tone in ("strong", "good", "caution", "warn")
    colour = {"muted": t.muted, "good": t.good, "caution": t.caution, "warn": t.warn}.get(cell.tone, t.text)
    left = Qt.AlignmentFlag.AlignLeft
    if cell.wraps:
        _wrapped(painter, area, cell.text, colour)
        return
    if not cell.small:
        _text(painter, area, cell.text, 13, colour, left | Qt.AlignmentFlag.AlignVCenter, strong)
        return
    middle = area.center().y()
    upper = QRect(area.left(), middle - 20, area.width(), 20)
    lower = QRect(area.left(), middle + 2, area.width(), 16)
    _text(painter, upper, cell.text, 13, colour, left | Qt.AlignmentFlag.AlignVCenter, strong, cell.tone == "warn")
    _text(painter, lower, cell.small, 11, t.muted, left | Qt.AlignmentFlag.AlignVCenter)


def _wrapped(painter: QPainter, area: QRect, text: str, colour: str) -> None:
    """Small lines, in the middle; the last one there is room for gives way."""
    font = text_font(12)
    lines = wrapped_lines(text, font, area.width(), area.height() // QFontMetrics(font).height())
    painter.setFont(font)
    painter.setPen(QColor(colour))
    edge = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
    painter.drawText(area, edge, "\n".join(lines))


def wrapped_lines(text: str, font: QFont, width: int, most: int) -> list[str]:
    """`text` in lines of `width`, at most so many."""
    layout = QTextLayout(text, font)
    layout.beginLayout()
    starts: list[int] = []
    while (line := layout.createLine()).isValid():
        line.setLineWidth(max(1, width))
        starts.append(line.textStart())
    layout.endLayout()
    starts = starts[: max(1, most)] or [0]
    lines = [text[start:end].rstrip() for start, end in pairwise(starts)]
    return [*lines, QFontMetrics(font).elidedText(text[starts[-1] :], Qt.TextElideMode.ElideRight, width + 1)]


def _bar(painter: QPainter, area: QRect, cell: Cell, t: Theme) -> None:
    lines = [cell.small] if not cell.wraps else wrapped_lines(_unbroken(cell.small), text_font(11), area.width(), 2)
    middle = area.center().y() - 6 * (len(lines) - 1)
    bar = QRectF(area.left(), middle - 12, area.width(), 8)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(QColor(t.border))
    painter.drawRoundedRect(bar, 4, 4)
    assert cell.share is not None
    bar.setWidth(bar.width() * min(1.0, max(0.0, cell.share)))
    painter.setBrush(QColor(t.muted if cell.resting else t.accent))
    painter.drawRoundedRect(bar, min(4.0, bar.width() / 2), 4)
    edge = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop
    for place, line in enumerate(lines):
        _text(painter, QRect(area.left(), middle + 1 + 14 * place, area.width(), 18), line, 11, t.muted, edge)


def _unbroken(text: str) -> str:
    """To be broken between its parts only, not between a number and what it counts."""
    return text.replace(" ", NO_BREAK).replace(f"{NO_BREAK}·{NO_BREAK}", f"{NO_BREAK}· ")


def _segments(painter: QPainter, area: QRect, cell: Cell, t: Theme) -> None:
    middle = area.center().y() - (8 if cell.small else 0)
    paint_segments(painter, QRectF(area.left(), middle - 5, area.width(), 12), cell.segments, t)
    if cell.small:
        lower = QRect(area.left(), middle + 9, area.width(), 16)
        _text(painter, lower, cell.small, 11, t.muted, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)


def _button(painter: QPainter, rect: QRect, act: Act, hot: bool, t: Theme) -> None:
    painter.setPen(QPen(QColor(t.muted if hot else t.border), 1))
    painter.setBrush(QColor(t.raised))
    painter.drawRoundedRect(QRectF(rect).adjusted(0.5, 0.5, -0.5, -0.5), 8, 8)
    if act in ICONS:
        picture = icon(ICONS[act], t.text if hot else t.muted)
        picture.paint(painter, rect.adjusted(5, 5, -5, -5))
        return
    _text(painter, rect, act_words(act), 13, t.text, Qt.AlignmentFlag.AlignCenter, strong=True)


def _text(
    painter: QPainter,
    area: QRect,
    text: str,
    px: int,
    colour: str,
    edge: Qt.AlignmentFlag,
    strong: bool = False,
    middle: bool = False,
) -> None:
    """One line; where it is too long its end gives way, or its `middle`."""
    painter.setFont(text_font(px, strong=strong))
    painter.setPen(QColor(colour))
    painter.drawText(area, edge, _elided(text, px, area.width() + 1, strong=strong, middle=middle))


@lru_cache(maxsize=2_000)
def _elided(text: str, px: int, width: int, *, strong: bool, middle: bool) -> str:
    """Worked out once for all paintings: it takes as long as painting."""
    way = Qt.TextElideMode.ElideMiddle if middle else Qt.TextElideMode.ElideRight
    return QFontMetrics(text_font(px, strong=strong)).elidedText(text, way, width)
