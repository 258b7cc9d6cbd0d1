"""The turns of a conversation one below the other, in a window that scrolls.

Turns far away are not laid out; their heights are estimates that become exact in idle time. Whenever heights
change, what the reader looks at stays where it is; a reader at the end stays at the end.
"""

from __future__ import annotations

from bisect import bisect_right
from itertools import pairwise
from time import perf_counter

from PySide6.QtCore import QPoint, Qt, QTimer
from PySide6.QtGui import QColor, QPalette, QResizeEvent
from PySide6.QtWidgets import QFrame, QScrollArea, QWidget

from ui.text_view import REACH
from ui.theme import theme, theme_notifier
from ui.turn_view import Anchor, TurnView

MARGIN = 28  # at the sides
TOP = 16  # above the first turn
WIDEST = 860  # longer lines are hard to read
NEAR_END = 4  # pixels
IDLE_S = 0.004  # of work between two events
PASSES = 4  # heights settle within two

Anchored = tuple[TurnView, Anchor]


class TurnStack(QScrollArea):
    """Attributes:
    views: in order; change it through the methods.
    follows: whether the end stays in sight while the last turn grows.
    """

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.views: list[TurnView] = []
        self.follows = True
        self._tops = [TOP]  # of each view, and the end of the last one
        self._arranging = False
        self._canvas = QWidget()
        self._canvas.setAutoFillBackground(True)  # opaque, so that scrolling moves pixels and paints few
        self._canvas.setAttribute(Qt.WidgetAttribute.WA_StaticContents)
        self.setWidget(self._canvas)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.verticalScrollBar().setSingleStep(24)
        self.verticalScrollBar().valueChanged.connect(self._on_scrolled)
        theme_notifier().changed.connect(self._colour)
        self._colour()
        self._idle = QTimer(self, singleShot=True, interval=0)
        self._idle.timeout.connect(self._work)

    @property
    def canvas(self) -> QWidget:
        """The parent of all views."""
        return self._canvas

    @property
    def busy(self) -> bool:
        """Whether idle work is left."""
        return self._idle.isActive()

    def add(self, view: TurnView) -> None:
        """Put a view at the end. Call `arrange` afterwards."""
        view.set_column(self._column())
        self.views.append(view)

    def truncate(self, length: int) -> None:
        """Take away all views from `length` on. Call `arrange` afterwards."""
        for view in self.views[length:]:
            view.hide()
            view.deleteLater()
        del self.views[length:]

    def arrange(self, first: int = 0) -> None:
        """Lay out what is visible and put the views in their places.

        Args:
            first: views before this one have the heights they had.
        """
        if not self._arranging:
            self._arrange(first, None if self.follows else self._anchor())

    def _arrange(self, first: int, anchor: Anchored | None) -> None:
        self._arranging = True
        first, top = self._settle(first, anchor)
        # Scrolling comes first: Qt moves the pixels only while nothing of them waits to be painted.
        self._canvas.resize(self.viewport().width(), max(self._tops[-1], self.viewport().height()))
        self.verticalScrollBar().setValue(top)
        left, width = self._left() - REACH, self._column() + 2 * REACH
        for view, (y, end) in zip(self.views[first:], pairwise(self._tops[first:]), strict=True):
            view.setGeometry(left, y, width, end - y)
            view.settle()
            view.show()
        self._arranging = False
        self._idle.start()

    def scroll_to_end(self) -> None:
        self.follows = True
        self.arrange()

    def show_area(self, view: TurnView, top: int, bottom: int) -> None:
        """Scroll as little as needed to show heights of a view."""
        y = self._tops[self.views.index(view)]
        self.ensureVisible(0, y + top, 0, 8)
        self.ensureVisible(0, y + bottom, 0, 8)

    # Inside

    def _column(self) -> int:
        """The width of the text; the scroll bar stands in the margin."""
        return max(120, min(WIDEST, self.width() - 2 * MARGIN))

    def _left(self) -> int:
        return max(MARGIN, (self.width() - self._column()) // 2)

    def _anchor(self) -> Anchored | None:
        """What stands at the top of the window."""
        y = self.verticalScrollBar().value()
        index = self._index_at(y)
        return (self.views[index], self.views[index].anchor(y - self._tops[index])) if self.views else None

    def _index_at(self, y: int) -> int:
        return min(max(0, bisect_right(self._tops, y) - 1), max(0, len(self.views) - 1))

    def _settle(self, first: int, anchor: Anchored | None) -> tuple[int, int]:
        """Lay out what will be visible, until all heights agree.

        Args:
            first: views before this one have the heights they had.

        Returns:
            The first view whose height or place is another now, and the height at which the window begins.
        """
        self._stack(first)
        top = self._window_top(anchor)
        for _ in range(PASSES):
            bottom = top + self.viewport().height()
            index = self._index_at(top)
            while index < len(self.views) and self._tops[index] < bottom:
                y, end = self._tops[index], self._tops[index + 1]
                self.views[index].show_between(max(0, top - y), min(end, bottom) - y)
                if self.views[index].wanted_height() != end - y:
                    first = min(first, index)
                    self._stack(index)
                index += 1
            before, top = top, self._window_top(anchor)
            if top == before:
                break
        return first, top

    def _stack(self, first: int) -> None:
        """Work the places out again from a view on."""
        del self._tops[first + 1 :]
        for view in self.views[first:]:
            self._tops.append(self._tops[-1] + view.wanted_height())

    def _window_top(self, anchor: Anchored | None) -> int:
        last = max(0, self._tops[-1] - self.viewport().height())
        if self.follows:
            return last
        if anchor is None or anchor[0] not in self.views:
            return min(self.verticalScrollBar().value(), last)
        view, place = anchor
        return max(0, min(last, self._tops[self.views.index(view)] + view.anchor_y(place)))

    def _work(self) -> None:
        """Idle work, a little at a time; from the end, where the reader is."""
        deadline = perf_counter() + IDLE_S
        anchor = None if self.follows else self._anchor()
        changed = len(self.views)
        for index in reversed(range(len(self.views))):
            view = self.views[index]
            unfinished = view.work(deadline)
            if view.wanted_height() != self._tops[index + 1] - self._tops[index]:
                changed = index
            if unfinished:
                break
        else:
            unfinished = False
        if changed < len(self.views):
            self._arrange(changed, anchor)
        if unfinished:
            self._idle.start()
        else:
            self._idle.stop()

    def _on_scrolled(self, value: int) -> None:
        if not self._arranging:
            self.follows = value >= self.verticalScrollBar().maximum() - NEAR_END
            self.arrange(len(self.views))

    def scroll_towards(self, place: QPoint) -> None:
        """Bring a place outside the window into sight while the mouse drags."""
        y = self.viewport().mapFromGlobal(place).y()
        beyond = y if y < 0 else max(0, y - self.viewport().height())
        if beyond:
            bar = self.verticalScrollBar()
            bar.setValue(bar.value() + beyond // 2)

    def _colour(self) -> None:
        colours = self.palette()
        colours.setColor(QPalette.ColorRole.Window, QColor(theme().background))
        for widget in (self, self._canvas):  # an application's style sheet keeps it from being inherited
            widget.setPalette(colours)

    def resizeEvent(self, event: QResizeEvent) -> None:
        anchor = None if self.follows else self._anchor()
        super().resizeEvent(event)
        for view in self.views:
            view.set_column(self._column())
        self._arrange(0, anchor)
