"""The rail at the left: the pages of the program."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtWidgets import QFrame, QToolButton, QVBoxLayout

from app.translate import translate
from ui.accessible import announce_as
from ui.icons import icon
from ui.theme import theme, theme_notifier
from ui.translated import Translated

PAGES = ("chat", "compare", "models", "settings")


class Rail(Translated, QFrame):
    """Signals:
    chosen(str): the page, one of PAGES.
    """

    chosen = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self.setProperty("role", "bar")
        self.setFixedWidth(56)
        column = QVBoxLayout(self)
        column.setContentsMargins(4, 10, 4, 10)
        column.setSpacing(6)
        self._buttons = {name: self._button(name) for name in PAGES}
        for button in self._buttons.values():
            column.addWidget(button)
        column.addStretch(1)
        theme_notifier().changed.connect(self._paint_icons)
        self.show_page("chat")
        self.retranslate()

    def show_page(self, page: str) -> None:
        """Mark `page` as the present one."""
        for name, button in self._buttons.items():
            button.setChecked(name == page)
        self._paint_icons()

    def retranslate(self) -> None:
        self._buttons["chat"].setText(translate("rail", "Chat"))
        self._buttons["compare"].setText(translate("rail", "Compare"))
        self._buttons["models"].setText(translate("rail", "Models"))
        self._buttons["settings"].setText(translate("rail", "Settings"))

    def _button(self, name: str) -> QToolButton:
        button = QToolButton()
        button.setProperty("role", "rail")
        button.setCheckable(True)
        button.setAutoExclusive(True)
        announce_as(button, "tab")
        button.setFixedSize(48, 44)
        button.setIconSize(QSize(20, 20))
        button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextUnderIcon)
        button.clicked.connect(lambda: self.chosen.emit(name))
        return button

    def _paint_icons(self) -> None:
        for name, button in self._buttons.items():
            button.setIcon(icon(name, theme().text if button.isChecked() else theme().muted))
