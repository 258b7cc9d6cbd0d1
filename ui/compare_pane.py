"""One side of a comparison: what it is, how fast, how far, and the text with the origin of each token."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QRect, Qt, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QVBoxLayout

from app.translate import translate
from engine.stats import ReplyFold
from ui.bars import SegmentBar
from ui.compare_text import ReplyText
from ui.elided_label import ElidedLabel
from ui.theme import theme, theme_notifier
from ui.translated import Translated

BAR = 8  # pixels


@dataclass(frozen=True, slots=True)
class PaneHead:
    """What stands above the text.

    Attributes:
        subtitle: what this side is, and which run is on.
        rate: tokens per second, None before there were any.
        share: of the bar that is filled, 0 … 1.
        bar: what the bar says, in words.
    """

    subtitle: str = ""
    rate: float | None = None
    share: float = 0.0
    bar: str = ""


class ComparePane(Translated, QFrame):
    """Signals:
    pointed(int, QRect): the token to explain and where it stands in this widget; -1 for none.
    """

    pointed = Signal(int, QRect)

    def __init__(self, *, on: bool) -> None:
        """`on`: the side that speculates."""
        super().__init__()
        self.setProperty("role", "card")
        self._on = on
        self._head = PaneHead()
        self._title, self._subtitle = QLabel(), ElidedLabel()
        self._title.setProperty("role", "heading")
        self._subtitle.setProperty("tone", "muted")
        self._rate, self._unit = QLabel(), QLabel()
        self._rate.setProperty("role", "rate-good" if on else "rate")
        self._unit.setProperty("role", "small")
        self._bar = SegmentBar()
        self._bar.setFixedHeight(BAR)
        self.text = ReplyText()
        self.text.pointed.connect(
            lambda token, area: self.pointed.emit(token, QRect(self.text.mapTo(self, area.topLeft()), area.size()))
        )
        row = QHBoxLayout()
        row.setSpacing(10)
        for widget, below in ((self._title, 3), (self._subtitle, 4), (self._rate, 0), (self._unit, 5)):
            widget.setContentsMargins(0, 0, 0, below)
            stretch = 1 if widget is self._subtitle else 0
            row.addWidget(widget, stretch, Qt.AlignmentFlag.AlignBottom)
        column = QVBoxLayout(self)
        column.setContentsMargins(16, 12, 16, 16)
        column.setSpacing(10)
        column.addLayout(row)
        column.addWidget(self._bar)
        column.addWidget(self.text, 1)
        self._rate.setMinimumHeight(self._rate.sizeHint().height())
        theme_notifier().changed.connect(self._fill)
        self.retranslate()

    @property
    def head(self) -> PaneHead:
        return self._head

    def show_head(self, head: PaneHead) -> None:
        if head != self._head:
            self._head = head
            self._fill()

    def show_reply(self, reply: ReplyFold | None) -> None:
        """Call at the pace of painting, not of tokens."""
        self.text.show_reply(reply)

    def retranslate(self) -> None:
        title = translate("compare", "On") if self._on else translate("compare", "Off")
        self._title.setText(title)
        self._unit.setText(translate("live_panel", "tok/s"))
        self.text.name(
            translate("compare", "Reply with speculation")
            if self._on
            else translate("compare", "Reply without speculation")
        )
        self._fill()

    def _fill(self) -> None:
        head, colours = self._head, theme()
        self._subtitle.setText(head.subtitle)
        self._rate.setText("–" if head.rate is None else f"{head.rate:.1f}")
        self._bar.show_segments(((colours.good if self._on else colours.muted, head.share),))
        self._bar.setAccessibleName(head.bar)
        self._bar.setToolTip(head.bar)
        self.setAccessibleName(self._title.text())
        self.setAccessibleDescription(f"{head.subtitle}, {self._rate.text()} {self._unit.text()}")
