"""The speculation switch of the top bar with its label and what it currently does."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QMouseEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel

from app.translate import translate
from ui.elided_label import plain_tip
from ui.switch import Switch
from ui.translated import Translated


class SpeculationBox(Translated, QFrame):
    """A switch in a box; a click anywhere in the box toggles it.

    Signals:
        toggled(bool): by the user or by `set_on`.
    """

    toggled = Signal(bool)

    def __init__(self) -> None:
        super().__init__()
        self.setProperty("role", "chip")
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self._switch = Switch()
        self._switch.setChecked(True)
        self._label = QLabel()
        self._label.setProperty("role", "strong")
        self._subtitle = QLabel()
        self._subtitle.setProperty("tone", "muted")
        row = QHBoxLayout(self)
        row.setContentsMargins(10, 5, 12, 5)
        row.setSpacing(8)
        row.addWidget(self._switch)
        row.addWidget(self._label)
        row.addWidget(self._subtitle)
        self._switch.toggled.connect(self.toggled)
        self.retranslate()

    @property
    def on(self) -> bool:
        return self._switch.isChecked()

    @property
    def subtitle(self) -> str:
        return self._subtitle.text()

    def toggle(self) -> None:
        self._switch.toggle()

    def show_state(self, subtitle: str, reason: str) -> None:
        """`subtitle` stands beside the label; `reason` is the whole sentence, for the tool tip."""
        self._subtitle.setText(subtitle)
        self.setToolTip(plain_tip(reason))
        self._switch.setAccessibleDescription(reason or subtitle)

    def retranslate(self) -> None:
        self._label.setText(translate("top_bar", "Speculation"))
        self._switch.setAccessibleName(translate("top_bar", "Speculation"))

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if event.button() is Qt.MouseButton.LeftButton and self.rect().contains(event.position().toPoint()):
            self._switch.toggle()
        super().mouseReleaseEvent(event)
