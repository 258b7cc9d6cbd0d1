"""Small builders for forms, so that every field looks and reads the same."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Generic, TypeVar

from PySide6.QtGui import QWheelEvent
from PySide6.QtWidgets import QComboBox, QDoubleSpinBox, QLabel, QSpinBox, QWidget

T = TypeVar("T")


class Choice(QComboBox, Generic[T]):
    """A closed list of values with words for each."""

    def __init__(self, values: Sequence[T]) -> None:
        super().__init__()
        self._values = list(values)
        self.addItems([""] * len(self._values))

    @property
    def value(self) -> T:
        return self._values[self.currentIndex()]

    def show_value(self, value: T) -> None:
        self.setCurrentIndex(self._values.index(value))

    def name_values(self, words: Sequence[str]) -> None:
        for place, text in enumerate(words):
            self.setItemText(place, text)

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Scrolling past a field must not change it."""
        event.ignore()


class Whole(QSpinBox):
    """A whole number."""

    def __init__(self, lowest: int, highest: int, step: int = 1) -> None:
        super().__init__()
        self.setRange(lowest, highest)
        self.setSingleStep(step)
        self.setGroupSeparatorShown(highest > 9_999)

    def wheelEvent(self, event: QWheelEvent) -> None:
        event.ignore()


class Fraction(QDoubleSpinBox):
    """A number with two digits."""

    def __init__(self, lowest: float, highest: float, step: float = 0.05) -> None:
        super().__init__()
        self.setRange(lowest, highest)
        self.setSingleStep(step)
        self.setDecimals(2)

    def wheelEvent(self, event: QWheelEvent) -> None:
        event.ignore()


def name_field(label: QLabel, field: QWidget, name: str, help_text: str) -> None:
    """Words for a field, for eyes and for screen readers."""
    label.setText(name)
    label.setBuddy(field)
    label.setToolTip(help_text)
    field.setAccessibleName(name)
    field.setAccessibleDescription(help_text)
    field.setToolTip(help_text)
