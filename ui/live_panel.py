"""The panel on the right: how fast the present reply is, and why."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QGridLayout, QHBoxLayout, QLabel, QScrollArea, QVBoxLayout, QWidget

from app.amounts import count
from app.compare.values import SHORT_REPLY
from app.compare.words import GAIN
from app.translate import translate
from engine.costs import MeasuredCosts
from engine.stats import GenerationStats
from ui.bars import PositionBars, SegmentBar
from ui.cost_curve import CostCurve
from ui.fact_list import wrapped
from ui.sparkline import Sparkline
from ui.style import set_role
from ui.theme import theme, theme_notifier
from ui.translated import Translated


@dataclass(frozen=True, slots=True)
class LiveReply:
    """What the panel shows.

    Attributes:
        stats: the reply so far.
        rate: tokens per second, moving while it is written, final afterwards; None before the first round.
        points: the same over the whole reply.
        off_rate: tokens per second of this pair without speculation, measured in this session, or None.
        reason: why speculation does not run, "" where it does.
        ratio: to the off rate, where it was measured better than by the two rates.
        pays: whether that ratio is a gain and no chance; None where the two rates say it.
        auto: what was chosen by time for the last round, "" where nothing was.
    """

    stats: GenerationStats
    rate: float | None = None
    points: tuple[float, ...] = ()
    off_rate: float | None = None
    reason: str = ""
    auto: str = ""
    ratio: float | None = None
    pays: bool | None = None


class LivePanel(Translated, QScrollArea):
    def __init__(self) -> None:
        super().__init__()
        self.setFixedWidth(300)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setWidgetResizable(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._reply: LiveReply | None = None
        inside = QWidget()
        inside.setProperty("role", "panel")
        self.setWidget(inside)
        self._column = QVBoxLayout(inside)
        self._column.setContentsMargins(14, 14, 14, 14)
        self._column.setSpacing(6)

        self._live = self._section()
        line = QHBoxLayout()
        self._rate = _label("big")
        self._unit = _label("small")
        self._ratio = _label("ratio")
        line.addWidget(self._rate)
        line.addWidget(self._unit, 0, Qt.AlignmentFlag.AlignBottom)
        line.addStretch(1)
        line.addWidget(self._ratio, 0, Qt.AlignmentFlag.AlignBottom)
        self._unit.setContentsMargins(2, 0, 0, 9)
        self._ratio.setContentsMargins(0, 0, 0, 6)
        self._column.addLayout(line)
        self._note, self._auto = wrapped("small"), wrapped("small")
        self._line = Sparkline()
        self._column.addWidget(self._note)
        self._column.addWidget(self._auto)
        self._column.addWidget(self._line)

        self._kept = self._section()
        self._bars = PositionBars()
        self._column.addWidget(self._bars)

        self._time = self._section()
        self._shares = SegmentBar()
        self._shares_text = _label("tiny")
        self._column.addWidget(self._shares)
        self._column.addWidget(self._shares_text)

        self._cost = self._section()
        self.curve = CostCurve()
        self._column.addWidget(self.curve)

        self._this = self._section()
        self._counts = QGridLayout()
        self._counts.setVerticalSpacing(7)
        self._counts.setColumnStretch(0, 1)
        self._rows = [self._row(place) for place in range(4)]
        self._column.addLayout(self._counts)
        self._column.addStretch(1)
        self.show_costs(None, None)
        theme_notifier().changed.connect(self.retranslate)
        self.retranslate()

    @property
    def reply(self) -> LiveReply | None:
        return self._reply

    @property
    def note(self) -> str:
        return self._note.text()

    @property
    def auto(self) -> str:
        return self._auto.text()

    @property
    def ratio(self) -> str:
        return self._ratio.text()

    def show_reply(self, reply: LiveReply | None) -> None:
        """None where no reply was written yet. Call at the pace of painting, not of tokens."""
        if reply != self._reply:
            self._reply = reply
            self._fill()

    def show_costs(self, costs: MeasuredCosts | None, chosen: int | None) -> None:
        """What passes cost, and how many guesses a round of the reply shown has; None where that is not known."""
        for widget in (self._cost, self.curve):
            widget.setVisible(costs is not None)
        if costs is not None:
            self.curve.show_costs(costs, chosen)

    def retranslate(self) -> None:
        self.setAccessibleName(translate("live_panel", "Live panel"))
        self._live.setText(translate("live_panel", "LIVE"))
        self._unit.setText(translate("live_panel", "tok/s"))
        self._kept.setText(translate("live_panel", "KEPT BY DRAFT POSITION"))
        self._bars.setAccessibleName(translate("live_panel", "Kept by draft position"))
        for widget in (self._kept, self._bars):
            widget.setToolTip(translate("live_panel", "Of the guesses at this position that were checked"))
        self._time.setText(translate("live_panel", "WHERE A ROUND'S TIME GOES"))
        self._cost.setText(translate("live_panel", "COST OF CHECKING N TOKENS AT ONCE"))
        self._this.setText(translate("live_panel", "THIS REPLY"))
        names = (
            translate("live_panel", "Tokens"),
            translate("live_panel", "Accepted / resampled / bonus"),
            translate("live_panel", "Tokens per round"),
            translate("live_panel", "First token"),
        )
        for (name, _), words in zip(self._rows, names, strict=True):
            name.setText(words)
        self._fill()

    def _fill(self) -> None:
        reply = self._reply
        stats = reply.stats if reply else GenerationStats()
        rate = reply.rate if reply else None
        self._rate.setText("" if rate is None else f"{rate:.1f}")
        for widget in (self._rate, self._unit, self._ratio):
            widget.setVisible(rate is not None)
        self._line.show_points(reply.points if reply else ())
        self._line.setVisible(bool(reply and len(reply.points) > 1))
        self._fill_note(reply, rate)
        self._fill_kept(stats)
        self._fill_time(stats)
        self._fill_counts(stats)

    def _fill_note(self, reply: LiveReply | None, rate: float | None) -> None:
        off_rate = reply.off_rate if reply else None
        ratio = rate / off_rate if rate and off_rate and not (reply and reply.reason) else None
        if reply and reply.ratio is not None:
            ratio = reply.ratio
        self._ratio.setText(f"{ratio:.2f}×" if ratio else "")
        pays = bool(reply and ratio and ratio > GAIN and reply.stats.completion_tokens >= SHORT_REPLY)
        if reply and reply.pays is not None:
            pays = reply.pays
        set_role(self._ratio, "ratio-good" if pays else "ratio")
        if reply is None:
            note = translate("live_panel", "Figures come with the first reply.")
        elif reply.reason:
            note = reply.reason
        elif off_rate:
            note = translate("live_panel", "off measured here: {rate} tok/s").format(rate=f"{off_rate:.1f}")
        else:
            note = translate("live_panel", "off not measured yet with this pair")
        self._note.setText(note)
        self._auto.setText(reply.auto if reply else "")
        self._auto.setVisible(bool(self._auto.text()))

    def _fill_kept(self, stats: GenerationStats) -> None:
        shares = tuple(
            kept / seen
            for kept, seen in zip(_padded(stats.accepted_at, stats.verified_at), stats.verified_at, strict=True)
        )
        self._bars.show_shares(shares)
        self._kept.setVisible(bool(shares))
        self._bars.setVisible(bool(shares))

    def _fill_time(self, stats: GenerationStats) -> None:
        t = theme()
        shown = stats.decode_s > 0
        for widget in (self._time, self._shares, self._shares_text):
            widget.setVisible(shown)
        if not shown:
            return
        parts = (
            (t.draft_time, stats.draft_s, translate("live_panel", "draft {share} %")),
            (t.verify_time, stats.verify_s, translate("live_panel", "verify {share} %")),
            (t.sample_time, stats.sample_s, translate("live_panel", "sample {share} %")),
            (t.other_time, stats.other_s, translate("live_panel", "other {share} %")),
        )
        whole = max(stats.decode_s, sum(spent for _, spent, _ in parts))
        self._shares.show_segments(tuple((colour, spent / whole) for colour, spent, _ in parts))
        words = "   ".join(text.format(share=f"{spent / whole * 100:.0f}") for _, spent, text in parts)
        self._shares_text.setText(words)
        self._shares.setAccessibleName(words)

    def _fill_counts(self, stats: GenerationStats) -> None:
        per_round = stats.tokens_per_round if stats.verified else None
        sources = f"{count(stats.accepted)} / {count(stats.resampled)} / {count(stats.bonus)}"
        values = (
            count(stats.completion_tokens),
            sources if stats.verified else "",
            f"{per_round:.1f}" if per_round else "",
            f"{stats.ttft_s:.2f} s" if stats.ttft_s else "",
        )
        for (name, value), words in zip(self._rows, values, strict=True):
            value.setText(words)
            name.setVisible(bool(words) and stats.rounds > 0)
            value.setVisible(bool(words) and stats.rounds > 0)
        self._this.setVisible(stats.rounds > 0)

    def _section(self) -> QLabel:
        label = _label("section")
        label.setContentsMargins(0, 0 if self._column.count() == 0 else 14, 0, 2)
        self._column.addWidget(label)
        return label

    def _row(self, place: int) -> tuple[QLabel, QLabel]:
        name, value = _label(""), _label("")
        name.setProperty("tone", "muted")
        self._counts.addWidget(name, place, 0)
        self._counts.addWidget(value, place, 1, Qt.AlignmentFlag.AlignRight)
        return name, value


def _label(role: str) -> QLabel:
    label = QLabel()
    label.setProperty("role", role)
    return label


def _padded(counts: tuple[int, ...], like: tuple[int, ...]) -> tuple[int, ...]:
    return counts + (0,) * (len(like) - len(counts))
