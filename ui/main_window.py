"""The main window: bars around pages, preferences and shortcuts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from PySide6.QtCore import QByteArray, QEvent, QSize, Qt
from PySide6.QtGui import QCloseEvent, QHideEvent, QKeyEvent, QKeySequence, QShortcut, QShowEvent
from PySide6.QtWidgets import (
    QAbstractButton,
    QFrame,
    QHBoxLayout,
    QMainWindow,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from app.conversation import Conversations
from app.pairs import models_title
from app.paths import Paths, free_bytes
from app.preferences import Preferences, read_preferences, write_preferences
from app.starter import StarterState, starter_state
from app.translate import translate
from engine.types import LoadRequest
from ui.chat_page import ChatPage
from ui.compare_control import CompareControl
from ui.compare_page import ComparePage
from ui.compare_store import CompareStore
from ui.dialogs import show_shortcuts
from ui.drop_files import DropFiles
from ui.first_start import FirstStart
from ui.language import Language
from ui.memory_control import MemoryControl
from ui.mix_control import MixControl
from ui.models_control import ModelsControl
from ui.models_fits import ModelsFits
from ui.models_page import ModelsPage
from ui.models_words import downloads_words
from ui.pair_actions import PairActions
from ui.pair_control import PairControl
from ui.rail import Rail
from ui.reply_control import ReplyControl
from ui.settings_page import SettingsPage
from ui.status_line import StatusLine
from ui.status_words import engine_status, pair_verdict, speculation_words, why_inactive
from ui.theme import ThemeChoice, theme_notifier
from ui.top_bar import TopBar
from ui.translated import Translated

LARGEST = QSize(1440, 900)  # at the first start
LEAST = QSize(720, 420)
WINDOW_FRAME = QSize(16, 48)  # what the platform draws around a window, about


class MainWindow(Translated, QMainWindow):
    """Shows what the controls say and tells them what the user wants. Closing it stops the reply under way;
    whoever made the controls ends the engine afterwards."""

    def __init__(
        self,
        paths: Paths,
        pairs: PairControl,
        replies: ReplyControl,
        comparing: CompareControl,
        compared: CompareStore,
        mix: MixControl,
        models: ModelsControl,
        fits: ModelsFits,
        memory: MemoryControl,
        language: Language,
    ) -> None:
        super().__init__()
        self._paths = paths
        self._pairs = pairs
        self._replies = replies
        self._comparing = comparing
        self._models, self._fits = models, fits
        self._memory = memory
        self._language = language
        self._preferences = read_preferences(paths.state)
        self._page = "chat"
        self.top_bar, self.rail, self.status_line = TopBar(), Rail(), StatusLine()
        self.first_start, self.settings_page = FirstStart(), SettingsPage()
        self.chat = ChatPage(Conversations(), replies, pairs, memory)
        self.compare = ComparePage(comparing, pairs, replies, compared, mix, lambda: self.chat.last_message)
        self.models_page = ModelsPage(models, fits)
        self.pair_actions = PairActions(self, pairs)
        self._stack = QStackedWidget()
        self._build()
        self._wire()
        self._add_shortcuts()
        self._apply_preferences()
        self.first_start.show_disk(_free_bytes(paths.models))
        self.first_start.show_starter(starter_state(paths) is not StarterState.NOT_INSTALLED)
        self.first_start.setFocus()
        self.retranslate()

    def retranslate(self) -> None:
        self.setWindowTitle("Draftlight")
        self._refresh()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Enter presses the focused button, as Space does; Qt knows that in dialogs only."""
        button = self.focusWidget()
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and isinstance(button, QAbstractButton):
            if not event.isAutoRepeat():
                button.animateClick()
        else:
            super().keyPressEvent(event)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._watch_memory()

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self._watch_memory()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() is QEvent.Type.WindowStateChange:
            self._watch_memory()

    def closeEvent(self, event: QCloseEvent) -> None:
        self.chat.close_down()
        self.compare.close_down()
        self._pairs.cancel()
        self._preferences = replace(self._preferences, geometry=self.saveGeometry().toBase64().toStdString())
        write_preferences(self._paths.state, self._preferences)
        super().closeEvent(event)

    # what is seen

    def _refresh(self) -> None:
        """Show what is the case now. Cheap enough for every change, not for every token."""
        pairs, pair = self._pairs, self._pairs.pair
        self.top_bar.pair.show_pair(pair, tuple(models_title(recent.pair) for recent in pairs.other_recent))
        self.first_start.show_engine(pairs.engine, died=pairs.died)
        self._show_speculation()
        self._show_status()
        self._show_page()

    def _show_speculation(self) -> None:
        box, pair = self.top_bar.speculation, self._pairs.pair
        inactive = why_inactive(self._pairs, self._replies, self.chat.running_stats)
        box.setVisible(pair is not None)
        stats, length = self.chat.running_stats, self._replies.settings.draft_length
        choice = stats.choice if stats is not None else None
        box.show_state(*speculation_words(inactive, pair, length, choice))

    def _show_status(self) -> None:
        states = self._pairs, self._replies, self._comparing.step, self._comparing.reading
        self.status_line.show_state(*engine_status(*states, self.chat.used_tokens))
        self._show_downloads()
        self.status_line.show_verdict(pair_verdict(self._pairs.pair))

    def _show_downloads(self) -> None:
        self.status_line.show_downloads(downloads_words(self._models.downloads), alone=self._page == "models")

    def _loaded_files(self) -> list[str]:
        pair = self._pairs.pair
        return [] if pair is None else [model.path for model in (pair.target, pair.draft) if model is not None]

    def _show_model_settings(self) -> None:
        models, card = self._models, self.settings_page.models
        card.show_settings(models.settings, models.token, models.settings_problem)

    def _show_page(self) -> None:
        """The first page stays until there is a pair, a load or a conversation to look at."""
        begun = self._pairs.pair or self._pairs.loading or self._pairs.refusal or self.chat.has_turns
        page: QWidget = self.chat if begun else self.first_start
        if self._page == "settings":
            page = self.settings_page
        elif self._page == "models":
            page = self.models_page
        elif self._page == "compare":
            page = self.compare
        if self._stack.currentWidget() is not page:
            self._stack.setCurrentWidget(page)
            if page is self.chat:
                self.chat.focus_prompt()
            elif page is self.compare:
                self.compare.bar.run.setFocus()
            else:
                page.setFocus()
        self.rail.show_page(self._page)
        self._show_panel_button()
        self._show_downloads()

    def _show_panel_button(self) -> None:
        page = self._stack.currentWidget()
        offered = isinstance(page, ChatPage | ComparePage) and page.has_room_for_panel
        self.top_bar.show_panel_state(self._preferences.live_panel, offered)

    def _show_memory(self) -> None:
        self._fits.use_machine(self._memory.machine)
        self.top_bar.show_memory(self._memory.reading)
        self.first_start.show_machine(self._memory.machine)

    def _watch_memory(self) -> None:
        self._memory.show_watched(self.isVisible() and not self.isMinimized())

    def _tell_memory(self) -> None:
        self._memory.on_pair(self._pairs.pair, self._pairs.forecast, again=self._pairs.came_back)

    def _open_page(self, page: str) -> None:
        self._page = page
        if page == "settings":
            self._models.start()  # what the settings are is read with all else
        self._show_page()

    def _load(self, request: LoadRequest) -> None:
        """Open a pair from the models page, and go where it is used."""
        self._pairs.open(request)
        self._open_page("chat")

    def _use_draft(self, draft: Path) -> None:
        """For the target that is loaded, or for one that the user chooses now."""
        loaded = self._pairs.request
        if loaded is not None:
            self._load(replace(loaded, draft=str(draft)))
        else:
            dialog = self.pair_actions.open_files(LoadRequest("", str(draft)))
            dialog.chosen.connect(lambda _request: self._open_page("chat"))

    # preferences

    def _apply_preferences(self) -> None:
        self._language.choose(self._preferences.language)
        theme_notifier().choose(ThemeChoice(self._preferences.theme))
        self.settings_page.show_preferences(self._preferences)
        self._show_panels(self._preferences.live_panel)

    def _prefer(self, preferences: Preferences) -> None:
        if preferences == self._preferences:
            return
        before, self._preferences = self._preferences, preferences
        write_preferences(self._paths.state, preferences)
        if preferences.language != before.language:
            self._language.choose(preferences.language)
        theme_notifier().choose(ThemeChoice(preferences.theme))
        self.settings_page.show_preferences(preferences)
        self._show_panels(preferences.live_panel)
        self._show_page()

    def _show_panels(self, wanted: bool) -> None:
        for page in (self.chat, self.compare):
            page.show_live_panel(wanted)

    def _toggle_panel(self) -> None:
        self._prefer(replace(self._preferences, live_panel=not self._preferences.live_panel))

    # how it is put together

    def _build(self) -> None:
        for page in (self.first_start, self.chat, self.compare, self.models_page, self.settings_page):
            self._stack.addWidget(page)
        middle = QHBoxLayout()
        middle.setSpacing(0)
        middle.addWidget(self.rail)
        middle.addWidget(_line(vertical=True))
        middle.addWidget(self._stack, 1)
        everything = QWidget()
        column = QVBoxLayout(everything)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.top_bar)
        column.addWidget(_line())
        column.addLayout(middle, 1)
        column.addWidget(_line())
        column.addWidget(self.status_line)
        self.setCentralWidget(everything)
        self.setMinimumSize(LEAST)
        room = self.screen().availableSize() - WINDOW_FRAME
        self.resize(LARGEST.boundedTo(room).expandedTo(LEAST))
        self.restoreGeometry(QByteArray.fromBase64(self._preferences.geometry.encode()))

    def _wire(self) -> None:
        pairs, replies, actions = self._pairs, self._replies, self.pair_actions
        pairs.changed.connect(self._tell_memory)
        pairs.changed.connect(self._refresh)
        self._memory.changed.connect(self._show_memory)
        replies.changed.connect(self._refresh)
        self._comparing.changed.connect(self._show_status)
        for page in (self.chat, self.compare):
            page.acted.connect(actions.act)
        self.chat.changed.connect(self._refresh)
        self.chat.figures_changed.connect(self._show_status)
        self.chat.figures_changed.connect(self._show_speculation)
        self.first_start.starter_wanted.connect(pairs.open_starter)
        self.first_start.open_wanted.connect(lambda: actions.open_files())
        actions.serve(self.top_bar.pair)
        self.top_bar.pair.unload_wanted.connect(self._stop)
        self.top_bar.pair.unload_wanted.connect(pairs.unload)
        self.top_bar.speculation.toggled.connect(self._speculate)
        self.top_bar.panel_toggled.connect(lambda seen: self._prefer(replace(self._preferences, live_panel=seen)))
        self.rail.chosen.connect(self._open_page)
        self.settings_page.theme_chosen.connect(lambda name: self._prefer(replace(self._preferences, theme=name)))
        self.settings_page.language_chosen.connect(lambda name: self._prefer(replace(self._preferences, language=name)))
        for page in (self.chat, self.compare):
            page.room_changed.connect(self._show_panel_button)
        self._wire_models()
        drops = DropFiles(self)
        drops.dropped.connect(actions.drop)
        drops.refused.connect(actions.explain_drops)

    def _wire_models(self) -> None:
        models, card = self._models, self.settings_page.models
        models.changed.connect(self._show_model_settings)
        models.downloads_changed.connect(self._show_downloads)
        self.models_page.acts.loaded_files = self._loaded_files
        self.models_page.acts.sampling_wanted.connect(self.chat.use_sampling)
        self.models_page.load_wanted.connect(self._load)
        self.models_page.draft_wanted.connect(self._use_draft)
        self.first_start.browse_wanted.connect(lambda: self._open_page("models"))
        card.chosen.connect(models.use_settings)
        card.token_given.connect(models.use_token)
        card.token_forgotten.connect(models.forget_token)

    def _stop(self) -> None:
        self.chat.stop()
        self._comparing.stop()

    def _speculate(self, on: bool) -> None:
        """Counts from the next message on; nothing is loaded anew."""
        self._replies.speculate = on
        self._show_speculation()

    def _add_shortcuts(self) -> None:
        for key, act, _ in self._shortcuts():
            shortcut = QShortcut(QKeySequence(key), self)
            shortcut.setAutoRepeat(False)  # most of them would undo what they did
            shortcut.activated.connect(act)

    def _shortcuts(self) -> list[tuple[str, Callable[[], object], str]]:
        """Key, what it does, and that in words."""
        return [
            ("Ctrl+N", self.chat.new_chat, translate("shortcuts", "New chat")),
            ("Ctrl+L", self.chat.focus_prompt, translate("shortcuts", "Go to the prompt")),
            ("Ctrl+.", self._stop, translate("shortcuts", "Stop the reply or the comparison")),
            ("Ctrl+R", self.chat.again, translate("shortcuts", "Write the last reply again")),
            ("Ctrl+O", self.pair_actions.open_files, translate("shortcuts", "Open GGUF files")),
            (
                "Ctrl+Shift+S",
                self.top_bar.speculation.toggle,
                translate("shortcuts", "Switch speculation on or off"),
            ),
            ("Ctrl+Shift+L", self._toggle_panel, translate("shortcuts", "Show or hide the live panel")),
            ("Ctrl+E", lambda: self._open_page("compare"), translate("shortcuts", "Compare")),
            ("Ctrl+M", lambda: self._open_page("models"), translate("shortcuts", "Models")),
            ("Ctrl+,", lambda: self._open_page("settings"), translate("shortcuts", "Settings")),
            ("F1", self._show_shortcuts, translate("shortcuts", "This list")),
        ]

    def _show_shortcuts(self) -> None:
        own = [
            ("Enter", translate("shortcuts", "Send the message")),
            ("Shift+Enter", translate("shortcuts", "Add a line to the message")),
            ("F2", translate("shortcuts", "Rename the chosen chat")),
            ("Ctrl+Backspace", translate("shortcuts", "Delete the chosen chat")),
        ]
        show_shortcuts(self, [*own, *((key, words) for key, _, words in self._shortcuts())])


def _line(vertical: bool = False) -> QFrame:
    line = QFrame()
    line.setProperty("role", "line")
    if vertical:
        line.setFixedWidth(1)
    else:
        line.setFixedHeight(1)
    return line


def _free_bytes(folder: Path) -> int | None:
    """None if it cannot be told."""
    try:
        return free_bytes(folder)
    except OSError:
        return None
