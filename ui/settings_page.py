"""The page of the settings: of the window itself, and of where models come from."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QButtonGroup,
    QFrame,
    QHBoxLayout,
    QLabel,
    QRadioButton,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from app.preferences import LANGUAGES, THEMES, Preferences
from app.translate import translate
from ui.models_settings import ModelSettingsCard
from ui.translated import Translated


class SettingsPage(Translated, QWidget):
    """Attributes:
    models: the card about hubs, downloads and folders, which the window wires itself.

    Signals:
        theme_chosen(str), language_chosen(str): one of `THEMES` or `LANGUAGES`; they count at once.
    """

    theme_chosen = Signal(str)
    language_chosen = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self.setProperty("role", "work")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self._title = QLabel()
        self._title.setProperty("role", "heading")
        self._theme = Radios(THEMES)
        self._language = Radios(LANGUAGES)
        self._theme.chosen.connect(self.theme_chosen)
        self._language.chosen.connect(self.language_chosen)
        column = QVBoxLayout()
        column.setSpacing(16)
        self.models = ModelSettingsCard()
        for widget in (self._title, self._theme, self._language, self.models):
            column.addWidget(widget)
        column.addStretch(1)
        middle = QWidget()
        middle.setLayout(column)
        middle.setMaximumWidth(640)  # and in the middle where there is more
        inside = QWidget()
        page = QVBoxLayout(inside)
        page.setContentsMargins(24, 28, 24, 24)
        page.addWidget(middle, 1)
        scroll = QScrollArea()
        scroll.setFrameShape(QFrame.Shape.NoFrame)
        scroll.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        scroll.setWidgetResizable(True)
        scroll.setWidget(inside)
        everything = QVBoxLayout(self)
        everything.setContentsMargins(0, 0, 0, 0)
        everything.addWidget(scroll)
        self.retranslate()

    def show_preferences(self, preferences: Preferences) -> None:
        self._theme.show_value(preferences.theme)
        self._language.show_value(preferences.language)

    def retranslate(self) -> None:
        self._title.setText(translate("settings_page", "Settings"))
        self._theme.name_values(
            translate("settings_page", "Theme"),
            (
                translate("settings_page", "As the system"),
                translate("settings_page", "Light"),
                translate("settings_page", "Dark"),
            ),
        )
        self._language.name_values(
            translate("settings_page", "Language"),
            (translate("settings_page", "As the system"), "English", "中文"),
        )


class Radios(QFrame):
    """A closed choice in a card. Signals: chosen(str), by the user."""

    chosen = Signal(str)

    def __init__(self, values: tuple[str, ...]) -> None:
        super().__init__()
        self.setProperty("role", "card")
        self._title = QLabel()
        self._title.setProperty("role", "strong")
        self._group = QButtonGroup(self)
        self._buttons = {value: QRadioButton() for value in values}
        column = QVBoxLayout(self)
        column.setContentsMargins(18, 14, 18, 14)
        column.setSpacing(10)
        column.addWidget(self._title)
        row = QHBoxLayout()
        row.setSpacing(24)
        for value, button in self._buttons.items():
            self._group.addButton(button)
            button.clicked.connect(lambda _checked, value=value: self.chosen.emit(value))
            row.addWidget(button)
        row.addStretch(1)
        column.addLayout(row)

    def show_value(self, value: str) -> None:
        self._buttons[value].setChecked(True)

    def name_values(self, title: str, words: tuple[str, ...]) -> None:
        self._title.setText(title)
        for button, text in zip(self._buttons.values(), words, strict=True):
            button.setText(text)
            button.setAccessibleName(f"{title}: {text}")
