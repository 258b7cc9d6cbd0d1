"""The two themes, as values. Widgets ask `theme()` and repaint when `theme_notifier().changed` is emitted.

Provenance is a tint plus a line shape (accepted none, resampled wavy, bonus solid, lookup dotted), so colour-blind
readers and syntax colours lose nothing; the hues follow Okabe and Ito.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QColor, QGuiApplication

from ui.provenance import Mark


class ThemeChoice(Enum):
    SYSTEM = "system"
    LIGHT = "light"
    DARK = "dark"


@dataclass(frozen=True, slots=True)
class Theme:
    """Colours as #rrggbb; `pygments` names the syntax style."""

    name: str
    background: str  # the work area
    surface: str  # bars and panels
    raised: str  # buttons, selected rows, cards
    border: str
    text: str
    muted: str
    accent: str  # the main button, links
    on_accent: str
    good: str
    warn: str
    caution: str  # between good and warn
    track: str
    code: str  # background of code boxes
    accepted: str
    resampled: str
    resampled_line: str
    bonus: str
    bonus_line: str
    lookup: str
    lookup_line: str
    draft_time: str
    verify_time: str
    sample_time: str
    other_time: str
    target_weights: str  # the parts of a memory bar, from here on
    target_cache: str
    draft_weights: str
    draft_cache: str
    buffers: str
    other_programs: str
    pygments: str

    def tint(self, mark: Mark) -> QColor | None:
        """Background of a token, None for plain ones."""
        value = {
            Mark.ACCEPTED: self.accepted,
            Mark.RESAMPLED: self.resampled,
            Mark.BONUS: self.bonus,
            Mark.LOOKUP: self.lookup,
        }.get(mark)
        return QColor(value) if value else None

    def line(self, mark: Mark) -> QColor | None:
        """Colour of the line under a token, None where it has no line."""
        value = {
            Mark.RESAMPLED: self.resampled_line,
            Mark.BONUS: self.bonus_line,
            Mark.LOOKUP: self.lookup_line,
        }.get(mark)
        return QColor(value) if value else None


DARK = Theme(
    name="dark",
    background="#15171c",
    surface="#1c1f26",
    raised="#232730",
    border="#2d323d",
    text="#e6e8ee",
    muted="#8b93a5",
    accent="#4aa8ff",
    on_accent="#ffffff",
    good="#0fb58a",
    warn="#f07b3f",
    caution="#e6b422",
    track="#232730",
    code="#12141a",
    accepted="#133632",
    resampled="#4d3124",
    resampled_line="#f07b3f",
    bonus="#25394f",
    bonus_line="#5aa9f2",
    lookup="#3b2f4c",
    lookup_line="#c58af9",
    draft_time="#f2a65a",
    verify_time="#0fb58a",
    sample_time="#5aa9f2",
    other_time="#8b93a5",
    target_weights="#0fb58a",
    target_cache="#6fd3b5",
    draft_weights="#f2a65a",
    draft_cache="#f6cfa0",
    buffers="#8b93a5",
    other_programs="#4b5262",
    pygments="github-dark",
)

LIGHT = Theme(
    name="light",
    background="#f6f7f9",
    surface="#ffffff",
    raised="#eef0f4",
    border="#dfe3ea",
    text="#1b1f27",
    muted="#667085",
    accent="#1570cd",
    on_accent="#ffffff",
    good="#00795a",
    warn="#b54708",
    caution="#8a6100",
    track="#eef0f4",
    code="#fafbfc",
    accepted="#c9e7e1",
    resampled="#efd8c7",
    resampled_line="#b54708",
    bonus="#cce0ed",
    bonus_line="#175cd3",
    lookup="#e6ddf4",
    lookup_line="#7a3fc4",
    draft_time="#f2a65a",
    verify_time="#0fb58a",
    sample_time="#5aa9f2",
    other_time="#8b93a5",
    target_weights="#0fb58a",
    target_cache="#6fd3b5",
    draft_weights="#f2a65a",
    draft_cache="#f6cfa0",
    buffers="#8b93a5",
    other_programs="#4b5262",
    pygments="xcode",
)


class ThemeNotifier(QObject):
    """Signals: changed() after the theme became another one. Lives on the main thread."""

    changed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._choice = ThemeChoice.SYSTEM
        self._current = self._resolve()
        QGuiApplication.styleHints().colorSchemeChanged.connect(self._update)

    @property
    def current(self) -> Theme:
        return self._current

    def choose(self, choice: ThemeChoice) -> None:
        self._choice = choice
        self._update()

    def _resolve(self) -> Theme:
        if self._choice is ThemeChoice.SYSTEM:
            dark = QGuiApplication.styleHints().colorScheme() == Qt.ColorScheme.Dark
            return DARK if dark else LIGHT
        return DARK if self._choice is ThemeChoice.DARK else LIGHT

    def _update(self) -> None:
        resolved = self._resolve()
        if resolved is not self._current:
            self._current = resolved
            self.changed.emit()


_notifier: ThemeNotifier | None = None


def theme_notifier() -> ThemeNotifier:
    """The one notifier, made on first use; needs a QGuiApplication."""
    global _notifier
    if _notifier is None:
        _notifier = ThemeNotifier()
    return _notifier


def theme() -> Theme:
    """The current theme. Main thread."""
    return theme_notifier().current
