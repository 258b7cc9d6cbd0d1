"""The bar at the top: program, pair, speculation, memory, live panel."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QToolButton

from app.translate import translate
from ui.icons import icon
from ui.memory_box import MemoryBox
from ui.memory_control import Reading
from ui.pair_button import PairButton
from ui.speculation_box import SpeculationBox
from ui.theme import theme, theme_notifier
from ui.translated import Translated

ROOM_FOR_MEMORY = 1_080  # pixels


class TopBar(Translated, QFrame):
    """Children are public: the window wires `pair` and `speculation` itself.

    Signals:
        panel_toggled(bool): the live panel shall be seen or not.
    """

    panel_toggled = Signal(bool)

    def __init__(self) -> None:
        super().__init__()
        self.setProperty("role", "bar")
        self.setFixedHeight(52)
        self.pair = PairButton()
        self.speculation = SpeculationBox()
        self.memory = MemoryBox()
        self._memory_read = False
        brand = QLabel("Draftlight")
        brand.setProperty("role", "brand")
        self._panel = QToolButton()
        self._panel.setProperty("role", "quiet")
        self._panel.setCheckable(True)
        self._panel.toggled.connect(self.panel_toggled)
        row = QHBoxLayout(self)
        row.setContentsMargins(16, 0, 12, 0)
        row.setSpacing(14)
        for widget in (brand, self.pair, self.speculation):
            row.addWidget(widget, 0, Qt.AlignmentFlag.AlignVCenter)
        row.addStretch(1)
        for widget in (self.memory, self._panel):
            row.addWidget(widget, 0, Qt.AlignmentFlag.AlignVCenter)
        theme_notifier().changed.connect(self._paint_icons)
        self.show_memory(None)
        self._paint_icons()
        self.retranslate()

    def show_memory(self, reading: Reading | None) -> None:
        """None where nothing was read."""
        self._memory_read = reading is not None
        if reading is not None:
            self.memory.show_reading(reading)
        self._show_or_hide_memory()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._show_or_hide_memory()

    def _show_or_hide_memory(self) -> None:
        self.memory.setVisible(self._memory_read and self.width() >= ROOM_FOR_MEMORY)

    def show_panel_state(self, visible: bool, offered: bool) -> None:
        """Whether the live panel is seen, and whether this page has one at all."""
        self._panel.setVisible(offered)
        self._panel.setChecked(visible)

    def retranslate(self) -> None:
        self._panel.setToolTip(translate("top_bar", "Live panel (Ctrl+Shift+L)"))
        self._panel.setAccessibleName(translate("top_bar", "Live panel"))

    def _paint_icons(self) -> None:
        self._panel.setIcon(icon("panel", theme().muted))
