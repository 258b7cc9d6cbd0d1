"""Small builders for forms, so that every field looks and reads the same."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Generic, TypeVar

from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QWheelEvent
from PySide6.QtWidgets import QComboBox, QDoubleSpinBox, QLabel, QSpinBox, QWidget

from ui.theme import theme

T = TypeVar("T")
MARGINS = (7, 0, 7, 0)  # of the text in a spin box; a style sheet does not reach it


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

    def offer(self, values: Sequence[T]) -> None:
        """Another list of values, to be named by the caller; the first is chosen."""
        self._values = list(values)
        self.clear()
        self.addItems([""] * len(self._values))

    def name_values(self, words: Sequence[str]) -> None:
        for place, text in enumerate(words):
            self.setItemText(place, text)
        widest = max(self.fontMetrics().horizontalAdvance(text) for text in words)
        self.setMinimumWidth(max(120, widest + 56))

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Scrolling past a field must not change it."""
        event.ignore()

    def paintEvent(self, event: QPaintEvent) -> None:
        """The style sheet cannot draw an arrow without a picture of one."""
        super().paintEvent(event)
        painter = QPainter(self)
        painter.setPen(QColor(theme().muted))
        painter.drawText(
            self.rect().adjusted(0, 0, -9, 0), Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, "▾"
        )


class Whole(QSpinBox):
    """A whole number, typed or changed with the arrow keys."""

    def __init__(self, lowest: int, highest: int, step: int = 1) -> None:
        super().__init__()
        self.setRange(lowest, highest)
        self.lineEdit().setTextMargins(*MARGINS)
        self.setSingleStep(step)
        self.setGroupSeparatorShown(highest > 9_999)

    def wheelEvent(self, event: QWheelEvent) -> None:
        event.ignore()


class Fraction(QDoubleSpinBox):
    """A number with two digits, typed or changed with the arrow keys."""

    def __init__(self, lowest: float, highest: float, step: float = 0.05) -> None:
        super().__init__()
        self.setRange(lowest, highest)
        self.lineEdit().setTextMargins(*MARGINS)
        self.setSingleStep(step)
        self.setDecimals(2)

    def wheelEvent(self, event: QWheelEvent) -> None:
        event.ignore()


def unseen_label(field: QWidget) -> QLabel:
    """For a field whose own words say what it is: on Linux screen readers call a combo box by its label, and without
    one by what is chosen. Put it beside the field; it takes no room."""
    label = QLabel()
    label.setBuddy(field)
    label.hide()
    return label


def name_field(label: QLabel, field: QWidget, name: str, help_text: str) -> None:
    """Words for a field, for eyes and for screen readers."""
    label.setText(name)
    label.setBuddy(field)
    label.setToolTip(help_text)
    field.setAccessibleName(name)
    field.setAccessibleDescription(help_text)
    field.setToolTip(help_text)
