"""Names at the left, values at the right; and labels for words of others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QGridLayout, QLabel, QWidget

from app.error_words import printable
from ui.elided_label import ElidedLabel, plain_tip
from ui.wrapped_label import WrappedLabel

Facts = Sequence[tuple[str, str]]
NO_TIPS: Mapping[str, str] = MappingProxyType({})


class FactList(QWidget):
    """Names at the left, values at the right."""

    def __init__(self) -> None:
        super().__init__()
        self._rows: list[tuple[QLabel, ElidedLabel]] = []
        self._shown: tuple[Facts, Mapping[str, str]] = ([], NO_TIPS)
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setVerticalSpacing(7)
        self._grid.setHorizontalSpacing(14)
        self._grid.setColumnStretch(1, 1)

    @property
    def texts(self) -> list[tuple[str, str]]:
        return [(name.text(), value.text()) for name, value in self._rows if name.isVisibleTo(self)]

    def show_facts(self, facts: Facts, tips: Mapping[str, str] = NO_TIPS) -> None:
        """`tips`: by the names that have one. Costs next to nothing where all is as it was."""
        if (facts, tips) == self._shown:
            return
        self._shown = list(facts), tips
        while len(self._rows) < len(facts):
            name, value = QLabel(), ElidedLabel()
            name.setProperty("tone", "muted")
            value.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
            self._grid.addWidget(name, len(self._rows), 0)
            self._grid.addWidget(value, len(self._rows), 1)
            self._rows.append((name, value))
        for place, (name, value) in enumerate(self._rows):
            if name.isHidden() is (place < len(facts)):  # asking costs a tenth of telling
                name.setVisible(place < len(facts))
                value.setVisible(place < len(facts))
            if place < len(facts):
                name.setText(facts[place][0])
                value.setText(printable(facts[place][1]))
                name.setToolTip(plain_tip(tips.get(facts[place][0], "")))


def wrapped(role: str) -> WrappedLabel:
    """A label for words of others, over several lines."""
    label = WrappedLabel()
    label.setProperty("role", role)
    return label
