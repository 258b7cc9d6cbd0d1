"""The Compare page: the same prompt with speculation off and on, side by side."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QScrollArea, QVBoxLayout, QWidget

from app.compare.presets import PRESETS, preset_name, preset_of
from app.translate import translate
from engine.types import ChatFormat, LoadedPair
from ui.cards import Action, Notice
from ui.chat_page import FIGURES_PAUSE_MS, ROOM_FOR_PANEL
from ui.compare_bar import CompareBar, RunState
from ui.compare_board import CompareBoard
from ui.compare_control import CompareControl
from ui.compare_export import Exporter
from ui.compare_history import show_history
from ui.compare_notices import by_time_words, compare_notices, saved_words, unmeasured_words, why_not
from ui.compare_settings import CompareSettings, CompareSettingsPopover
from ui.compare_store import CompareStore
from ui.compare_words import live_figures
from ui.live_panel import LivePanel
from ui.mix_control import MixControl
from ui.notices import NoticeArea
from ui.pair_control import PairControl
from ui.reply_control import ReplyControl
from ui.translated import Translated

LAST_MESSAGE = "last message"  # beside the ids of presets
PAINT_MS = 33  # between two pictures of the texts
MARGIN = 24


class ComparePage(Translated, QWidget):
    """Main thread.

    Signals:
        acted(object, object): an `Action` of a `Notice` that the window serves.
        room_changed(): the page has another size.
    """

    acted = Signal(object, object)
    room_changed = Signal()

    def __init__(
        self,
        control: CompareControl,
        pairs: PairControl,
        replies: ReplyControl,
        store: CompareStore,
        mix: MixControl,
        last_message: Callable[[], str],
    ) -> None:
        """`last_message` gives what the user wrote last in the open chat, "" where that is nothing."""
        super().__init__()
        self.setProperty("role", "work")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self._control, self._pairs, self._replies, self._store = control, pairs, replies, store
        self._mix = mix
        self._last_message = last_message
        self.notices, self.bar, self.board, self.live = NoticeArea(), CompareBar(), CompareBoard(control), LivePanel()
        self.settings = CompareSettingsPopover(self)
        self.exporter = Exporter(self, control, store, self.board)
        self._scroll, self._panel_line = QScrollArea(), QFrame()
        self._panel_wanted = True
        self._known: LoadedPair | None = None  # whose past is shown
        self._hint: Callable[[], str] = str  # "" of its own
        self._paint, self._figures = _pause(self, PAINT_MS), _pause(self, FIGURES_PAUSE_MS)
        self._build()
        self._wire()
        self.bar.prompt.set_text(PRESETS[0].prompt)
        self.settings.show_settings(control.settings)
        self.retranslate()

    # what the window asks and does

    @property
    def has_room_for_panel(self) -> bool:
        return self.width() >= ROOM_FOR_PANEL

    def show_live_panel(self, wanted: bool) -> None:
        """It is seen where it is wanted and has room."""
        self._panel_wanted = wanted
        self._show_panel()

    def focus_prompt(self) -> None:
        self.bar.prompt.edit.setFocus()

    def run(self) -> None:
        """Compare with the prompt as it is now; a line says why where that is not possible."""
        self._hint = partial(why_not, self._pairs, self._replies)
        text = self.bar.prompt.text.strip()
        if self._hint() or not text:
            self._refresh()
            return
        preset = next((preset for preset in PRESETS if preset.prompt.strip() == text), None)
        self._store.dismiss_drop()
        self._store.dismiss_problem()
        self._control.run(text, preset.id if preset else "", preset.kind if preset else "")

    def close_down(self) -> None:
        """Stop the comparison under way."""
        self._control.stop()
        self._paint.stop()
        self._figures.stop()

    # what happens here

    def _choose_preset(self, chosen: str) -> None:
        preset = preset_of(chosen)
        self.bar.prompt.set_text(self._last_message() if preset is None else preset.prompt)

    def _offers(self) -> list[tuple[str, str]]:
        offers = [(preset.id, preset_name(preset.id)) for preset in PRESETS]
        if self._last_message():
            offers.append((LAST_MESSAGE, translate("compare", "Your last message")))
        return offers

    def _set_settings(self, settings: CompareSettings) -> None:
        self._control.settings = settings
        self.bar.show_settings(settings)

    def _act(self, action: Action, notice: Notice) -> None:
        match action:
            case Action.USE_CHATML | Action.USE_PLAIN:
                self._replies.use_format(ChatFormat.CHATML if action is Action.USE_CHATML else ChatFormat.PLAIN)
                self.run()
            case Action.DISMISS_DROP:
                self._store.dismiss_drop()
            case Action.DISMISS_EXPORT:
                self._store.dismiss_problem()
            case Action.DISMISS_ERROR:
                self._control.dismiss_error()
            case Action.DISMISS:
                self._pairs.dismiss_refusal()
            case _:
                self.acted.emit(action, notice)

    def _on_control_changed(self) -> None:
        control = self._control
        by_time = control.compared is not None and control.compared.by_time
        self._hint = unmeasured_words if control.unmeasured else by_time_words if by_time else str
        self._refresh()
        self.board.refresh()
        self._show_figures()

    def _on_progress(self) -> None:
        for pause in (self._paint, self._figures):
            if not pause.isActive():
                pause.start()

    def _on_pair_changed(self) -> None:
        self._hint = str
        compared = self._control.compared
        if compared is not None and compared.pair != self._pairs.pair:
            self._store.dismiss_drop()
        self._look()
        self._refresh()
        self._show_figures()

    def _on_replies_changed(self) -> None:
        self._hint = str
        self._refresh()

    def _on_ended(self) -> None:
        measured = self._control.measured
        if measured is not None:
            self._store.remember(measured)

    def _on_saving(self) -> None:
        """What became of the last file is of no interest any more."""
        self._hint = str
        self._store.dismiss_problem()
        self._refresh()

    def _on_saved(self, name: str) -> None:
        self._hint = partial(saved_words, name)
        self._refresh()

    def _look(self) -> None:
        """Read what is known of the pair, once somebody looks."""
        pair = self._pairs.pair
        if pair is not None and pair is not self._known and self.isVisible():
            self._known = pair
            self._store.look(pair)

    # what is seen

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._look()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.bar.escape()
        else:
            super().keyPressEvent(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._show_panel()
        self.room_changed.emit()

    def retranslate(self) -> None:
        self.setAccessibleName(translate("rail", "Compare"))
        self._refresh()
        self._show_figures()

    def _show_panel(self) -> None:
        shown = self._panel_wanted and self.has_room_for_panel
        for widget in (self.live, self._panel_line):
            widget.setVisible(shown)
        beside = self._scroll.verticalScrollBar().sizeHint().width() + (self.live.width() if shown else 0)
        for part in (self.bar, self.board):
            part.set_width(self.width() - beside - 2 * MARGIN)

    def _refresh(self) -> None:
        """After every change of the pair and of the comparison."""
        control = self._control
        self.board.mix.show_loaded(self._pairs.pair is not None)
        self.notices.show_notices(self._notices())
        self.notices.show_loading(self._pairs.loading)
        self.notices.show_hint(self._hint())
        if control.running:
            state = RunState.STOPPING if control.stopping else RunState.STOP
        else:
            state = RunState.RUN_AGAIN if control.comparison.outcome is not None else RunState.RUN
        self.bar.show_state(state, exportable=self.exporter.ready)

    def _notices(self) -> list[Notice]:
        store = self._store
        return compare_notices(self._pairs, self._control.error, self._control.written, store.drop, store.problem)

    def _show_loading(self) -> None:
        self.notices.show_loading(self._pairs.loading)

    def _show_mix(self) -> None:
        self.board.mix.show_rows(self._mix.rows)

    def _show_figures(self) -> None:
        live, costs, chosen = live_figures(self._control, self._pairs)
        self.live.show_reply(live)
        self.live.show_costs(costs, chosen)

    # how it is put together

    def _build(self) -> None:
        inside = QWidget()
        inside.setProperty("role", "work")
        column = QVBoxLayout(inside)
        column.setContentsMargins(MARGIN, 20, MARGIN, 16)
        column.setSpacing(14)
        column.addWidget(self.bar)
        column.addWidget(self.notices)
        column.addWidget(self.board, 1)
        self._scroll.setWidget(inside)
        self._scroll.setWidgetResizable(True)
        self._scroll.setFrameShape(QFrame.Shape.NoFrame)
        self._scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._scroll.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._panel_line.setProperty("role", "line")
        self._panel_line.setFixedWidth(1)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(0)
        row.addWidget(self._scroll, 1)
        row.addWidget(self._panel_line)
        row.addWidget(self.live)

    def _wire(self) -> None:
        bar, control = self.bar, self._control
        bar.prompt.offer(self._offers)
        bar.prompt.preset_chosen.connect(self._choose_preset)
        bar.run_wanted.connect(self.run)
        bar.stop_wanted.connect(control.stop)
        bar.settings_wanted.connect(lambda: self.settings.open_below(bar.chip))
        bar.export_wanted.connect(self.exporter.ask)
        self.settings.changed.connect(self._set_settings)
        self.board.table.history_wanted.connect(
            lambda: show_history(self, self._store, loaded=self._pairs.pair is not None)
        )
        self.notices.acted.connect(self._act)
        self.notices.loading.cancelled.connect(self._pairs.cancel)
        control.changed.connect(self._on_control_changed)
        control.progressed.connect(self._on_progress)
        control.ended.connect(self._on_ended)
        self._replies.changed.connect(self._on_replies_changed)
        self.exporter.saving.connect(self._on_saving)
        self.exporter.saved.connect(self._on_saved)
        self._pairs.changed.connect(self._on_pair_changed)
        self._pairs.progressed.connect(self._show_loading)
        self._store.changed.connect(self._refresh)
        self._mix.changed.connect(self._show_mix)
        self._paint.timeout.connect(self.board.show_progress)
        self._figures.timeout.connect(self._show_figures)


def _pause(parent: QWidget, pause_ms: int) -> QTimer:
    timer = QTimer(parent, singleShot=True)
    timer.setInterval(pause_ms)
    return timer
