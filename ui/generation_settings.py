"""The popover with the settings of the next replies."""

from __future__ import annotations

from PySide6.QtCore import QPoint, Qt, Signal
from PySide6.QtGui import QHideEvent
from PySide6.QtWidgets import QAbstractSpinBox, QFrame, QGridLayout, QLabel, QPlainTextEdit, QPushButton, QWidget

from app.generation_settings import SEED_LIMIT, GenerationSettings
from app.translate import translate
from engine.types import Rule, SamplingSettings
from ui.form import Choice, Fraction, Whole, name_field
from ui.switch import Switch
from ui.translated import Translated

AUTO = -1  # a draft length
RULES = (Rule.COUPLED, Rule.RESIDUAL, Rule.MATCH)


class GenerationSettingsPopover(Translated, QFrame):
    """Opens beside a button and closes with a click elsewhere or Escape; every change counts at once.

    Signals:
        changed(object): `GenerationSettings`, when the user changed one.
        system_changed(str): the conversation's system prompt, when the popover closes.
    """

    changed = Signal(object)
    system_changed = Signal(str)

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent, Qt.WindowType.Popup)
        self.setProperty("role", "popover")
        self._filling = False
        self._system_label = QLabel()
        self.system = QPlainTextEdit()
        self.system.setProperty("role", "field")
        self.system.setTabChangesFocus(True)
        self.system.setFixedHeight(72)
        self.temperature, self.top_p = Fraction(0, 5), Fraction(0.01, 1)
        self.min_p, self.p_min, self.repeat = Fraction(0, 1), Fraction(0, 1), Fraction(0.5, 2)
        self.top_k, self.max_tokens = Whole(0, 1_000), Whole(0, 1_000_000, 64)
        self.draft_length, self.seed = Whole(AUTO, 16), Whole(0, SEED_LIMIT - 1)
        self.random = Switch()
        self.rule: Choice[Rule] = Choice(RULES)
        self._reset = QPushButton()
        self._fields: list[tuple[QLabel, QWidget]] = []
        self._build()
        for spin in (self.temperature, self.top_p, self.min_p, self.p_min, self.repeat):
            spin.valueChanged.connect(self._tell)
        for spin in (self.top_k, self.max_tokens, self.draft_length, self.seed):
            spin.valueChanged.connect(self._tell)
        self.random.toggled.connect(self._tell)
        self.rule.currentIndexChanged.connect(self._tell)
        self._reset.clicked.connect(self._restore_defaults)
        self.retranslate()
        self.show_settings(GenerationSettings(), "")

    @property
    def settings(self) -> GenerationSettings:
        return GenerationSettings(
            sampling=SamplingSettings(
                temperature=self.temperature.value(),
                top_k=self.top_k.value(),
                top_p=self.top_p.value(),
                min_p=self.min_p.value(),
                repeat_penalty=self.repeat.value(),
                seed=self.seed.value(),
            ),
            random_seed=self.random.isChecked(),
            max_tokens=self.max_tokens.value() or None,
            draft_length=None if self.draft_length.value() == AUTO else self.draft_length.value(),
            p_min=self.p_min.value(),
            rule=self.rule.value,
        )

    def show_settings(self, settings: GenerationSettings, system: str) -> None:
        self._filling = True
        sampling = settings.sampling
        self.system.setPlainText(system)
        self.temperature.setValue(sampling.temperature)
        self.top_k.setValue(sampling.top_k)
        self.top_p.setValue(sampling.top_p)
        self.min_p.setValue(sampling.min_p)
        self.repeat.setValue(sampling.repeat_penalty)
        self.seed.setValue(sampling.seed)
        self.random.setChecked(settings.random_seed)
        self.max_tokens.setValue(settings.max_tokens or 0)
        self.draft_length.setValue(AUTO if settings.draft_length is None else settings.draft_length)
        self.p_min.setValue(settings.p_min)
        self.rule.show_value(settings.rule)
        self.seed.setEnabled(not settings.random_seed)
        self._filling = False

    def open_above(self, widget: QWidget) -> None:
        """Show it with its lower right corner at the upper right corner of `widget`, or near it on the screen."""
        self.ensurePolished()
        self.resize(self.sizeHint())
        corner = widget.mapToGlobal(QPoint(widget.width(), -6))
        screen = widget.screen().availableGeometry()
        left = min(corner.x(), screen.right() + 1) - self.width()
        top = min(corner.y(), screen.bottom() + 1) - self.height()
        self.move(max(screen.left(), left), max(screen.top(), top))
        self.show()
        self.temperature.setFocus()
        self.temperature.selectAll()  # what is typed now is the new number

    def hideEvent(self, event: QHideEvent) -> None:
        self.system_changed.emit(self.system.toPlainText().strip())
        super().hideEvent(event)

    def retranslate(self) -> None:
        self.draft_length.setSpecialValueText(translate("generation_settings", "automatic"))
        names = (
            (translate("settings", "Temperature"), translate("settings", "0 always takes the likeliest token")),
            (translate("settings", "Top-k"), translate("settings", "Only the k likeliest tokens; 0 means all")),
            (translate("settings", "Top-p"), translate("settings", "Only as many as have this probability together")),
            (
                translate("settings", "Min-p"),
                translate("settings", "None less likely than this share of the likeliest"),
            ),
            (translate("settings", "Repeat penalty"), translate("settings", "1 means none")),
            (translate("settings", "Most tokens"), translate("settings", "0 means up to the end of the context")),
            (translate("settings", "Random seed"), translate("settings", "Another one for each reply")),
            (
                translate("settings", "Seed"),
                translate("settings", "The same seed and settings give the same text, up to rounding"),
            ),
            (
                translate("settings", "Draft length"),
                translate("settings", "Tokens guessed in a round; 0 writes without the draft"),
            ),
            (
                translate("settings", "Least draft certainty"),
                translate("settings", "Drafting stops where its best guess is less likely than this"),
            ),
            (
                translate("settings", "Rule"),
                translate("settings", "How guesses are judged; the text is the target's with each of them"),
            ),
        )
        for (label, field), (name, help_text) in zip(self._fields, names, strict=True):
            name_field(label, field, name, help_text)
        name_field(
            self._system_label,
            self.system,
            translate("settings", "System prompt of this chat"),
            translate("settings", "Sent before the conversation"),
        )
        self.max_tokens.setSpecialValueText(translate("settings", "context"))
        self._reset.setText(translate("settings", "Restore defaults"))
        self.rule.name_values(
            (
                translate("settings", "coupled: same seed, same text, up to rounding"),
                translate("settings", "residual: keep or redraw"),
                translate("settings", "match: draw and compare"),
            )
        )

    def _build(self) -> None:
        grid = QGridLayout(self)
        grid.setContentsMargins(16, 14, 16, 14)
        grid.setHorizontalSpacing(12)
        grid.setVerticalSpacing(8)
        grid.addWidget(self._system_label, 0, 0, 1, 4)
        grid.addWidget(self.system, 1, 0, 1, 4)
        left = (self.temperature, self.top_k, self.top_p, self.min_p, self.repeat, self.max_tokens)
        right = (self.random, self.seed, self.draft_length, self.p_min, self.rule)
        for column, widgets in ((0, left), (2, right)):
            for row, widget in enumerate(widgets, 2):
                self._place(grid, widget, row, column)
        grid.addWidget(self._reset, 7, 3, Qt.AlignmentFlag.AlignRight)

    def _place(self, grid: QGridLayout, widget: QWidget, row: int, column: int) -> None:
        label = QLabel()
        label.setProperty("tone", "muted")
        label.setContentsMargins(12 if column else 0, 0, 0, 0)
        if isinstance(widget, QAbstractSpinBox):
            widget.setMinimumWidth(110)
        grid.addWidget(label, row, column)
        grid.addWidget(widget, row, column + 1)
        self._fields.append((label, widget))

    def _tell(self) -> None:
        self.seed.setEnabled(not self.random.isChecked())
        if not self._filling:
            self.changed.emit(self.settings)

    def _restore_defaults(self) -> None:
        self.show_settings(GenerationSettings(), self.system.toPlainText())
        self.changed.emit(self.settings)
