"""What is compared: both sides, the result, and what is known from before. As it is seen, so is its picture."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QPoint, QRect, QSize, QTimer
from PySide6.QtGui import QAccessible, QAccessibleAnnouncementEvent, QPixmap, QResizeEvent
from PySide6.QtWidgets import QBoxLayout, QVBoxLayout, QWidget

from app.compare.values import Arm
from ui.compare_control import CompareControl
from ui.compare_mix import MixCard
from ui.compare_pane import ComparePane
from ui.compare_table import CompareTable
from ui.compare_words import caption, pane_head, table_text
from ui.elided_label import ElidedLabel
from ui.hover_card import HoverCard, card_text
from ui.translated import Translated

HOVER_MS = 150  # before the first card; others follow at once
ROOM_FOR_TWO = 860  # pixels, for table and mix side by side, unless their texts need more
ROOM_FOR_PANES = 560  # pixels, for both sides side by side
LEAST_PANE = 210  # pixels of height
SCALE, AROUND = 2, 24  # of a picture; pixels on each side


class CompareBoard(Translated, QWidget):
    """Children are public: the page wires `table` and `mix` itself."""

    def __init__(self, control: CompareControl) -> None:
        super().__init__()
        self._control = control
        self._width = 0  # that it may have
        self.panes = {arm: ComparePane(on=arm is Arm.ON) for arm in Arm}
        self.table, self.mix = CompareTable(), MixCard()
        self.caption = ElidedLabel()
        self.caption.setProperty("role", "tiny")
        self.card = HoverCard(self)
        self._pointed: tuple[Arm, int, QRect] | None = None  # waits for the timer
        self._point = QTimer(self, singleShot=True, interval=HOVER_MS)
        self._point.timeout.connect(self._explain_pointed)
        self._sides = QBoxLayout(QBoxLayout.Direction.LeftToRight)
        self._below = QBoxLayout(QBoxLayout.Direction.LeftToRight)
        for row in (self._sides, self._below):
            row.setSpacing(14)
        for arm, pane in self.panes.items():
            self._sides.addWidget(pane, 1)
            pane.setMinimumHeight(LEAST_PANE)
            pane.pointed.connect(lambda token, area, arm=arm: self._on_pointed(arm, token, area))
        self._below.addWidget(self.table, 8)
        self._below.addWidget(self.mix, 7)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(14)
        column.addLayout(self._sides, 1)
        column.addLayout(self._below)
        column.addWidget(self.caption)
        self.table.difference_wanted.connect(self.show_difference)
        self.retranslate()

    def refresh(self) -> None:
        """After a reply or a comparison began or ended."""
        comparison, compared = self._control.comparison, self._control.compared
        self.table.show_text(table_text(comparison.outcome, compared.plan.preset if compared else ""))
        self.table.show_running(self._control.running)
        difference = None if comparison.outcome is None or self._control.running else comparison.outcome.difference
        measured = None if self._control.running else comparison.outcome
        self.caption.setText("" if compared is None else caption(compared, measured, self._control.engine))
        self.show_progress()
        for pane in self.panes.values():
            pane.text.tokens.mark(None if difference is None else difference.index)

    def show_progress(self) -> None:
        """Texts and speeds as they are now. Call at the pace of painting."""
        for arm, pane in self.panes.items():
            pane.show_head(pane_head(self._control, arm))
            shown = self._control.shown(arm)
            pane.show_reply(None if shown is None else shown.fold)

    def show_difference(self) -> None:
        outcome = self._control.comparison.outcome
        if outcome is not None and outcome.difference is not None:
            for pane in self.panes.values():
                pane.text.show_token(outcome.difference.index)

    def picture(self) -> QPixmap:
        """The board as it is seen, twice as fine and with room around it, but for what only its user has a use for: a
        picture is shown to others."""
        self._hide_card()
        private = [widget for widget in (self.mix, *self.table.buttons) if widget.isVisibleTo(self)]
        focused = self.window().focusWidget()
        for widget in private:
            widget.hide()
        self._lay_out()
        pixels = QPixmap((self.size() + 2 * QSize(AROUND, AROUND)) * SCALE)
        pixels.setDevicePixelRatio(SCALE)
        pixels.fill(self.palette().window().color())
        self.render(pixels, QPoint(AROUND, AROUND), self.rect())
        for widget in private:
            widget.show()
        self._lay_out()
        if focused in private:
            focused.setFocus()
        return pixels

    def _lay_out(self) -> None:
        """At once, and not with the next event."""
        for widget in (self.table, self):
            layout = widget.layout()
            layout.invalidate()
            layout.activate()

    def retranslate(self) -> None:
        self.refresh()

    def set_width(self, width: int) -> None:
        """Where two would be wider than this, they stand below each other. Its own width never says so: it is at least
        what stands in it needs."""
        self._width = width
        self._arrange()

    def event(self, event: QEvent) -> bool:
        if event.type() is QEvent.Type.LayoutRequest:  # other texts need other room
            self._arrange()
        return super().event(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        self._hide_card()
        super().resizeEvent(event)

    def _arrange(self) -> None:
        for row, least in ((self._sides, ROOM_FOR_PANES), (self._below, ROOM_FOR_TWO)):
            widgets = [row.itemAt(place).widget() for place in range(row.count())]
            needed = sum(widget.minimumSizeHint().width() for widget in widgets) + row.spacing()
            way = QBoxLayout.Direction
            row.setDirection(way.LeftToRight if self._width >= max(least, needed) else way.TopToBottom)

    # Explaining tokens, as in a chat

    def _on_pointed(self, arm: Arm, token: int, area: QRect) -> None:
        self._point.stop()
        tokens = self.panes[arm].text.tokens
        if token < 0:
            self._hide_card()
        elif tokens.pointing:
            self._explain(arm, token, area)
            QAccessible.updateAccessibility(QAccessibleAnnouncementEvent(tokens, self.card.accessibleName()))
        elif self.card.isVisible():
            self._explain(arm, token, area)
        else:
            self._pointed = (arm, token, area)
            self._point.start()

    def _explain_pointed(self) -> None:
        if self._pointed is not None:
            self._explain(*self._pointed)

    def _explain(self, arm: Arm, token: int, area: QRect) -> None:
        pane, shown = self.panes[arm], self._control.shown(arm)
        if shown is None or shown.fold is not pane.text.reply or token >= len(shown.fold.tokens):
            return  # another reply has begun
        event = shown.fold.tokens[token]
        place = QRect(pane.mapTo(self, area.topLeft()), area.size())
        self.card.show_token(card_text(event, shown.drafted[event.round]), place)

    def _hide_card(self) -> None:
        self._point.stop()
        self.card.hide()
