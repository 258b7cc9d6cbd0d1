"""A small painted curve: what a pass of the target costs by the number of tokens that it checks at once."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QHelpEvent, QPainter, QPaintEvent, QPen, QPolygonF
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from app.translate import translate
from engine.costs import MeasuredCosts
from ui.elided_label import plain_tip
from ui.fonts import text_font
from ui.theme import theme, theme_notifier
from ui.translated import Translated

HEIGHT = 88
ROW = 16  # of words, above and below the curve
USUAL_TOKENS = 9
NO_DRAFT_S = 1e-6  # what is quicker is no pass of a draft


class CostCurve(Translated, QWidget):
    """From 0 at the bottom, so that a flat curve means what it looks like. Pointing at it tells the figures."""

    def __init__(self) -> None:
        super().__init__()
        self.setFixedHeight(HEIGHT)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setFont(text_font(11))
        self._costs: MeasuredCosts | None = None
        self._chosen: int | None = None
        theme_notifier().changed.connect(self.update)
        self.retranslate()

    @property
    def points(self) -> tuple[float, ...]:
        """Seconds for 1, 2, … tokens, as far as they are shown; empty where a clock did not move."""
        if self._costs is None or min(self._costs.verify_s) <= 0:
            return ()
        used = 0 if self._chosen is None else self._chosen + 1
        return self._costs.verify_s if used > USUAL_TOKENS else self._costs.verify_s[:USUAL_TOKENS]

    @property
    def chosen(self) -> int | None:
        return self._chosen

    def show_costs(self, costs: MeasuredCosts, chosen: int | None) -> None:
        """`chosen` is how many guesses a round checks, together with the token before them; None for no mark."""
        if (costs, chosen) != (self._costs, self._chosen):
            self._costs, self._chosen = costs, chosen
            self.retranslate()
            self.update()

    def retranslate(self) -> None:
        figures = [translate("cost_curve", "Cost of checking tokens at once")]
        figures += [f"{tokens}: {milliseconds(seconds)}" for tokens, seconds in enumerate(self.points, 1)]
        if self._chosen is not None:
            figures.append(self._chosen_words())
        if draft := self._draft_words():
            figures.append(draft)
        self.setAccessibleName(", ".join(figures))

    def sizeHint(self) -> QSize:
        return QSize(240, HEIGHT)

    def tip(self, x: float) -> str:
        """What pointing at that place tells."""
        points = self.points
        if not points:
            return ""
        place = self._plot()
        step = place.width() / max(1, len(points) - 1)
        tokens = 1 + max(0, min(len(points) - 1, round((x - place.left()) / step)))
        if tokens == 1:
            words = translate("cost_curve", "1 token: {time}")
        else:
            words = translate("cost_curve", "{tokens} tokens at once: {time}, {ratio}× one token")
        ratio = f"{points[tokens - 1] / points[0]:.2f}"
        lines = [words.format(tokens=tokens, time=milliseconds(points[tokens - 1]), ratio=ratio), self._draft_words()]
        return "\n".join(filter(None, lines))

    def event(self, event: QEvent) -> bool:
        if event.type() is QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            QToolTip.showText(event.globalPos(), plain_tip(self.tip(event.pos().x())), self)
            return True
        return super().event(event)

    def paintEvent(self, _: QPaintEvent) -> None:
        points, t = self.points, theme()
        if len(points) < 2:
            return
        place, highest = self._plot(), max(points)
        step = place.width() / (len(points) - 1)
        line = QPolygonF(
            [
                QPointF(place.left() + n * step, place.bottom() - seconds / highest * place.height())
                for n, seconds in enumerate(points)
            ]
        )
        with QPainter(self) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setPen(QPen(QColor(t.border), 1))
            painter.drawLine(place.bottomLeft(), place.bottomRight())
            if self._chosen is not None and self._chosen < len(points):
                self._paint_chosen(painter, place, place.left() + self._chosen * step)
            painter.setPen(QPen(QColor(t.accent), 1.8))
            painter.drawPolyline(line)
            self._paint_ends(painter, points)

    def _paint_chosen(self, painter: QPainter, place: QRectF, x: float) -> None:
        """A dashed line, and its words on the side that has room for them."""
        painter.setPen(QPen(QColor(theme().good), 1.4, Qt.PenStyle.DashLine))
        painter.drawLine(QPointF(x, 2), QPointF(x, place.bottom()))
        words = self._chosen_words()
        width = self.fontMetrics().horizontalAdvance(words) + 2
        left = x + 6 if x + 6 + width <= self.width() else x - 6 - width
        painter.setPen(QColor(theme().muted))
        painter.drawText(QRectF(left, 0, width, ROW), Qt.AlignmentFlag.AlignVCenter, words)

    def _paint_ends(self, painter: QPainter, points: tuple[float, ...]) -> None:
        painter.setPen(QColor(theme().muted))
        row = QRectF(0, self.height() - ROW, self.width(), ROW)
        for tokens, side in ((1, Qt.AlignmentFlag.AlignLeft), (len(points), Qt.AlignmentFlag.AlignRight)):
            words = f"{tokens} · {milliseconds(points[tokens - 1])}"
            painter.drawText(row, side | Qt.AlignmentFlag.AlignVCenter, words)

    def _plot(self) -> QRectF:
        return QRectF(self.rect()).adjusted(4, ROW + 4, -4, -ROW - 2)

    def _chosen_words(self) -> str:
        return translate("cost_curve", "chosen: {length}").format(length=self._chosen)

    def _draft_words(self) -> str:
        if self._costs is None or self._costs.draft_s < NO_DRAFT_S:
            return ""
        words = translate("cost_curve", "A pass of the draft: {time}")
        return words.format(time=milliseconds(self._costs.draft_s))


def milliseconds(seconds: float) -> str:
    """With as many digits as one can compare."""
    return f"{seconds * 1000:.1f} ms" if seconds < 0.1 else f"{seconds * 1000:,.0f} ms"
