"""The head of the Compare page: the prompt, presets for it, the settings, and what starts and stops a comparison."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from enum import Enum, auto

from PySide6.QtCore import QEvent, QObject, QRectF, Qt, Signal
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPalette, QPen, QTextCursor
from PySide6.QtWidgets import QBoxLayout, QHBoxLayout, QMenu, QPushButton, QWidget

from app.translate import translate
from ui.compare_settings import CompareSettings, settings_words
from ui.flat_button import FlatButton
from ui.message_box import PromptEdit
from ui.steady_button import SteadyButton
from ui.theme import theme, theme_notifier
from ui.translated import Translated

OPEN_LINES = 6  # of the prompt while it is edited
ROOM_FOR_ONE_ROW = 760  # pixels
LONGEST_LINE = 500  # characters


class RunState(Enum):
    """What the main button does."""

    RUN = auto()
    RUN_AGAIN = auto()
    STOP = auto()
    STOPPING = auto()


def beginning(text: str) -> str:
    """As much of a text as any line holds: eliding takes as long as the text is."""
    return " ".join(text[:LONGEST_LINE].split())


class FoldedEdit(PromptEdit):
    """On one line until it is edited; the line gives way at its end."""

    def __init__(self) -> None:
        super().__init__()
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._folded = False
        self.fold(True)

    def fold(self, folded: bool) -> None:
        if folded == self._folded:
            return
        self._folded = folded
        self.set_most_lines(1 if folded else OPEN_LINES)
        off, as_needed = Qt.ScrollBarPolicy.ScrollBarAlwaysOff, Qt.ScrollBarPolicy.ScrollBarAsNeeded
        self.setVerticalScrollBarPolicy(off if folded else as_needed)
        self.viewport().update()

    def paintEvent(self, event: QPaintEvent) -> None:
        text = beginning(self.toPlainText()) if self._folded else ""
        if not text:
            super().paintEvent(event)
            return
        margin = round(self.document().documentMargin())
        area = self.viewport().rect().adjusted(margin, margin, -margin, 0)
        with QPainter(self.viewport()) as painter:
            painter.setFont(self.font())
            painter.setPen(QColor(theme().text))
            shown = self.fontMetrics().elidedText(text, Qt.TextElideMode.ElideRight, area.width())
            painter.drawText(area, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop, shown)


class PromptField(Translated, QWidget):
    """The prompt on one line, on several while it is edited, with a menu of presets.

    Signals:
        entered(): Enter without Shift.
        escaped()
        preset_chosen(str): by its id.
        edited(): by hand or by a preset.
    """

    entered = Signal()
    escaped = Signal()
    preset_chosen = Signal(str)
    edited = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.edit, self.presets = FoldedEdit(), FlatButton()
        self._offers: Callable[[], Sequence[tuple[str, str]]] = lambda: ()
        self._menu = QMenu(self)
        row = QHBoxLayout(self)
        row.setContentsMargins(8, 5, 4, 5)
        row.setSpacing(4)
        row.addWidget(self.edit, 1, Qt.AlignmentFlag.AlignVCenter)
        row.addWidget(self.presets, 0, Qt.AlignmentFlag.AlignTop)
        self.edit.entered.connect(self.entered)
        self.edit.escaped.connect(self.escaped)
        self.edit.textChanged.connect(self.edited)
        self.edit.installEventFilter(self)
        self.presets.clicked.connect(self._open_menu)
        theme_notifier().changed.connect(self._colour)
        self._colour()
        self.retranslate()

    @property
    def text(self) -> str:
        return self.edit.toPlainText()

    def offer(self, offers: Callable[[], Sequence[tuple[str, str]]]) -> None:
        """`offers` gives id and name of each preset that can be chosen now."""
        self._offers = offers

    @property
    def menu(self) -> QMenu:
        """The presets as they are now."""
        self._menu.clear()
        for preset, name in self._offers():
            self._menu.addAction(name, lambda preset=preset: self.preset_chosen.emit(preset))
        return self._menu

    def set_text(self, text: str) -> None:
        """Another prompt, seen from its beginning."""
        if text != self.text:
            self.edit.setPlainText(text)
        self.edit.moveCursor(QTextCursor.MoveOperation.Start)

    def retranslate(self) -> None:
        self.edit.setAccessibleName(translate("compare", "Prompt"))
        self.edit.setPlaceholderText(translate("compare", "A prompt to compare with…"))
        self.presets.setText(translate("compare", "Presets") + " ▾")
        self.presets.setAccessibleName(translate("compare", "Presets"))
        self.presets.setToolTip(translate("compare", "Prompts of several kinds"))
        self.presets.updateGeometry()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() in (QEvent.Type.FocusIn, QEvent.Type.FocusOut):
            self.edit.fold(event.type() is QEvent.Type.FocusOut)
            self.update()
        return super().eventFilter(watched, event)

    def _open_menu(self) -> None:
        self.menu.popup(self.presets.mapToGlobal(self.presets.rect().bottomLeft()))

    def _colour(self) -> None:
        colours = self.edit.palette()
        colours.setColor(QPalette.ColorRole.Base, QColor(Qt.GlobalColor.transparent))
        colours.setColor(QPalette.ColorRole.Text, QColor(theme().text))
        colours.setColor(QPalette.ColorRole.PlaceholderText, QColor(theme().muted))
        self.edit.setPalette(colours)
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        with QPainter(self) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setBrush(QColor(theme().surface if self.edit.hasFocus() else theme().raised))
            painter.setPen(QPen(QColor(theme().accent if self.edit.hasFocus() else theme().border)))
            painter.drawRoundedRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5), 8, 8)


class CompareBar(Translated, QWidget):
    """Children are public: the page wires `prompt` itself.

    Signals:
        run_wanted(), stop_wanted()
        settings_wanted()
        export_wanted(str): "png", "json" or "md".
    """

    run_wanted = Signal()
    stop_wanted = Signal()
    settings_wanted = Signal()
    export_wanted = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self.prompt = PromptField()
        self.chip, self.run, self.export = QPushButton(), SteadyButton(), QPushButton()
        self.chip.setProperty("role", "chip")
        self.run.setProperty("role", "primary")
        self._settings = CompareSettings()
        self._state = RunState.RUN
        self._menu = QMenu(self)
        self._buttons = QHBoxLayout()
        self._buttons.setSpacing(10)
        for button in (self.chip, self.run, self.export):
            self._buttons.addWidget(button, 0, Qt.AlignmentFlag.AlignTop)
        self._row = QBoxLayout(QBoxLayout.Direction.LeftToRight, self)
        self._row.setContentsMargins(0, 0, 0, 0)
        self._row.setSpacing(10)
        self._row.addWidget(self.prompt, 1, Qt.AlignmentFlag.AlignTop)
        self._row.addLayout(self._buttons)
        self.chip.clicked.connect(self.settings_wanted)
        self.run.clicked.connect(self._click)
        self.prompt.entered.connect(self._on_entered)
        self.prompt.escaped.connect(self.escape)
        self.prompt.edited.connect(self._refresh)
        self.export.setMenu(self._menu)
        self.retranslate()

    @property
    def state(self) -> RunState:
        return self._state

    def show_settings(self, settings: CompareSettings) -> None:
        self._settings = settings
        self.chip.setText(settings_words(settings))

    def show_state(self, state: RunState, *, exportable: bool) -> None:
        """`exportable`: there is an outcome."""
        self._state = state
        self.export.setEnabled(exportable)
        self._refresh()

    def set_width(self, width: int) -> None:
        """Where one row would be narrow, the buttons go below the prompt."""
        way = QBoxLayout.Direction
        narrow = width < ROOM_FOR_ONE_ROW
        self._row.setDirection(way.TopToBottom if narrow else way.LeftToRight)
        self._buttons.setAlignment(Qt.AlignmentFlag.AlignRight if narrow else Qt.AlignmentFlag.AlignTop)

    def retranslate(self) -> None:
        self.chip.setText(settings_words(self._settings))
        self.chip.setAccessibleName(translate("compare", "Settings of the comparison"))
        self.chip.setAccessibleDescription(self.chip.text())
        self.chip.setToolTip(self.chip.accessibleName())
        self.export.setText(translate("compare", "Export"))
        self._menu.clear()
        for kind, words in (
            ("png", translate("compare", "Picture (PNG)…")),
            ("json", translate("compare", "Figures (JSON)…")),
            ("md", translate("compare", "Table (Markdown)…")),
        ):
            self._menu.addAction(words, lambda kind=kind: self.export_wanted.emit(kind))
        self._refresh()

    def _on_entered(self) -> None:
        if self.run.isEnabled() and self._state in (RunState.RUN, RunState.RUN_AGAIN):
            self.run_wanted.emit()

    def escape(self) -> None:
        """Stop, where there is something to stop."""
        if self._state is RunState.STOP:
            self.stop_wanted.emit()

    def _click(self) -> None:
        (self.stop_wanted if self._state is RunState.STOP else self.run_wanted).emit()

    def _refresh(self) -> None:
        words = {
            RunState.RUN: translate("compare", "Run"),
            RunState.RUN_AGAIN: translate("compare", "Run again"),
            RunState.STOP: translate("transcript", "Stop"),
            RunState.STOPPING: translate("transcript", "Stopping…"),
        }
        begins = self._state in (RunState.RUN, RunState.RUN_AGAIN)
        self.run.setText(words[self._state])
        self.run.mean("run" if begins else "stop")
        self.run.setEnabled(bool(self.prompt.text.strip()) if begins else self._state is RunState.STOP)
        self.run.setToolTip(
            translate("compare", "Write the reply off and on, in turn (Enter)")
            if begins
            else translate("compare", "Stop the comparison (Esc)")
        )
