"""What a pair needs of one device: a bar, its rows, and the sum."""

from __future__ import annotations

from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QVBoxLayout, QWidget

from app.fit.table import size_rows
from app.fit.values import DeviceFit, PairSettings, Verdict
from app.fit_words import device_name, gigabytes
from app.translate import translate
from ui.bars import SegmentBar
from ui.elided_label import ElidedLabel, plain_tip
from ui.fact_list import FactList
from ui.memory_parts import memory_segments, memory_words
from ui.style import set_tone
from ui.theme import theme_notifier

MOST_USERS = 5  # other programs named in a tip
TONES = {Verdict.FITS: "", Verdict.TIGHT: "caution", Verdict.TOO_BIG: "warn"}


class FitBlock(QWidget):
    """Attributes: rows: the figures as they are shown."""

    def __init__(self) -> None:
        super().__init__()
        self._part: DeviceFit | None = None
        self._name = ElidedLabel()
        self._name.setProperty("role", "strong")
        self._bar, self.rows = SegmentBar(), FactList()
        line = QFrame()
        line.setProperty("role", "line")
        line.setFixedHeight(1)
        self._needed, self._sum = QLabel(), QLabel()
        self._needed.setProperty("role", "strong")
        self._sum.setProperty("role", "strong")
        foot = QHBoxLayout()
        foot.addWidget(self._needed, 1)
        foot.addWidget(self._sum)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(9)
        for widget in (self._name, self._bar, self.rows, line):
            column.addWidget(widget)
        column.addLayout(foot)
        theme_notifier().changed.connect(self._paint_bar)

    @property
    def sum(self) -> str:
        return self._sum.text()

    def show_part(self, part: DeviceFit, settings: PairSettings, *, named: bool) -> None:
        """`named`: there are other devices beside it."""
        self._part = part
        self._name.setText(device_name(part.device))
        self._name.setVisible(named)
        others = translate("fit", "Other programs now")
        rows = [(name, gigabytes(size)) for name, size in size_rows(part, settings)]
        self.rows.show_facts(rows, {others: _users_words(part)})
        self._needed.setText(translate("fit", "Needed"))
        needed, total = f"{part.needed_bytes / 1e9:,.2f}", gigabytes(part.device.total_bytes)
        self._sum.setText(translate("fit", "{needed} of {total}").format(needed=needed, total=total))
        set_tone(self._sum, TONES[part.verdict])
        self._bar.setToolTip(plain_tip(memory_words(part)))
        self._bar.setAccessibleName(f"{device_name(part.device)}, {self._needed.text()} {self._sum.text()}")
        self._bar.setAccessibleDescription(memory_words(part).replace("\n", ", "))
        self._paint_bar()

    def _paint_bar(self) -> None:
        if self._part is not None:
            self._bar.show_segments(memory_segments(self._part))


def _users_words(part: DeviceFit) -> str:
    """The largest of the other programs, as far as they are known."""
    known = [user for user in part.device.users if user.size_bytes]
    known.sort(key=lambda user: -(user.size_bytes or 0))
    return "\n".join(f"{user.name or user.pid} {gigabytes(user.size_bytes or 0)}" for user in known[:MOST_USERS])
