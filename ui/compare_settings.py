"""How a comparison is made: a few settings, their chip in words, and the popover that changes them."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QPoint, Qt, Signal
from PySide6.QtWidgets import QFrame, QGridLayout, QLabel, QWidget

from app.amounts import count
from app.compare.values import MAX_REPEATS
from app.generation_settings import SEED_LIMIT
from app.translate import translate
from ui.form import Fraction, Whole, name_field
from ui.translated import Translated

MOST_TOKENS = 4_096


@dataclass(frozen=True, slots=True)
class CompareSettings:
    """`repeats` is how often each side is measured, after a warm-up of each."""

    temperature: float = 0.0
    seed: int = 42
    max_tokens: int = 256
    repeats: int = 3


def settings_words(settings: CompareSettings) -> str:
    """For the chip."""
    if settings.repeats == 1:
        words = translate("compare", "T {temperature} · seed {seed} · {tokens} tokens · 1 run")
    else:
        words = translate("compare", "T {temperature} · seed {seed} · {tokens} tokens · {runs} runs")
    return words.format(
        temperature=f"{settings.temperature:g}",
        seed=settings.seed,
        tokens=count(settings.max_tokens),
        runs=settings.repeats,
    )


class CompareSettingsPopover(Translated, QFrame):
    """Opens below its chip and closes with a click elsewhere or Escape; every change counts at once.

    Signals:
        changed(object): `CompareSettings`, when the user changed one.
    """

    changed = Signal(object)

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent, Qt.WindowType.Popup)
        self.setProperty("role", "popover")
        self.temperature, self.seed = Fraction(0, 5), Whole(0, SEED_LIMIT - 1)
        self.max_tokens, self.repeats = Whole(16, MOST_TOKENS, 64), Whole(1, MAX_REPEATS)
        self._fields = (self.temperature, self.seed, self.max_tokens, self.repeats)
        self._labels = [QLabel() for _ in self._fields]
        self._filling = False
        grid = QGridLayout(self)
        grid.setContentsMargins(16, 14, 16, 14)
        grid.setHorizontalSpacing(14)
        grid.setVerticalSpacing(8)
        for row, (label, field) in enumerate(zip(self._labels, self._fields, strict=True)):
            label.setProperty("tone", "muted")
            field.setMinimumWidth(120)
            field.valueChanged.connect(self._tell)
            grid.addWidget(label, row, 0)
            grid.addWidget(field, row, 1)
        self.retranslate()
        self.show_settings(CompareSettings())

    @property
    def settings(self) -> CompareSettings:
        return CompareSettings(
            self.temperature.value(), self.seed.value(), self.max_tokens.value(), self.repeats.value()
        )

    def show_settings(self, settings: CompareSettings) -> None:
        self._filling = True
        self.temperature.setValue(settings.temperature)
        self.seed.setValue(settings.seed)
        self.max_tokens.setValue(settings.max_tokens)
        self.repeats.setValue(settings.repeats)
        self._filling = False

    def open_below(self, widget: QWidget) -> None:
        """Show it with its right edge below that of `widget`, or near it on the screen."""
        self.ensurePolished()
        self.resize(self.sizeHint())
        corner = widget.mapToGlobal(QPoint(widget.width(), widget.height() + 6))
        screen = widget.screen().availableGeometry()
        left = min(corner.x(), screen.right() + 1) - self.width()
        top = min(corner.y(), screen.bottom() + 1 - self.height())
        self.move(max(screen.left(), left), max(screen.top(), top))
        self.show()
        self.temperature.setFocus()
        self.temperature.selectAll()  # what is typed now is the new number

    def retranslate(self) -> None:
        names = (
            (translate("settings", "Temperature"), translate("settings", "0 always takes the likeliest token")),
            (translate("settings", "Seed"), translate("compare", "The same on both sides, so the texts are too")),
            (translate("settings", "Most tokens"), translate("compare", "Of each reply; short ones tell little")),
            (translate("compare", "Runs"), translate("compare", "Of each side, in turn, after a warm-up of each")),
        )
        for label, field, (name, help_text) in zip(self._labels, self._fields, names, strict=True):
            name_field(label, field, name, help_text)

    def _tell(self) -> None:
        if not self._filling:
            self.changed.emit(self.settings)
