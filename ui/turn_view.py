"""One turn of a conversation: a heading, and below it what was said."""

from __future__ import annotations

from time import perf_counter

from PySide6.QtCore import QRectF, Qt, Signal
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from app.conversation import Turn, UserTurn
from app.translate import translate
from ui.fonts import text_font
from ui.text_view import REACH, TextView
from ui.theme import theme
from ui.translated import Translated

HEADING = 24  # height of the heading
GAP = 22  # below a turn
CHARACTER_WIDTH, LINE_HEIGHT = 7.5, 23  # on average, for estimates

# A place in a turn that stays where it is when heights change: the part and what the part says of it.
Anchor = tuple[str, object]


class TurnView(Translated, QWidget):
    """Its owner gives it its width, tells it what is visible and asks for its height. It reaches `REACH` pixels
    beyond its column on both sides.

    It is empty until somebody looks, or there is time; until then the height is an estimate.

    Attributes:
        turn: what is shown.
        column: width of the text.
        rough: its height, about.
        filled: whether the text is there.

    Signals:
        selection_began(object): the widget in which something is selected from now on.
    """

    selection_began = Signal(object)

    def __init__(self, turn: Turn, parent: QWidget) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_StaticContents)  # what is there stays when the height grows
        self.turn = turn
        self.text_view = self.make_text_view()
        self.column = 0
        self.rough = 0
        self.filled = False
        self.text_view.move(0, HEADING - REACH)
        self.text_view.setAccessibleDescription(turn.text)
        self.text_view.selection_began.connect(lambda: self.selection_began.emit(self.text_view))

    def heading(self) -> tuple[str, str]:
        """Who speaks, and a note beside it."""
        raise NotImplementedError

    def make_text_view(self) -> TextView:
        return TextView(self)

    def fill(self) -> None:
        """Put the turn's text into its view, once."""
        if not self.filled:
            self.filled = True
            self.put_text()

    def put_text(self) -> None:
        """Bring the view up to the turn's text."""
        raise NotImplementedError

    def refresh(self) -> None:
        """Show what is new in the turn; the wanted height may change."""

    def allow_again(self, allowed: bool) -> None:
        """Whether the turn may be written again."""

    def clear_selection(self, but: QWidget) -> None:
        """Select nothing, unless it is in `but`."""
        if self.text_view is not but:
            self.text_view.clear_selection()

    def recolour(self) -> None:
        """The theme is another one."""
        self.text_view.recolour()
        self.update()

    # Geometry, for the owner

    def set_column(self, width: int) -> None:
        self.column = width
        self.rough = rough_height(self.turn.text, width)
        self.text_view.set_width(width + 2 * REACH)

    def body_bottom(self) -> int:
        """Where the text ends."""
        if not self.filled:
            return HEADING + self.rough
        return HEADING + self.text_view.wanted_height() - 2 * REACH

    def wanted_height(self) -> int:
        return self.body_bottom() + GAP

    def show_between(self, top: int, bottom: int) -> None:
        """Get ready to be seen between two heights; the wanted height may change."""
        self.fill()
        offset = HEADING - REACH
        self.text_view.show_between(top - offset, bottom - offset)

    def work(self, deadline: float) -> bool:
        """Do what nobody waits for until `perf_counter` passes `deadline`; the wanted height may change.

        Returns:
            Whether something is left.
        """
        if not self.filled and perf_counter() > deadline:
            return True
        self.fill()
        return self.text_view.work(deadline)

    def settle(self) -> None:
        """Put the parts in their places; the wanted height is final for now."""
        self.text_view.settle()

    def anchor(self, y: int) -> Anchor:
        """What stands at a height."""
        inside = y - HEADING + REACH
        if inside < 0:
            return "top", y
        return "text", self.text_view.anchor(inside)

    def anchor_y(self, anchor: Anchor) -> int:
        """At which height it stands now."""
        part, value = anchor
        if part == "text":
            return HEADING - REACH + self.text_view.anchor_y(value)
        assert isinstance(value, int)
        return value

    # Painting

    def paintEvent(self, event: QPaintEvent) -> None:
        if event.rect().top() > HEADING:
            return
        who, note = self.heading()
        strong, plain = text_font(12, strong=True), text_font(12)
        with QPainter(self) as painter:
            painter.setPen(QColor(theme().muted))
            painter.setFont(strong)
            line = QRectF(REACH, 0, self.width(), HEADING - 4)
            painter.drawText(line, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, who)
            painter.setFont(plain)
            line.setLeft(REACH + QFontMetricsF(strong).horizontalAdvance(who) + 9)
            line.setRight(self.width() - REACH)
            note = QFontMetricsF(plain).elidedText(note, Qt.TextElideMode.ElideMiddle, line.width())
            painter.drawText(line, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, note)


def rough_height(text: str, width: int) -> int:
    """The height of a text that nobody has laid out, about."""
    rows = len(text) * CHARACTER_WIDTH / max(1, width)
    return round(LINE_HEIGHT * (rows + text.count("\n") / 2 + 1))


class UserView(TurnView):
    """What the user wrote."""

    turn: UserTurn

    def __init__(self, turn: UserTurn, parent: QWidget) -> None:
        super().__init__(turn, parent)
        self.retranslate()

    def put_text(self) -> None:
        self.text_view.append(self.turn.text)

    def heading(self) -> tuple[str, str]:
        return translate("transcript", "You"), ""

    def retranslate(self) -> None:
        self.text_view.setAccessibleName(translate("transcript", "You"))
        self.update()
